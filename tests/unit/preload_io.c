/* SPDX-License-Identifier: MIT */
/*
 * preload_io.c: imitates a difficult system, for LD_PRELOAD. read() and writev() move only 1 to 7
 * bytes at a time, and sometimes fail with EINTR or EAGAIN. PRELOAD_IO_ENOSPC=N makes writev() fail
 * from the N-th call on. readv() leaves out the last buffer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned long turn;

/* Returns 0 to let the call through, or else the errno with which it fails. */
static int trouble(void)
{
    turn++;
    return turn % 3 == 1 ? EINTR : turn % 5 == 2 ? EAGAIN : 0;
}

ssize_t read(int fd, void *p, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    int e = fd < 3 ? trouble() : 0;
    if (e) {
        errno = e;
        return -1;
    }
    size_t max = 1 + turn % 7;
    return real(fd, p, fd < 3 && n > max ? max : n);
}

ssize_t readv(int fd, const struct iovec *iov, int n)
{
    ssize_t (*real)(int, const struct iovec *, int) =
        (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "readv");
    return real(fd, iov, n - 1);
}

ssize_t writev(int fd, const struct iovec *iov, int n)
{
    static unsigned long calls;
    const char *limit = getenv("PRELOAD_IO_ENOSPC");
    int e = trouble();
    if (limit && ++calls >= strtoul(limit, NULL, 10))
        e = ENOSPC;
    if (e) {
        errno = e;
        return -1;
    }
    size_t max = 1 + turn % 7;
    for (int k = 0; k < n; k++)
        if (iov[k].iov_len)
            return write(fd, iov[k].iov_base, iov[k].iov_len < max ? iov[k].iov_len : max);
    return 0;
}
