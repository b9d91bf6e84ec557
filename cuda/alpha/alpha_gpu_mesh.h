/* SPDX-License-Identifier: MIT */
/*
 * alpha_gpu_mesh.h: fields of many dipoles from pairs near by and a mesh (alpha_split.h), a step at a
 * time. Sites are in the order of the cells of a grid, which the host gives them.
 */
#ifndef MBF_ALPHA_GPU_MESH_H
#define MBF_ALPHA_GPU_MESH_H

#include "alpha/alpha_gpu.h"
#include "alpha/alpha_split.h"

#define ALPHA_PACKED 12 /* numbers of a site: x y z, then its dipoles */

/* What the kernels know of a step. */
struct alpha_mesh {
    struct box box; /* reduced */
    struct alpha_split split;
    double reach, list; /* Å: of the split; of what else is near, too */
    int order, n[3], pitch;
    size_t values;           /* of one of three meshes */
    double *mesh;            /* [3][n0][n1][pitch]: of each direction of E */
    double *weight;          /* [n0][n1][n2 / 2 + 1] of waves, and of a site: */
    const double *moment;    /* of each axis: alpha_split_axis */
    double *part, *self;     /* [ALPHA_PARTS][6]; [6] */
    double *packed;          /* [stride][ALPHA_PACKED] */
    double *most, *most_of;  /* largest dipole [1], and of blocks [ALPHA_PARTS] */
    int grid[3];             /* cells of the grid */
    const int *place, *from; /* [sites] cell of each; [cells + 1] first site of each */
    int *count, *near;       /* [stride]; [slots][stride] sites nearer than list */
    int *slots;              /* most of count */
    double bits; /* of a mesh of fixed point: 2^bits is a sum of all that there may be */
};
#define ALPHA_PARTS 256

/* All queued in `stream`; 0, or -1 with e. */

/* count and slots; then near. */
int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);
int alpha_mesh_near(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                    cudaStream_t stream);
/* weight and self. */
int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* The mesh of b->mu, in fixed point made double; packed. */
int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream);
/* The transform times weight. */
int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream);
/* b->y and b->part. */
int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream);

#endif
