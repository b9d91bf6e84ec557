/* SPDX-License-Identifier: MIT */
/* frame_writer.h: internals of struct frame_writer, for frame_write.c and frame_resume.c. */
#ifndef MBF_FRAME_WRITER_H
#define MBF_FRAME_WRITER_H

#include "base/conveyor.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"
#include "stream/frame_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed parts are written by whichever thread is free. The caller therefore uses the state for
 * numbering, hashing and writing (sums, out) only after writer_drain; err is used only by the
 * caller. */
struct frame_writer {
    struct wire_sums sums; /* sums of this segment so far */
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, complete; /* complete: the output ends in END */
    uint64_t segments;
    float edge[3];       /* edges of this segment's cell, for track_pack */
    uint64_t segment_at; /* bytes written when the segment began */
    struct err err;
    struct part *part; /* parts, one per slot of the conveyor, or a single part; NULL before the
                          first array */
    int nparts;
    struct conveyor *conveyor; /* NULL if frame_put writes every part before it returns */
    int late_error;            /* errno of the first failed write on the conveyor */
    struct frame_index index;  /* used with opts.index */
    bool unnoted;              /* the index is incomplete */
    struct err why_unnoted;    /* the reason, written once, before unnoted */
};

/* Returns NULL and sets e if memory runs out or opts->compress is invalid. */
struct frame_writer *writer_new(const char *path, const struct frame_writer_opts *opts,
                                struct err *e);
/* Waits until all data are written. Returns 0, or -1 if this or an earlier operation failed. */
int writer_drain(struct frame_writer *w);
/* Sets the edges of a cell whose vectors lie along x, y and z; an edge is 0 if not periodic. */
void writer_edges(const struct meta *m, float edge[3]);

#ifdef __cplusplus
}
#endif
#endif
