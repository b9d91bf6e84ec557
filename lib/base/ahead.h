/* SPDX-License-Identifier: MIT */
/*
 * ahead.h: an input read (and inflated) on a thread of its own, some blocks before they are asked
 * for; a plain file on several, the taker's among them.
 *
 * Buffers change hands, bytes are not copied: each has room before its bytes, for what its taker
 * has left of the block before.
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
    unsigned char *p; /* malloc'ed, cap bytes and AHEAD_SLACK that may be read */
    size_t cap, at;   /* the bytes are p[at..at + got) */
    ssize_t got;      /* as input_read returned; an error is in in->err */
    uint64_t taken;   /* bytes of the file that were read up to here */
};

enum { AHEAD_SLACK = 128 };

/* Room for `block` bytes and as many before them, where they are to go. false: no memory. */
bool ahead_room(struct ahead_block *b, size_t block);

/* From now on nobody else touches in, until ahead_free. Blocks are of up to `block` bytes; threads
 * in all, the taker's included. NULL: no memory, or no thread. */
struct ahead *ahead_new(struct input *in, size_t block, int threads);
void ahead_free(struct ahead *a); /* waits for a read that was begun; NULL is allowed */

/* The next block into *b, whose buffer (or NULL) is taken for a later one. Blocks that are read
 * after this are of up to `block` bytes, with as much room before. After an end or an error there
 * is none. */
void ahead_next(struct ahead *a, size_t block, struct ahead_block *b);

#ifdef __cplusplus
}
#endif
#endif
