/* SPDX-License-Identifier: MIT */
/* join.h: joins positions, pair tables or time series of one system into one continuous segment. */
#pragma once

#include "stream/frame.h"

/* The choices for an input that does not begin one stride after the end of the previous input. The
 * choices are to stop with an error, to begin a new segment, or to shift the steps and times of the
 * input. */
enum join_jump { JOIN_REFUSE, JOIN_MARK, JOIN_CLOSE };
extern const char *const join_jumps[]; /* names of the choices in the order of the enum, then
                                        * NULL */

struct join {
    /* The caller sets the following fields, and initialises all other fields to zero. */
    struct frame_writer *w;
    enum join_jump jumps;
    uint64_t wanted;                   /* number of input segments to expect, or 0 for any number */
    bool anew;                         /* whether arrays are compressed again instead of copying
                                        * their stored bytes */
    const char *tool, *version, *args; /* name of the program for META */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* set by join_add */
    struct meta *first, *out; /* META of the first segment, and META of the output */
    double dt;
    uint64_t segments, next; /* number of segments so far, and number of the next step */
    uint64_t joined;         /* number of input segments in the last output segment */
    double next_time;        /* time of the next step in ps, or NaN if unknown */
    uint64_t index_shift;    /* amount that is added to step numbers, modulo 2^64 */
    double time_shift;
    bool shifts_known, stepped; /* whether a step was written (stepped) */
    bool cut;                   /* whether the last segment is partial */
    bool other_cell, celled;    /* whether sys.cell has changed, and whether CELL is needed */
    double cell[9];             /* cell of the present segment */
    unsigned char parent[2][16];
    struct err err;
};

/* Appends all segments of the input r. If the system or the kind of data differs, if the input
 * contains sums, a discontinuity or too many segments, or if reading or writing fails, returns -1
 * with an error message in j->err. Otherwise, returns 0. */
int join_add(struct join *j, struct frame_reader *r) FRAME_MUST;
/* Writes END, with the status FRAME_LIMITED if an input segment was partial. Returns 0 on success,
 * or -1 with an error message in j->err. */
int join_end(struct join *j) FRAME_MUST;
void join_free(struct join *j);
