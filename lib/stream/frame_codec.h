/* SPDX-License-Identifier: MIT */
/* frame_codec.h: compresses the parts of an array with filters and zlib, and decompresses parts of
 * all codecs. Private to frame*.c. */
#pragma once

#include "stream/frame_wire.h"

/* The function wire_apply applies a filter to n bytes, and wire_undo reverses the filter. The bytes
 * are elements of `size` bytes, in rows of `row` elements. The arrays in[] and out[] must not
 * overlap. */
void wire_apply(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);
void wire_undo(enum wire_filter f, const void *in, void *out, size_t n, size_t size, size_t row);

/* Compresses the n raw bytes of a part of array d into out[n] with the given filter and zlib level,
 * using scratch[n]. Returns the compressed length, or 0 if the length would exceed 95 % of n, so
 * that the part should be stored uncompressed. */
size_t codec_deflate(const struct frame_desc *d, enum wire_filter f, int level, const void *raw,
                     size_t n, void *out, void *scratch);

/* Returns the filter that compresses the first 256 KiB of the first part of d best, or -1 if
 * compression is not worthwhile. */
int codec_choose(const struct frame_desc *d, int level, const void *raw, size_t n, void *out,
                 void *scratch);

/* Returns the size of `scratch` for codec_inflate. */
size_t codec_room(const struct wire_header *h);
/* Decompresses a part to exactly h->raw bytes. Returns 0, or -1 with an error message in e. */
int codec_inflate(const struct wire_header *h, const void *stored, void *out, void *scratch,
                  struct err *e);
