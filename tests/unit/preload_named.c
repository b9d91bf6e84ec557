/* SPDX-License-Identifier: MIT */
/*
 * preload_named.c: imitates a system without nameless files, for LD_PRELOAD. With
 * PRELOAD_WITHOUT=tmpfile, the file system does not support O_TMPFILE. With PRELOAD_WITHOUT=proc,
 * there is no /proc from which to link them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int without(const char *what)
{
    const char *env = getenv("PRELOAD_WITHOUT");
    return env && strcmp(env, what) == 0;
}

int open64(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list ap;
    va_start(ap, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (!real)
        real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    if ((flags & O_TMPFILE) == O_TMPFILE && without("tmpfile")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return real(path, flags, mode);
}

int access(const char *path, int mode)
{
    static int (*real)(const char *, int);
    if (!real)
        real = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
    if (strncmp(path, "/proc/", 6) == 0 && without("proc")) {
        errno = ENOENT;
        return -1;
    }
    return real(path, mode);
}
