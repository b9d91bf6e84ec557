/* SPDX-License-Identifier: MIT */
/* join.h: joins positions, pair tables or series of one system into one segment with continuous
 * steps and times. */
#ifndef MBF_JOIN_H
#define MBF_JOIN_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do if an input does not continue one stride after the previous one: fail, begin a new
 * segment there, or shift its steps and times. */
enum join_jump { JOIN_REFUSE, JOIN_MARK, JOIN_CLOSE };
extern const char *const join_jumps[]; /* their names, then NULL */

struct join {
    /* set by the caller; other fields start as zeros */
    struct frame_writer *w;
    enum join_jump jumps;
    uint64_t wanted; /* segments; 0: any number */
    bool anew;       /* pack arrays as w does, instead of copying them unchanged */
    const char *tool, *version, *args; /* for META, derived from the first segment's META */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* filled by join_add */
    struct meta *first, *out; /* META of the first segment and of the output */
    double dt;
    uint64_t segments, next; /* next: index of the next step */
    uint64_t joined;         /* input segments in the output's last segment */
    double next_time;        /* time of the next step; NaN: unknown */
    uint64_t index_shift;    /* shift of the current segment, modulo 2^64 */
    double time_shift;
    bool shifts_known, stepped; /* stepped: a step was written */
    bool cut;                   /* the last segment was partial */
    bool other_cell, celled;    /* sys.cell differs from the first; the next steps have CELL */
    double cell[9];             /* cell of the current segment */
    unsigned char parent[2][16];
    struct err err;
};

/* Adds all segments of r. Returns 0, or -1 and sets j->err: another system or kind of data, sums, a
 * discontinuity, more segments than wanted, or an error of r or w. */
int join_add(struct join *j, struct frame_reader *r) FRAME_MUST;
/* Writes END, marked as limited if the last segment was partial. Returns 0, or -1 and sets
 * j->err. */
int join_end(struct join *j) FRAME_MUST;
void join_free(struct join *j);

#ifdef __cplusplus
}
#endif
#endif
