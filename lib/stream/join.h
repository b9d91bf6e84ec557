/* SPDX-License-Identifier: MIT */
/*
 * join.h: positions, pair tables or series of one system, one after the other, as one segment whose
 * steps and time continue.
 */
#ifndef MBF_JOIN_H
#define MBF_JOIN_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an input does not go on one stride after the one before: an error; a segment of its own
 * begins there; its steps and times are moved. */
enum join_jump { JOIN_REFUSE, JOIN_MARK, JOIN_CLOSE };
extern const char *const join_jumps[]; /* their names, and NULL */

struct join {
    /* given, the rest zeros */
    struct frame_writer *w;
    enum join_jump jumps;
    uint64_t wanted; /* segments, 0: any number */
    bool anew;       /* arrays are packed as w packs them, and not passed on as they are */
    const char *tool, *version, *args; /* for META, which is derived from the first segment's */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* filled */
    struct meta *first, *out; /* META of the first segment, and of the output */
    double dt;
    uint64_t segments, next; /* next: index of the step to come */
    uint64_t joined;         /* segments in the output's last one */
    double next_time;        /* and its time, NaN: unknown */
    uint64_t index_shift;    /* of the current segment, modulo 2^64 */
    double time_shift;
    bool shifts_known, stepped; /* stepped: a step went out */
    bool cut;                   /* the last segment was partial */
    bool other_cell, celled;    /* sys.cell is not the first one's; the next steps have CELL */
    double cell[9];             /* of the current segment */
    unsigned char parent[2][16];
    struct err err;
};

/* All segments of r. 0, or -1 with j->err: another system or kind of data, sums, a jump, more
 * segments than wanted; r's error or w's. */
int join_add(struct join *j, struct frame_reader *r) FRAME_MUST;
/* END, which is of a part where the last segment was one. 0, or -1 with j->err. */
int join_end(struct join *j) FRAME_MUST;
void join_free(struct join *j);

#ifdef __cplusplus
}
#endif
#endif
