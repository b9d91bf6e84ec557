/* SPDX-License-Identifier: MIT */
/* fdio.h: reads from a file or a pipe, even if signals interrupt the calls. Reads that a signal
 * interrupts (EINTR) are repeated. Descriptors in non-blocking mode (EAGAIN) are also accepted. The
 * first failure stores errno in `error`, and every later read fails as well. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

/* Largest number of bytes in one call. Linux reads or writes no more bytes in one call, and macOS
 * refuses larger calls. */
enum { FDIO_MOST = 0x7ffff000 };
enum { FDIO_END = 0, FDIO_ERROR = -1, FDIO_NOTHING_YET = -2 };

struct fdio {
    int fd;         /* -1: not open */
    int error;      /* first errno, or 0 */
    bool own;       /* Whether the function fdio_close closes fd. It never closes stdin. */
    bool regular;   /* whether the input is seekable and its size is known */
    uint64_t start; /* Offset of a regular file at the time when it was opened. */
    uint64_t size;  /* Number of bytes from `start` to the end of a regular file, or 0 for other
                     * inputs. */
    uint64_t bytes; /* bytes read so far */
    /* If the function `read` is set, it is called instead of reading from `fd`. The function reads
     * up to n bytes into p, and returns the number of bytes, 0 at the end, or -1 on failure. After
     * the result -1, `error` is set to EIO. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Opens `path`, or uses descriptor 0 if `path` is NULL or "-". If `path` is a directory, the
 * function fails with EISDIR. Returns 0 or -1. */
int fdio_open(struct fdio *f, const char *path);
void fdio_close(struct fdio *f);

/* Reads up to n bytes in one call, and returns the number of bytes, FDIO_END or FDIO_ERROR. Returns
 * FDIO_NOTHING_YET if no data arrive within `wait` seconds. If `wait` is negative, there is no time
 * limit. Reads from a regular file never wait. */
ssize_t fdio_read(struct fdio *f, void *p, size_t n, double wait) MUST_USE;

/* Reads up to n bytes of a regular file at the offset start + at, without changing f or the file
 * position. The result is smaller than n only at the end of the file or after an error. After an
 * error, *error is set to errno. */
size_t fdio_read_at(const struct fdio *f, uint64_t at, void *p, size_t n, int *error);

/* Reads n bytes of a regular file at the offset start + at, without changing the file position.
 * Returns 0 on success. If there are fewer bytes or reading fails, sets `error` and returns -1. */
int fdio_peek(struct fdio *f, uint64_t at, void *p, size_t n) MUST_USE;

/* Continues reading a regular file at the offset start + at. Returns 0 or -1. */
int fdio_seek(struct fdio *f, uint64_t at) MUST_USE;

/* Moves fd to a descriptor above 2, so that a data file never becomes stdin, stdout or stderr.
 * Returns the new descriptor, or -1 after setting errno. */
int fdio_above_two(int fd);

/* Returns the time in seconds of a clock that is never adjusted. */
double fdio_now(void);
/* Waits until fd accepts data (POLLOUT), or until it has data or is at its end (POLLIN). If fd is
 * not ready before the time `until` on the clock of fdio_now, returns false. The time `until` may
 * be infinite. */
bool fdio_ready(int fd, short events, double until);
/* Works like fdio_ready, but without a time limit. */
void fdio_poll(int fd, short events);

C_LINKAGE_END
