/* SPDX-License-Identifier: MIT */
/* frame_wire.h: defines the byte layout of MBF 1 (mbf(5)), for the reader and the writer. Only
 * frame*.c use this header. */
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
    WIRE_END = 128,     /* size of the payload of END, in bytes */
    WIRE_TAIL = 256,    /* size of an END frame */
    WIRE_ERR_MAX = 4096 /* largest payload of ERR */
};
#define WIRE_LAST 4u
/* This flag marks a part that is stored with codec 2. Readers of MBF 1.1 do not support codec 2. */
#define WIRE_TRACKED 8u
/* This flag marks a part that is stored with codec 3. Readers of MBF 1.3 do not support codec 3. */
#define WIRE_LINKED 16u
#define WIRE_KNOWN_FLAGS 31u
/* The lower half of the flags. A reader refuses a frame with an unknown flag in the lower half. */
#define WIRE_INCOMPATIBLE 0xffffu
#define WIRE_MAGIC "\x89MBF\r\n\x1a\n"

enum wire_codec { WIRE_STORED, WIRE_ZLIB, WIRE_TRACK, WIRE_LINK };
enum wire_filter { WIRE_PLAIN, WIRE_SHUFFLE, WIRE_DELTA };

/* A frame header in the byte order of the host. The member desc.flags contains all flags, including
 * WIRE_LAST. */
struct wire_header {
    struct frame_desc desc;
    unsigned minor, codec, filter;
    uint64_t seq, offset, raw, stored, raw_hash, stored_hash;
};

/* Returns the XXH3-64 hash of n bytes, with seed 0. */
uint64_t wire_hash(const void *p, size_t n);

/* Packs the header h into 128 bytes, with its hash. */
void wire_pack(const struct wire_header *h, unsigned char out[WIRE_HEADER]);

/* Unpacks a header of 128 bytes into h. Checks the magic bytes, the hash of the header, the version
 * and the flags in this order, and then every field that can be checked without other frames.
 * Returns 0 on success, or -1 with a message in e that states the expected and the found value. On
 * failure, *damaged is false if the stream is intact but not supported. */
int wire_unpack(const unsigned char in[WIRE_HEADER], struct wire_header *h, bool *damaged,
                struct err *e);

int wire_unpack_end(const unsigned char in[WIRE_END], unsigned minor, struct frame_totals *t,
                    struct err *e);

/* Numbers and hashes of the frames that have been packed so far, for END. The next frame has the
 * sequence number totals.frames. */
struct wire_sums {
    XXH3_state_t stream, content; /* 64-byte aligned */
    struct frame_totals totals;
};
void wire_sums_begin(struct wire_sums *s); /* call before META */
/* Adds a frame whose header h was packed into wire[]. END and ERR frames are not added. */
void wire_sums_add(struct wire_sums *s, const struct wire_header *h,
                   const unsigned char wire[WIRE_HEADER]);
void wire_sums_end(struct wire_sums *s); /* stores both hashes in the member `totals` */

/* Returns true if the array d of type FRAME_OTHER may be written. The type code of the array must
 * be unknown to this version, and the flag for critical arrays must not be set. */
bool wire_is_new(const struct frame_desc *d);
/* Returns the first minor version of MBF 1 that has frames of this type with this codec. */
unsigned wire_minor(const struct wire_header *h);
static inline size_t wire_padding(uint64_t stored)
{
    return (size_t)(-stored & (WIRE_ALIGN - 1));
}

/* Returns the number of elements per step for the delta filter, which is at least 1. */
size_t wire_row(const struct frame_desc *d);

/* The following functions write one part of an array, for frame_pass. The caller first calls
 * writer_part_begin, which writes the header. The caller then calls writer_part_bytes for the
 * h->stored bytes of the part, in one or several pieces. Finally, the caller calls writer_part_end.
 * Each of these functions returns 0 or -1. */
int writer_part_begin(struct frame_writer *w, const struct wire_header *h);
int writer_part_bytes(struct frame_writer *w, const void *p, size_t n);
int writer_part_end(struct frame_writer *w, const struct wire_header *h);
