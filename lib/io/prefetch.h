/* SPDX-License-Identifier: MIT */
/* prefetch.h: reads ahead. Other threads read and decompress the next few blocks of an input before
 * the consumer needs them, and may also process each block. Several threads, including the thread
 * of the consumer, read a plain file. Buffers are not copied. Each buffer has free space before its
 * bytes, for bytes of the preceding block that are still unused. */
#pragma once

#include <stdbool.h>

#include "io/input.h"

struct prefetch;

struct prefetch_block {
    unsigned char *p; /* A buffer from malloc, of which cap + PREFETCH_SLACK bytes may be read. */
    size_t cap, at;   /* data: p[at..at + got) */
    ssize_t got;      /* The result of input_read. In case of an error, see in->err. */
    uint64_t taken;   /* Number of bytes read from the file so far. */
    void *result;     /* Result of `work`, valid until the next block, or NULL. */
};

enum { PREFETCH_SLACK = 128 };

/* Analyses the n bytes at p, before the preceding bytes have been parsed. Any thread may call this
 * function. On entry, *result is NULL or the result of an earlier block, which was allocated with
 * malloc and may be reused. */
typedef void prefetch_work(void *ctx, void **result, const unsigned char *p, size_t n);

/* The input, and the work on its blocks. */
struct prefetch_use {
    struct input *in;
    /* Reads from `in`, as input_read does. Returns FDIO_NOTHING_YET only if `wait` is false. */
    ssize_t (*read)(void *ctx, void *p, size_t n, bool wait);
    void *ctx;
    prefetch_work *work; /* NULL if blocks are only read */
    void *work_ctx;
};

/* Starts reading ahead in blocks of up to `block` bytes. The number `threads` includes the thread
 * of the consumer. If `work` is set, all threads read and process blocks. If `work` is NULL, only a
 * few threads read. A pipe may block, so only the consumer reads it. Until prefetch_free is called,
 * no other code may use the input. Returns NULL if memory is not available, or if `work` is NULL
 * and no threads are available. */
struct prefetch *prefetch_new(const struct prefetch_use *use, size_t block, int threads);
void prefetch_free(struct prefetch *a); /* waits for the current read; NULL is allowed */

/* Stores the next block in *b and reuses the old buffer of *b, if any. Blocks that are read after
 * this call have up to `block` bytes, and the same amount of free space before them. No blocks
 * follow an error or the end of the input. */
void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b);
