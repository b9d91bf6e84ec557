/* SPDX-License-Identifier: MIT */
/*
 * frame_rules.h: what mbf(5) asks of META and of each array beyond its checksums: shape, type of
 * numbers, finite positions, cells, times and sums, species of all atoms, TIME and CELL of as many steps as their block.
 * For who wants to know without using the data (frame-check --strict); who uses them has checks of
 * his own (traj.h, series.h).
 */
#ifndef MBF_FRAME_RULES_H
#define MBF_FRAME_RULES_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins as zeros; of one segment after the other. */
struct frame_rules {
    const struct meta *meta; /* of the segment */
    struct frame_desc sums;  /* the first array of a segment of sums, */
    struct frame_desc steps; /* or of steps */
    int narrays;             /* of sums, so far */
    uint64_t natoms;         /* 0: sys.natoms is absent */
    int pbc[3];
    bool species;          /* looked at: once there are positions of so many atoms */
    uint64_t times, cells; /* steps of the TIME and CELL that wait for their block; 0: none */
};

/* A segment begins; an array, its data loaded; the segment ends. Each 0, or -1 with e: the rule that
 * does not hold. m stays until the end. */
int frame_rules_meta(struct frame_rules *s, const struct meta *m, struct err *e) FRAME_MUST;
int frame_rules_array(struct frame_rules *s, const struct frame *f, struct err *e) FRAME_MUST;
int frame_rules_end(struct frame_rules *s, struct err *e) FRAME_MUST;

/* Does an array hold something of every step: a block of steps, or what stands beside one? */
static inline bool frame_is_per_step(const struct frame_desc *d)
{
    return frame_counts_steps(d) || d->type == FRAME_VELO || d->type == FRAME_CELL ||
           d->type == FRAME_TIME;
}
/* Is it sums or averages, of no step (CORR, HIST, SPEC)? */
static inline bool frame_is_sums(const struct frame_desc *d)
{
    return d->type >= FRAME_CORR && d->type <= FRAME_SPEC;
}

#ifdef __cplusplus
}
#endif
#endif
