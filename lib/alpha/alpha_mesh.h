/* SPDX-License-Identifier: MIT */
/* alpha_mesh.h: computes the long-range part of alpha_split.h for many sites. Dipoles are spread
 * onto a mesh (mesh/mesh_grid.h), whose waves are weighted to give the potential. The slopes of the
 * potential at the sites are the field. */
#pragma once

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_grid.h"

/* Mesh of one thread. The caller sets plans, plan and split, which it owns, and sets all other
 * members to zero at first. */
struct alpha_mesh {
    const struct mesh_plans *plans;
    const struct mesh *plan;
    const struct alpha_split *split;
    struct mesh_grid grid; /* rows of the table of an axis, which are the three moments of
                            * alpha_split.h and 1/W_0² */
    struct box cell;
};

/* Sets the reduced cell and the range of the short-range pairs. The plans must contain its number
 * of points (mesh_points). On input, `own` is T summed over the images of one site, as seen from
 * this site. On output, `own` is the correction to the value that the mesh gives for this sum.
 * Returns 0, or -1 if out of memory. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]) MUST_USE;
/* Adds the long-range part of the field of permanent sites `from`, with moments moment[10][stride]
 * (alpha.h), to out[3][stride] at the sites `to`. If `charges` is set, all dipoles and quadrupoles
 * are 0. Uses scratch[9][stride] and nu[3][stride], with the strides of `from` and `to`. */
void alpha_mesh_permanent(struct alpha_mesh *m, const struct mesh_sites *from,
                          const struct mesh_sites *to, const double *moment, int charges,
                          double *scratch, double *nu, double *out);
/* Adds the long-range part of T mu to out[3][stride], for dipoles mu[3][stride] of the sites, with
 * nu[3][stride] as scratch memory. */
void alpha_mesh_apply(struct alpha_mesh *m, const struct mesh_sites *s, const double *mu,
                      double *nu, double *out);
