/* SPDX-License-Identifier: MIT */
#include "io/fdio.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/portable.h"

int fdio_above_two(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, 3), e = errno;
    close(fd);
    errno = e;
    return up;
}

void fdio_poll(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};
    (void)poll(&p, 1, -1);
}

static int failed(struct fdio *f, int e)
{
    f->error = e;
    return -1;
}

int fdio_open(struct fdio *f, const char *path)
{
    struct stat st;
    *f = (struct fdio){.fd = 0};
    if (path && strcmp(path, "-") != 0) {
        f->fd = fdio_above_two(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
        f->own = true;
    }
    if (f->fd < 0 || fstat(f->fd, &st) != 0)
        return failed(f, errno);
    if (S_ISDIR(st.st_mode))
        return failed(f, EISDIR);
    if (S_ISFIFO(st.st_mode)) /* this call may fail, but a larger pipe saves context switches */
        portable_grow_pipe(f->fd);
    off_t at = S_ISREG(st.st_mode) ? lseek(f->fd, 0, SEEK_CUR) : -1;
    if (at >= 0) {
        f->regular = true;
        f->start = (uint64_t)at;
        f->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        portable_reads_all(f->fd);
    }
    return 0;
}

void fdio_close(struct fdio *f)
{
    if (f->own && f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

double fdio_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool fdio_ready(int fd, short events, double until)
{
    for (;;) {
        double left = until - fdio_now();
        struct pollfd p = {.fd = fd, .events = events};
        int n = poll(&p, 1, !(left < 1e6) ? -1 : left > 0.0 ? (int)(left * 1e3) + 1 : 0);
        if (n >= 0 || errno != EINTR)
            return n != 0;
    }
}

ssize_t fdio_read(struct fdio *f, void *p, size_t n, double wait)
{
    bool limited = wait >= 0.0 && !f->regular;
    double until = limited ? fdio_now() + wait : 0.0;
    while (!f->error) {
        if (limited && !fdio_ready(f->fd, POLLIN, until))
            return FDIO_NOTHING_YET;
        ssize_t got =
            f->read ? f->read(f->from, p, n) : read(f->fd, p, n < FDIO_MOST ? n : FDIO_MOST);
        if (got >= 0) {
            f->bytes += (uint64_t)got;
            return got;
        }
        if (f->read) {
            failed(f, EIO);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!limited)
                fdio_poll(f->fd, POLLIN);
        } else if (errno != EINTR) {
            failed(f, errno);
        }
    }
    return FDIO_ERROR;
}

size_t fdio_read_at(const struct fdio *f, uint64_t at, void *p, size_t n, int *error)
{
    unsigned char *to = p;
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(f->fd, to + done, n - done < FDIO_MOST ? n - done : FDIO_MOST,
                            (off_t)(f->start + at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            *error = errno;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

int fdio_peek(struct fdio *f, uint64_t at, void *p, size_t n)
{
    int error = 0;
    if (fdio_read_at(f, at, p, n, &error) == n)
        return 0;
    return error ? failed(f, error) : -1;
}

int fdio_seek(struct fdio *f, uint64_t at)
{
    return lseek(f->fd, (off_t)(f->start + at), SEEK_SET) < 0 ? failed(f, errno) : 0;
}
