/* SPDX-License-Identifier: MIT */
/* mesh_grid.h: spreads charges or dipoles onto a mesh of splines, transforms the mesh, and computes
 * values or slopes at the sites. Between the two transforms, the caller multiplies the Fourier
 * coefficients by weights. A charge is spread over order³ points, with a weight that is a product
 * of three splines (mesh.h). For a dipole, the weights are derivatives of the product of splines.
 * For the method, see Essmann et al, J Chem Phys 103 (1995) 8577, and Toukmaji et al, J Chem Phys
 * 113 (2000) 10913.
 *
 * The transforms use one thread and FFTW_ESTIMATE, which does not depend on timings, and sites are
 * added in order, so that the bits of the results depend only on the sites. Each thread has its own
 * mesh, and all meshes share the plans of the transforms. */
#pragma once

#include <stddef.h>

#include "base/simd.h"
#include "mesh/mesh.h"

/* Set to zeros before the first call. */
struct mesh_plans {
    struct mesh_transform *first;
};
void mesh_plans_free(struct mesh_plans *p);
/* Plans the transforms of n points, unless they have been planned before. Returns 0, or -1 if
 * memory runs out. Only one thread at a time may call mesh_plans_add, and no other thread may use p
 * meanwhile. */
int mesh_plans_add(struct mesh_plans *p, const int n[3]) MUST_USE;

/* The real arrays have the shape [n0][n1][pitch]. The columns from n2 on repeat the first columns,
 * so that a spline never wraps along the third axis. The complex arrays have the shape
 * [n0][n1][pitch/2], and each row contains n2/2 + 1 waves. All members are set by mesh_grid_set,
 * but the caller must fill the arrays `weight` and `axis`. */
struct mesh_grid {
    int order, n[3];
    size_t pitch;
    double *mesh;    /* before the filter */
    double *back;    /* after the filter, may be `mesh` */
    double *weight;  /* [n0][n1][n2/2 + 1] */
    double *axis[3]; /* [rows][n] */
    const struct mesh_transform *transform;
};

/* Allocates the arrays of g for n points and splines of order `order`. The arrays of the axes have
 * `rows` numbers per point. If `apart` is not 0, the arrays `back` and `mesh` are separate. The
 * plans must contain the transforms for n points. Returns 1 if the memory is new, 0 if g already
 * had the same shape, and -1 if memory runs out. All members of g must be zero before the first
 * call. */
int mesh_grid_set(struct mesh_grid *g, const struct mesh_plans *plans, int order, const int n[3],
                  int rows, int apart) MUST_USE;
void mesh_grid_free(struct mesh_grid *g); /* zeroes g */
/* Returns the memory of a mesh of n points in bytes, without the arrays of the axes. */
double mesh_grid_bytes(const int n[3], int apart);

void mesh_clear(struct mesh_grid *g);
/* Adds the extra columns of g->mesh to the first columns, and transforms the mesh in place. */
void mesh_forth(struct mesh_grid *g);
/* Transforms g->back in place without normalisation, and copies the first columns to the extra
 * columns. */
void mesh_back(struct mesh_grid *g);

/* Sites have the fractional coordinates at[3][stride] of any of their images. */
struct mesh_sites {
    size_t n, stride;
    const double *at;
};

/* Adds charge[n] of the sites to g->mesh, before mesh_forth. */
SIMD_DECLARE(void, mesh_spread,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *charge));
/* Sets value[n] to the sum over the points of g->back times the splines of each site, after
 * mesh_back. */
SIMD_DECLARE(void, mesh_gather,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *value));
/* Work like mesh_spread and mesh_gather, but with the derivatives of the splines, on
 * dipole[3][stride] and on the gradients slope[3][stride]. The components of dipoles and gradients
 * are along the axes of the mesh, with lengths in units of the mesh spacing. */
SIMD_DECLARE(void, mesh_spread_dipoles,
             (const struct mesh_grid *g, const struct mesh_sites *s, const double *dipole));
SIMD_DECLARE(void, mesh_gather_slopes,
             (const struct mesh_grid *g, const struct mesh_sites *s, double *slope));
