/* SPDX-License-Identifier: MIT */
/*
 * g4_tail.h: the part of G2 that is missing, at every lag, when G2 covers only pairs within a taper
 * (used with a mesh).
 *
 * Approximation: the other atoms are distributed uniformly, g(r) = 1, wherever the taper f is not 1
 * or r >= r1. The relative displacement of two atoms is Gaussian with mean square D, which is
 * measured for each origin and lag on ATOMS atoms spread over the sample. Let F(k) be the transform
 * of the l = 2 form with f/r³ divided by that of 1/r³, F(k) = 3 integral f(r) j_2(kr)/r dr. An
 * origin then lacks
 *     N rho (2 pi/15) coef² W(D),   W = 2/(9 pi) integral k² (1 - F²) exp(-k² D/6) dk,
 * where W(0) = integral (1 - f²)/r⁴ dr of mesh_tail. W grows at first, as pairs leave the taper,
 * and falls when they have moved as far as r2. All five components have the same tail: it omits
 * products with other images of a pair, which are of order 1/V. coef is the coefficient of xz in
 * Å³; lengths are in Å. With weights, rho is the mean of factors_crowd over V, and atoms are
 * sampled in proportion to their contribution. Pairs within r1 are the ones that --exclude removes.
 */
#ifndef MBF_G4_TAIL_H
#define MBF_G4_TAIL_H

#include "g4/g4.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_TAIL_ATOMS 64

struct g4_tail;

/* Creates a tail for a run that may use a mesh from p->sum. Returns NULL if out of memory. */
struct g4_tail *g4_tail_new(const struct g4_params *p);
/* Adds n steps from step `first` on, as for g4_push. Returns 0, or -1 if out of memory. */
int g4_tail_add(struct g4_tail *t, uint64_t first, size_t n, const void *data,
                const struct box *box) FRAME_MUST;
/* Adds the tail to the sums of the result of the same run: G2 and G4 gain it, G3 loses it twice.
 * Returns 0, or -1 if out of memory. */
int g4_tail_put(struct g4_tail *t, const struct g4_params *p, struct g4_result *r) FRAME_MUST;
void g4_tail_free(struct g4_tail *t); /* NULL is allowed */

/* W r2³ as a function of the mean square D in units of r2², for a taper from r1 to r2 = 1. */
#define G4_TAIL_TABLE 256
#define G4_TAIL_END 8.0 /* largest sqrt(D)/r2 in the table; beyond it W ~ D^(-3/2) */
struct g4_tail_law {
    double w[G4_TAIL_TABLE + 1];
};
void g4_tail_law_make(double r1, struct g4_tail_law *law);
double g4_tail_law_at(const struct g4_tail_law *law, double d);

#ifdef __cplusplus
}
#endif
#endif
