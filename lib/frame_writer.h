/* SPDX-License-Identifier: MIT */
/* frame_writer.h: inside of struct frame_writer. Internal to lib/frame*.c. */
#ifndef MBF_FRAME_WRITER_H
#define MBF_FRAME_WRITER_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "frame_codec.h"
#include "frame_output.h"
#include "frame_wire.h"

struct frame_writer {
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, failed, complete; /* complete: ends in END */
    uint64_t seq, segments;
    uint64_t segment_at; /* bytes written when the segment began */
    XXH3_state_t *stream, *content;
    struct frame_totals sum;
    unsigned char
        *packed; /* when compressing: `buffers` pairs of FRAME_PART_BYTES, packed and scratch */
    int buffers;
    char err[FRAME_ERR_BYTES];
};

int writer_fail(struct frame_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Header of h (seq filled in, hashes updated), payload and padding. */
/* A frame of one stored part: META, END, ERR. */
struct wire_header writer_control(enum frame_type type, enum frame_dtype dtype, const void *p,
                                  size_t n);
int writer_frame(struct frame_writer *w, struct wire_header *h, const void *stored);

#endif
