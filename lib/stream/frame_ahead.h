/* SPDX-License-Identifier: MIT */
/*
 * frame_ahead.h: read-ahead. Helper threads read and hash the next parts of a regular file while
 * the reader's caller works. Internal to frame*.c.
 *
 * Read-ahead only guesses. It walks over the headers from the reader's position, queues the arrays
 * that are stored uncompressed, and hands out the parts that the reader then requests. The reader
 * itself checks the order of parts and their hashes, and reads any part that is not queued.
 */
#ifndef MBF_FRAME_AHEAD_H
#define MBF_FRAME_AHEAD_H

#include "base/fdio.h"
#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AHEAD_LEAST = 64 << 10 }; /* smallest part worth a helper thread, bytes */

struct buffer {
    unsigned char *p; /* 64-byte aligned */
    size_t cap;
};

struct frame_ahead;

/* Starts read-ahead with this number of threads in all and at most `most` bytes of memory. io must
 * be a regular file and stay open. Returns NULL if memory or helper threads are not available; the
 * reader then works without read-ahead. */
struct frame_ahead *frame_ahead_new(const struct fdio *io, int threads, size_t most);
void frame_ahead_free(struct frame_ahead *a); /* waits for the helper threads; a may be NULL */

/* Limits of what the reader will need after a part. */
struct ahead_limits {
    uint64_t steps; /* steps of a trajectory, at most, from the part's array on */
    uint64_t types; /* one bit per enum frame_type that the reader will skip */
};

/* Takes part h, whose stored bytes begin at byte `at` of the file, and continues to read after it.
 * Returns 1 and sets *hash and *finite (false: not checked, or not all floats are finite), or 0 if
 * the part is not queued. If data is given, the first part of an array swaps *data for a buffer of
 * the whole array, and later parts are already in that buffer; the old buffer is reused. */
int frame_ahead_take(struct frame_ahead *a, const struct wire_header *h, uint64_t at,
                     struct buffer *data, const struct ahead_limits *limits, uint64_t *hash,
                     bool *finite);

/* Returns the index of the first of n floats of dtype that is not finite, or n if all are
 * finite. */
size_t frame_not_finite(const void *data, enum frame_dtype dtype, size_t n);

#ifdef __cplusplus
}
#endif
#endif
