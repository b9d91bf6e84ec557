/* SPDX-License-Identifier: MIT */
/*
 * portable.h: what Linux has and POSIX or macOS lack. On another system, each name stands for plain
 * POSIX with the same result, or for nothing if it only saves time. No other file names a system or
 * uses what only Linux has (tests/project/laws). make PORTABLE=1 defines PORTABLE_POSIX, which
 * leaves out the means of Linux, so that the tests check the other paths on Linux.
 *
 * On another system, a killed program leaves its unfinished output under a hidden name, --max-mem
 * defaults to a share of the whole memory, the process that reads HDF5 files has no limit of
 * memory, and a text that a killed program was writing to a pipe can end at the end of a line.
 */
#pragma once

#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#if defined __linux__ && !defined PORTABLE_POSIX
#include <linux/futex.h>
#include <sys/syscall.h>
enum { PORTABLE_LINUX = 1 };
#define PORTABLE_MAP_NOW MAP_POPULATE /* for mmap: maps all pages at once */
#define PORTABLE_NAMELESS O_TMPFILE   /* for open of a folder: makes a file in it */
#define portable_grow_pipe(fd) ((void)!fcntl(fd, F_SETPIPE_SZ, 1 << 20)) /* holds 1 MiB */
#define portable_pipe_bytes(fd) fcntl(fd, F_GETPIPE_SZ) /* bytes that it holds; -1: no pipe */
#define portable_reads_all(fd) ((void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL))
#define portable_large_pages(p, n) ((void)madvise(p, n, MADV_HUGEPAGE))
#define portable_memrchr memrchr
/* Waits while *word == value, but may return early; wakes up to n threads after *word changed. */
#define portable_wait(word, value)                                                                 \
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0)
#define portable_wake(word, n) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0)
/* Calls f(status, NULL) at the end of the program, or g() if the status is not passed. */
#define portable_on_exit(f, g) ((void)(g), on_exit(f, NULL))
/* A pair of sockets for messages, each of which recv takes whole with MSG_WAITALL and its size, and
 * a TCP socket in non-blocking mode. Both return -1 on failure and set errno. */
#define portable_channel(pair) socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)
#define portable_tcp(family) socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
int portable_processors(void); /* number that this process may use */
#else
enum { PORTABLE_LINUX = 0 };
#define PORTABLE_MAP_NOW 0
#define PORTABLE_NAMELESS 0 /* open fails */
#define portable_grow_pipe(fd) ((void)(fd))
#define portable_pipe_bytes(fd) ((void)(fd), 1 << 14) /* unknown: a new pipe of macOS */
#define portable_reads_all(fd) ((void)(fd))
#define portable_large_pages(p, n) ((void)(p), (void)(n))
#define portable_wait(word, value) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL)
#define portable_wake(word, n) ((void)(n))
#define portable_on_exit(f, g) ((void)(f), atexit(g))
#define portable_channel(pair) socketpair(AF_UNIX, SOCK_STREAM, 0, pair)
#define portable_processors() ((int)sysconf(_SC_NPROCESSORS_ONLN))
void *portable_memrchr(const void *p, int c, size_t n);
int portable_tcp(int family);
#endif

#ifdef __APPLE__
#define PORTABLE_LIBRARY(name, version) "@rpath/lib" name "." version ".dylib"
enum { PORTABLE_RSS_PER_KIB = 1024 }; /* ru_maxrss counts bytes */
#define PORTABLE_KEEP_IDLE TCP_KEEPALIVE
#define portable_sync(fd) (fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd)) /* also the disk's cache */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* older systems */
#endif
#else
#define PORTABLE_LIBRARY(name, version) "lib" name ".so." version /* a shared library, for dlopen */
enum { PORTABLE_RSS_PER_KIB = 1 };
#define PORTABLE_KEEP_IDLE TCP_KEEPIDLE
#define portable_sync fsync
#endif

/* Returns a new file in memory, else an unlinked temporary file, else -1. */
int portable_memory_file(void);
/* Closes all descriptors except 0, 1, 2, a and b. */
void portable_close_others(int a, int b);
