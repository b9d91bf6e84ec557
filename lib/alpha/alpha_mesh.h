/* SPDX-License-Identifier: MIT */
/*
 * alpha_mesh.h: the long-range part of alpha_split.h for many sites. Dipoles are spread onto a mesh
 * with the derivatives of splines, one transform gives the potential, and its derivatives are the
 * field (Essmann et al., J. Chem. Phys. 103, 8577, 1995; Toukmaji et al., J. Chem. Phys. 113,
 * 10913, 2000). Private to lib/alpha.
 */
#ifndef MBF_ALPHA_MESH_H
#define MBF_ALPHA_MESH_H

#include <stddef.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"

#define ALPHA_MESH_MORE 12 /* extra points after the last along the third axis, for the spline */

/* Sites at[3][stride] as fractions; dipoles or fields nu[3][stride] along the axes of the mesh. */
struct alpha_on_mesh {
    size_t n, stride, pitch;
    int points[3], order;
    const double *at;
    double *mesh; /* [points0][points1][pitch] */
};

SIMD_DECLARE(void, alpha_mesh_spread, (const struct alpha_on_mesh *m, const double *nu));
SIMD_DECLARE(void, alpha_mesh_gather, (const struct alpha_on_mesh *m, double *nu));

/* Plans of transforms for all threads; call alpha_plans_add from one thread at a time. */
struct alpha_plans;
struct alpha_plans *alpha_plans_new(void);
void alpha_plans_free(struct alpha_plans *p); /* NULL is allowed */
/* Adds a plan for a mesh in this reduced cell, with range reach. Returns 0 or -1. */
int alpha_plans_add(struct alpha_plans *p, const struct mesh *plan, const struct box *b,
                    double reach);

/* Mesh of one thread. */
struct alpha_mesh;
/* The caller owns plan (in units of the range) and split. Returns NULL if out of memory. */
struct alpha_mesh *alpha_mesh_new(const struct alpha_plans *plans, const struct mesh *plan,
                                  const struct alpha_split *split);
void alpha_mesh_free(struct alpha_mesh *m); /* NULL is allowed */
double alpha_mesh_bytes(const struct mesh *plan, const struct box *b, double reach);
/* Sets a cell known to alpha_plans_add. The tensor own is T of a site's own images and is replaced
 * by the correction to be added to that of the mesh. Returns 0, or -1 if out of memory. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]);
/* Adds the long-range part of T mu to out, [3][stride], for n sites; nu is scratch. */
void alpha_mesh_apply(struct alpha_mesh *m, size_t n, size_t stride, const double *at,
                      const double *mu, double *nu, double *out);
const int *alpha_mesh_points(const struct alpha_mesh *m);

#endif
