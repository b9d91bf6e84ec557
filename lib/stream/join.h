/* SPDX-License-Identifier: MIT */
/* join.h: joins segments of positions, pair tables or time series into a continuous segment. */
#pragma once

#include "stream/frame.h"

/* The choices for an input that does not begin one step after the end of the previous input are to
 * stop with an error, to begin a new segment, or to shift the steps and times of the input. */
enum join_jump { JOIN_REFUSE, JOIN_MARK, JOIN_CLOSE };
extern const char *const join_jumps[]; /* names, then NULL */

struct join {
    /* The caller sets the members up to `progress`, and all other members to zero. */
    struct frame_writer *w;
    enum join_jump jumps;
    uint64_t wanted;                   /* segments; 0: any number */
    bool anew;                         /* Compress again instead of copying the stored bytes. */
    const char *tool, *version, *args; /* for META */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    struct meta *first, *out; /* first segment; output */
    double dt;
    uint64_t segments, next; /* so far; next step */
    uint64_t joined;         /* input segments in the output segment */
    double next_time;        /* ps, or NaN */
    uint64_t index_shift;    /* Added to step indices, modulo 2^64. */
    double time_shift;
    bool shifts_known, stepped; /* stepped: has a step */
    bool cut;                   /* last segment is partial */
    bool other_cell, celled;    /* sys.cell has changed; CELL is needed */
    double cell[9];             /* of the present segment */
    unsigned char parent[2][16];
    struct err err;
};

/* Appends all segments of the input r. Returns 0, or -1 with an error message in j->err if the
 * system or the kind of data differs, if the input contains sums, a discontinuity or too many
 * segments, or if reading or writing fails. */
int join_add(struct join *j, struct frame_reader *r) FRAME_MUST;
/* Writes END, with the status FRAME_LIMITED if an input segment was partial. Returns 0, or -1 with
 * an error message in j->err. */
int join_end(struct join *j) FRAME_MUST;
void join_free(struct join *j);
