/* SPDX-License-Identifier: MIT */
/* near_gpu.cuh: the functions of near_gpu.h for kernels. One thread finds all neighbours of one
 * atom. No function synchronises threads or uses shared memory. */
#pragma once

#include "near/near_gpu.h"

/* Loops over the sorted atoms q of this thread, for any launch shape. */
#define NEAR_GPU_LOOP(q, n)                                                                        \
    for (size_t q = blockIdx.x * (size_t)blockDim.x + threadIdx.x; q < (n);                        \
         q += (size_t)gridDim.x * blockDim.x)

/* Sets d to the minimum image of the difference between sorted atom p and the position r in Å.
 * Returns |d|² in Å². The operations are the same as in near_simd.c. */
static __device__ inline double near_gpu_distance(const struct near_gpu &s, const double r[3],
                                                  size_t p, double d[3])
{
    for (int a = 0; a < 3; a++)
        d[a] = s.r[a][p] - r[a];
    box_image(&s.step.box, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Calls visit(p, d, r2) for each sorted atom p within `radius` (Å) of sorted atom q, except q
 * itself, in the order of the ranges of the grid g. The reach of g must cover the radius. */
template <class VISIT>
static __device__ void near_gpu_within(const struct near_gpu &s, const struct near_grid &g,
                                       size_t q, double radius, VISIT visit)
{
    const double r[3] = {s.r[0][q], s.r[1][q], s.r[2][q]};
    struct near_range range[2];
    int at[3], from[2], to[2];
    near_grid_around(&g, s.cell[q], at, from, to);
    for (int i = from[0]; i <= to[0]; i++) {
        size_t plane = (size_t)near_grid_wrap(at[0] + i, g.n[0]) * (size_t)g.n[1];
        for (int j = from[1]; j <= to[1]; j++) {
            size_t row = plane + (size_t)near_grid_wrap(at[1] + j, g.n[1]),
                   ranges = near_grid_row(&g, at, row, near_grid_gap(&g, 0, i),
                                          near_grid_gap(&g, 1, j), 0, range);
            for (size_t k = 0; k < ranges; k++)
                for (size_t p = range[k].from; p < range[k].to; p++) {
                    double d[3], r2 = near_gpu_distance(s, r, p, d);
                    if (r2 < radius * radius && p != q)
                        visit(p, d, r2);
                }
        }
    }
}

/* Calls visit(p, d, r2) for each neighbour of sorted atom q. Here p is the number of the neighbour
 * among the sorted atoms, d[3] is the minimum image of r_p - r_q in Å, and r2 = |d|². The order is
 * as for near_each: NEAR_BY_CELL if k is 0, and otherwise by distance, then by index. If q has too
 * few neighbours, visit() is not called, and near_gpu_finish reports the error. */
template <class VISIT>
static __device__ void near_gpu_each(const struct near_gpu &s, size_t q, VISIT visit)
{
    if (s.k == 0)
        near_gpu_within(s, s.step.grid, q, s.step.cutoff, visit);
    const double r[3] = {s.r[0][q], s.r[1][q], s.r[2][q]};
    for (size_t k = 0; k < s.k && s.nearest[q] != UINT32_MAX; k++) {
        uint32_t p = s.nearest[k * s.step.n + q];
        double d[3], r2 = near_gpu_distance(s, r, p, d);
        visit(p, d, r2);
    }
}

/* Makes near_gpu_finish report sorted atom q and a number `detail`. Only the first atom in sorted
 * order is reported, with the smallest of its values of `detail`. */
static __device__ inline void near_gpu_refuse(const struct near_gpu &s, size_t q, uint32_t detail)
{
    atomicMin(s.failed, (unsigned long long)q << 33 | 1ull << 32 | detail);
}
