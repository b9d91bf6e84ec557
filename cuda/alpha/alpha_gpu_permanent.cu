/* SPDX-License-Identifier: MIT */
/* alpha_gpu_permanent.cu: computes the field of the permanent moments at the sites, by pairs and
 * waves, or the short-range part of a mesh. The order of sums does not depend on the batch. */
#include <algorithm>
#include <cmath>

#include "alpha/alpha_gpu_mesh.h"
#include "alpha/alpha_moments.h"
#include "base/cis.h"

#define THREADS 128
#define WARPS (THREADS / 32)
#define TILE 64         /* permanent sites in shared memory */
#define AT_ONCE 4       /* permanent sites that a thread processes at a time */
#define SHARED 32768    /* bytes of phases in shared memory */
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

/* Adds charges and moments of one site with the phase (c, s) to the sum of a wave k. */
static __device__ __forceinline__ void add_moments(const double *m, const double *k, double c,
                                                   double s, double *re, double *im)
{
    const double *v = m + 4, t[3] = {fma(v[2], k[2], fma(v[1], k[1], v[0] * k[0])),
                                     fma(v[4], k[2], fma(v[3], k[1], v[1] * k[0])),
                                     fma(v[5], k[2], fma(v[4], k[1], v[2] * k[0]))};
    double x = fma(dot3(t, k), -1.0 / 3.0, m[0]), y = -dot3(m + 1, k);
    *re = fma(x, c, fma(y, s, *re));
    *im = fma(y, c, fma(-x, s, *im));
}

/* Block (x, y) processes 2 THREADS waves of step y. A thread processes the waves n2 and -n2 of one
 * rod (n0, n1). The sum over the sites of (q - i k.m - k.Q k/3) exp(-i k r) is multiplied by the
 * weight of the wave. The phases of `tile` sites are products of powers in shared memory, with the
 * shape [tile][powers]. */
static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_sources p,
               int tile)
{
    extern __shared__ double2 s_power[];
    __shared__ double m[TILE][ALPHA_MOMENTS];
    const size_t step = blockIdx.y, at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const struct box *cell = &b.own[step].box;
    const int wide = 2 * p.max[1] + 1, deep = p.max[2] + 1,
              from[3] = {0, p.max[0] + 1, p.max[0] + p.max[1] + 2}, powers = from[2] + deep;
    int n[3] = {(int)(at / deep / wide), (int)(at / deep % wide) - p.max[1], (int)(at % deep)};
    double k[2][3], re[2] = {}, im[2] = {}, k2[2], radius = p.cell[step].radius,
                    cut = p.split.cut / radius;
    bool used[2];
    for (int sign = 0; sign < 2; sign++) {
        mesh_vector(cell, n[0], n[1], sign ? -n[2] : n[2], k[sign]);
        k2[sign] = dot3(k[sign], k[sign]);
        used[sign] = n[0] <= p.max[0] && k2[sign] <= cut * cut * EDGE * EDGE &&
                     (n[0] > 0 || n[1] > 0 || (n[1] == 0 && !sign)) && (n[2] > 0 || !sign) &&
                     (n[0] || n[1] || n[2]);
    }
    const double2 *x = s_power + n[0], *y = s_power + from[1] + abs(n[1]),
                  *z = s_power + from[2] + n[2];
    for (size_t first = 0; first < p.n; first += (size_t)tile) {
        int end = p.n - first < (size_t)tile ? (int)(p.n - first) : tile, more = 0;
        __syncthreads();
        for (int j = threadIdx.x; j < 3 * end; j += THREADS) {
            int c = j / end;
            double2 *to = s_power + (j % end) * powers + from[c];
            double f = box_fraction(cell, p.from[step * p.n + first + j % end].at, c), turn[2],
                   re = 1.0, im = 0.0;
            cis_2pi(f - floor(f), &turn[0], &turn[1]);
            for (int h = 0; h <= p.max[c]; h++) {
                to[h] = make_double2(re, im);
                double old = re;
                re = fma(re, turn[0], -im * turn[1]);
                im = fma(im, turn[0], old * turn[1]);
            }
        }
        for (int j = threadIdx.x; j < end * ALPHA_MOMENTS; j += THREADS) {
            double v = p.from[step * p.n + first + j / ALPHA_MOMENTS].moment[j % ALPHA_MOMENTS];
            m[j / ALPHA_MOMENTS][j % ALPHA_MOMENTS] = v;
            more |= j % ALPHA_MOMENTS > 0 && v != 0.0;
        }
        more = __syncthreads_or(more);
        for (int j = 0; (used[0] || used[1]) && j < end; j++) {
            double2 u = x[j * powers], v = y[j * powers], w = z[j * powers];
            v.y = n[1] < 0 ? -v.y : v.y;
            double c = fma(u.x, v.x, -u.y * v.y), s = fma(u.x, v.y, u.y * v.x);
            double rr = c * w.x, ii = s * w.y, ri = c * w.y, ir = s * w.x;
            if (more) {
                add_moments(m[j], k[0], rr - ii, ri + ir, &re[0], &im[0]);
                add_moments(m[j], k[1], rr + ii, ir - ri, &re[1], &im[1]);
                continue;
            }
            double q = m[j][0];
            re[0] = fma(q, rr - ii, re[0]);
            im[0] = fma(-q, ri + ir, im[0]);
            re[1] = fma(q, rr + ii, re[1]);
            im[1] = fma(-q, ir - ri, im[1]);
        }
    }
    for (int sign = 0; sign < 2; sign++) {
        if (!used[sign])
            continue;
        double w = 2.0 * alpha_split_wave(&p.split, k2[sign], radius) / box_volume(cell);
        p.sum[step * p.waves + place_of(p, n[0], n[1], sign ? -n[2] : n[2])] =
            make_double2(w * re[sign], w * im[sign]);
    }
}

