/* SPDX-License-Identifier: MIT */
/* frame_output.c: writes all bytes, also after short writes, EINTR and EAGAIN, and gives files
 * their names when they are complete. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/portable.h"
#include "io/fdio.h"
#include "stream/frame_output.h"

/* Names of unfinished files. A signal handler reads the list, so entries are reused but never
 * freed. The member `target` is set if the file is complete and waits for output_publish(). */
struct output_name {
    char *volatile temp; /* NULL in an unused entry */
    char *volatile old;  /* second name of the file that is replaced, in the same folder, or NULL */
    char *target;
    bool lasting; /* temp is TARGET.part, which remains after a failure */
    bool last;    /* this file gets its name after the others */
    bool stood;   /* a file of that name existed */
    bool given;   /* this file was published */
    struct output_name *volatile next;
};
static struct output_name *volatile names;
static bool no_sync, together;

enum { TRIES = 100 }; /* attempts to find an unused hidden name */

void output_sync(bool sync)
{
    no_sync = !sync;
}

void output_together(void)
{
    together = true;
}

void frame_remove_unfinished(void)
{
    for (struct output_name *n = names; n; n = n->next) {
        char *name = n->temp, *old = n->old;
        if (name && !n->lasting)
            unlink(name);
        if (old)
            unlink(old);
    }
}

static struct output_name *free_name(void)
{
    struct output_name *n = names;
    while (n && n->temp)
        n = n->next;
    if (!n && (n = calloc(1, sizeof *n))) {
        n->next = names;
        names = n;
    }
    return n;
}

/* Removes the second name of the replaced file. */
static void forget_old(struct output_name *n)
{
    char *old = n->old;
    if (old)
        unlink(old);
    n->old = NULL;
    free(old);
}

/* Releases an entry whose temporary name is gone or was replaced by the final name. */
static void forget(struct output_name *n)
{
    char *temp = n ? n->temp : NULL;
    if (!n)
        return;
    n->temp = NULL;
    n->lasting = n->last = false;
    free(temp);
    forget_old(n);
    free(n->target);
    n->target = NULL;
}

static int machine_failed(struct err *e, const char *target, const char *what)
{
    return err_in(e, err_errno(errno), target, 0, "%s: %s", what, strerror(errno));
}

/* Syncs a file or folder to disk, if the file system can. Returns 0 or -1. */
static int on_disk(int fd)
{
    return no_sync || portable_sync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ||
                   errno == EROFS
               ? 0
               : -1;
}

static int folder_on_disk(const char *target)
{
    char *dir = strdup(target), *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash)
        slash[slash == dir] = '\0';
    int fd = dir ? open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd >= 0 ? on_disk(fd) : dir && errno == EACCES ? 0 : -1, why = errno;
    if (fd >= 0)
        close(fd);
    free(dir);
    errno = why;
    return rc;
}

int output_on_disk(int fd, const char *fresh)
{
    return on_disk(fd) == 0 && (no_sync || !fresh || folder_on_disk(fresh) == 0) ? 0 : -1;
}

/* Returns a name ".NAME.XXXXXX" in the folder of the target that is probably unused, or NULL if out
 * of memory. */
static char *hidden_name(const char *target, unsigned long *salt)
{
    const char *slash = strrchr(target, '/');
    int dir = slash ? (int)(slash - target) + 1 : 0;
    char *name;
    *salt = *salt * 6364136223846793005u + 1442695040888963407u;
    return asprintf(&name, "%.*s.%.200s.%06lx", dir, target, target + dir,
                    (*salt >> 24) & 0xffffff) < 0
               ? NULL
               : name;
}

static unsigned long new_salt(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long)t.tv_nsec ^ ((unsigned long)getpid() << 20);
}

/* Gives the existing file a second name, so that it can be restored. On a file system without
 * links, it cannot be restored. Returns 0, or -1 and sets errno. */
static int keep_old(struct output_name *n, const char *target)
{
    unsigned long salt = new_salt();
    for (int k = 0; k < TRIES; k++) {
        n->old = hidden_name(target, &salt);
        if (!n->old || link(target, n->old) == 0)
            return n->old ? 0 : -1;
        int why = errno;
        char *old = n->old;
        n->old = NULL;
        free(old);
        errno = why;
        if (errno != EEXIST)
            break;
    }
    return errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -1;
}

