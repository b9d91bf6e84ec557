/* SPDX-License-Identifier: MIT */
/* frame_prefetch.h: reads and hashes the next parts of a regular file on helper threads, while the
 * program uses earlier parts. Private to frame*.c.
 *
 * The module scans the headers after the position of the reader, and queues the arrays that are
 * stored uncompressed and that the reader will probably request. The reader itself checks the order
 * of the parts and their hashes, and reads all parts that are not queued. */
#pragma once

#include "io/fdio.h"
#include "stream/frame_wire.h"

enum { PREFETCH_LEAST = 64 << 10 }; /* bytes, smallest part */

struct buffer {
    unsigned char *p; /* 64-byte aligned */
    size_t cap;
};

struct frame_prefetch;

/* Starts reading ahead, with a total of `threads` threads and at most `max` bytes of memory. The
 * input io must be a regular file and must stay open. Returns NULL if memory or helper threads are
 * not available, and the reader then works without reading ahead. */
struct frame_prefetch *frame_prefetch_new(const struct fdio *io, int threads, size_t max);
void frame_prefetch_free(struct frame_prefetch *a); /* a may be NULL */

struct prefetch_limits {
    /* The reader needs at most `steps` steps, including the steps of the present array. */
    uint64_t steps;
    uint64_t types; /* Bit k is set if the reader skips the type k of enum frame_type. */
};

/* Fetches the part h, whose stored bytes begin at byte `at` of the file, and continues to read
 * ahead. Returns 1 and sets *hash and *finite, or returns 0 if the part is not queued. Sets *finite
 * to false if a float is not finite or has not been checked. Unless `data` is NULL, the call for
 * the first part of an array replaces *data by a buffer for the whole array, which also receives
 * the later parts. The old buffer then belongs to `a`. */
int frame_prefetch_take(struct frame_prefetch *a, const struct wire_header *h, uint64_t at,
                        struct buffer *data, const struct prefetch_limits *limits, uint64_t *hash,
                        bool *finite);

/* Returns the index of the first float that is not finite, or n if all n floats are finite. */
size_t frame_not_finite(const void *data, enum frame_dtype dtype, size_t n);
/* Works like frame_not_finite, but allows NaN, which stands for an unknown value. */
size_t frame_infinite(const void *data, enum frame_dtype dtype, size_t n);
