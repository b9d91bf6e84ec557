/* SPDX-License-Identifier: MIT */
/* frame_writer.h: defines struct frame_writer, for frame_write.c and frame_resume.c. */
#pragma once

#include "base/conveyor.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"
#include "stream/frame_wire.h"

/* Any idle thread writes compressed parts. Therefore the caller must call writer_drain before using
 * the members `sums` and `out`. Only the caller uses the member `err`. */
struct frame_writer {
    struct wire_sums sums; /* over this segment so far */
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, complete; /* complete: after END */
    uint64_t segments;
    float edge[3];       /* for track_pack */
    uint64_t segment_at; /* byte of its META */
    struct err err;
    struct part *part; /* [nparts], or NULL */
    int nparts;
    struct conveyor *conveyor; /* other threads, or NULL */
    int late_error;            /* errno of a failed write */
    struct frame_index index;
    bool unnoted;           /* the index is incomplete */
    struct err why_unnoted; /* reason for `unnoted` */
};

/* Returns NULL with an error message in e if memory runs out or opts->compress is invalid. */
struct frame_writer *writer_new(const char *path, const struct frame_writer_opts *opts,
                                struct err *e);
/* Waits until all data are written. Returns 0, or -1 if a write failed. */
int writer_drain(struct frame_writer *w);
/* Sets edge[] to the edges of a cell along x, y and z, or to 0 along non-periodic axes. */
void writer_edges(const struct meta *m, float edge[3]);
