/* SPDX-License-Identifier: MIT */
/* mesh_grid.h: spreads charges or dipoles onto a mesh of splines, transforms the mesh, and gathers
 * values or slopes at the sites. Between the two transforms, the caller multiplies the Fourier
 * coefficients by weights. Each thread has its own mesh, and all meshes share the plans of the
 * transforms. A charge is spread over order³ points, with a weight that is a product of three
 * splines (mesh.h). For a dipole, the weights are the derivatives of this product. Sources are
 * Essmann et al, J Chem Phys 103 (1995) 8577, and Toukmaji et al, J Chem Phys 113 (2000) 10913.
 *
 * Transforms are planned with FFTW_ESTIMATE, which does not depend on timings, and use one thread.
 * The contributions of the sites are added in the order of the sites. The bits of the results
 * therefore depend only on the sites. */
#pragma once

#include <stddef.h>

#include "base/simd.h"
#include "mesh/mesh.h"

/* ---- plans */

/* The transforms that have been planned so far. Initialise with zeros. */
struct mesh_plans {
    struct mesh_transform *first;
};
void mesh_plans_free(struct mesh_plans *p);
/* Plans the transforms of n points, unless their plans exist already. Returns 0, or -1 if memory
 * runs out. Call this function from only one thread at a time, and while no other thread uses p. */
int mesh_plans_add(struct mesh_plans *p, const int n[3]) MUST_USE;

/* ---- a mesh ---- */

/* The real arrays have the shape [n0][n1][pitch]. The columns from n2 on repeat the first columns,
 * so that a spline never wraps along the third axis. The complex arrays have the shape
 * [n0][n1][pitch/2], and each row has n2/2 + 1 waves. The function mesh_grid_set sets all members,
 * but the caller fills the arrays weight and axis. */
struct mesh_grid {
    int order, n[3];
    size_t pitch;
    double *mesh;    /* mesh before the filter */
    double *back;    /* mesh after the filter; may be the array `mesh` */
    double *weight;  /* [n0][n1][n2/2 + 1] */
    double *axis[3]; /* [rows][n] */
    const struct mesh_transform *transform;
};

/* Allocates g for n points and splines of the given order. The arrays of the axes get `rows`
 * numbers per point. If `apart` is not 0, the array `back` is separate from `mesh`. The plans must
 * contain the transforms for n points. Returns 1 if the memory is new, 0 if g already had the right
 * shape, and -1 if memory runs out. Before the first call, g must be all zeros. */
int mesh_grid_set(struct mesh_grid *g, const struct mesh_plans *plans, int order, const int n[3],
                  int rows, int apart) MUST_USE;
/* Frees the arrays and sets g to zero. */
void mesh_grid_free(struct mesh_grid *g);
/* Returns the memory in bytes of a mesh of n points, without the arrays of the axes. */
double mesh_grid_bytes(const int n[3], int apart);

/* Sets g->mesh to 0. */
void mesh_clear(struct mesh_grid *g);
/* Adds the extra columns of g->mesh to the first columns, and transforms the mesh in place. */
void mesh_forth(struct mesh_grid *g);
/* Transforms g->back in place without normalisation, and copies the first columns to the extra
 * columns. */
void mesh_back(struct mesh_grid *g);

/* ---- sites ---- */

/* Sites, given by the fractional coordinates at[3][stride] of any of their images. */
struct mesh_sites {
    size_t n, stride;
    const double *at;
};

/* Adds the charges[n] of the sites to g->mesh. Call this function before mesh_forth. */
SIMD_DECLARE(void, mesh_spread,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *charge));
/* After mesh_back, sets value[n] to the sum over points of g->back times the splines of a site. */
SIMD_DECLARE(void, mesh_gather,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *value));
/* These functions work like the two functions above, but with the derivatives of the splines. The
 * function mesh_spread_dipoles adds dipole[3][stride] to the mesh. The function mesh_gather_slopes
 * computes the gradients slope[3][stride]. Components are along the axes of the mesh, with lengths
 * in units of the mesh spacing. */
SIMD_DECLARE(void, mesh_spread_dipoles,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *dipole));
SIMD_DECLARE(void, mesh_gather_slopes,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *slope));
