/* SPDX-License-Identifier: MIT */
/* frame_rules.h: checks META and arrays against the rules of mbf(5) for shapes, types of numbers,
 * finite values and species, and checks that TIME, CELL and SCAL belong to the steps of their
 * block. The command `frame-check --strict` uses these checks. Programs that use the data make
 * their own checks (traj.h, series.h). */
#pragma once

#include "stream/frame.h"

C_LINKAGE_BEGIN

/* The state of the checks. Initialise to zeros, before the first segment. */
struct frame_rules {
    const struct meta *meta; /* of the segment */
    struct frame_desc sums;  /* first array */
    struct frame_desc steps; /* first array */
    int narrays;             /* arrays of sums so far */
    uint64_t natoms;         /* sys.natoms, or 0 */
    int pbc[3];
    int nscalars;           /* data.scalars */
    struct frame_desc scal; /* ndim 0: none */
    bool species;           /* species are checked */
    uint64_t times, cells;  /* steps in TIME, in CELL */
};

/* The functions frame_rules_* check META at the start of a segment, an array whose data are loaded,
 * and the end of the segment. Each returns 0, or -1 with a message in e that states which rule is
 * broken. META must stay valid until the end of the segment. */
int frame_rules_meta(struct frame_rules *s, const struct meta *m, struct err *e) FRAME_MUST;
int frame_rules_array(struct frame_rules *s, const struct frame *f, struct err *e) FRAME_MUST;
int frame_rules_end(struct frame_rules *s, struct err *e) FRAME_MUST;

/* Returns true for a block of steps, and for the VELO, SCAL, CELL or TIME of a block. */
static inline bool frame_is_per_step(const struct frame_desc *d)
{
    return frame_counts_steps(d) || d->type == FRAME_VELO || d->type == FRAME_SCAL ||
           d->type == FRAME_CELL || d->type == FRAME_TIME;
}
/* Returns true if x has the steps and atoms of block d, and `width` numbers per atom. */
static inline bool frame_belongs(const struct frame_desc *x, const struct frame_desc *d,
                                 uint64_t width)
{
    return d->type == FRAME_POSN && x->dtype == d->dtype && x->ndim == 3 && x->index == d->index &&
           x->dims[0] == d->dims[0] && x->dims[1] == d->dims[1] && x->dims[2] == width;
}
/* Returns true for sums and averages (CORR, HIST, SPEC). */
static inline bool frame_is_sums(const struct frame_desc *d)
{
    return d->type >= FRAME_CORR && d->type <= FRAME_SPEC;
}

C_LINKAGE_END
