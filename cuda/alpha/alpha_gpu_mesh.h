/* SPDX-License-Identifier: MIT */
/* alpha_gpu_mesh.h: computes the fields of many dipoles, one step at a time, from short-range pairs
 * and a mesh (alpha_split.h). The host sorts the sites by grid cell. */
#pragma once

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"
#include "mesh/mesh_gpu.h"

#define ALPHA_PACKED 12 /* numbers per site: its position and its dipoles */

/* Kernel arguments for one step. */
struct alpha_mesh {
    struct box box; /* reduced cell */
    struct alpha_split split;
    double reach, list; /* radius of the split and of the neighbour lists, Å */
    int order, n[3], pitch;
    size_t values;        /* number of values in each mesh */
    double *mesh;         /* [3][n0][n1][pitch] */
    double *weight;       /* [n0][n1][n2 / 2 + 1] */
    const double *moment; /* result of alpha_split_axis */
    double *part, *self;  /* [ALPHA_PARTS][6]; [6] */
    double *packed;       /* [stride][ALPHA_PACKED] */
    double *max, *max_of; /* largest dipole of all sites, and of each block [ALPHA_PARTS] */
    int grid[3];          /* number of grid cells */
    /* The cell of each site, place[sites], and the first site of each cell, from[cells + 1]. */
    const int *place, *from;
    int *count, *near; /* number [stride] and list [slots][stride] of the neighbours that are closer
                        * than the radius `list` */
    int *slots;        /* largest count */
    double bits;       /* all sums are below 2^bits */
};
#define ALPHA_PARTS 256

/* The functions below queue work in `stream`. Each returns 0 on success, or -1 with an error
 * message in e. */

/* These functions count and list the neighbours of each site. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_short_range(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                           cudaStream_t stream);
/* Computes the weights of the Fourier coefficients and the interaction of a site with itself. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Spreads the dipoles b->mu onto the mesh in fixed point, and then converts the mesh to double.
 * Copies positions and dipoles to m->packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Multiplies the transformed mesh by the weights. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Computes the fields b->y and the sums b->part. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
