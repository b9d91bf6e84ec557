/* SPDX-License-Identifier: MIT */
/* alpha_gpu_permanent.cu: computes the field of the permanent moments at the sites, and the dipole
 * moment. The order of sums does not depend on the batch. */
#include "alpha/alpha_gpu.h"
#include "alpha/alpha_moments.h"
#include "base/cis.h"

#define THREADS 128
#define TILE 64         /* permanent sites in shared memory */
#define EDGE (1 + 1e-9) /* margin for waves at the largest k */

static __device__ __forceinline__ double dot3(const double *a, const double *b)
{
    return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]));
}

/* ---- waves */

/* The waves of a step with the largest indices of the batch, and the position of a wave in
 * alpha_sources.sum. Half of the waves k != 0 are used: n0 > 0, or n0 = 0 and n1 > 0, ... */
static __device__ __forceinline__ size_t place_of(const alpha_sources &p, int n0, int n1, int n2)
{
    return ((size_t)n0 * (2 * p.max[1] + 1) + n1 + p.max[1]) * (2 * p.max[2] + 1) + n2 + p.max[2];
}

/* Block (x, y) processes THREADS waves of step y, one wave per thread. The sum over the sites of
 * (q - i k.m - k.Q k/3) exp(-i k r) is multiplied by the weight of the wave. */
static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_sources p)
{
    __shared__ double f[TILE][3], m[TILE][ALPHA_MOMENTS];
    size_t step = blockIdx.y, at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const struct box *cell = &b.own[step].box;
    int wide = 2 * p.max[1] + 1, deep = 2 * p.max[2] + 1;
    int n[3] = {(int)(at / deep / wide), (int)(at / deep % wide) - p.max[1],
                (int)(at % deep) - p.max[2]};
    double k[3], re = 0.0, im = 0.0, radius = p.cell[step].radius, cut = p.split.cut / radius;
    mesh_vector(cell, n[0], n[1], n[2], k);
    double k2 = dot3(k, k);
    bool used = n[0] <= p.max[0] && k2 <= cut * cut * EDGE * EDGE &&
                (n[0] > 0 || n[1] > 0 || (n[1] == 0 && n[2] > 0));
    for (size_t first = 0; first < p.n; first += TILE) {
        size_t end = p.n - first < TILE ? p.n - first : TILE;
        int more = 0;
        __syncthreads();
        for (size_t j = threadIdx.x; j < end; j += THREADS) {
            const struct alpha_permanent *s = p.from + step * p.n + first + j;
            for (int c = 0; c < 3; c++) {
                double x = box_fraction(cell, s->at, c);
                f[j][c] = x - floor(x);
            }
            for (int c = 0; c < ALPHA_MOMENTS; c++) {
                m[j][c] = s->moment[c];
                more |= c > 0 && m[j][c] != 0.0;
            }
        }
        more = __syncthreads_or(more);
        for (size_t j = 0; used && j < end; j++) {
            double x = m[j][0], y = 0.0, c, s;
            cis_2pi(fma((double)n[2], f[j][2], fma((double)n[1], f[j][1], n[0] * f[j][0])), &c, &s);
            if (more) {
                const double *v = m[j] + 4, t[3] = {fma(v[2], k[2], fma(v[1], k[1], v[0] * k[0])),
                                                    fma(v[4], k[2], fma(v[3], k[1], v[1] * k[0])),
                                                    fma(v[5], k[2], fma(v[4], k[1], v[2] * k[0]))};
                x = fma(dot3(t, k), -1.0 / 3.0, x);
                y = -dot3(m[j] + 1, k);
            }
            re = fma(x, c, fma(y, s, re));
            im = fma(y, c, fma(-x, s, im));
        }
    }
    if (!used)
        return;
    double w = 2.0 * alpha_split_wave(&p.split, k2, radius) / box_volume(cell);
    p.sum[step * p.waves + at] = make_double2(w * re, w * im);
}

/* Adds the field of all waves at r to e. The waves with the same n0 and n1 are multiples of one
 * wave, so that each phase is the product of the last phase and `turn`. */
static __device__ void waves(const alpha_sources &p, size_t step, const struct box *cell,
                             const double r[3], double (&e)[3])
{
    double cut = p.split.cut / p.cell[step].radius, u[3], f[3], turn[2];
    for (int c = 0; c < 3; c++) {
        f[c] = box_fraction(cell, r, c);
        f[c] -= floor(f[c]);
    }
    mesh_vector(cell, 0, 0, 1, u);
    cis_2pi(f[2], &turn[0], &turn[1]);
    double uu = dot3(u, u);
    for (int n0 = 0; n0 <= p.max[0]; n0++)
        for (int n1 = n0 ? -p.max[1] : 0; n1 <= p.max[1]; n1++) {
            double g[3], c, s, sum = 0.0, slope = 0.0;
            mesh_vector(cell, n0, n1, 0, g);
            double mid = -dot3(g, u) / uu, rest = (cut * cut - dot3(g, g)) / uu + mid * mid;
            if (rest < 0.0)
                continue;
            int first = max((int)ceil(mid - sqrt(rest)), n0 || n1 ? -p.max[2] : 1),
                last = min((int)floor(mid + sqrt(rest)), p.max[2]);
            const double2 *from = p.sum + step * p.waves + place_of(p, n0, n1, first);
            cis_2pi(fma((double)first, f[2], fma((double)n1, f[1], n0 * f[0])), &c, &s);
            for (int n2 = first; n2 <= last; n2++, from++) {
                double v = fma(from->x, s, from->y * c), old = c;
                sum += v;
                slope = fma((double)n2, v, slope);
                c = fma(c, turn[0], -s * turn[1]);
                s = fma(s, turn[0], old * turn[1]);
            }
            for (int k = 0; k < 3; k++)
                e[k] = fma(g[k], sum, fma(u[k], slope, e[k]));
        }
}

