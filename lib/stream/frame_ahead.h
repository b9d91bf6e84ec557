/* SPDX-License-Identifier: MIT */
/*
 * frame_ahead.h: the parts of a regular file that come next, read and hashed by helpers while the
 * reader's caller is at work. Internal to frame*.c.
 *
 * It only guesses: it walks over headers from where the reader stands, queues the arrays that are
 * stored as they are, and hands out what the reader then asks for. Whether a part follows from what
 * came before, and whether its hash is that of its header, is the reader's to judge; so is a part
 * that is not there, which it reads itself.
 */
#ifndef MBF_FRAME_AHEAD_H
#define MBF_FRAME_AHEAD_H

#include "base/fdio.h"
#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AHEAD_LEAST = 64 << 10 }; /* bytes of a part that is worth a helper */

struct buffer {
    unsigned char *p; /* 64-byte aligned */
    size_t cap;
};

struct frame_ahead;

/* Threads in all; at most `most` bytes of memory. io must be a regular file and stay open. NULL:
 * memory is out, or there are no helpers: then it is not to be had. */
struct frame_ahead *frame_ahead_new(const struct fdio *io, int threads, size_t most);
void frame_ahead_free(struct frame_ahead *a); /* waits for helpers; NULL is allowed */

/* What the reader will want behind a part. */
struct ahead_limits {
    uint64_t steps; /* of a trajectory at most, from the part's array on */
    uint64_t types; /* a bit for each enum frame_type that it will pass over */
};

/*
 * Part h, whose stored bytes begin at byte `at` of the file: 1 with their hash and whether all its
 * floats are finite (false: not looked at), 0 where it is not there. With data, the first part of an
 * array brings a buffer for all of it, which becomes *data (the old one is used again), and later
 * ones are in their places there. Goes on reading behind it.
 */
int frame_ahead_take(struct frame_ahead *a, const struct wire_header *h, uint64_t at,
                     struct buffer *data, const struct ahead_limits *limits, uint64_t *hash,
                     bool *finite);

/* Index of the first of n floats of dtype that is not finite; n when all are. */
size_t frame_not_finite(const void *data, enum frame_dtype dtype, size_t n);

#ifdef __cplusplus
}
#endif
#endif
