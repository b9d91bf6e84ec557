/* SPDX-License-Identifier: MIT */
/* frame_output.c: whole writes (short ones, EINTR, EAGAIN), and files that get their name when they
 * are complete. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fdio.h"
#include "stream/frame.h"
#include "stream/frame_output.h"

/* Names of unfinished files, for a signal handler. */
enum { SLOTS = 8 };
static char *volatile unfinished[SLOTS];

void frame_remove_unfinished(void)
{
    for (int k = 0; k < SLOTS; k++) {
        char *name = unfinished[k];
        if (name)
            unlink(name);
    }
}

static void remember(struct output *o)
{
    for (int k = 0; k < SLOTS; k++)
        if (!unfinished[k]) {
            unfinished[k] = o->temp;
            o->slot = k;
            return;
        }
}

/* The file under o->temp, which must be new: the nameless one, or a fresh one. A descriptor, or -1.
 */
static int make_temp(const struct output *o)
{
    char self[32];
    if (!o->nameless)
        return open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW) == 0 ? o->fd : -1;
}

/* ".NAME.XXXXXX" beside the target; tries until it is new. Returns the descriptor or -1. */
static int take_temp(struct output *o)
{
    const char *slash = strrchr(o->target, '/');
    int dir = slash ? (int)(slash - o->target) + 1 : 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    unsigned long salt = (unsigned long)t.tv_nsec ^ ((unsigned long)getpid() << 20);
    for (int k = 0; k < 100; k++, salt = salt * 6364136223846793005u + 1442695040888963407u) {
        if (asprintf(&o->temp, "%.*s.%.200s.%06lx", dir, o->target, o->target + dir,
                     (salt >> 24) & 0xffffff) < 0) {
            o->temp = NULL;
            return -1;
        }
        remember(o);
        int fd = make_temp(o);
        if (fd >= 0)
            return fd;
        if (o->slot >= 0)
            unfinished[o->slot] = NULL;
        o->slot = -1;
        free(o->temp);
        o->temp = NULL;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/*
 * A file in the target's folder that has no name until it is complete, so that not even a kill
 * leaves anything: where file system and /proc know how. Returns the descriptor or -1.
 */
static int open_nameless(struct output *o)
{
    char self[32], *dir = strdup(o->target), *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash)
        slash[slash == dir] = '\0';
    int fd = dir ? open(slash ? dir : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(dir);
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fd >= 0 && access(self, F_OK) != 0) {
        close(fd);
        fd = -1;
    }
    o->nameless = fd >= 0;
    return fd;
}

static int open_file(struct output *o, const char *path)
{
    struct stat st;
    int known = stat(path, &st) == 0;
    if (known && !S_ISREG(st.st_mode)) { /* a pipe or a device is written, never renamed over */
        o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd < 0 ? -1 : 0;
    }
    o->target = known ? realpath(path, NULL)
                      : strdup(path); /* through a link, the file behind it is replaced */
    o->regular = true;
    if (!o->target)
        return -1;
    o->fd = open_nameless(o);
    if (o->fd < 0)
        o->fd = take_temp(o);
    return o->fd < 0 ? -1 : 0;
}

/* A duplicate of 1 is ours; 1 itself becomes 2, so that a stray printf cannot get into the stream.
 */
static int take_stdout(struct output *o)
{
    struct stat st;
    o->is_stdout = true;
    o->fd = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (o->fd < 0)
        return -1;
    int flags = fcntl(o->fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    if (dup2(2, 1) < 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0 && null != 1) {
            dup2(null, 1);
            close(null);
        }
    }
    o->regular = fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
    return 0;
}

/* Undo a failed output_open. */
static int drop_output(struct output *o)
{
    (void)output_close(o, false, NULL);
    return -1;
}

int output_open(struct output *o, const char *path, bool force, struct err *e)
{
    bool to_stdout = !path || strcmp(path, "-") == 0;
    const char *name = to_stdout ? "stdout" : path;
    *o = (struct output){.fd = -1, .slot = -1};
    if (to_stdout && !force && isatty(1))
        return err_set(e, ERR_BAD, "%s is a terminal: expected a pipe, a file or --force", name);
    if ((to_stdout ? take_stdout(o) : open_file(o, path)) || (o->fd = fdio_above_two(o->fd)) < 0) {
        err_set(e, ERR_MACHINE, "%s: cannot open for writing: %s", name, strerror(errno));
        return drop_output(o);
    }
    if (!to_stdout && !force && isatty(o->fd)) {
        err_set(e, ERR_BAD, "%s is a terminal: expected a pipe, a file or --force", name);
        return drop_output(o);
    }
    (void)!fcntl(o->fd, F_SETPIPE_SZ, 1 << 20); /* best effort, pipes only */
    return 0;
}

int output_writev(struct output *o, struct iovec *iov, int n)
{
    while (n > 0) {
        if (iov->iov_len == 0) {
            iov++;
            n--;
            continue;
        }
        ssize_t k = writev(o->fd, iov, n);
        if (k < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            fdio_poll(o->fd, POLLOUT);
        else if (k < 0 && errno != EINTR)
            return -1;
        if (k < 0)
            continue;
        o->written += (uint64_t)k;
        for (size_t left = (size_t)k; left > 0;) {
            size_t step = left < iov->iov_len ? left : iov->iov_len;
            iov->iov_base = (char *)iov->iov_base + step;
            iov->iov_len -= step;
            left -= step;
            if (iov->iov_len == 0) {
                iov++;
                n--;
            }
        }
    }
    return 0;
}

int output_close(struct output *o, bool keep, struct err *e)
{
    int rc = 0;
    if (o->nameless && keep && take_temp(o) < 0)
        rc = err_set(e, ERR_MACHINE, "%s: cannot give the finished file a name: %s", o->target,
                     strerror(errno));
    if (o->fd >= 0 && close(o->fd) != 0 && errno != EINTR)
        rc = err_set(e, ERR_MACHINE, "closing the output failed: %s", strerror(errno));
    o->fd = -1;
    if (o->temp && rc == 0 && keep && rename(o->temp, o->target) != 0)
        rc = err_set(e, ERR_MACHINE, "%s: cannot rename the finished file to it: %s", o->target,
                     strerror(errno));
    if (o->temp && (rc || !keep))
        unlink(o->temp);
    if (o->slot >= 0)
        unfinished[o->slot] = NULL;
    free(o->temp);
    free(o->target);
    o->temp = o->target = NULL;
    return rc;
}
