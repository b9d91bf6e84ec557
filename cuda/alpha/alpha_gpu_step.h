/* SPDX-License-Identifier: MIT */
/* alpha_gpu_step.h: manages the order of the sites, the grid and the memory for one step on a mesh.
 * The file alpha_gpu_step.cu implements these functions. */
#pragma once

#include "alpha/alpha_gpu_mesh.h"

/* Enlarges the memory *p from *capacity to at least `bytes` bytes. The old content is lost. The
 * text `what` names the purpose of the memory, for error messages. Returns 0 on success, or -1 with
 * an error message in e. */
int alpha_gpu_more(struct err *e, void *p, size_t *capacity, size_t bytes, const char *what);

struct alpha_step;
/* Returns NULL with an error message in e if memory runs out. */
struct alpha_step *alpha_step_new(const struct alpha_params *p, struct err *e);
void alpha_step_free(struct alpha_step *s); /* s may be NULL */
/* Returns the distance beyond which damping is negligible, in units of the size of a pair. */
double alpha_step_reach(const struct alpha_params *p);
/* Returns the approximate device memory of one step, in bytes. */
double alpha_step_bytes(const struct alpha_params *p);
/* Sorts the sites of a step by the cell of a grid over the reduced cell. The input arrays have the
 * shapes pos [sites][3] and root [sites][6]. The sorted arrays are valid until the next call of
 * this function. Returns 0 on success, or -1 with an error message in e, for example if the cell is
 * too small. */
int alpha_step_sort(struct err *e, struct alpha_step *s, const struct box *reduced,
                    const double *pos, const double *root, const double **sorted_pos,
                    const double **sorted_root);
/* Returns, for each sorted site, its number in the input. */
const int *alpha_step_order(const struct alpha_step *s);
/* Finds the neighbours and weights of the sites in b, and waits for the device. If two sites
 * coincide, sets *i and *j to their numbers in the input. If no sites coincide, sets *i to the
 * number of sites. Returns 0 on success, or -1 with an error message in e. */
int alpha_step_make(struct err *e, struct alpha_step *s, const struct alpha_batch *b, size_t *i,
                    size_t *j, cudaStream_t stream);
/* Computes the electric field of the dipoles b->mu at each site, and stores the field, multiplied
 * by the root of the polarizability (b->root), in b->y. Also computes the sums b->part. */
int alpha_step_field(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                     cudaStream_t stream);
/* Computes p->c and p->same from the permanent sites p->from, whose copy on the host is `from`. */
int alpha_step_sources(struct err *e, struct alpha_step *s, const struct alpha_batch *b,
                       struct alpha_sources *p, const struct alpha_permanent *from,
                       cudaStream_t stream);
