/* SPDX-License-Identifier: MIT */
/* frame_wire.h: defines the byte layout of MBF 1 (mbf(5)). Private to frame*.c. */
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream/frame.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "MBF payloads are little-endian and this library does not swap them"
#endif

enum {
    WIRE_HEADER = 128,
    WIRE_ALIGN = 64,
    WIRE_END = 128,  /* payload of END, bytes */
    WIRE_TAIL = 256, /* END frame */
    WIRE_ERR_MAX = 4096
};
#define WIRE_LAST 4u
/* Marks a part of codec 2, which readers of MBF 1.1 do not support. */
#define WIRE_TRACKED 8u
/* Marks a part of codec 3, which readers of MBF 1.3 do not support. */
#define WIRE_LINKED 16u
#define WIRE_KNOWN_FLAGS 31u
/* A reader refuses a frame with an unknown flag in this mask. */
#define WIRE_INCOMPATIBLE 0xffffu
#define WIRE_MAGIC "\x89MBF\r\n\x1a\n"

enum wire_codec { WIRE_STORED, WIRE_ZLIB, WIRE_TRACK, WIRE_LINK };
enum wire_filter { WIRE_PLAIN, WIRE_SHUFFLE, WIRE_DELTA };

/* A frame header. The member desc.flags contains all flags, including WIRE_LAST. */
struct wire_header {
    struct frame_desc desc;
    unsigned minor, codec, filter;
    uint64_t seq, offset, raw, stored, raw_hash, stored_hash;
};

/* XXH3-64 with seed 0 */
uint64_t wire_hash(const void *p, size_t n);

/* Packs the header h with its hash. */
void wire_pack(const struct wire_header *h, unsigned char out[WIRE_HEADER]);

/* Unpacks a header. Checks the magic bytes, the hash of the header, the version and the flags in
 * this order, and then every field that can be checked without other frames. Returns 0, or -1 with
 * an error message in e. On failure, *damaged is false if the stream is intact but not
 * supported. */
int wire_unpack(const unsigned char in[WIRE_HEADER], struct wire_header *h, bool *damaged,
                struct err *e);

int wire_unpack_end(const unsigned char in[WIRE_END], unsigned minor, struct frame_totals *t,
                    struct err *e);

/* Sums of the frames so far, for END. The next frame has the sequence number totals.frames. */
struct wire_sums {
    XXH3_state_t stream, content; /* 64-byte aligned */
    struct frame_totals totals;
};
void wire_sums_begin(struct wire_sums *s); /* before META */
/* Adds a frame other than END or ERR, whose header h is packed in wire[]. */
void wire_sums_add(struct wire_sums *s, const struct wire_header *h,
                   const unsigned char wire[WIRE_HEADER]);
void wire_sums_end(struct wire_sums *s); /* sets totals.*_hash */

/* Returns true if an array d of type FRAME_OTHER may be written: its type code must be unknown to
 * this version, and FRAME_CRITICAL must not be set. */
bool wire_is_new(const struct frame_desc *d);
/* Returns the first minor version of MBF 1 with frames of this type and codec. */
unsigned wire_minor(const struct wire_header *h);
static inline size_t wire_padding(uint64_t stored)
{
    return (size_t)(-stored & (WIRE_ALIGN - 1));
}

/* Returns the number of elements per step for the delta filter, which is at least 1. */
size_t wire_row(const struct frame_desc *d);

/* Writes the header of a part of an array, its h->stored bytes in one or several pieces, or the end
 * of the part, for frame_pass. Returns 0 or -1. */
int writer_part_begin(struct frame_writer *w, const struct wire_header *h);
int writer_part_bytes(struct frame_writer *w, const void *p, size_t n);
int writer_part_end(struct frame_writer *w, const struct wire_header *h);
