/* SPDX-License-Identifier: MIT */
/*
 * preload_fail.c: imitates a system in which the n-th call of one kind fails, once or from then on,
 * for LD_PRELOAD. Memory shared with nth.c, with the descriptor NTH_FD, states what fails and when.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nth.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static struct nth *shared; /* NULL before main */

__attribute__((constructor)) static void begin(void)
{
    const char *fd = getenv("NTH_FD");
    void *p = fd ? mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0)
                 : MAP_FAILED;
    if (p == MAP_FAILED)
        return;
    close(atoi(fd));
    shared = p;
}

/* After the end of main(), nothing fails, because later calls are not those of the program (gcov
 * would crash). */
static int (*program)(int, char **, char **);

static int run_program(int n, char **words, char **env)
{
    int status = program(n, words, env);
    shared = NULL;
    return status;
}

int __libc_start_main(int (*m)(int, char **, char **), int n, char **words, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack)
{
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *) = dlsym(RTLD_NEXT, "__libc_start_main");
    program = m;
    return real(run_program, n, words, init, fini, loader_fini, stack);
}

void exit(int status)
{
    void (*real)(int) = dlsym(RTLD_NEXT, "exit");
    shared = NULL;
    real(status);
    __builtin_unreachable();
}

/* Returns whether this call must fail. */
static int fails(enum nth_kind kind)
{
    if (!shared || shared->kind != (int)kind)
        return 0;
    long k = __atomic_add_fetch(&shared->seen, 1, __ATOMIC_RELAXED);
    if (k != shared->at && !(k > shared->at && shared->for_good))
        return 0;
    static const int why[] = {ENOMEM, EIO, ENOSPC, EMFILE, EIO, EIO, EIO, EAGAIN};
    errno = why[kind];
    return 1;
}

void *malloc(size_t n)
{
    return fails(NTH_MALLOC) ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t m)
{
    return fails(NTH_MALLOC) ? NULL : __libc_calloc(n, m);
}
void *realloc(void *p, size_t n)
{
    return fails(NTH_MALLOC) ? NULL : __libc_realloc(p, n);
}
void *memalign(size_t a, size_t n)
{
    return fails(NTH_MALLOC) ? NULL : __libc_memalign(a, n);
}
void *aligned_alloc(size_t a, size_t n)
{
    return memalign(a, n);
}
int posix_memalign(void **p, size_t a, size_t n)
{
    void *got = memalign(a, n);
    if (got)
        *p = got;
    return got ? 0 : ENOMEM;
}

/* REAL(name, kind, type, arguments in brackets twice) defines a call that can fail with -1. */
#define REAL(name, kind, type, declared, passed)                                                   \
    type name declared                                                                             \
    {                                                                                              \
        static type(*real) declared;                                                               \
        if (!real)                                                                                 \
            real = (type(*) declared)dlsym(RTLD_NEXT, #name);                                      \
        return fails(kind) ? -1 : real passed;                                                     \
    }
REAL(read, NTH_READ, ssize_t, (int fd, void *p, size_t n), (fd, p, n))
REAL(pread64, NTH_READ, ssize_t, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at))
REAL(pread, NTH_READ, ssize_t, (int fd, void *p, size_t n, off_t at), (fd, p, n, at)) /* libhdf5 */
REAL(write, NTH_WRITE, ssize_t, (int fd, const void *p, size_t n), (fd, p, n))
REAL(writev, NTH_WRITE, ssize_t, (int fd, const struct iovec *v, int n), (fd, v, n))
REAL(rename, NTH_RENAME, int, (const char *a, const char *b), (a, b))
REAL(link, NTH_RENAME, int, (const char *a, const char *b), (a, b))
REAL(linkat, NTH_RENAME, int, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
REAL(fsync, NTH_FSYNC, int, (int fd), (fd))
REAL(fdatasync, NTH_FSYNC, int, (int fd), (fd))

/* Returns whether a descriptor is a file that may have been written. Only then does the result of
 * closing it matter. Shared memory with a descriptor is not a file. */
static int written(int fd)
{
    struct stat st;
    char link[32], name[16];
    int flags = fcntl(fd, F_GETFL);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &st) == 0 &&
           S_ISREG(st.st_mode) &&
           (readlink(link, name, sizeof name) < 7 || memcmp(name, "/memfd:", 7) != 0);
}

/* A call of close() that fails still closes the descriptor. */
int close(int fd)
{
    static int (*real)(int);
    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int bad = written(fd) && fails(NTH_CLOSE), rc = real(fd);
    if (bad)
        errno = EIO;
    return bad ? -1 : rc;
}

/* OPEN(name) defines a function that opens a file, under the name that the caller uses. */
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        static int (*real)(const char *, int, ...);                                                \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;                      \
        va_end(ap);                                                                                \
        if (!real)                                                                                 \
            real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);                       \
        return fails(NTH_OPEN) ? -1 : real(path, flags, mode);                                     \
    }
OPEN(open64)
OPEN(open) /* used by libhdf5 */

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    return fails(NTH_THREAD) ? EAGAIN : real(t, a, run, arg);
}
