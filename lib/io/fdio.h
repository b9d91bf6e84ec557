/* SPDX-License-Identifier: MIT */
/* fdio.h: reads from a file or a pipe. Reads that a signal interrupts (EINTR) are repeated, and
 * descriptors in non-blocking mode (EAGAIN) are accepted. The first failure stores errno in
 * `error`, and every later read fails as well. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

/* A call reads or writes at most FDIO_MOST bytes, because Linux reads or writes no more at once and
 * macOS refuses larger calls. */
enum { FDIO_MOST = 0x7ffff000 };
enum { FDIO_END = 0, FDIO_ERROR = -1, FDIO_NOTHING_YET = -2 };

struct fdio {
    int fd;         /* -1: not open */
    int error;      /* first errno, or 0 */
    bool own;       /* closed, unless stdin */
    bool regular;   /* seekable, known size */
    uint64_t start; /* offset when opened */
    uint64_t size;  /* bytes from `start`, or 0 */
    uint64_t bytes; /* bytes read so far */
    /* Unless NULL, `read` is called instead of reading from `fd`. Up to n bytes are read into p.
     * Returns the number of bytes, 0 at the end, or -1 on failure, which sets `error` to EIO. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Opens `path`, or uses descriptor 0 if `path` is NULL or "-". Returns 0, or -1 on failure, as for
 * a directory (EISDIR). */
int fdio_open(struct fdio *f, const char *path);
void fdio_close(struct fdio *f);

/* Reads up to n bytes in one call, and returns the number of bytes, FDIO_END or FDIO_ERROR. Returns
 * FDIO_NOTHING_YET if no data arrive within `wait` seconds, unless `wait` is negative. Reads from a
 * regular file never wait. */
ssize_t fdio_read(struct fdio *f, void *p, size_t n, double wait) MUST_USE;

/* Reads up to n bytes of a regular file at the offset start + at, without changing f or the file
 * position. The result is smaller than n only at the end of the file or after an error, which sets
 * *error to errno. */
size_t fdio_read_at(const struct fdio *f, uint64_t at, void *p, size_t n, int *error);

/* Reads n bytes of a regular file at the offset start + at, without changing the file position.
 * Returns 0, or -1 and sets `error` if there are fewer bytes or reading fails. */
int fdio_peek(struct fdio *f, uint64_t at, void *p, size_t n) MUST_USE;

/* Continues reading a regular file at the offset start + at. Returns 0 or -1. */
int fdio_seek(struct fdio *f, uint64_t at) MUST_USE;

/* Moves fd to a descriptor above 2, so that a data file never becomes stdin, stdout or stderr.
 * Returns the new descriptor, or -1 after setting errno. */
int fdio_above_two(int fd);

/* Returns the time in seconds on a clock that is never adjusted. */
double fdio_now(void);
/* Waits until fd accepts data (POLLOUT), or until fd has data or is at its end (POLLIN). Returns
 * false if fd is not ready before the time `until` of fdio_now, which may be infinite. */
bool fdio_ready(int fd, short events, double until);
/* Waits like fdio_ready, without a time limit. */
void fdio_poll(int fd, short events);

C_LINKAGE_END