static void drop_temp(const struct output_name *n)
{
    if (!n->lasting)
        unlink(n->temp);
}

/* Restores the previous file after a failure, or removes the new file if there was none before. If
 * the previous file has no second name, the new file stays, because it is complete. The only copy
 * of a file is never removed. A lasting file that cannot get its old name back keeps the new name.
 * A replaced file that cannot be restored keeps its second name, which the error in `e` states. */
static void take_back(struct output_name *n, const char *target, struct err *e)
{
    bool stays = n->lasting && rename(target, n->temp) != 0;
    char *old = n->old;
    if (old && (stays || rename(old, target) != 0)) {
        size_t at = e ? strlen(e->text) : 0;
        if (e)
            snprintf(e->text + at, sizeof e->text - at, " (the previous %s is now %s)", target,
                     old);
    } else if (!old && !n->stood && !stays && !n->lasting) {
        unlink(target);
    }
    n->old = NULL;
    free(old);
}

/* Gives a complete file its name, or changes nothing. Returns 0 or -1. */
static int give_name(struct output_name *n, const char *target, struct err *e)
{
    n->stood = access(target, F_OK) == 0;
    if ((n->stood && keep_old(n, target) != 0) || rename(n->temp, target) != 0) {
        machine_failed(e, target, "cannot rename the finished file to this name");
        drop_temp(n);
        return -1;
    }
    if (no_sync || folder_on_disk(target) == 0)
        return 0;
    machine_failed(e, target, "cannot write the folder of this file to disk");
    take_back(n, target, e);
    return -1;
}

int output_publish(bool keep, struct err *e)
{
    int rc = 0;
    for (int last = 0; last < 2; last++)
        for (struct output_name *n = names; n; n = n->next)
            if (n->temp && n->target && n->last == last) {
                n->given = keep && rc == 0 && (rc = give_name(n, n->target, e)) == 0;
                if (!n->given)
                    drop_temp(n);
            }
    for (struct output_name *n = names; n; n = n->next)
        if (n->temp && n->target) {
            if (n->given && rc) /* because one file failed, also takes back the files before it */
                take_back(n, n->target, e);
            forget(n);
        }
    return rc;
}

/* Gives the file the new name `temp`, by a link to the nameless file or by creating a file. Returns
 * a descriptor or -1. */
static int make_temp(const struct output *o, const char *temp)
{
    char self[32];
    if (!o->nameless)
        return open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, temp, AT_SYMLINK_FOLLOW) == 0 ? o->fd : -1;
}

