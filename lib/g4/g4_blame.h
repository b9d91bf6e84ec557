/* SPDX-License-Identifier: MIT */
/*
 * g4_blame.h: which pair spoiled the sums? Both engines of g4.h tell it with these functions, so
 * that they name the same frame and the same atoms in the same words.
 */
#ifndef MBF_G4_BLAME_H
#define MBF_G4_BLAME_H

#include "g4/g4.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value of beta that is not finite: step (from 0) of those searched, component, atoms i < j. */
struct g4_bad {
    size_t step;
    int comp;
    size_t i, j;
};

/*
 * The first in one step, by component, i and j: 1 and *at (all but step), or 0. step: POSN:
 * [natoms][3] of the dtype of the run, Å, wrapped by box_wrap and rounded (as both engines keep
 * them); PAIR: [ncomp][pairs]. box: of that step, PAIR: NULL. O(N²) time, no memory.
 */
int g4_bad_pair(const struct g4_params *p, const void *step, const struct box *box,
                struct g4_bad *at);

/*
 * The first in nsteps steps as they are given to g4_push: 1 and *at, 0, or -1: out of memory.
 * POSN: O(N) time a step; only a step with two atoms that nearly touch is looked at pair by pair.
 */
int g4_bad_find(const struct g4_params *p, size_t nsteps, const void *data, const struct box *box,
                struct g4_bad *at);

/* The message; frame: that of step at->step. at NULL: no pair is to blame, the sums passed the
 * range. The status that goes with it is 2. */
void g4_bad_text(const struct g4_params *p, uint64_t frame, const struct g4_bad *at, char *err,
                 size_t errlen);

/* Is every number finite? */
int g4_bad_none(const double *v, size_t n);

#ifdef __cplusplus
}
#endif
#endif
