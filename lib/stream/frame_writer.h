/* SPDX-License-Identifier: MIT */
/* frame_writer.h: defines the members of struct frame_writer, for frame_write.c and
 * frame_resume.c. */
#pragma once

#include "base/conveyor.h"
#include "stream/frame_index.h"
#include "stream/frame_output.h"
#include "stream/frame_wire.h"

/* Any idle thread writes compressed parts. The caller therefore uses the members `sums` and `out`
 * only after writer_drain. The member `err` is used only by the caller. */
struct frame_writer {
    struct wire_sums sums; /* sums over this segment so far */
    struct output out;
    struct frame_writer_opts opts;
    char *tool, *name;
    bool in_segment, complete; /* whether the output ends in END (complete) */
    uint64_t segments;
    float edge[3];       /* edges of the cell, for the function track_pack */
    uint64_t segment_at; /* number of bytes that precede the segment */
    struct err err;
    struct part *part; /* [nparts], or NULL */
    int nparts;
    struct conveyor *conveyor; /* runs tasks on other threads, or NULL if there are none */
    int late_error;            /* errno of the first write that failed */
    struct frame_index index;  /* used with opts.index */
    bool unnoted;              /* whether the index is incomplete */
    struct err why_unnoted;    /* reason why the index is incomplete (`unnoted`), set once */
};

/* If memory runs out or opts->compress is invalid, returns NULL with an error message in e. */
struct frame_writer *writer_new(const char *path, const struct frame_writer_opts *opts,
                                struct err *e);
/* Waits until all data have been written. Returns 0, or -1 if this or an earlier write failed. */
int writer_drain(struct frame_writer *w);
/* Sets edge[] to the edges of a cell whose vectors are along x, y and z. The edge along a
 * non-periodic axis is set to 0. */
void writer_edges(const struct meta *m, float edge[3]);