/* Creates a file with a new hidden name in the folder of the target. Returns a descriptor or -1. */
static int take_temp(struct output *o)
{
    unsigned long salt = new_salt();
    for (int k = 0; k < TRIES; k++) {
        o->name = free_name();
        char *temp = o->name ? hidden_name(o->target, &salt) : NULL;
        if (!temp) {
            o->name = NULL;
            errno = ENOMEM;
            return -1;
        }
        o->name->temp = temp; /* set before the file exists, because a signal may come */
        int fd = make_temp(o, temp), why = errno;
        if (fd >= 0)
            return fd;
        forget(o->name);
        o->name = NULL;
        errno = why;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* Opens a file in the folder of the target that has no name until it is complete. Even a killed
 * program then leaves no file. The file system and /proc must support this. Returns the descriptor
 * or -1. */
static int open_nameless(struct output *o)
{
    char self[32], *dir = strdup(o->target), *slash = dir ? strrchr(dir, '/') : NULL;
    if (slash)
        slash[slash == dir] = '\0';
    int fd = dir ? open(slash ? dir : ".", PORTABLE_NAMELESS | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(dir);
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fd >= 0 && access(self, F_OK) != 0) {
        close(fd);
        fd = -1;
    }
    o->nameless = fd >= 0;
    return fd;
}

/* Gives the new file only the permissions of the old file. */
static void take_after(int fd, const struct stat *old)
{
    struct stat st;
    mode_t mode = old->st_mode & 07777;
    if (fstat(fd, &st) != 0)
        return;
    if (st.st_uid != old->st_uid)
        (void)!fchown(fd, old->st_uid, (gid_t)-1);
    if (st.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)(S_IRWXG | S_ISGID); /* because the mode was meant for another group */
    (void)!fchmod(fd, mode);
}

static int open_file(struct output *o, const char *path)
{
    struct stat st;
    int known = stat(path, &st) == 0;
    if (!known && lstat(path, &st) == 0) /* a dangling link is never replaced by a file */
        return errno = ENOENT, -1;
    if (known && !S_ISREG(st.st_mode)) { /* a pipe or a device is written to, never replaced */
        o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd < 0 ? -1 : 0;
    }
    o->target = known ? realpath(path, NULL) : strdup(path); /* the target of a link is replaced */
    o->regular = true;
    o->fresh = !known;
    if (!o->target || (known && access(path, W_OK) != 0))
        return -1;
    o->fd = open_nameless(o);
    if (o->fd < 0)
        o->fd = take_temp(o);
    if (o->fd >= 0 && known)
        take_after(o->fd, &st);
    return o->fd < 0 ? -1 : 0;
}

/* Duplicates descriptor 1 for private use and redirects 1 to 2, so that no other output can enter
 * the stream. */
static int take_stdout(struct output *o)
{
    struct stat st;
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

/* Undoes a failed output_open(). */
static int drop_output(struct output *o)
{
    (void)output_close(o, false, NULL);
    return -1;
}

int output_open(struct output *o, const char *path, bool force, struct err *e)
{
    bool to_stdout = !path || strcmp(path, "-") == 0;
    const char *name = to_stdout ? "stdout" : path;
    *o = (struct output){.fd = -1};
    if (to_stdout && !force && isatty(1))
        return err_in(e, ERR_BAD, name, 0,
                      "expected a pipe or a file, found a terminal (use --force to write to it)");
    if ((to_stdout ? take_stdout(o) : open_file(o, path)) || (o->fd = fdio_above_two(o->fd)) < 0) {
        machine_failed(e, name, "cannot open for writing");
        return drop_output(o);
    }
    if (!to_stdout && !force && isatty(o->fd)) {
        err_in(e, ERR_BAD, name, 0,
               "expected a pipe or a file, found a terminal (use --force to write to it)");
        return drop_output(o);
    }
    portable_grow_pipe(o->fd);
    return 0;
}

void output_like(const struct output *o, const char *path)
{
    struct stat st;
    if (o->fresh && stat(path, &st) == 0)
        take_after(o->fd, &st);
}

/* ---- files that outlive a process that is killed */

char *output_part(const char *path)
{
    char *target = access(path, F_OK) == 0 ? realpath(path, NULL) : strdup(path), *part;
    int n = target ? asprintf(&part, "%s.part", target) : -1;
    free(target);
    return n < 0 ? NULL : part;
}

/* Locks the file, so that no other process can continue it. Returns 0, or -1 and sets errno. */
static int lock_part(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ? 0 : -1;
}

int output_remove_part(const char *part)
{
    int fd = open(part, O_RDWR | O_CLOEXEC),
        bad = fd < 0 || lock_part(fd) != 0 || unlink(part) != 0, why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return bad ? -1 : 0;
}

int output_keep(struct output *o, struct err *e)
{
    if (!o->target)
        return 1;
    if (!o->part) {
        char self[32], *part = output_part(o->target);
        snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
        if (!part)
            return err_memory(e, "a name");
        if (lock_part(o->fd) ||
            (o->name ? link(o->name->temp, part)
                     : linkat(AT_FDCWD, self, AT_FDCWD, part, AT_SYMLINK_FOLLOW)) != 0) {
            machine_failed(e, part, "cannot be created");
            free(part);
            return -1;
        }
        if (o->name)
            unlink(o->name->temp);
        forget(o->name);
        o->name = NULL;
        o->nameless = false;
        o->part = part;
    }
    if (!o->unsynced && output_on_disk(o->fd, o->part) != 0)
        o->unsynced = errno;
    errno = o->unsynced;
    return errno ? machine_failed(e, o->part, "cannot be written to disk") : 0;
}

static bool holds(int fd, uint64_t bytes)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size >= bytes;
}

int output_find(const char *path, uint64_t bytes, bool *is_part)
{
    char *part = output_part(path);
    int fd = part ? fdio_above_two(open(part, O_RDWR | O_CLOEXEC)) : -1;
    free(part);
    *is_part = holds(fd, bytes);
    if (*is_part)
        return fd;
    if (fd >= 0)
        close(fd);
    fd = fdio_above_two(open(path, O_RDONLY | O_CLOEXEC));
    if (holds(fd, bytes))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Copies this many bytes from the beginning of fd. Returns 0 or -1. */
static int copy_bytes(struct output *o, int fd, uint64_t bytes)
{
    static char buffer[1 << 16];
    const struct fdio in = {.fd = fd};
    for (uint64_t at = 0; at < bytes; at += sizeof buffer) {
        size_t want = bytes - at < sizeof buffer ? (size_t)(bytes - at) : sizeof buffer;
        struct iovec iov = {buffer, want};
        int error = EIO;
        if (fdio_read_at(&in, at, buffer, want, &error) != want) {
            errno = error;
            return -1;
        }
        if (output_writev(o, &iov, 1) != 0)
            return -1;
    }
    return 0;
}

int output_resume(struct output *o, const char *path, int fd, bool is_part, uint64_t bytes,
                  struct err *e)
{
    if (!is_part) {
        int bad = output_open(o, path, true, e);
        if (!bad && (bad = copy_bytes(o, fd, bytes)) != 0) {
            machine_failed(e, path, "cannot be copied");
            drop_output(o);
        }
        close(fd);
        return bad;
    }
    *o = (struct output){.fd = fd, .regular = true, .written = bytes};
    o->part = output_part(path);
    o->target = access(path, F_OK) == 0 ? realpath(path, NULL) : strdup(path);
    if (!o->part || !o->target)
        err_memory(e, "a name");
    else if (lock_part(fd) != 0)
        err_in(e, ERR_MACHINE, o->part, 0, "another program is writing to this file");
    else if (ftruncate(fd, (off_t)bytes) == 0 && lseek(fd, (off_t)bytes, SEEK_SET) >= 0)
        return 0;
    else
        machine_failed(e, o->part, "cannot continue writing to this file");
    return drop_output(o);
}

static ssize_t write_some(int fd, const struct iovec *iov, int n)
{
    if (iov->iov_len > FDIO_MOST)
        return write(fd, iov->iov_base, FDIO_MOST);
    return writev(fd, iov, n > 1 && iov[1].iov_len > FDIO_MOST - iov->iov_len ? 1 : n);
}

int output_writev(struct output *o, struct iovec *iov, int n)
{
    while (n > 0) {
        if (iov->iov_len == 0) {
            iov++;
            n--;
            continue;
        }
        ssize_t k =
            o->write ? o->write(o->to, iov->iov_base, iov->iov_len) : write_some(o->fd, iov, n);
        if (o->write && (k <= 0 || (size_t)k > iov->iov_len))
            return errno = EIO, -1;
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
    const char *target = o->target ? o->target : "the output";
    int rc = 0;
    if (o->part && keep) { /* a temporary name from now on, except after a failure */
        o->name = free_name();
        if (o->name) {
            o->name->lasting = true;
            o->name->temp = o->part;
            o->part = NULL;
        } else {
            rc = err_memory(e, "a name");
        }
    }
    if (rc == 0 && keep &&
        (errno = o->unsynced) != 0) /* the system does not report a failed write twice */
        rc = machine_failed(e, target, "cannot be written to disk");
    if (rc == 0 && keep && o->target && on_disk(o->fd) != 0)
        rc = machine_failed(e, target, "cannot be written to disk");
    else if (rc == 0 && keep && o->nameless && take_temp(o) < 0)
        rc = machine_failed(e, target, "cannot give the finished file its name");
    if (o->fd >= 0 && close(o->fd) != 0 && errno != EINTR && keep && rc == 0)
        rc = machine_failed(e, target, "closing failed");
    o->fd = -1;
    if (o->name && (rc || !keep)) {
        drop_temp(o->name);
    } else if (o->name && together && !o->at_once) {
        o->name->target = o->target;
        o->name->last = o->last;
        o->target = NULL;
        o->name = NULL;
    } else if (o->name) {
        rc = give_name(o->name, o->target, e);
    }
    forget(o->name);
    o->name = NULL;
    free(o->target);
    free(o->part);
    o->target = o->part = NULL;
    return rc;
}
