/* SPDX-License-Identifier: MIT */
/* alpha_mesh.h: computes the long-range part of alpha_split.h for many sites. Dipoles are spread
 * onto a mesh (mesh/mesh_grid.h). The Fourier coefficients of the mesh, times their weights, give
 * the potential. The gradient of the potential at the sites gives the field. */
#pragma once

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_grid.h"

/* Mesh of one thread. The caller owns and sets the members `plans`, `plan` and `split`, and sets
 * all other members to zero at first. */
struct alpha_mesh {
    const struct mesh_plans *plans;
    const struct mesh *plan;
    const struct alpha_split *split;
    struct mesh_grid grid; /* The arrays of the axes have four rows: the three moments of
                            * alpha_split.h and 1/W_0². */
    struct box cell;
};

/* Sets the reduced cell and the cut-off of the short-range pairs. The plans must include the mesh
 * of this cell (mesh_points). On input, `own` is the sum of T over the periodic images of a site.
 * On output, `own` is this sum minus the corresponding value from the mesh. Returns 0, or -1 if
 * memory runs out. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]) MUST_USE;
/* Computes the long-range part of the field of the permanent sites `from`, and adds it to
 * out[3][stride] at the sites `to`. The moments of the sites are moment[10][stride] (alpha.h). Set
 * the flag `charges` if all dipoles and quadrupoles are 0. The scratch arrays are scratch[9][stride
 * of `from`] and nu[3][stride of `to`]. */
void alpha_mesh_permanent(struct alpha_mesh *m, const struct mesh_sites *from,
                          const struct mesh_sites *to, const double *moment, int charges,
                          double *scratch, double *nu, double *out);
/* Adds the long-range part of T mu to out[3][stride], for dipoles mu[3][stride] of the sites, with
 * nu[3][stride] as scratch memory. */
void alpha_mesh_apply(struct alpha_mesh *m, const struct mesh_sites *s, const double *mu,
                      double *nu, double *out);