/* Adds the field of the waves at r to e, for every fourth pair (n0, n1) from the pair `share` on.
 * The waves with the same n0 and n1 are multiples of one wave, so that each phase is the product of
 * the last phase and `turn`. */
static __device__ void waves(const alpha_sources &p, size_t step, const struct box *cell, int share,
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
    int rod = WARPS - share;
    for (int n0 = 0; n0 <= p.max[0]; n0++)
        for (int n1 = n0 ? -p.max[1] : 0; n1 <= p.max[1]; n1++) {
            double g[3], c, s, sum = 0.0, slope = 0.0;
            if (rod++ % WARPS)
                continue;
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

static __device__ __noinline__ void damp(const alpha_batch &b, const alpha_source_cell &cell,
                                         double reach, const double *m, const double *d, bool own,
                                         double size, double *e)
{
    alpha_moments_damp(b.thole, b.a, &cell.box, m, d, own, reach, size, e);
}

/* The short-range part of a split: its coefficients q and rho, in shared memory, and its radius. */
struct short_range {
    const double2 *poly;
    int terms;
    double r2;
};

static __device__ struct short_range poly_make(const struct alpha_split &s, double r2,
                                               double2 *poly)
{
    for (int k = threadIdx.x; k < s.terms; k += blockDim.x)
        poly[k] = make_double2(s.q[k], s.rho[k]);
    return {poly, s.terms, r2};
}

/* Adds to e the short-range fields of N sites with the moments m at the vectors d, where `use` is
 * set. If terms is 0, the fields are those of sites without images. */
template <int N, bool CHARGES>
static __device__ __forceinline__ void add_near(const struct short_range &s, const bool *use,
                                                const double *const *m, const double (*d)[3],
                                                const double *d2, double *e)
{
    double v[N], q[N] = {}, rho[N] = {}, slope[N] = {}, twice = 2.0 / s.r2,
                 unit = s.terms ? 1.0 / (s.r2 * sqrt(s.r2)) : 0.0, narrow = unit / s.r2;
#pragma unroll
    for (int u = 0; u < N; u++)
        v[u] = fma(d2[u], twice, -1.0);
    for (int k = s.terms - 1; k >= 0; k--) {
        double2 c = s.poly[k];
#pragma unroll
        for (int u = 0; u < N; u++) {
            if (!CHARGES)
                slope[u] = fma(slope[u], v[u], q[u]);
            q[u] = fma(q[u], v[u], c.x);
            rho[u] = fma(rho[u], v[u], c.y);
        }
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (!use[u])
            continue;
        double y = rsqrt(d2[u]), y2 = y * y, b0 = y * y2, g = -q[u] * narrow,
               b = fma(d2[u], g, fma(-rho[u], unit, b0));
        if (CHARGES) {
            for (int c = 0; c < 3; c++)
                e[c] = fma(m[u][0] * b, d[u][c], e[c]);
        } else {
            double h = fma(4.0 * slope[u], narrow / s.r2, 5.0 * b0 * (y2 * y2));
            alpha_moments_add(m[u], d[u], b, fma(b0, y2, g), h, e);
        }
    }
}

/* Adds to e the fields of N sites from[j], from[j + 1], ... < end at r. The sites of the range
 * `own` are excluded; their numbers count from from[-first]. */
template <int N, bool CHARGES>
static __device__ __forceinline__ void add_row(const struct short_range &s, const struct box &box,
                                               const struct alpha_permanent *from, int j, int end,
                                               size_t first, uint2 own, const double *r, double *e)
{
    double d[N][3], d2[N];
    const double *m[N];
    bool use[N], any = false;
#pragma unroll
    for (int u = 0; u < N; u++) {
        const struct alpha_permanent &f = from[min(j + u, end - 1)];
        for (int c = 0; c < 3; c++)
            d[u][c] = r[c] - f.at[c];
        if (s.terms)
            box_image(&box, d[u]);
        m[u] = f.moment;
        d2[u] = dot3(d[u], d[u]);
        use[u] = j + u < end && !(first + j + u >= own.x && first + j + u < own.y) &&
                 (!s.terms || d2[u] < s.r2);
        any |= use[u];
    }
    if (any)
        add_near<N, CHARGES>(s, use, m, d, d2, e);
}

/* Multiplies the field e at site i by the root of its polarizability. */
static __device__ void put(const alpha_batch &b, const alpha_sources &p, size_t step, size_t i,
                           const double *e)
{
    size_t w = b.stride;
    if (i < b.sites && !isfinite(e[0] + e[1] + e[2]))
        atomicMin(&p.same[step], (unsigned long long)i);
    const double *s = b.root + ALPHA_TENSOR * step * w + i;
    double *to = p.c + 3 * step * w + i;
    to[0] = (s[0] * e[0] + s[w] * e[1]) + s[2 * w] * e[2];
    to[w] = (s[w] * e[0] + s[3 * w] * e[1]) + s[4 * w] * e[2];
    to[2 * w] = (s[2 * w] * e[0] + s[4 * w] * e[1]) + s[5 * w] * e[2];
}

/* Corrects the field e at site i for a site of the same molecule. */
static __device__ __noinline__ void add_own(const alpha_batch &b, const alpha_sources &p,
                                            const struct alpha_split &split,
                                            const alpha_source_cell &cell, double radius,
                                            const struct alpha_permanent &s, const double *r,
                                            double size, double *e)
{
    double d[3] = {r[0] - s.at[0], r[1] - s.at[1], r[2] - s.at[2]};
    if (p.periodic)
        alpha_moments_exclude(&split, radius * radius, &cell.box, s.moment, d, e);
    if (b.thole != ALPHA_BARE && s.size > 0.0)
        damp(b, cell, p.reach, s.moment, d, true, sqrt(s.size * size), e);
}

/* Block (x, y) processes 32 sites of step y, one per lane. The warps divide the permanent sites and
 * the waves of each site. */
static __global__ void __launch_bounds__(THREADS)
    source_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_sources p)
{
    __shared__ struct alpha_permanent from[TILE];
    __shared__ double2 poly[ALPHA_SPLIT_TERMS];
    __shared__ struct box box;
    __shared__ double part[WARPS][3][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t step = blockIdx.y, i = (size_t)blockIdx.x * ALPHA_TILE + lane;
    const struct alpha_source_cell &cell = p.cell[step];
    struct short_range near = {poly, 0, HUGE_VAL};
    double e[3] = {}, r[3] = {}, size = b.size[step * b.stride + i];
    bool here = i < b.sites;
    uint2 own = here ? p.own[i] : make_uint2(0, 0);
    if (threadIdx.x == 0)
        box = cell.box;
    if (p.periodic)
        near = poly_make(p.split, cell.radius * cell.radius, poly);
    for (int k = 0; here && k < 3; k++)
        r[k] = b.pos[3 * (step * b.sites + i) + k];
    for (size_t first = 0; first < p.n; first += TILE) {
        int end = p.n - first < TILE ? (int)(p.n - first) : TILE, more = 0;
        __syncthreads();
        for (int k = threadIdx.x; k < end * (int)(sizeof from[0] / sizeof(double)); k += THREADS) {
            double v = ((const double *)(p.from + step * p.n + first))[k];
            int c = k % (int)(sizeof from[0] / sizeof(double));
            ((double *)from)[k] = v;
            more |= c > 3 && c < 3 + ALPHA_MOMENTS && v != 0.0;
        }
        more = __syncthreads_or(more);
        for (int j = warp * AT_ONCE; here && j < end; j += WARPS * AT_ONCE)
            if (more)
                add_row<AT_ONCE, false>(near, box, from, j, end, first, own, r, e);
            else
                add_row<AT_ONCE, true>(near, box, from, j, end, first, own, r, e);
        for (int j = warp; here && b.thole != ALPHA_BARE && j < end; j += WARPS) {
            const struct alpha_permanent &s = from[j];
            double d[3] = {r[0] - s.at[0], r[1] - s.at[1], r[2] - s.at[2]};
            if (p.periodic)
                box_image(&box, d);
            if (s.size > 0.0 && !(first + j >= own.x && first + j < own.y))
                damp(b, cell, p.reach, s.moment, d, false, sqrt(s.size * size), e);
        }
    }
    for (size_t j = own.x + (size_t)warp; j < own.y; j += WARPS)
        add_own(b, p, p.split, cell, cell.radius, p.from[step * p.n + j], r, size, e);
    if (here && p.periodic)
        waves(p, step, &b.own[step].box, warp, r, e);
    for (int c = 0; c < 3; c++)
        part[warp][c][lane] = e[c];
    __syncthreads();
    if (warp)
        return;
    for (int k = 1; k < WARPS; k++)
        for (int c = 0; c < 3; c++)
            e[c] += part[k][c][lane];
    put(b, p, step, i, e);
}

/* Adds the short-range part to the field b.y of a mesh. Uses one warp per site, whose lanes take
 * the permanent sites in the neighbouring grid cells in turn. */
static __global__ void __launch_bounds__(THREADS)
    near_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_sources p,
                const __grid_constant__ alpha_mesh m)
{
    __shared__ double2 poly[ALPHA_SPLIT_TERMS];
    size_t i = (size_t)blockIdx.x * WARPS + threadIdx.x / 32, w = b.stride;
    int lane = threadIdx.x % 32, low[3], high[3];
    const struct alpha_source_cell &cell = p.cell[0];
    const struct short_range near = poly_make(m.split, m.reach * m.reach, poly);
    double e[3] = {};
    __syncthreads();
    if (i >= w)
        return;
    for (int k = 0; k < 3; k++)
        alpha_grid_around(m.grid[k], &low[k], &high[k]);
    if (i < b.sites) {
        const double *r = b.pos + 3 * i;
        uint2 own = p.own[i];
        int at = m.place[i], z = at % m.grid[2], y = at / m.grid[2] % m.grid[1],
            x = at / m.grid[2] / m.grid[1];
        for (int dx = low[0]; dx <= high[0]; dx++)
            for (int dy = low[1]; dy <= high[1]; dy++)
                for (int dz = low[2]; dz <= high[2]; dz++) {
                    int c = alpha_grid_cell(m, x + dx, y + dy, z + dz);
                    for (int k = p.first[c] + lane; k < p.first[c + 1]; k += 32) {
                        uint32_t j = (uint32_t)p.order[k];
                        const struct alpha_permanent &s = p.from[j];
                        if (j >= own.x && j < own.y)
                            continue;
                        add_row<1, false>(near, m.box, &s, 0, 1, j, own, r, e);
                        if (b.thole == ALPHA_BARE || !(s.size > 0.0))
                            continue;
                        double d[3] = {r[0] - s.at[0], r[1] - s.at[1], r[2] - s.at[2]};
                        box_image(&m.box, d);
                        damp(b, {m.box, 0.0}, b.reach, s.moment, d, false, sqrt(s.size * b.size[i]),
                             e);
                    }
                }
        for (size_t j = own.x + (size_t)lane; j < own.y; j += 32)
            add_own(b, p, m.split, cell, m.reach, p.from[j], r, b.size[i], e);
    }
    for (int k = 0; k < 3; k++) {
        for (int x = 16; x; x /= 2)
            e[k] += __shfl_xor_sync(~0u, e[k], x);
        e[k] += i < b.sites ? b.y[k * w + i] : 0.0;
    }
    if (lane == 0)
        put(b, p, 0, i, e);
}

int alpha_gpu_near_sources(struct err *e, const struct alpha_batch *b,
                           const struct alpha_sources *p, const struct alpha_mesh *m,
                           cudaStream_t stream)
{
    if (TRY(e, cudaMemsetAsync(p->same, 0xff, sizeof *p->same, stream)))
        return -1;
    near_kernel<<<(unsigned)((b->stride + WARPS - 1) / WARPS), THREADS, 0, stream>>>(*b, *p, *m);
    return TRY_LAUNCH(e, "near_kernel");
}

int alpha_gpu_sources(struct err *e, const struct alpha_batch *b, const struct alpha_sources *p,
                      size_t n, cudaStream_t stream)
{
    if (TRY(e, cudaMemsetAsync(p->same, 0xff, n * sizeof *p->same, stream)))
        return -1;
    if (p->periodic) {
        size_t rods = (p->max[0] + (size_t)1) * (2 * (size_t)p->max[1] + 1),
               pairs = rods * ((size_t)p->max[2] + 1),
               site = (size_t)(p->max[0] + p->max[1] + p->max[2] + 3) * sizeof(double2);
        int tile = (int)std::min(std::max(SHARED / site, (size_t)1), (size_t)TILE);
        dim3 grid((unsigned)((pairs + THREADS - 1) / THREADS), (unsigned)n);
        if (TRY(e, cudaFuncSetAttribute(sum_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)(tile * site))))
            return -1;
        sum_kernel<<<grid, THREADS, tile * site, stream>>>(*b, *p, tile);
        if (TRY_LAUNCH(e, "sum_kernel"))
            return -1;
    }
    dim3 grid((unsigned)(b->stride / ALPHA_TILE), (unsigned)n);
    source_kernel<<<grid, THREADS, 0, stream>>>(*b, *p);
    return TRY_LAUNCH(e, "source_kernel");
}
