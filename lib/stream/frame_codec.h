/* SPDX-License-Identifier: MIT */
/* frame_codec.h: filters, zlib and codec 2 (frame_track.h) for parts. Internal to lib/frame*.c. */
#ifndef MBF_FRAME_CODEC_H
#define MBF_FRAME_CODEC_H

#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Filters, on n bytes of elements of `size` bytes; row in elements. wire_filter writes to out;
 * wire_unfilter undoes it into out. in and out must not overlap.
 */
void wire_apply(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);
void wire_undo(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);

/*
 * Compress the n raw bytes of a part of array d into out (capacity at least n) with the given
 * filter and zlib level, through scratch (n bytes). Returns the stored length, or 0 when it would
 * be more than 95 % of n (then store it).
 */
size_t codec_deflate(const struct frame_desc *d, enum wire_filter f, int level, const void *raw,
                     size_t n, void *out, void *scratch);

/* The filter whose result is smallest on the first part (up to 256 KiB of it) of d, or -1:
 * compression does not pay. */
int codec_choose(const struct frame_desc *d, int level, const void *raw, size_t n, void *out,
                 void *scratch);

/*
 * Unpack a part to exactly h->raw bytes in out, through scratch (h->raw bytes; used with a filter
 * only). Returns 0, or -1 with what was found in e.
 */
int codec_inflate(const struct wire_header *h, const void *stored, void *out, void *scratch,
                  struct err *e);

#ifdef __cplusplus
}
#endif
#endif
