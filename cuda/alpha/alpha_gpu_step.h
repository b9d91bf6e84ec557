/* SPDX-License-Identifier: MIT */
/* alpha_gpu_step.h: a step by a mesh, from alpha_gpu.cu to alpha_gpu_step.cu: its order of sites, its
 * grid, its memory. */
#ifndef MBF_ALPHA_GPU_STEP_H
#define MBF_ALPHA_GPU_STEP_H

#include "alpha/alpha_gpu_mesh.h"

struct alpha_step;
/* NULL with e: out of memory. */
struct alpha_step *alpha_step_new(const struct alpha_params *p, struct err *e);
void alpha_step_free(struct alpha_step *s); /* NULL is allowed */
/* As alpha_reach, but as good as the mesh. */
double alpha_step_reach(const struct alpha_params *p);
/* Bytes that a step of the current sites takes on a device, about. */
double alpha_step_bytes(const struct alpha_params *p);
/* Are there a mesh and a list in this cell, whose damped sites are at most `most` large? 0, or -1 with
 * e. reach, list: Å. */
int alpha_step_fits(const struct alpha_params *p, const struct box *box, double most, double *reach,
                    double *list, struct box *reduced, struct err *e);

/*
 * Sites pos [sites][3], s [sites][6] of a step in their order on the grid, which lie there until the
 * next call, and its reduced cell. 0, or -1 with e.
 */
int alpha_step_sort(struct err *e, struct alpha_step *s, const struct box *box, const double *pos,
                    const double *root, const double **sorted_pos, const double **sorted_root,
                    struct box *reduced);
/* Neighbours and waves, once b has the sites: waits for the device. 0, or -1 with e. *i and *j: two at
 * one place, in the order of the input; else *i is sites. */
int alpha_step_make(struct err *e, struct alpha_step *s, const struct alpha_batch *b, size_t *i,
                    size_t *j, cudaStream_t stream);
/* b->y of b->mu. */
int alpha_step_field(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                     cudaStream_t stream);

#endif
