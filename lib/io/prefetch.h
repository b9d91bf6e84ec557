/* SPDX-License-Identifier: MIT */
/* prefetch.h: reads and decompresses the next few blocks of an input on several threads before the
 * consumer needs the blocks, and may also process each block. The thread of the consumer also reads
 * a plain file. Buffers are not copied. Each buffer has free space in front, for unused bytes of
 * the preceding block. */
#pragma once

#include <stdbool.h>

#include "io/input.h"

struct prefetch;

struct prefetch_block {
    unsigned char *p; /* from malloc, cap + PREFETCH_SLACK readable */
    size_t cap, at;   /* data: p[at..at + got) */
    ssize_t got;      /* as input_read */
    uint64_t taken;   /* bytes of the file so far */
    void *result;     /* of `work`, valid until the next block, or NULL */
};

enum { PREFETCH_SLACK = 128 };

/* Processes n bytes at p on any thread, even if earlier bytes have not been parsed yet. On entry,
 * *result is NULL or a result of an earlier block, which was allocated with malloc and may be
 * reused. */
typedef void prefetch_work(void *ctx, void **result, const unsigned char *p, size_t n);

struct prefetch_use {
    struct input *in;
    /* Reads from `in` like input_read. Returns FDIO_NOTHING_YET only if `wait` is false. */
    ssize_t (*read)(void *ctx, void *p, size_t n, bool wait);
    void *ctx;
    prefetch_work *work; /* NULL: blocks only read */
    void *work_ctx;
};

/* Starts to read blocks of up to `block` bytes on `threads` threads, which include the consumer. If
 * `work` is NULL, only a few threads read blocks, and otherwise all threads read and process
 * blocks. Only the consumer reads a pipe, because reading a pipe may block. No other code may use
 * the input until prefetch_free is called. Returns NULL if memory runs out, or if `work` is NULL
 * and there are no other threads. */
struct prefetch *prefetch_new(const struct prefetch_use *use, size_t block, int threads);
void prefetch_free(struct prefetch *a); /* waits for the present read; NULL is allowed */

/* Stores the next block in *b, and reuses the old buffer of *b, if any. Later blocks have up to
 * `block` bytes, and `block` bytes of free space before the first byte. After an error or the end
 * of the input, there are no further blocks. */
void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b);
