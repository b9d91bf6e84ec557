/* SPDX-License-Identifier: MIT */
/* alpha_gpu_mesh.h: computes the fields of the dipoles of one time step as a sum over short-range
 * pairs plus a mesh sum (alpha_split.h). The host sorts the sites by grid cell. */
#pragma once

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_gpu.h"

#define ALPHA_PACKED 12

struct alpha_mesh {
    struct box box; /* reduced cell */
    struct alpha_split split;
    double reach, list; /* cut-offs in Å: of the split; of the neighbour lists */
    int order, n[3], pitch;
    size_t values;        /* per mesh */
    double *mesh;         /* [3][n0][n1][pitch] */
    double *weight;       /* [n0][n1][n2 / 2 + 1] */
    const double *moment; /* alpha_split_axis */
    double *part, *self;  /* [ALPHA_PARTS][6]; [6] */
    double *packed;       /* [stride][ALPHA_PACKED] */
    double *max, *max_of; /* largest dipole: of all sites; of each block [ALPHA_PARTS] */
    int grid[3];
    /* The grid cell of each site [sites], and the first site of each grid cell [cells + 1]. */
    const int *place, *from;
    int *count, *near; /* neighbours: number [stride]; list [*slots][stride] */
    int *slots;        /* largest count */
    double bits;       /* Fixed-point sums are below 2^bits. */
};
#define ALPHA_PARTS 256

/* Sets the offsets of the first and the last neighbour of a cell along an axis of n cells, so that
 * each neighbour occurs once. The cells must be as wide as the radius of the neighbour lists. */
HD void alpha_grid_around(int n, int *from, int *to)
{
    *from = n > 2 ? -1 : 0;
    *to = n > 1 ? 1 : 0;
}

/* Returns the index of grid cell (x, y, z), whose coordinates may be one cell outside the grid. */
HD int alpha_grid_cell(const struct alpha_mesh &m, int x, int y, int z)
{
    return ((x + m.grid[0]) % m.grid[0] * m.grid[1] + (y + m.grid[1]) % m.grid[1]) * m.grid[2] +
           (z + m.grid[2]) % m.grid[2];
}

/* Each function below queues work in the CUDA stream `stream`, and returns 0, or -1 and sets *e. */

/* Counts the neighbours of each site; the function alpha_mesh_short_range lists the neighbours. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_short_range(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Computes the Fourier weights of the mesh, and the interaction of a site with itself. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Spreads the dipoles onto the mesh in fixed-point arithmetic, converts the mesh to double
 * precision, and copies positions and dipoles to m->packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Spreads the moments of n permanent sites onto the first mesh, and sets the other two meshes to 0.
 * The largest weight of a mesh point must not exceed `most`. */
int alpha_mesh_moments(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                       const struct alpha_permanent *from, size_t n, double most,
                       cudaStream_t stream);
/* Multiplies the Fourier coefficients of the mesh by the weights. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Stores the long-range field of the mesh at each site in b->y. */
int alpha_mesh_gather(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Adds the short-range field of the permanent sites to b->y, and stores s times the sum in p->c. */
int alpha_gpu_near_sources(struct err *e, const struct alpha_batch *b,
                           const struct alpha_sources *p, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Stores s times the field of all dipoles at each site in b->y, and partial sums of q y in
 * b->part. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
