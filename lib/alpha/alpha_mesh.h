/* SPDX-License-Identifier: MIT */
/*
 * alpha_mesh.h: the far part of alpha_split.h for many sites: dipoles go onto a mesh as slopes of
 * splines, one transform gives the potential there, and its slopes are the field (Essmann et al., J.
 * Chem. Phys. 103, 8577, 1995; Toukmaji et al., J. Chem. Phys. 113, 10913, 2000). Private to lib/alpha.
 */
#ifndef MBF_ALPHA_MESH_H
#define MBF_ALPHA_MESH_H

#include <stddef.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"

#define ALPHA_MESH_MORE                                                                            \
    12 /* points behind the last along the third axis: those of a spline, in fours */

/* Sites at[3][stride], fractions; dipoles, or fields, nu[3][stride] along points of the mesh. */
struct alpha_on_mesh {
    size_t n, stride, pitch;
    int points[3], order;
    const double *at;
    double *mesh; /* [points0][points1][pitch] */
};

SIMD_DECLARE(void, alpha_mesh_spread, (const struct alpha_on_mesh *m, const double *nu));
SIMD_DECLARE(void, alpha_mesh_gather, (const struct alpha_on_mesh *m, double *nu));

/* Plans of transforms, of all threads; alpha_plans_add from one at a time. */
struct alpha_plans;
struct alpha_plans *alpha_plans_new(void);
void alpha_plans_free(struct alpha_plans *p); /* NULL is allowed */
/* For a mesh in this reduced cell with near parts that end at reach. 0, or -1: out of memory. */
int alpha_plans_add(struct alpha_plans *p, const struct mesh *plan, const struct box *b,
                    double reach);

/* Of a thread. */
struct alpha_mesh;
/* plan, in units of the reach, and split are the caller's. NULL: out of memory. */
struct alpha_mesh *alpha_mesh_new(const struct alpha_plans *plans, const struct mesh *plan,
                                  const struct alpha_split *split);
void alpha_mesh_free(struct alpha_mesh *m); /* NULL is allowed */
double alpha_mesh_bytes(const struct mesh *plan, const struct box *b, double reach);
/* A cell, of alpha_plans_add; own: T of a site's own images, becomes what is to be added to the mesh's.
 * 0, or -1: out of memory. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]);
/* out += far part of T mu: [3][stride] of n sites at at[3][stride]; nu: [3][stride] of scratch. */
void alpha_mesh_apply(struct alpha_mesh *m, size_t n, size_t stride, const double *at,
                      const double *mu, double *nu, double *out);
const int *alpha_mesh_points(const struct alpha_mesh *m);

#endif
