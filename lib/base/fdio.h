/* SPDX-License-Identifier: MIT */
/*
 * fdio.h: a file or a pipe to read from, whatever interrupts the reading.
 *
 * Signals (EINTR) and descriptors that somebody left non-blocking (EAGAIN) never show. Functions
 * that fail leave errno in error, once: every later read fails, too.
 */
#ifndef MBF_FDIO_H
#define MBF_FDIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FDIO_END = 0, FDIO_ERROR = -1, FDIO_NOTHING_YET = -2 };

struct fdio {
    int fd;         /* -1: none is open */
    int error;      /* errno of the first failure, or 0 */
    bool own;       /* fdio_close closes it; stdin stays open */
    bool regular;   /* can be seeked, and has a size */
    uint64_t start; /* where a regular file stood */
    uint64_t size;  /* bytes from there to its end; else 0 */
    uint64_t bytes; /* read so far */
    /* Asked instead of fd: up to n bytes into p; 0 at their end, -1: error becomes EIO. NULL: none. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Open path; NULL or "-": descriptor 0. A folder is an error, EISDIR. 0 or -1. */
int fdio_open(struct fdio *f, const char *path);
void fdio_close(struct fdio *f);

/*
 * One read of up to n bytes. Returns their number, FDIO_END, FDIO_ERROR, or FDIO_NOTHING_YET when
 * nothing came within `wait` seconds (negative: wait for ever; a regular file never waits).
 */
ssize_t fdio_read(struct fdio *f, void *p, size_t n, double wait)
    __attribute__((warn_unused_result));

/* Up to n bytes at byte `at` after start, of a regular file, without moving or touching f; fewer
 * only at the end, or where *error becomes errno. */
size_t fdio_read_at(const struct fdio *f, uint64_t at, void *p, size_t n, int *error);

/* n bytes at byte `at` after start, of a regular file, without moving. 0, or -1: not so many, or
 * reading failed (then error says why). */
int fdio_peek(struct fdio *f, uint64_t at, void *p, size_t n) __attribute__((warn_unused_result));

/* Go on reading at byte `at` after start, of a regular file. 0 or -1. */
int fdio_seek(struct fdio *f, uint64_t at) __attribute__((warn_unused_result));

/*
 * The same file under a descriptor of 3 or more, so that a closed 0, 1 or 2 never becomes a data
 * file; closes fd. -1: errno.
 */
int fdio_above_two(int fd);

/* Until fd takes bytes (POLLOUT) or has some (POLLIN). */
void fdio_poll(int fd, short events);

#ifdef __cplusplus
}
#endif
#endif
