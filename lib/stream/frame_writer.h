/* SPDX-License-Identifier: MIT */
/* frame_writer.h: inside of struct frame_writer. Internal to lib/frame*.c. */
#ifndef MBF_FRAME_WRITER_H
#define MBF_FRAME_WRITER_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream/frame_codec.h"
#include "stream/frame_output.h"
#include "stream/frame_wire.h"

struct frame_writer {
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, complete; /* complete: ends in END */
    uint64_t seq, segments;
    uint64_t segment_at; /* bytes written when the segment began */
    XXH3_state_t *stream, *content;
    struct frame_totals sum;
    struct pack *pack; /* of frame_pack.c */
    struct err err;
};

/*
 * Parts that are being compressed (frame_pack.c) go out on whichever thread comes to it. So what
 * numbers, hashes and writes (seq, the hash states, sum, out) is touched by the caller only after
 * writer_drain; err is the caller's alone.
 */
int writer_fail(struct frame_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int writer_write_failed(struct frame_writer *w, int e); /* e: errno */
/* May an array be so? */
int writer_check(struct frame_writer *w, const struct frame_desc *d);
/* Until all that was put is out. 0, or -1 when that or anything before failed. */
int writer_drain(struct frame_writer *w);
void writer_pack_free(struct frame_writer *w);

/* A frame of one stored part: META, END, ERR. */
struct wire_header writer_control(enum frame_type type, enum frame_dtype dtype, const void *p,
                                  size_t n);
/* Header of h (seq filled in, hashes updated), payload and padding. writer_out is the queue's: -1
 * with errno. */
int writer_frame(struct frame_writer *w, struct wire_header *h, const void *stored);
int writer_out(struct frame_writer *w, struct wire_header *h, const void *stored);

#endif
