/* SPDX-License-Identifier: MIT */
/* portable.h: wraps system calls of Linux that are missing in POSIX or on macOS. On other systems,
 * each system call is replaced by POSIX calls with the same result, or omitted if it only saves
 * time. Only portable.h and portable.c may test for the operating system or use features that only
 * Linux has (tests/project/laws). The command `make PORTABLE=1` defines PORTABLE_POSIX, which
 * disables the calls that only Linux has, so that the POSIX code can be tested on Linux.
 *
 * On systems other than Linux, the programs differ in four ways.
 *   - A killed program leaves its unfinished output under a hidden name.
 *   - The default of --max-mem is a fraction of the total memory.
 *   - The process that reads HDF5 files has no memory limit.
 *   - The text that a killed program wrote to a pipe may end after a complete line, so that the
 *     loss is not visible. */
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
#define PORTABLE_MAP_NOW MAP_POPULATE /* mmap maps all pages now */
/* open() creates a file without a name */
#define PORTABLE_NAMELESS O_TMPFILE
#define portable_grow_pipe(fd) ((void)!fcntl(fd, F_SETPIPE_SZ, 1 << 20)) /* to 1 MiB */
/* Returns the capacity of a pipe in bytes, or -1 if fd is not a pipe. */
#define portable_pipe_bytes(fd) fcntl(fd, F_GETPIPE_SZ)
#define portable_reads_all(fd) ((void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL))
#define portable_large_pages(p, n) ((void)madvise(p, n, MADV_HUGEPAGE))
#define portable_memrchr memrchr
#ifdef __GLIBC__
#include <malloc.h>
#define portable_trim() ((void)malloc_trim(0)) /* returns freed memory to the system */
#else
#define portable_trim() ((void)0)
#endif
/* The function portable_wait() waits as long as *word equals `value`, but may return early. After a
 * change of *word, portable_wake() wakes at most n of the threads that wait in portable_wait(). */
#define portable_wait(word, value)                                                                 \
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0)
#define portable_wake(word, n) syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0)
/* At the end of the program, f(status, NULL) is called, or g() if the system passes no exit
 * status. */
#define portable_on_exit(f, g) ((void)(g), on_exit(f, NULL))
/* The function portable_channel() creates a pair of sockets, from which recv() reads a whole
 * message if called with MSG_WAITALL and the size of the message. The function portable_tcp()
 * returns a TCP socket in non-blocking mode. On failure, portable_channel() and portable_tcp()
 * return -1 and set errno. */
#define portable_channel(pair) socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)
#define portable_tcp(family) socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
int portable_processors(void); /* Returns the number of processors that this process may use. */
#else
enum { PORTABLE_LINUX = 0 };
#define PORTABLE_MAP_NOW 0
#define PORTABLE_NAMELESS 0 /* open fails */
#define portable_grow_pipe(fd) ((void)(fd))
#define portable_pipe_bytes(fd) ((void)(fd), 1 << 14) /* bytes of a new pipe */
#define portable_reads_all(fd) ((void)(fd))
#define portable_large_pages(p, n) ((void)(p), (void)(n))
#define portable_trim() ((void)0)
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
enum { PORTABLE_RSS_PER_KIB = 1024 }; /* ru_maxrss is in bytes */
#define PORTABLE_KEEP_IDLE TCP_KEEPALIVE
#define portable_sync(fd) (fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd)) /* also the disk's cache */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* older systems */
#endif
#else
/* file name for dlopen */
#define PORTABLE_LIBRARY(name, version) "lib" name ".so." version
enum { PORTABLE_RSS_PER_KIB = 1 };
#define PORTABLE_KEEP_IDLE TCP_KEEPIDLE
#define portable_sync fsync
#endif

/* Returns the descriptor of a new file in memory or, without such files, of a temporary file
 * without a name. Returns -1 on failure. */
int portable_memory_file(void);
/* Closes all file descriptors except 0, 1, 2, a and b. */
void portable_close_others(int a, int b);