/* ---- sites */

static __device__ __noinline__ void exclude(const alpha_sources &p, const struct box *box,
                                            double radius, const double *m, const double *d,
                                            double *e)
{
    alpha_moments_exclude(&p.split, radius * radius, box, m, d, e);
}

static __device__ __noinline__ void damp(const alpha_batch &b, const alpha_source_cell &cell,
                                         double reach, const double *m, const double *d, bool own,
                                         double size, double *e)
{
    alpha_moments_damp(b.thole, b.a, &cell.box, cell.layers, m, d, own, reach, size, e);
}

/* Block (x, y) processes THREADS sites of step y, one site per thread. */
static __global__ void __launch_bounds__(THREADS)
    source_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_sources p)
{
    __shared__ struct alpha_permanent from[TILE];
    size_t step = blockIdx.y, i = (size_t)blockIdx.x * THREADS + threadIdx.x, w = b.stride;
    const struct alpha_source_cell &cell = p.cell[step];
    double e[3] = {}, r[3] = {}, r2 = cell.radius * cell.radius;
    bool here = i < b.sites;
    uint2 own = here ? p.own[i] : make_uint2(0, 0);
    for (int k = 0; here && k < 3; k++)
        r[k] = b.pos[3 * (step * b.sites + i) + k];
    for (size_t first = 0; first < p.n; first += TILE) {
        size_t end = p.n - first < TILE ? p.n - first : TILE;
        __syncthreads();
        for (size_t k = threadIdx.x; k < end * (sizeof from[0] / sizeof(double)); k += THREADS)
            ((double *)from)[k] = ((const double *)(p.from + step * p.n + first))[k];
        __syncthreads();
        for (size_t j = 0; here && j < end; j++) {
            const struct alpha_permanent &s = from[j];
            bool mine = first + j >= own.x && first + j < own.y;
            double d[3] = {r[0] - s.at[0], r[1] - s.at[1], r[2] - s.at[2]};
            if (!mine && p.periodic)
                box_image(&cell.box, d);
            double d2 = dot3(d, d);
            if (mine && p.periodic)
                exclude(p, &cell.box, cell.radius, s.moment, d, e);
            else if (!mine && (!p.periodic || d2 < r2))
                alpha_moments_waves(&p.split, p.periodic ? r2 : d2, s.moment, d,
                                    p.periodic ? -1.0 : 0.0, 1.0, e);
            if (b.thole != ALPHA_BARE && s.size > 0.0)
                damp(b, cell, p.reach, s.moment, d, mine, sqrt(s.size * b.size[step * w + i]), e);
        }
    }
    if (here && p.periodic)
        waves(p, step, &b.own[step].box, r, e);
    if (i >= w)
        return;
    if (here && !isfinite(e[0] + e[1] + e[2]))
        atomicMin(&p.same[step], (unsigned long long)i);
    const double *s = b.root + ALPHA_TENSOR * step * w + i;
    double *to = p.c + 3 * step * w + i;
    to[0] = (s[0] * e[0] + s[w] * e[1]) + s[2 * w] * e[2];
    to[w] = (s[w] * e[0] + s[3 * w] * e[1]) + s[4 * w] * e[2];
    to[2 * w] = (s[2 * w] * e[0] + s[4 * w] * e[1]) + s[5 * w] * e[2];
}

int alpha_gpu_sources(struct err *e, const struct alpha_batch *b, const struct alpha_sources *p,
                      size_t n, cudaStream_t stream)
{
    if (TRY(e, cudaMemsetAsync(p->same, 0xff, n * sizeof *p->same, stream)))
        return -1;
    if (p->periodic) {
        dim3 grid((unsigned)((p->waves + THREADS - 1) / THREADS), (unsigned)n);
        sum_kernel<<<grid, THREADS, 0, stream>>>(*b, *p);
        if (TRY_LAUNCH(e, "sum_kernel"))
            return -1;
    }
    dim3 grid((unsigned)((b->stride + THREADS - 1) / THREADS), (unsigned)n);
    source_kernel<<<grid, THREADS, 0, stream>>>(*b, *p);
    return TRY_LAUNCH(e, "source_kernel");
}
