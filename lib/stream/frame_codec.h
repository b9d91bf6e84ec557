/* SPDX-License-Identifier: MIT */
/* frame_codec.h: compresses and decompresses parts with filters and zlib, or with codecs 2 and 3.
 * Only frame*.c use this header. */
#pragma once

#include "stream/frame_wire.h"

/* The function wire_apply applies a filter to n bytes, and wire_undo reverses the filter. The data
 * consist of elements of `size` bytes, in rows of `row` elements. The result is stored in out[],
 * which must not overlap with in[]. */
void wire_apply(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);
void wire_undo(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);

/* Compresses the n raw bytes of a part of array d into `out`, with the given filter and zlib level.
 * The buffers `out` and `scratch` hold n bytes each. Returns the stored length, or 0 if it would
 * exceed 95 % of n. A part whose compressed length would exceed 95 % of n is stored
 * uncompressed. */
size_t codec_deflate(const struct frame_desc *d, enum wire_filter f, int level, const void *raw,
                     size_t n, void *out, void *scratch);

/* Returns the filter with the smallest result for the first 256 KiB of the first part of d, or -1
 * if compression is not worthwhile. */
int codec_choose(const struct frame_desc *d, int level, const void *raw, size_t n, void *out,
                 void *scratch);

/* Returns the bytes of scratch memory for decompressing a part. */
size_t codec_room(const struct wire_header *h);
/* Decompresses a part to exactly h->raw bytes in `out`. The buffer `scratch` has codec_room(h)
 * bytes. Returns 0 on success, or -1 with a description of the defect in e. */
int codec_inflate(const struct wire_header *h, const void *stored, void *out, void *scratch,
                  struct err *e);
