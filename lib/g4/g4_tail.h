/* SPDX-License-Identifier: MIT */
/*
 * g4_tail.h: what G2 of pairs within a taper lacks of that of all pairs (beside a mesh), at every lag.
 *
 * Approximation: the others are spread evenly about an atom, g(r) = 1, wherever the taper f is not 1
 * or r >= r1, and two atoms go apart by a Gaussian displacement, of the mean square D that is measured
 * for each origin and lag on ATOMS atoms spread over the sample. With F(k) the transform of f/r³ of
 * the l = 2 form over that of 1/r³, F(k) = 3 integral f(r) j_2(kr)/r dr, an origin lacks
 *     N rho (2 pi/15) coef² W(D),   W = 2/(9 pi) integral k² (1 - F²) exp(-k² D/6) dk,
 * W(0) = integral (1 - f²)/r⁴ dr of mesh_tail. It grows at first, as pairs leave the taper, and falls
 * when they have gone as far as r2. The same for all five components: other images of a pair, of the
 * order 1/V, are not in it. coef: of xz, Å³; lengths in Å. With weights, rho is the mean of
 * factors_crowd over V, and atoms come into the sample by their part of it; pairs within r1 are those
 * that --exclude leaves out.
 */
#ifndef MBF_G4_TAIL_H
#define MBF_G4_TAIL_H

#include "g4/g4.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_TAIL_ATOMS 64

struct g4_tail;

/* For a run that may come to a mesh, p->sum.r1 and r2 given; NULL: out of memory. */
struct g4_tail *g4_tail_new(const struct g4_params *p);
/* Steps from number `first` on, one behind the other, as to g4_push. 0, or -1: out of memory. */
int g4_tail_add(struct g4_tail *t, uint64_t first, size_t n, const void *data,
                const struct box *box) FRAME_MUST;
/* Into the sums of the result of the same run: G2 and G4 by it, G3 less twice it. 0, or -1: out of
 * memory. */
int g4_tail_put(struct g4_tail *t, const struct g4_params *p, struct g4_result *r) FRAME_MUST;
void g4_tail_free(struct g4_tail *t); /* NULL is allowed */

/* W r2³ at a mean square D in r2², for a taper from r1 to r2 = 1 (in units of r2). */
#define G4_TAIL_TABLE 256
#define G4_TAIL_END 8.0 /* of sqrt(D)/r2 in the table, W ~ D^(-3/2) behind it */
struct g4_tail_law {
    double w[G4_TAIL_TABLE + 1];
};
void g4_tail_law_make(double r1, struct g4_tail_law *law);
double g4_tail_law_at(const struct g4_tail_law *law, double d);

#ifdef __cplusplus
}
#endif
#endif
