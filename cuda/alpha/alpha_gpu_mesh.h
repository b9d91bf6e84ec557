/* SPDX-License-Identifier: MIT */
/* alpha_gpu_mesh.h: computes the fields of many dipoles, one step at a time, from short-range pairs
 * and a mesh (alpha_split.h). The host sorts the sites by grid cell. */
#pragma once

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_gpu.h"

#define ALPHA_PACKED 12 /* numbers stored per site: its position and its dipoles */

/* Kernel arguments for one step. */
struct alpha_mesh {
    struct box box; /* reduced cell */
    struct alpha_split split;
    double reach, list; /* radius of the split, and radius of the neighbour lists, in Å */
    int order, n[3], pitch;
    size_t values;        /* number of values in one mesh */
    double *mesh;         /* [3][n0][n1][pitch] */
    double *weight;       /* [n0][n1][n2 / 2 + 1] */
    const double *moment; /* the result of alpha_split_axis for each axis */
    double *part, *self;  /* [ALPHA_PARTS][6]; [6] */
    double *packed;       /* [stride][ALPHA_PACKED] */
    double *max, *max_of; /* largest dipole of all sites, and largest dipole of each block
                           * [ALPHA_PARTS] */
    int grid[3];          /* number of grid cells */
    /* The grid cell of each site, place[sites], and the first site of each grid cell, from[cells +
     * 1]. */
    const int *place, *from;
    int *count, *near; /* number of neighbours per site [stride], and list of the neighbours
                        * [slots][stride] that are closer than the radius `list` */
    int *slots;        /* largest count */
    double bits;       /* every sum in fixed point is below 2^bits */
};
#define ALPHA_PARTS 256

/* Sets the offsets `from` to `to` along an axis of n sufficiently wide cells, so that each
 * neighbouring cell occurs once. */
HD void alpha_grid_around(int n, int *from, int *to)
{
    *from = n > 2 ? -1 : 0;
    *to = n > 1 ? 1 : 0;
}

/* Returns the grid cell at (x, y, z), where each index is at most one cell outside the grid. */
HD int alpha_grid_cell(const struct alpha_mesh &m, int x, int y, int z)
{
    return ((x + m.grid[0]) % m.grid[0] * m.grid[1] + (y + m.grid[1]) % m.grid[1]) * m.grid[2] +
           (z + m.grid[2]) % m.grid[2];
}

/* The functions below start work in the CUDA stream `stream`. Each of these functions returns 0 on
 * success, or -1 with an error message in e. */

/* The following functions count and list the neighbours of each site. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_short_range(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Computes the weights of the Fourier coefficients and the interaction of a site with itself. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Spreads the dipoles b->mu onto the mesh in fixed point, and then converts the mesh to double
 * precision. Copies positions and dipoles to m->packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Spreads the charges, dipoles and quadrupoles of n permanent sites onto the first mesh, and sets
 * the other two meshes to 0. No weight of a mesh point is larger than `most`. */
int alpha_mesh_moments(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                       const struct alpha_permanent *from, size_t n, double most,
                       cudaStream_t stream);
/* Multiplies the transformed mesh by the weights. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Computes the long-range part of the field at each site, and stores this part in b->y. */
int alpha_mesh_gather(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Adds the short-range part of the field of the permanent sites to b->y, and computes p->c. */
int alpha_gpu_near_sources(struct err *e, const struct alpha_batch *b,
                           const struct alpha_sources *p, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Computes the field at each site from the mesh and the short-range pairs, and stores the field,
 * multiplied by the root of the polarizability (b->root), in b->y. Also computes the sums
 * b->part. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
