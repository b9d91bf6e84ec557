/* SPDX-License-Identifier: MIT */
/*
 * fdio.h: reading from a file or a pipe, despite interruptions.
 *
 * Signals (EINTR) and descriptors that were left non-blocking (EAGAIN) are handled here. Functions
 * that fail store errno in `error` once; every later read fails as well.
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
    int fd;         /* -1: not open */
    int error;      /* errno of the first failure, or 0 */
    bool own;       /* fdio_close closes fd; stdin stays open */
    bool regular;   /* the file is seekable and has a size */
    uint64_t start; /* offset of a regular file when it was opened */
    uint64_t size;  /* bytes from start to the end of the file; else 0 */
    uint64_t bytes; /* number of bytes read so far */
    /* Called instead of reading fd, unless NULL: reads up to n bytes into p; returns 0 at the end,
     * or -1, which sets error to EIO. */
    ssize_t (*read)(void *from, void *p, size_t n);
    void *from;
};

/* Opens path; NULL or "-" means descriptor 0. A folder is an error (EISDIR). Returns 0 or -1. */
int fdio_open(struct fdio *f, const char *path);
void fdio_close(struct fdio *f);

/* Reads once, up to n bytes. Returns their number, FDIO_END, FDIO_ERROR, or FDIO_NOTHING_YET if
 * nothing came within `wait` seconds (negative: wait for ever; a regular file never waits). */
ssize_t fdio_read(struct fdio *f, void *p, size_t n, double wait)
    __attribute__((warn_unused_result));

/* Reads up to n bytes of a regular file at byte `at` after start, without moving or changing f.
 * Returns fewer bytes only at the end, or after an error, when *error is set to errno. */
size_t fdio_read_at(const struct fdio *f, uint64_t at, void *p, size_t n, int *error);

/* Reads n bytes of a regular file at byte `at` after start, without moving. Returns 0, or -1 if
 * there are fewer bytes or reading failed (error is then set). */
int fdio_peek(struct fdio *f, uint64_t at, void *p, size_t n) __attribute__((warn_unused_result));

/* Continues reading a regular file at byte `at` after start. Returns 0 or -1. */
int fdio_seek(struct fdio *f, uint64_t at) __attribute__((warn_unused_result));

/* Duplicates fd to a descriptor of 3 or more, so that a closed 0, 1 or 2 never becomes a data file,
 * and closes fd. Returns -1 with errno on failure. */
int fdio_above_two(int fd);

/* Waits until fd accepts bytes (POLLOUT) or has some (POLLIN). */
void fdio_poll(int fd, short events);

#ifdef __cplusplus
}
#endif
#endif
