/* SPDX-License-Identifier: MIT */
/* frame_writer.h: inside of struct frame_writer: frame_resume.c on top of frame_write.c. */
#ifndef MBF_FRAME_WRITER_H
#define MBF_FRAME_WRITER_H

#include "base/conveyor.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"
#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Parts that are being compressed go out on whichever thread comes to it. So what numbers, hashes
 * and writes (sums, out) is touched by the caller only after writer_drain; err is the caller's
 * alone.
 */
struct frame_writer {
    struct wire_sums sums; /* of this segment so far */
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, complete; /* complete: ends in END */
    uint64_t segments;
    float edge[3];       /* of this segment's cell, as track_pack wants them */
    uint64_t segment_at; /* bytes written when the segment began */
    struct err err;
    struct part *part; /* NULL before the first array; one a slot of the conveyor, or one */
    int nparts;
    struct conveyor *conveyor; /* NULL: every part is written before frame_put returns */
    int late_error;            /* errno of the first write that failed there */
    struct frame_index index;  /* with opts.index */
    bool unnoted;              /* it has not all of them, */
    struct err why_unnoted;    /* and why: written once, before unnoted */
};

/* NULL with e: out of memory. */
struct frame_writer *writer_new(const char *path, const struct frame_writer_opts *opts,
                                struct err *e);
/* Until all that was put is out. 0, or -1 when that or anything before failed. */
int writer_drain(struct frame_writer *w);
/* The edges of a cell whose vectors are along x, y and z, where it is periodic; 0: it is not so. */
void writer_edges(const struct meta *m, float edge[3]);

#ifdef __cplusplus
}
#endif
#endif
