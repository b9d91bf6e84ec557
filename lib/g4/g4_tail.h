/* SPDX-License-Identifier: MIT */
/* g4_tail.h: estimates the contribution of distant pairs to G2, which includes only pairs within a
 * taper if a run uses a mesh.
 *
 * The estimate assumes that g(r) is 1 beyond r1, where the taper f is less than 1, and that the
 * relative displacement of two atoms is Gaussian. The mean square D of the relative displacement is
 * measured for each time origin and lag from a sample of the atoms. Let F(k) be 3 times the
 * integral of f(r) j_2(kr)/r dr. The contribution of distant pairs to G2 per time origin is then
 *     N rho (2 pi/15) coef² W(D),   where W = 2/(9 pi) integral k² (1 - F²) exp(-k² D/6) dk.
 * Here W(0) is the integral of (1 - f²)/r⁴ dr (split_tail). W first grows as pairs leave the taper,
 * and then falls when pairs have moved as far as r2. The tail of G2 is the same for all five
 * components. The products of different images of a pair are of order 1/V and are omitted. Lengths
 * are in Å, and coef is the coefficient of the component xz, in Å³. With weights, rho is
 * factors_sum_of_squares divided by V, and atoms are sampled in proportion to their contribution to
 * the tail. Excluded pairs are assumed to lie within r1. */
#pragma once

#include "g4/g4.h"

#define G4_TAIL_ATOMS 64

struct g4_tail;

/* Returns NULL if memory runs out. The sum p->sum must allow a mesh. */
struct g4_tail *g4_tail_new(const struct g4_params *p);
/* Processes n steps as in g4_push, beginning with the step `first`. Returns 0, or -1 if memory runs
 * out. */
int g4_tail_add(struct g4_tail *t, uint64_t first, size_t n, const void *data,
                const struct box *box) FRAME_MUST;
/* Adds the tail to G2 and G4 of the result r of the run, and subtracts twice the tail from G3.
 * Returns 0, or -1 if memory runs out. */
int g4_tail_put(struct g4_tail *t, const struct g4_params *p, struct g4_result *r) FRAME_MUST;
void g4_tail_free(struct g4_tail *t); /* NULL is allowed */

/* Tabulates W r2³ for a taper from r1 to r2 = 1, as a function of the mean square displacement D in
 * units of r2². Beyond the end of the table, W is proportional to D^(-3/2). */
#define G4_TAIL_TABLE 256
#define G4_TAIL_END 8.0 /* largest sqrt(D)/r2 */
struct g4_tail_law {
    double w[G4_TAIL_TABLE + 1];
};
void g4_tail_law_make(double r1, struct g4_tail_law *law);
double g4_tail_law_at(const struct g4_tail_law *law, double d);
