/* SPDX-License-Identifier: MIT */
/* alpha_gpu_finish.cuh: the last part of the field kernels. It converts fields at sites to the
 * vectors of the conjugate-gradient method. */
#pragma once

#include "alpha/alpha_gpu.h"

#define FINISH_THREADS 256 /* threads of a block that ends with finish */
#define FINISH_WARPS (FINISH_THREADS / 32)

/* Computes y and q y for 32 sites. Here, y is s times the sum of three terms: f, the term that is
 * common to all pairs, and the images of the site itself. If `meshed` is not NULL, f already has
 * the trace of pairs and the part `meshed` that the mesh gives for a site and its images. */
static __device__ void finish(const alpha_batch &b, size_t step, const double *meshed,
                              double (*f)[ALPHA_TILE])
{
    size_t w = b.stride, i = (size_t)blockIdx.x * ALPHA_TILE + threadIdx.x % 32, base = step * w;
    int d = threadIdx.x / 32; /* one warp per direction */
    if (d >= 3)
        return;
    const struct alpha_cell *own = b.own + step;
    const double *mu = b.mu + ALPHA_VECTORS * base + 3 * d * w + i,
                 *sum = b.sum + ALPHA_VECTORS * step + 3 * d, *s = b.root + ALPHA_TENSOR * base + i;
    double m[3] = {mu[0], mu[w], mu[2 * w]}, g[3], y[3], qy = 0.0, t[ALPHA_TENSOR];
    for (int k = 0; k < ALPHA_TENSOR; k++)
        t[k] = own->own[k] - (meshed ? meshed[k] : 0.0);
    for (int k = 0; k < 3; k++)
        g[k] = fma(meshed ? 0.0 : own->trace, sum[k] - m[k], f[3 * d + k][threadIdx.x % 32]);
    g[0] += (t[0] * m[0] + t[1] * m[1]) + t[2] * m[2];
    g[1] += (t[1] * m[0] + t[3] * m[1]) + t[4] * m[2];
    g[2] += (t[2] * m[0] + t[4] * m[1]) + t[5] * m[2];
    y[0] = (s[0] * g[0] + s[w] * g[1]) + s[2 * w] * g[2];
    y[1] = (s[w] * g[0] + s[3 * w] * g[1]) + s[4 * w] * g[2];
    y[2] = (s[2 * w] * g[0] + s[4 * w] * g[1]) + s[5 * w] * g[2];
    double *to = b.y + ALPHA_VECTORS * base + 3 * d * w + i;
    const double *q = b.q + ALPHA_VECTORS * base + 3 * d * w + i;
    for (int k = 0; k < 3; k++) {
        to[k * w] = y[k];
        qy = fma(q[k * w], y[k], qy);
    }
    for (int k = 16; k; k /= 2)
        qy += __shfl_xor_sync(~0u, qy, k);
    if (threadIdx.x % 32 == 0)
        b.part[(step * gridDim.x + blockIdx.x) * 3 + d] = qy;
}
