/* SPDX-License-Identifier: MIT */
/* alpha_gpu_step.h: sorts the sites of one time step into a grid, and owns the memory of the
 * mesh. */
#pragma once

#include "alpha/alpha_gpu_mesh.h"

/* Enlarges the memory at *p to at least `bytes` bytes and sets *capacity to its new size. The old
 * content is lost. The text `what` names the memory in errors. Returns 0, or -1 and sets *e. */
int alpha_gpu_more(struct err *e, void *p, size_t *capacity, size_t bytes, const char *what);

struct alpha_step;
/* Returns NULL and sets *e if memory runs out. */
struct alpha_step *alpha_step_new(const struct alpha_params *p, struct err *e);
void alpha_step_free(struct alpha_step *s); /* s may be NULL */
/* Returns the distance beyond which the damping of a pair is negligible, in units of (a_i
 * a_j)^(1/6) (alpha.h). */
double alpha_step_reach(const struct alpha_params *p);
/* Returns the approximate device memory of one time step in bytes. */
double alpha_step_bytes(const struct alpha_params *p);
/* Sorts the sites of a time step by the grid cell that contains them. The input arrays are pos
 * [sites][3] and root [sites][6]. The sorted arrays are valid until the next call. Returns 0, or -1
 * and sets *e if, for example, the cell is too small. */
int alpha_step_sort(struct err *e, struct alpha_step *s, const struct box *reduced,
                    const double *pos, const double *root, const double **sorted_pos,
                    const double **sorted_root);
/* Returns, for each sorted site, its index in the input. */
const int *alpha_step_order(const struct alpha_step *s);
/* Prepares the neighbour lists and the mesh for the sites in b, and waits for the device. If two
 * sites coincide, *i and *j are set to their indices in the input, and otherwise *i is set to the
 * number of sites. Returns 0, or -1 and sets *e. */
int alpha_step_make(struct err *e, struct alpha_step *s, const struct alpha_batch *b, size_t *i,
                    size_t *j, cudaStream_t stream);
/* Stores s times the field of all dipoles at each site in b->y, and partial sums of q y in
 * b->part. */
int alpha_step_field(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                     cudaStream_t stream);
/* Computes the field of the permanent sites p->from, which the host also holds in `from`. */
int alpha_step_sources(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                       struct alpha_sources *p, const struct alpha_permanent *from,
                       cudaStream_t stream);
