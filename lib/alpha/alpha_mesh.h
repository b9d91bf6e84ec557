/* SPDX-License-Identifier: MIT */
/* alpha_mesh.h: computes the long-range field of many dipoles with a mesh (alpha_split.h). The
 * dipoles are spread onto the mesh (mesh/mesh_grid.h). The Fourier coefficients of the mesh,
 * multiplied by weights, give the potential, whose gradient at a site gives the field. */
#pragma once

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_grid.h"

/* The mesh of one thread. The caller owns and sets `plans`, `plan` and `split`, and sets all other
 * members to zero at first. */
struct alpha_mesh {
    const struct mesh_plans *plans;
    const struct mesh *plan;
    const struct alpha_split *split;
    struct mesh_grid grid; /* The arrays of an axis have four rows: the three moments of
                            * alpha_split.h and 1/W_0². */
    struct box cell;
};

/* Sets the reduced cell b and the cut-off `reach` of the short-range pairs. The plans must include
 * the mesh of the cell b (mesh_points). On input, `own` is the sum of T over the images of a site,
 * from which the corresponding value of the mesh is subtracted. Returns 0, or -1 if memory runs
 * out. */
int alpha_mesh_cell(struct alpha_mesh *m, const struct box *b, double reach,
                    double own[ALPHA_TENSOR]) MUST_USE;
/* Adds the long-range field of the permanent sites `from` to out[3][stride] at the sites `to`. The
 * moments of the permanent sites are moment[10][stride] (alpha.h). Set `charges` if all dipoles and
 * quadrupoles are 0. The scratch arrays are scratch[9][stride of `from`] and nu[3][stride of
 * `to`]. */
void alpha_mesh_permanent(struct alpha_mesh *m, const struct mesh_sites *from,
                          const struct mesh_sites *to, const double *moment, int charges,
                          double *scratch, double *nu, double *out);
/* Adds the long-range field T mu of the dipoles mu[3][stride] to out[3][stride], with the scratch
 * array nu[3][stride]. */
void alpha_mesh_apply(struct alpha_mesh *m, const struct mesh_sites *s, const double *mu,
                      double *nu, double *out);
