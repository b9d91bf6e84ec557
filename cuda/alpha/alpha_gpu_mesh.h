/* SPDX-License-Identifier: MIT */
/*
 * alpha_gpu_mesh.h: fields of many dipoles from short-range pairs and a mesh (alpha_split.h), one
 * step at a time. Sites are in the order of the cells of a grid, as sorted by the host.
 */
#ifndef MBF_ALPHA_GPU_MESH_H
#define MBF_ALPHA_GPU_MESH_H

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"

#define ALPHA_PACKED 12 /* numbers per site: x y z, then its dipoles */

/* Data of a step for the kernels. */
struct alpha_mesh {
    struct box box; /* reduced cell */
    struct alpha_split split;
    double reach, list; /* Å: radius of the split; radius of the lists */
    int order, n[3], pitch;
    size_t values;           /* values in each of the three meshes */
    double *mesh;            /* [3][n0][n1][pitch], one mesh per direction of E */
    double *weight;          /* [n0][n1][n2 / 2 + 1], one per wave vector */
    const double *moment;    /* moments of each axis (alpha_split_axis) */
    double *part, *self;     /* [ALPHA_PARTS][6]; [6] */
    double *packed;          /* [stride][ALPHA_PACKED] */
    double *most, *most_of;  /* largest dipole [1]; maxima of blocks [ALPHA_PARTS] */
    int grid[3];             /* number of grid cells */
    const int *place, *from; /* [sites] cell of each site; [cells + 1] first site of each cell */
    int *count, *near;       /* [stride] number of neighbours; [slots][stride] sites within list */
    int *slots;              /* largest count */
    double bits;             /* fixed-point mesh: 2^bits is the largest possible sum */
};
#define ALPHA_PARTS 256

/* The functions below queue work in `stream` and return 0, or -1 and set e. */

/* Compute count and slots, then near. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_near(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                    cudaStream_t stream);
/* Computes weight and self. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Spreads b->mu to the mesh in fixed point, converts it to double and fills packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* Multiplies the transform by weight. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* Computes b->y and b->part. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);

#endif
