/* SPDX-License-Identifier: MIT */
/* near_gpu.h: finds neighbours of atoms on a CUDA device, all within a cutoff or the k nearest.
 *
 * As in near.h, any cell and any periodic axes are allowed, and positions may be unwrapped. The
 * neighbours, their order, the bits of their distances and the errors are the same as for near_each
 * on the host, for any launch shape.
 *
 * Start with a struct near_gpu s that is all zeros. At each step, call near_gpu_sort(&s, n, r,
 * &box, cutoff, k, &e). Then launch your kernel with near_gpu_blocks(n) blocks of NEAR_GPU_THREADS
 * threads, and pass s to it by value. After the launch, call near_gpu_finish(&s, &i, &detail, &e).
 *
 * The file of the kernel includes near_gpu.cuh, and the kernel calls near_gpu_each for each sorted
 * atom. For an example, see cuda/ql/ql_gpu.cu. All work is in the default stream of the current
 * device, and the current device must be the same in all calls. */
#pragma once

#include "base/gpu.h"
#include "near/near_step.h"

/* Launch shape for n atoms. Kernels must loop over the atoms with a stride of the whole grid of
 * threads. */
#define NEAR_GPU_THREADS 128
unsigned near_gpu_blocks(size_t n);

/* The sorted atoms of one step, which are passed to kernels. All arrays are on the device and valid
 * until the next near_gpu_sort, which reuses the memory. The sorted atom with index q is atom
 * step.grid.order[q] of the input. Atoms of one grid cell are consecutive, in ascending order of
 * their index. */
struct near_gpu {
    struct near_step step;      /* the grid of the step, of which only the members `start` and
                                 * `order` are set */
    double *r[3];               /* positions in Å by axis, not wrapped into the cell, [n] */
    uint32_t *cell;             /* grid cell of each sorted atom, [n] */
    size_t k;                   /* number of nearest neighbours, or 0 to use all atoms within the
                                 * cutoff */
    uint32_t *nearest;          /* sorted indices of the k nearest atoms of each sorted atom,
                                 * [k][n] */
    double *r2;                 /* squared distances of the k nearest atoms in Å², [k][n] */
    unsigned long long *failed; /* see near_gpu_refuse */
    void *memory;               /* holds all arrays */
    size_t bytes;
};
void near_gpu_free(struct near_gpu *s);

/* Copies n atoms with positions r[n][3] in Å, on the host, to the device and sorts them into the
 * cells of a grid. If k is 0, the neighbours of an atom are all atoms closer than the cutoff. If k
 * > 0, the neighbours are the k nearest atoms, even those beyond the cutoff. For k > 0, the
 * function near_reach returns a suitable cutoff. The arguments and errors are the same as for
 * near_sort, and n must be below 2^31. Returns 0 on success, or -1 with an error message in e. The
 * status is ERR_BAD if the cutoff is refused or there are at most k atoms, ERR_MEMORY if memory
 * runs out, or otherwise ERR_MACHINE. The device needs about 80 + 12 k bytes per atom. The time for
 * k > 0 grows as k². */
int near_gpu_sort(struct near_gpu *s, size_t n, const double *r, const struct box *b, double cutoff,
                  size_t k, struct err *e) MUST_USE;

/* Waits for the device. Returns 0 if every atom has its neighbours and near_gpu_refuse() was not
 * called for any atom. If an atom lacks neighbours, or if a kernel called near_gpu_refuse() for an
 * atom, reports the first such atom in sorted order. Returns -1 with the status ERR_BAD in e if
 * this atom has fewer than k neighbours closer than half the smallest width of the cell. Returns 1
 * and sets *i to its index and *detail if a kernel refused this atom. The function also returns -1
 * if the device fails. */
int near_gpu_finish(const struct near_gpu *s, uint32_t *i, uint32_t *detail,
                    struct err *e) MUST_USE;
