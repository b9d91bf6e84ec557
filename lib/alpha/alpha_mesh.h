/* SPDX-License-Identifier: MIT */
/* alpha_mesh.h: computes the long-range part of alpha_split.h for many sites. Dipoles are spread
 * onto a mesh with the derivatives of splines. A Fourier transform gives the potential, whose
 * derivatives are the field. See Essmann et al., J. Chem. Phys. 103, 8577 (1995). See Toukmaji et
 * al., J. Chem. Phys. 113, 10913 (2000). */
#pragma once

#include <stddef.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"

#define ALPHA_MESH_MORE 12 /* for the spline */

/* Sites with fractional coordinates at[3][stride]. The dipoles or fields nu[3][stride] are
 * components along the axes of the mesh. */
struct alpha_on_mesh {
    size_t n, stride, pitch;
    int points[3], order;
    const double *at;
    double *mesh; /* [points0][points1][pitch] */
};

SIMD_DECLARE(void, alpha_mesh_spread, (const struct alpha_on_mesh *m, const double *nu));
SIMD_DECLARE(void, alpha_mesh_gather, (const struct alpha_on_mesh *m, double *nu));

/* Transform plans for all threads. Call alpha_plans_add from only one thread at a time. */
struct alpha_plans;
struct alpha_plans *alpha_plans_new(void);
void alpha_plans_free(struct alpha_plans *p); /* NULL is allowed */
/* Adds a transform plan for a mesh in the reduced cell b with range reach. Returns 0 or -1. */
int alpha_plans_add(struct alpha_plans *p, const struct mesh *plan, const struct box *b,
                    double reach);

/* Mesh of one thread. */
struct alpha_mesh;
/* The caller owns `plan`, whose unit is the range, and `split`. Returns NULL if out of memory. */
struct alpha_mesh *alpha_mesh_new(const struct alpha_plans *plans, const struct mesh *plan,
                                  const struct alpha_split *split);
void alpha_mesh_free(struct alpha_mesh *m); /* NULL is allowed */
double alpha_mesh_bytes(const struct mesh *plan, const struct box *b, double reach);
/* Sets the cell, which alpha_plans_add must have accepted. On input, `own` is T summed over the
 * images of a site itself. On output, `own` is the correction to the value of the mesh. Returns 0,
 * or -1 if out of memory. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]);
/* Adds the long-range part of T mu of n sites to out[3][stride], with nu as scratch memory. */
void alpha_mesh_apply(struct alpha_mesh *m, size_t n, size_t stride, const double *at,
                      const double *mu, double *nu, double *out);
const int *alpha_mesh_points(const struct alpha_mesh *m);
