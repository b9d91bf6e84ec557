/* SPDX-License-Identifier: MIT */
/* frame_codec.h: filters, zlib and codec 2 (frame_track.h) for parts. Internal to frame*.c. */
#ifndef MBF_FRAME_CODEC_H
#define MBF_FRAME_CODEC_H

#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Filters on n bytes of elements of `size` bytes; row is in elements. wire_apply writes to out, and
 * wire_undo restores the original bytes into out. in and out must not overlap. */
void wire_apply(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);
void wire_undo(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);

/* Compresses the n raw bytes of a part of array d into out (capacity at least n) with the given
 * filter and zlib level; scratch holds n bytes. Returns the stored length, or 0 if the length would
 * exceed 95 % of n; the part is then stored uncompressed. */
size_t codec_deflate(const struct frame_desc *d, enum wire_filter f, int level, const void *raw,
                     size_t n, void *out, void *scratch);

/* Returns the filter with the smallest result for the first part of d (up to 256 KiB of it), or -1
 * if compression does not pay. */
int codec_choose(const struct frame_desc *d, int level, const void *raw, size_t n, void *out,
                 void *scratch);

/* Unpacks a part to exactly h->raw bytes in out. scratch (h->raw bytes) is used only with a filter.
 * Returns 0, or -1 and sets e to what was found. */
int codec_inflate(const struct wire_header *h, const void *stored, void *out, void *scratch,
                  struct err *e);

#ifdef __cplusplus
}
#endif
#endif
