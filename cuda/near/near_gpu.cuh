/* SPDX-License-Identifier: MIT */
/* near_gpu.cuh: the functions of near_gpu.h for kernels. One thread finds all neighbours of one
 * atom. No function synchronises threads or uses shared memory. */
#pragma once

#include "near/near_gpu.h"

/* Loops over the sorted atoms q of this thread, for any launch shape. */
#define NEAR_GPU_LOOP(q, n)                                                                        \
    for (size_t q = blockIdx.x * (size_t)blockDim.x + threadIdx.x; q < (n);                        \
         q += (size_t)gridDim.x * blockDim.x)

/* Returns the step of the frame of sorted atom q. The argument SAME is s.same: if it is true, most
 * members are constants of the launch, and kernels need half of the registers. */
template <bool SAME>
static __device__ inline struct near_step near_gpu_step(const struct near_gpu &s, size_t q)
{
    if (!SAME)
        return s.steps[q / s.n];
    struct near_step t = s.step;
    t.grid.start = s.start + q / s.n * near_grid_cells(&t.grid);
    return t;
}

/* Sets d to the minimum image, in the cell b, of the difference between sorted atom p and the
 * position r in Å. Returns |d|² in Å². The operations are the same as in near_simd.c. */
static __device__ inline double near_gpu_distance(const struct near_gpu &s, const struct box *b,
                                                  const double r[3], size_t p, double d[3])
{
    for (int a = 0; a < 3; a++)
        d[a] = s.r[a][p] - r[a];
    box_image(b, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Calls visit(p, d, r2) for each sorted atom p within `radius` (Å) of sorted atom q, except q
 * itself, in the order of the ranges of the grid of t, whose reach must cover the radius. */
template <class VISIT>
static __device__ void near_gpu_within(const struct near_gpu &s, const struct near_step &t,
                                       size_t q, double radius, VISIT visit)
{
    const double r[3] = {s.r[0][q], s.r[1][q], s.r[2][q]};
    struct near_range range[2];
    int at[3], from[2], to[2];
    near_grid_around(&t.grid, s.cell[q] - (size_t)(t.grid.start - s.start), at, from, to);
    for (int i = from[0]; i <= to[0]; i++) {
        size_t plane = (size_t)near_grid_wrap(at[0] + i, t.grid.n[0]) * (size_t)t.grid.n[1];
        for (int j = from[1]; j <= to[1]; j++) {
            size_t row = plane + (size_t)near_grid_wrap(at[1] + j, t.grid.n[1]),
                   ranges = near_grid_row(&t.grid, at, row, near_grid_gap(&t.grid, 0, i),
                                          near_grid_gap(&t.grid, 1, j), 0, range);
            for (size_t k = 0; k < ranges; k++)
                for (size_t p = range[k].from; p < range[k].to; p++) {
                    double d[3], r2 = near_gpu_distance(s, &t.box, r, p, d);
                    if (r2 < radius * radius && p != q)
                        visit(p, d, r2);
                }
        }
    }
}

/* Calls visit(p, d, r2) for each neighbour of sorted atom q. Here p is the number of the neighbour
 * among the sorted atoms, d[3] is the minimum image of r_p - r_q in Å, and r2 = |d|². The order is
 * as for near_each: NEAR_BY_CELL if k is 0, and otherwise by distance, then by index. If q has too
 * few neighbours, visit() is not called, and near_gpu_finish reports the error. SAME is s.same. */
template <bool SAME, class VISIT>
static __device__ void near_gpu_each(const struct near_gpu &s, size_t q, VISIT visit)
{
    const struct near_step t = near_gpu_step<SAME>(s, q);
    if (s.k == 0)
        near_gpu_within(s, t, q, t.cutoff, visit);
    const double r[3] = {s.r[0][q], s.r[1][q], s.r[2][q]};
    for (size_t k = 0; k < s.k && s.nearest[q] != UINT32_MAX; k++) {
        uint32_t p = s.nearest[k * s.atoms + q];
        double d[3], r2 = near_gpu_distance(s, &t.box, r, p, d);
        visit(p, d, r2);
    }
}

/* Makes near_gpu_finish report sorted atom q and a number `detail`. Only the first atom in sorted
 * order is reported, with the smallest of its values of `detail`. */
static __device__ inline void near_gpu_refuse(const struct near_gpu &s, size_t q, uint32_t detail)
{
    atomicMin(s.failed, (unsigned long long)q << 33 | 1ull << 32 | detail);
}
