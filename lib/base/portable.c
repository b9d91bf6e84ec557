/* SPDX-License-Identifier: MIT */
#include "base/portable.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>

#if defined __linux__ && !defined PORTABLE_POSIX
/* Numbers and flags that older headers lack. The two system calls need Linux 3.17 and 5.9. */
#define memory_file() (int)syscall(SYS_memfd_create, "frames", 1U) /* MFD_CLOEXEC */
#define close_fds(from, to) (int)syscall(436, from, to, 0)

int portable_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}
#else
#define memory_file() -1
#define close_fds(from, to) ((void)(from), (void)(to), -1)

void *portable_memrchr(const void *p, int c, size_t n)
{
    const unsigned char *s = p;
    while (n > 0 && s[n - 1] != c)
        n--;
    return n ? (void *)(uintptr_t)(s + n - 1) : NULL;
}

int portable_tcp(int family)
{
    int fd = socket(family, SOCK_STREAM, 0);
#ifdef SO_NOSIGPIPE
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    return fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? fd : -1;
}
#endif

int portable_memory_file(void)
{
    int fd = memory_file();
    FILE *f = fd < 0 ? tmpfile() : NULL;
    if (f) {
        fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
        fclose(f);
    }
    return fd;
}

void portable_close_others(int a, int b)
{
    unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a), last = 1 << 16;
    if (close_fds(high + 1, ~0U) != 0)
        for (unsigned fd = 3; fd < last; fd++)
            if (fd != low && fd != high)
                close((int)fd);
    (void)close_fds(3U, low - 1); /* fails if the range is empty */
    (void)close_fds(low + 1, high - 1);
}
