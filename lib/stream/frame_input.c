/* SPDX-License-Identifier: MIT */
/* frame_input.c: exact reads over any descriptor: short reads, EINTR, EAGAIN. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/frame_input.h"

int input_above_two(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 3), e = errno;
    close(fd);
    errno = e;
    return up;
}

void input_open(struct input *in, const char *path)
{
    struct stat st;
    memset(in, 0, offsetof(struct input, buf));
    in->fd = 0;
    if (path && strcmp(path, "-") != 0) {
        in->fd = input_above_two(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
        in->own = true;
    }
    if (in->fd < 0 || fstat(in->fd, &st) != 0) {
        in->error = errno;
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        in->error = EISDIR;
        return;
    }
    if (S_ISFIFO(st.st_mode))
        (void)!fcntl(in->fd, F_SETPIPE_SZ,
                     1 << 20); /* best effort: fewer switches between the stages */
    off_t at = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    if (at >= 0) {
        in->regular = true;
        in->start = (uint64_t)at;
        in->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        (void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
}

void input_close(struct input *in)
{
    if (in->own && in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

/* One read that is only ever short for a good reason. 0: end; -1: error kept. */
static ssize_t read_some(struct input *in, void *p, size_t n)
{
    while (!in->error) {
        ssize_t got = read(in->fd, p, n);
        if (got >= 0)
            return got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd pf = {.fd = in->fd, .events = POLLIN};
            (void)poll(&pf, 1, -1);
        } else if (errno != EINTR) {
            in->error = errno;
        }
    }
    return -1;
}

size_t input_read(struct input *in, void *p, size_t n)
{
    unsigned char *to = p;
    size_t done = 0;
    while (done < n) {
        if (in->at < in->have) {
            size_t k = in->have - in->at < n - done ? in->have - in->at : n - done;
            memcpy(to + done, in->buf + in->at, k);
            in->at += k;
            done += k;
            continue;
        }
        bool direct = n - done >= sizeof in->buf;
        ssize_t got =
            read_some(in, direct ? to + done : in->buf, direct ? n - done : sizeof in->buf);
        if (got <= 0)
            break;
        if (direct) {
            done += (size_t)got;
        } else {
            in->at = 0;
            in->have = (size_t)got;
        }
    }
    in->offset += done;
    return done;
}

uint64_t input_skip(struct input *in, uint64_t n)
{
    uint64_t left = in->size > in->offset ? in->size - in->offset : 0;
    if (n > left)
        n = left;
    in->offset += n;
    if (n <= in->have - in->at) {
        in->at += (size_t)n;
        return n;
    }
    in->at = in->have = 0;
    if (lseek(in->fd, (off_t)(in->start + in->offset), SEEK_SET) < 0)
        in->error = errno;
    return n;
}

int input_tail(struct input *in, void *p, size_t n)
{
    unsigned char *to = p;
    if (!in->regular || in->size < n)
        return -1;
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(in->fd, to + done, n - done, (off_t)(in->start + in->size - n + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        done += (size_t)got;
    }
    return 0;
}
