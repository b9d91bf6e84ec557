/* SPDX-License-Identifier: MIT */
/* prefetch.h: read-ahead. A separate thread reads (and inflates) an input a few blocks before they
 * are
 * needed. Several threads, including that of the consumer, read a plain file. Buffers are passed on
 * without copying their bytes. Each buffer has free space in front of its bytes for the unused
 * bytes of the preceding block. */
#pragma once

#include <stdbool.h>

#include "io/input.h"

struct prefetch;

struct prefetch_block {
    unsigned char *p; /* Malloc'ed buffer, of which cap + PREFETCH_SLACK bytes may be read. */
    size_t cap, at;   /* data: p[at..at + got) */
    ssize_t got;      /* The result of input_read; an error is described by in->err. */
    uint64_t taken;   /* Number of bytes read from the file so far. */
};

enum { PREFETCH_SLACK = 128 };

/* Allocates `block` bytes, and the same number of bytes in front of them. Returns false if out of
 * memory. */
bool prefetch_room(struct prefetch_block *b, size_t block);

/* Starts reading ahead in blocks of up to `block` bytes. The number `threads` includes the thread
 * of the consumer. Until prefetch_free, no other code may use `in`. Returns NULL if memory or
 * threads
 * are not available. */
struct prefetch *prefetch_new(struct input *in, size_t block, int threads);
void prefetch_free(struct prefetch *a); /* waits for current read; NULL is allowed */

/* Stores the next block in *b and keeps the old buffer of *b, if any, for a later block. Blocks
 * read after this call have up to `block` bytes, and equal space in front of them. After an error
 * or the end of the input, there are no further blocks. */
void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b);
