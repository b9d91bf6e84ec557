/* SPDX-License-Identifier: MIT */
/* mesh_grid.h: spreads charges or dipoles onto a mesh of splines, transforms the mesh, and computes
 * values or slopes at the sites. Between the two transforms, the caller multiplies the Fourier
 * coefficients by weights. Each thread has its own mesh, and all meshes share the plans of the
 * transforms. A charge is spread over order³ points, with a weight that is a product of three
 * splines (mesh.h). For a dipole, the weights are derivatives of the product of splines. For the
 * method, see Essmann et al, J Chem Phys 103 (1995) 8577, and Toukmaji et al, J Chem Phys 113
 * (2000) 10913.
 *
 * The transforms are planned with FFTW_ESTIMATE, which does not depend on timings, and use one
 * thread. The contributions of the sites to the mesh are added in the order of the sites. The bits
 * of the results therefore depend only on the sites. */
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
/* Plans the transforms of n points, unless this has been done before. Returns 0, or -1 if memory
 * runs out. Only one thread at a time may call this function, and no other thread may use p
 * meanwhile. */
int mesh_plans_add(struct mesh_plans *p, const int n[3]) MUST_USE;

/* ---- a mesh ---- */

/* The real arrays have the shape [n0][n1][pitch]. The columns from n2 on repeat the first columns,
 * so that a spline never wraps along the third axis. The complex arrays have the shape
 * [n0][n1][pitch/2], and each row contains n2/2 + 1 waves. The function mesh_grid_set sets all
 * members, but the caller fills the arrays `weight` and `axis`. */
struct mesh_grid {
    int order, n[3];
    size_t pitch;
    double *mesh;    /* mesh before the filter */
    double *back;    /* mesh after the filter, which may be the array `mesh` itself */
    double *weight;  /* [n0][n1][n2/2 + 1] */
    double *axis[3]; /* [rows][n] */
    const struct mesh_transform *transform;
};

/* Allocates the arrays of g for n points and splines of the given order. The arrays of the axes
 * have `rows` numbers per point. If `apart` is not 0, the arrays `back` and `mesh` are separate.
 * The plans must contain the transforms for n points. Returns 1 if the memory is new, 0 if g
 * already had this shape, and -1 if memory runs out. Before the first call, all members of g must
 * be zero. */
int mesh_grid_set(struct mesh_grid *g, const struct mesh_plans *plans, int order, const int n[3],
                  int rows, int apart) MUST_USE;
/* Frees the arrays of g, and sets all members to zero. */
void mesh_grid_free(struct mesh_grid *g);
/* Returns the memory of a mesh of n points in bytes, without the arrays of the axes. */
double mesh_grid_bytes(const int n[3], int apart);

/* Sets g->mesh to 0. */
void mesh_clear(struct mesh_grid *g);
/* Adds the extra columns of g->mesh to its first columns, and transforms the mesh in place. */
void mesh_forth(struct mesh_grid *g);
/* Transforms g->back in place without normalisation, and copies its first columns to the extra
 * columns. */
void mesh_back(struct mesh_grid *g);

/* ---- sites ---- */

/* Sites, which are given by the fractional coordinates at[3][stride] of any of their images. */
struct mesh_sites {
    size_t n, stride;
    const double *at;
};

/* Adds the charges[n] of the sites to g->mesh. The caller calls this function before mesh_forth. */
SIMD_DECLARE(void, mesh_spread,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *charge));
/* After mesh_back, sets value[n] to the sum over the points of g->back times the splines of each
 * site. */
SIMD_DECLARE(void, mesh_gather,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *value));
/* The functions mesh_spread_dipoles and mesh_gather_slopes work like mesh_spread and mesh_gather,
 * but with the derivatives of the splines. The function mesh_spread_dipoles adds dipole[3][stride]
 * to the mesh. The function mesh_gather_slopes computes the gradients slope[3][stride]. The
 * components of dipoles and gradients are along the axes of the mesh, with lengths in units of the
 * mesh spacing. */
SIMD_DECLARE(void, mesh_spread_dipoles,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *dipole));
SIMD_DECLARE(void, mesh_gather_slopes,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *slope));
