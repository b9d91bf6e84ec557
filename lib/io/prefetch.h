/* SPDX-License-Identifier: MIT */
/* prefetch.h: reads ahead. Several threads read and decompress the next few blocks of an input
 * before the consumer needs them, and may also process each block. A plain file is read by several
 * threads, which include the thread of the consumer. Buffers are not copied. A buffer has free
 * space before its bytes, for bytes of the preceding block that have not been used. */
#pragma once

#include <stdbool.h>

#include "io/input.h"

struct prefetch;

struct prefetch_block {
    unsigned char *p; /* A buffer from malloc, of which cap + PREFETCH_SLACK bytes may be read. */
    size_t cap, at;   /* data: p[at..at + got) */
    ssize_t got;      /* Result of the function input_read for this block. For an error, see
                       * in->err. */
    uint64_t taken;   /* Number of bytes of the file that have been read so far. */
    void *result;     /* Result of the function `work` for this block, valid until the next block,
                       * or NULL. */
};

enum { PREFETCH_SLACK = 128 };

/* Processes the n bytes at p, before the bytes that precede them have been parsed. Any thread may
 * call this function. On entry, *result is NULL or the result for an earlier block, which was
 * allocated with malloc and may be used again. */
typedef void prefetch_work(void *ctx, void **result, const unsigned char *p, size_t n);

/* The input, and the function that processes its blocks. */
struct prefetch_use {
    struct input *in;
    /* Reads from `in`, as the function input_read does. Returns FDIO_NOTHING_YET only if `wait` is
     * false. */
    ssize_t (*read)(void *ctx, void *p, size_t n, bool wait);
    void *ctx;
    prefetch_work *work; /* function that processes blocks, or NULL if they are only read */
    void *work_ctx;
};

/* Starts reading ahead in blocks of up to `block` bytes. The argument `threads` includes the thread
 * of the consumer. If `work` is set, all threads read and process blocks. If `work` is NULL, only a
 * few threads read blocks. Only the consumer reads a pipe, because such reading may block. Until
 * prefetch_free is called, no other code may use the input. If memory is not available, or if
 * `work` is NULL and there are no other threads, returns NULL. */
struct prefetch *prefetch_new(const struct prefetch_use *use, size_t block, int threads);
void prefetch_free(struct prefetch *a); /* waits until the present read is done. NULL is allowed */

/* Stores the next block in *b, and uses the old buffer of *b again if there is one. Blocks that are
 * read after this call have up to `block` bytes, and as many bytes of free space before them. After
 * an error or the end of the input, there are no further blocks. */
void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b);
