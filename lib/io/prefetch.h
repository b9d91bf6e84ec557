/* SPDX-License-Identifier: MIT */
/* prefetch.h: read-ahead. Other threads read (and inflate) an input a few blocks before they are
 * needed, and may work on each block. Several threads, including the thread of the consumer, read a
 * plain file. Buffers are passed on without copying their bytes. Each buffer has free space in
 * front of its bytes for the unused bytes of the preceding block. */
#pragma once

#include <stdbool.h>

#include "io/input.h"

struct prefetch;

struct prefetch_block {
    unsigned char *p; /* A malloc'ed buffer, of which cap + PREFETCH_SLACK bytes may be read. */
    size_t cap, at;   /* data: p[at..at + got) */
    ssize_t got;      /* The result of input_read; an error is described by in->err. */
    uint64_t taken;   /* Number of bytes read from the file so far. */
    void *result;     /* Result of `work`, valid until the next block, or NULL. */
};

enum { PREFETCH_SLACK = 128 };

/* Analyses the n bytes at p, before the bytes in front of them have been parsed. Any thread may
 * call this function. On entry, *result is NULL or the malloc'ed result of an earlier block, which
 * may be reused. */
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
 * of the consumer. All threads read and process blocks if `work` is set, and only a few read
 * otherwise. Other threads never read a pipe, which may block. Until prefetch_free is called, no
 * other code may use the input. Returns NULL if memory is not available, or if there is no work and
 * threads are not available. */
struct prefetch *prefetch_new(const struct prefetch_use *use, size_t block, int threads);
void prefetch_free(struct prefetch *a); /* waits for current read; NULL is allowed */

/* Stores the next block in *b and keeps the old buffer of *b, if any, for a later block. Blocks
 * that are read after this call have up to `block` bytes, and as much free space in front of them.
 * After an error or the end of the input, there are no further blocks. */
void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b);
