/* SPDX-License-Identifier: MIT */
/* alpha_gpu_mesh.h: computes the fields of the dipoles of one time step as a sum over short-range
 * pairs plus a mesh sum (alpha_split.h). The host sorts the sites by grid cell. */
#pragma once

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_gpu.h"

#define ALPHA_PACKED 12 /* a position and three dipoles */

struct alpha_mesh {
    struct box box; /* reduced cell */
    struct alpha_split split;
    double reach, list; /* radius of the split and of the neighbour lists, Å */
    int order, n[3], pitch;
    size_t values;        /* of each of the three meshes */
    double *mesh;         /* [3][n0][n1][pitch] */
    double *weight;       /* [n0][n1][n2 / 2 + 1] */
    const double *moment; /* results of alpha_split_axis */
    double *part, *self;  /* [ALPHA_PARTS][6]; [6] */
    double *packed;       /* [stride][ALPHA_PACKED] */
    double *max, *max_of; /* largest dipole, and the same per block [ALPHA_PARTS] */
    int grid[3];
    /* `place` [sites] is the grid cell of each site, and `from` [cells + 1] is the first site of
     * each cell. */
    const int *place, *from;
    int *count, *near; /* neighbours closer than `list`: [stride]; [slots][stride] */
    int *slots;        /* largest number of neighbours of a site */
    double bits;       /* Every fixed-point sum is below 2^bits. */
};
#define ALPHA_PARTS 256

/* The neighbouring cells of cell i along an axis of n cells are i + *from to i + *to, so that each
 * neighbour occurs once. The cells must be at least as wide as the cut-off. */
HD void alpha_grid_around(int n, int *from, int *to)
{
    *from = n > 2 ? -1 : 0;
    *to = n > 1 ? 1 : 0;
}

/* Returns the index of the grid cell at (x, y, z), each of which is at most one cell outside the
 * grid. */
HD int alpha_grid_cell(const struct alpha_mesh &m, int x, int y, int z)
{
    return ((x + m.grid[0]) % m.grid[0] * m.grid[1] + (y + m.grid[1]) % m.grid[1]) * m.grid[2] +
           (z + m.grid[2]) % m.grid[2];
}

/* Each function below queues work in the CUDA stream `stream`, and returns 0, or -1 and sets *e. */

/* The first function counts the neighbours of each site, and the second function lists them. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_short_range(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Computes `weight`, the factor of each Fourier coefficient, and `self`, the interaction of a site
 * with itself. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Spreads the dipoles b->mu onto the mesh in fixed-point arithmetic, and converts the mesh to
 * double precision. Copies positions and dipoles to m->packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Spreads the moments of n permanent sites onto the first mesh, and sets the other two meshes to 0.
 * The largest weight of a mesh point must not exceed `most`. */
int alpha_mesh_moments(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                       const struct alpha_permanent *from, size_t n, double most,
                       cudaStream_t stream);
/* Multiplies the Fourier coefficients of the mesh by `weight`. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Stores the long-range part of the field at each site in b->y. */
int alpha_mesh_gather(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Adds the short-range field of the permanent sites to b->y, and computes p->c. */
int alpha_gpu_near_sources(struct err *e, const struct alpha_batch *b,
                           const struct alpha_sources *p, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Stores b->root times the total field at each site in b->y. Also computes the sums b->part of the
 * stopping test. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
