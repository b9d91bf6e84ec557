/* SPDX-License-Identifier: MIT */
/* near_gpu.h: finds the neighbours of atoms on a GPU, either all neighbours within a cutoff or the
 * k nearest neighbours.
 *
 * As in near.h, cells of any shape and any periodic axes are allowed, and positions need not be
 * wrapped. The neighbours, their order, the bits of their distances and the errors equal those of
 * near_each on the host.
 *
 * Time steps (frames) are sorted and searched in batches, because a frame of a few thousand atoms
 * leaves most of a GPU idle. Start with a struct near_gpu s that is all zeros. For each batch, call
 * near_gpu_sort(&s, frames, n, r, box, cutoff, k, &e). Then launch your kernel with
 * near_gpu_blocks(s.atoms) blocks of NEAR_GPU_THREADS threads, and pass s to the kernel by value.
 * After the launch, call near_gpu_finish(&s, &frame, &i, &detail, &e).
 *
 * The source file of the kernel includes near_gpu.cuh, and the kernel calls near_gpu_each for each
 * sorted atom. For an example, see cuda/ql/ql_gpu.cu. All work is in the default CUDA stream of the
 * current GPU, which must be the same in all calls. */
#pragma once

#include "base/gpu.h"
#include "near/near_step.h"

/* Kernels must loop over the atoms with a stride of the whole grid of threads. */
#define NEAR_GPU_THREADS 128
unsigned near_gpu_blocks(size_t atoms);

/* The sorted atoms of one batch, for kernels. All arrays are on the GPU and valid until the next
 * call of near_gpu_sort. Sorted atom q is atom order[q] % n of frame q / n. Atoms of one grid cell
 * are consecutive and in ascending order of their index. */
struct near_gpu {
    size_t n, frames, atoms;    /* atoms per frame; frames; atoms of all frames */
    struct near_step step;      /* of frame 0. Of the arrays of step.grid, only `start` exists. */
    struct near_step *steps;    /* [frames] */
    bool same;                  /* There is one frame, or all have the same periodic cell. */
    size_t *start;              /* first sorted atom of each grid cell of all frames */
    uint32_t *order;            /* [atoms], index of the atom in the input */
    double *r[3];               /* [atoms], Å, not wrapped */
    uint32_t *cell;             /* [atoms], grid cells, counted over all frames */
    size_t k;                   /* number of nearest neighbours, or 0 for all within the cutoff */
    uint32_t *nearest;          /* [k][atoms], sorted indices of the k nearest atoms */
    double *r2;                 /* [k][atoms], squared distances of the k nearest atoms in Å² */
    unsigned long long *failed; /* see near_gpu_refuse */
    void *memory;               /* holds all arrays */
    size_t bytes;
};
void near_gpu_free(struct near_gpu *s);

/* Copies the positions r[frames][n][3] in Å from the host to the GPU, and sorts the n atoms of each
 * frame, in the cell b[frame], into the cells of a grid. With k = 0, the neighbours of an atom are
 * all atoms closer than the cutoff. With k > 0, the neighbours are the k nearest atoms, and the
 * cutoff is not used. The total number of atoms must be below 2^31. Returns 0 on success. If
 * near_sort would refuse a frame, or it has at most k atoms, returns -1 with the status ERR_BAD in
 * *e, and sorts only the s->frames frames before it. After other failures, s->frames is 0, and the
 * status is ERR_MEMORY if memory runs out, or otherwise ERR_MACHINE. About 80 + 12 k bytes of
 * device memory are needed per atom. With k > 0, the computing time grows as k². */
int near_gpu_sort(struct near_gpu *s, size_t frames, size_t n, const double *r, const struct box *b,
                  double cutoff, size_t k, struct err *e) MUST_USE;

/* Waits for the GPU, and returns 0 if every atom has its neighbours and no kernel called
 * near_gpu_refuse(). Otherwise reports the first atom, in sorted order, that has too few neighbours
 * or was refused. Sets *frame to the number of frames before the first such atom. Returns -1 and
 * sets *e with the status ERR_BAD if an atom has fewer than k neighbours closer than half the
 * smallest width of the cell. Returns 1 and sets *i and *detail if a kernel refused atom *i of its
 * frame. If the GPU fails, returns -1 with *frame = 0. */
int near_gpu_finish(const struct near_gpu *s, size_t *frame, uint32_t *i, uint32_t *detail,
                    struct err *e) MUST_USE;
