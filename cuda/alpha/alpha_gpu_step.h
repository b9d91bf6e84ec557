/* SPDX-License-Identifier: MIT */
/* alpha_gpu_step.h: one step on a mesh: order of its sites, grid and memory. Interface of
 * alpha_gpu.cu to alpha_gpu_step.cu. */
#ifndef MBF_ALPHA_GPU_STEP_H
#define MBF_ALPHA_GPU_STEP_H

#include "alpha/alpha_gpu_mesh.h"

struct alpha_step;
/* Returns NULL and sets e if memory runs out. */
struct alpha_step *alpha_step_new(const struct alpha_params *p, struct err *e);
void alpha_step_free(struct alpha_step *s); /* s may be NULL */
/* Returns alpha_reach at the accuracy of the mesh. */
double alpha_step_reach(const struct alpha_params *p);
/* Returns the approximate device memory of a step with the current sites, in bytes. */
double alpha_step_bytes(const struct alpha_params *p);
/* Chooses the radii of mesh and list in Å (reach, list) for this cell, whose damped sites have size
 * `most` or less. Returns 0, or -1 and sets e if a radius is too large for the cell. */
int alpha_step_fits(const struct alpha_params *p, const struct box *box, double most, double *reach,
                    double *list, struct box *reduced, struct err *e);

/* Sorts the sites of a step, pos [sites][3] and s [sites][6], by grid cell, and reduces its cell.
 * The sorted arrays are valid until the next call. Returns 0, or -1 and sets e. */
int alpha_step_sort(struct err *e, struct alpha_step *s, const struct box *box, const double *pos,
                    const double *root, const double **sorted_pos, const double **sorted_root,
                    struct box *reduced);
/* Finds neighbours and weights after the sites are in b, and waits for the device. Sets *i and *j
 * to two sites at the same place, in the order of the input, or *i to sites if there are none.
 * Returns 0, or -1 and sets e. */
int alpha_step_make(struct err *e, struct alpha_step *s, const struct alpha_batch *b, size_t *i,
                    size_t *j, cudaStream_t stream);
/* Computes b->y from b->mu. */
int alpha_step_field(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                     cudaStream_t stream);

#endif
