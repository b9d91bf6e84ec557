/* SPDX-License-Identifier: MIT */
/*
 * ahead.h: read-ahead. An input is read (and inflated) on its own thread, a few blocks before they
 * are needed; a plain file is read on several threads, including the consumer's.
 *
 * Buffers are passed on without copying bytes. Each buffer has room in front of its bytes for what
 * the consumer has left of the preceding block.
 */
#ifndef MBF_AHEAD_H
#define MBF_AHEAD_H

#include <stdbool.h>

#include "base/input.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ahead;

struct ahead_block {
    unsigned char *p; /* allocated with malloc: cap bytes, and AHEAD_SLACK more that may be read */
    size_t cap, at;   /* the bytes are p[at..at + got) */
    ssize_t got;      /* result of input_read; an error is in in->err */
    uint64_t taken;   /* number of bytes of the file read so far */
};

enum { AHEAD_SLACK = 128 };

/* Makes room for `block` bytes and as many in front of them. Returns false if out of memory. */
bool ahead_room(struct ahead_block *b, size_t block);

/* Starts to read ahead in blocks of up to `block` bytes on `threads` threads in all, including the
 * consumer's. Nobody else may use `in` until ahead_free. Returns NULL if there is no memory or no
 * thread. */
struct ahead *ahead_new(struct input *in, size_t block, int threads);
void ahead_free(struct ahead *a); /* waits for a read in progress; NULL is allowed */

/* Stores the next block in *b and reuses the buffer of *b (or NULL) for a later block. Blocks read
 * after this call have up to `block` bytes, and as much room in front. There is no block after an
 * end or an error. */
void ahead_next(struct ahead *a, size_t block, struct ahead_block *b);

#ifdef __cplusplus
}
#endif
#endif
