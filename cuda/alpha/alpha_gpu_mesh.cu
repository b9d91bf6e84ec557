/* SPDX-License-Identifier: MIT */
/* alpha_gpu_mesh.cu: the kernels of alpha_gpu_mesh.h. */
#include <cfloat>

#include "alpha/alpha_gpu_finish.cuh"
#include "alpha/alpha_gpu_mesh.h"
#include "mesh/mesh_gpu.cuh"

#define THREADS 128

/* ---- neighbours */

/* Returns the minimum image of the difference of sites at p and q. */
static __device__ __forceinline__ double separate(const alpha_mesh &m, const double *p,
                                                  const double *q, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = p[k] - q[k];
    box_image(&m.box, d);
    return fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2]));
}

/* Uses one thread per site. */
template <bool FILL>
static __global__ void short_range_kernel(const __grid_constant__ alpha_batch b,
                                          const __grid_constant__ alpha_mesh m)
{
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, w = b.stride;
    int from[3], to[3], n = 0;
    if (i >= b.sites) {
        if (!FILL && i < w)
            m.count[i] = 0;
        return;
    }
    for (int k = 0; k < 3; k++)
        alpha_grid_around(m.grid[k], &from[k], &to[k]);
    int cell = m.place[i], z = cell % m.grid[2], y = cell / m.grid[2] % m.grid[1],
        x = cell / m.grid[2] / m.grid[1];
    double p[3] = {b.wrapped[i], b.wrapped[w + i], b.wrapped[2 * w + i]}, d[3],
           far = m.list * m.list;
    for (int dx = from[0]; dx <= to[0]; dx++)
        for (int dy = from[1]; dy <= to[1]; dy++)
            for (int dz = from[2]; dz <= to[2]; dz++) {
                int c = alpha_grid_cell(m, x + dx, y + dy, z + dz);
                for (int j = m.from[c]; j < m.from[c + 1]; j++) {
                    double q[3] = {b.wrapped[j], b.wrapped[w + j], b.wrapped[2 * w + j]},
                           r2 = separate(m, p, q, d);
                    if (!(r2 < far) || (size_t)j == i)
                        continue;
                    if (FILL)
                        m.near[(size_t)n * w + i] = j;
                    if (!FILL && !(1.0 / (r2 * r2 * r2) <= DBL_MAX))
                        atomicMin(&b.same[0], (unsigned long long)i * b.sites + (size_t)j);
                    n++;
                }
            }
    if (!FILL) {
        m.count[i] = n;
        atomicMax(m.slots, n);
    }
}

int alpha_mesh_count(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream)
{
    if (TRY(e, cudaMemsetAsync(m->slots, 0, sizeof *m->slots, stream)))
        return -1;
    short_range_kernel<false>
        <<<(unsigned)((b->stride + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*b, *m);
    return TRY_LAUNCH(e, "near_kernel");
}

int alpha_mesh_short_range(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                           cudaStream_t stream)
{
    short_range_kernel<true>
        <<<(unsigned)((b->stride + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*b, *m);
    return TRY_LAUNCH(e, "near_kernel");
}

/* ---- weights of wave vectors */

/* Block x processes part x of the wave vectors. */
static __global__ void weights_kernel(const __grid_constant__ alpha_mesh m, size_t waves)
{
    __shared__ double s[THREADS][ALPHA_TENSOR];
    double sum[ALPHA_TENSOR] = {}, t[ALPHA_TENSOR], volume = box_volume(&m.box);
    int half = m.n[2] / 2 + 1, me = threadIdx.x;
    for (size_t at = (size_t)blockIdx.x * THREADS + me; at < waves;
         at += (size_t)ALPHA_PARTS * THREADS) {
        int k[3] = {(int)(at / half / m.n[1]), (int)(at / half % m.n[1]), (int)(at % half)};
        double moment[3][3], spline = 1.0, g[3], out = 0.0;
        const double *from = m.moment;
        for (int a = 0; a < 3; from += 3 * m.n[a++]) {
            for (int c = 0; c < 3; c++)
                moment[a][c] = from[c * m.n[a] + k[a]];
            double x = UNITS_PI * mesh_signed(k[a], m.n[a]) / m.n[a], one = k[a] ? sin(x) / x : 1.0;
            for (int p = 0; p < 2 * m.order; p++)
                spline *= one;
        }
        alpha_split_slopes(&m.box, moment, t);
        mesh_vector(&m.box, mesh_signed(k[0], m.n[0]), mesh_signed(k[1], m.n[1]), k[2], g);
        double slopes = t[0] + t[3] + t[5], k2 = beta_r2_f64(g[0], g[1], g[2]), ratio = k2 / slopes;
        if (at > 0 && slopes > 0.0) {
            double w = -alpha_split_wave(&m.split, k2, m.reach) / volume * ratio * ratio;
            out = w / spline;
            for (int c = 0; c < ALPHA_TENSOR; c++)
                sum[c] += (k[2] ? 2.0 : 1.0) * w * t[c];
        }
        m.weight[at] = out;
    }
    mesh_block_sum<ALPHA_TENSOR, THREADS>(sum, s, m.part + blockIdx.x * ALPHA_TENSOR);
}

/* Uses one thread per component. */
static __global__ void self_kernel(const __grid_constant__ alpha_mesh m)
{
    double sum = 0.0;
    for (int k = 0; k < ALPHA_PARTS; k++)
        sum += m.part[k * ALPHA_TENSOR + threadIdx.x];
    m.self[threadIdx.x] = sum;
}

int alpha_mesh_weights(struct err *e, const struct alpha_mesh *m, cudaStream_t stream)
{
    weights_kernel<<<ALPHA_PARTS, THREADS, 0, stream>>>(*m, m->values / 2);
    if (TRY_LAUNCH(e, "weights_kernel"))
        return -1;
    self_kernel<<<1, ALPHA_TENSOR, 0, stream>>>(*m);
    return TRY_LAUNCH(e, "self_kernel");
}

/* Uses one thread per wave vector, for all three meshes. */
static __global__ void filter_kernel(const __grid_constant__ alpha_mesh m, size_t waves)
{
    size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= waves)
        return;
    double w = m.weight[at];
    for (int d = 0; d < 3; d++) {
        double2 *to = (double2 *)(m.mesh + d * m.values) + at, v = *to;
        *to = make_double2(w * v.x, w * v.y);
    }
}

int alpha_mesh_filter(struct err *e, const struct alpha_mesh *m, cudaStream_t stream)
{
    size_t waves = m->values / 2;
    filter_kernel<<<(unsigned)((waves + THREADS - 1) / THREADS), THREADS, 0, stream>>>(*m, waves);
    return TRY_LAUNCH(e, "filter_kernel");
}

/* ---- dipoles to and from the mesh */

/* Packs sites and finds the largest dipole. Block x processes groups x, x + ALPHA_PARTS, ... of
 * THREADS sites. */
static __global__ void pack_kernel(const __grid_constant__ alpha_batch b,
                                   const __grid_constant__ alpha_mesh m)
{
    __shared__ double s[THREADS];
    double max = 0.0;
    size_t w = b.stride;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < w;
         i += (size_t)ALPHA_PARTS * THREADS) {
        double *to = m.packed + ALPHA_PACKED * i;
        for (int k = 0; k < 3; k++)
            to[k] = b.wrapped[k * w + i];
        for (int k = 0; k < ALPHA_VECTORS; k++) {
            double v = b.mu[k * w + i];
            to[3 + k] = v;
            max = fmax(max, fabs(v));
        }
    }
    s[threadIdx.x] = max;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < THREADS; k++)
            max = fmax(max, s[k]);
        m.max_of[blockIdx.x] = max;
    }
}

static __global__ void max_kernel(const __grid_constant__ alpha_mesh m)
{
    double max = 0.0;
    for (int k = 0; k < ALPHA_PARTS; k++)
        max = fmax(max, m.max_of[k]);
    *m.max = max;
}

/* Returns the mesh units of the slopes of a dipole, a power of two for which the sum over all sites
 * does not overflow. */
static __device__ __forceinline__ double unit_of(const alpha_mesh &m)
{
    double steep = 0.0;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++)
            steep += fabs(m.box.inv[a][k]) * m.n[k];
    double max = *m.max * steep;
    return max > 0.0 ? exp2(floor(m.bits - log2(max))) : 1.0;
}

/* Stencil of the site of a warp: the slopes of its weights, the dipoles along each axis, and its
 * points. With this order, the kernels need fewer registers. */
struct stencil {
    double slope[3][MESH_ORDER], c[3][3];
    struct mesh_stencil m;
};

/* The lanes of a warp compute the stencil together and synchronise. */
static __device__ void stencil_make(const alpha_mesh &m, size_t i, struct stencil *s)
{
    int k = threadIdx.x & 31, order = m.order;
    const double *p = m.packed + ALPHA_PACKED * i;
    __syncwarp();
    if (k < 3) {
        double low[MESH_ORDER],
            f = (p[0] * m.box.inv[0][k] + p[1] * m.box.inv[1][k]) + p[2] * m.box.inv[2][k];
        double past = mesh_stencil_axis(&s->m, k, f, m.n, m.pitch, order);
        mesh_spline(order - 1, &past, low);
        for (int l = 0; l < order; l++)
            s->slope[k][l] = (l ? low[l - 1] : 0.0) - (l < order - 1 ? low[l] : 0.0);
        for (int d = 0; d < 3; d++) {
            const double *mu = p + 3 + 3 * d;
            s->c[d][k] = m.n[k] * ((mu[0] * m.box.inv[0][k] + mu[1] * m.box.inv[1][k]) +
                                   mu[2] * m.box.inv[2][k]);
        }
    }
    __syncwarp();
}

/* Uses one warp per site, with one lane per point along the last two axes. */
static __global__ void spread_kernel(const __grid_constant__ alpha_batch b,
                                     const __grid_constant__ alpha_mesh m)
{
    __shared__ struct stencil capacity[THREADS / 32];
    struct stencil *s = &capacity[threadIdx.x / 32];
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (i >= b.sites)
        return;
    double unit = unit_of(m);
    stencil_make(m, i, s);
    int lane = threadIdx.x & 31, points = m.order * m.order;
    for (int k = lane; k < points; k += 32) {
        int l1 = k / m.order, l2 = k % m.order;
        size_t row = mesh_stencil_row(&s->m, l1, l2, m.n, m.pitch);
        double vv = s->m.w[1][l1] * s->m.w[2][l2], sv = s->slope[1][l1] * s->m.w[2][l2],
               vs = s->m.w[1][l1] * s->slope[2][l2];
        for (int d = 0; d < 3; d++) {
            double first = s->c[d][0] * vv * unit,
                   others = (s->c[d][1] * sv + s->c[d][2] * vs) * unit;
            unsigned long long *to = (unsigned long long *)(m.mesh + d * m.values) + row;
            for (int p = 0; p < m.order; p++)
                atomicAdd(to + s->m.plane[p], (unsigned long long)__double2ll_rn(fma(
                                                  first, s->slope[0][p], others * s->m.w[0][p])));
        }
    }
}

/* Converts fixed point to double. */
static __global__ void double_kernel(const __grid_constant__ alpha_mesh m)
{
    mesh_to_double(m.mesh, 3 * m.values, 1.0 / unit_of(m));
}

int alpha_mesh_spread(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream)
{
    const size_t warps = THREADS / 32;
    pack_kernel<<<ALPHA_PARTS, THREADS, 0, stream>>>(*b, *m);
    if (TRY_LAUNCH(e, "pack_kernel"))
        return -1;
    max_kernel<<<1, 1, 0, stream>>>(*m);
    if (TRY_LAUNCH(e, "most_kernel") ||
        TRY(e, cudaMemsetAsync(m->mesh, 0, 3 * m->values * sizeof *m->mesh, stream)))
        return -1;
    spread_kernel<<<(unsigned)((b->sites + warps - 1) / warps), THREADS, 0, stream>>>(*b, *m);
    if (TRY_LAUNCH(e, "spread_kernel"))
        return -1;
    size_t blocks = (3 * m->values + THREADS - 1) / THREADS;
    double_kernel<<<(unsigned)(blocks < 4096 ? blocks : 4096), THREADS, 0, stream>>>(*m);
    return TRY_LAUNCH(e, "double_kernel");
}

/* Stencil of a permanent site: the slopes and curvatures of its weights, and its moments along the
 * axes of the mesh. */
struct moments {
    double slope[3][MESH_ORDER], curve[3][MESH_ORDER], c[ALPHA_MOMENTS];
    struct mesh_stencil m;
};

/* Lanes 0 to 2 compute the weights of an axis, and lanes 0 to 9 a moment each. */
static __device__ void moments_make(const alpha_mesh &m, const struct alpha_permanent &from,
                                    struct moments *s)
{
    static const int row[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
    int k = threadIdx.x & 31, order = m.order;
    const double *p = from.at;
    if (k < 3) {
        double low[MESH_ORDER], lower[MESH_ORDER],
            f = (p[0] * m.box.inv[0][k] + p[1] * m.box.inv[1][k]) + p[2] * m.box.inv[2][k];
        double past = mesh_stencil_axis(&s->m, k, f, m.n, m.pitch, order);
        mesh_spline(order - 1, &past, low);
        mesh_spline(order - 2, &past, lower);
        for (int l = 0; l < order; l++) {
            s->slope[k][l] = (l ? low[l - 1] : 0.0) - (l < order - 1 ? low[l] : 0.0);
            s->curve[k][l] =
                ((l > 1 ? lower[l - 2] : 0.0) - (l && l < order - 1 ? 2.0 * lower[l - 1] : 0.0)) +
                (l < order - 2 ? lower[l] : 0.0);
        }
    }
    for (int c = k; c < ALPHA_MOMENTS; c += 32) {
        double sum = c ? 0.0 : from.moment[0];
        for (int a = 0; a < 3; a++)
            for (int d = a; d < 3; d++) {
                double both = 0.0;
                for (int x = 0; c == row[a][d] && x < 3; x++)
                    for (int y = 0; y < 3; y++)
                        both += m.box.inv[x][a] * m.box.inv[y][d] * from.moment[row[x][y]];
                sum += both * m.n[a] * m.n[d] / (a == d ? 3.0 : 1.5);
            }
        for (int a = 0; c >= 1 && c < 4 && a < 3; a++)
            sum += m.n[c - 1] * m.box.inv[a][c - 1] * from.moment[1 + a];
        s->c[c] = sum;
    }
    __syncwarp();
}

/* Uses one warp per permanent site, with one lane per point along the last two axes. */
static __global__ void moments_kernel(const __grid_constant__ alpha_mesh m,
                                      const struct alpha_permanent *from, size_t n, double unit)
{
    __shared__ struct moments capacity[THREADS / 32];
    struct moments *s = &capacity[threadIdx.x / 32];
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    if (i >= n)
        return;
    moments_make(m, from[i], s);
    const double *c = s->c;
    for (int k = threadIdx.x & 31; k < m.order * m.order; k += 32) {
        int l1 = k / m.order, l2 = k % m.order;
        size_t row = mesh_stencil_row(&s->m, l1, l2, m.n, m.pitch);
        double v1 = s->m.w[1][l1], v2 = s->m.w[2][l2], s1 = s->slope[1][l1], s2 = s->slope[2][l2];
        double flat = ((c[0] * v1 + c[2] * s1 + c[7] * s->curve[1][l1]) * v2 +
                       (c[3] * v1 + c[8] * s1) * s2 + c[9] * v1 * s->curve[2][l2]) *
                      unit,
               steep = ((c[1] * v1 + c[5] * s1) * v2 + c[6] * v1 * s2) * unit,
               bent = c[4] * v1 * v2 * unit;
        unsigned long long *to = (unsigned long long *)m.mesh + row;
        for (int p = 0; p < m.order; p++)
            atomicAdd(to + s->m.plane[p],
                      (unsigned long long)__double2ll_rn(fma(
                          flat, s->m.w[0][p], fma(steep, s->slope[0][p], bent * s->curve[0][p]))));
    }
}

/* Converts the first mesh from fixed point to double. */
static __global__ void moments_double_kernel(const __grid_constant__ alpha_mesh m, double unit)
{
    mesh_to_double(m.mesh, m.values, unit);
}

int alpha_mesh_moments(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                       const struct alpha_permanent *from, size_t n, double most,
                       cudaStream_t stream)
{
    const size_t warps = THREADS / 32, blocks = (m->values + THREADS - 1) / THREADS;
    double unit = most > 0.0 ? exp2(floor(61.0 - ceil(log2((double)n)) - log2(most))) : 1.0;
    if (TRY(e, cudaMemsetAsync(m->mesh, 0, 3 * m->values * sizeof *m->mesh, stream)) ||
        TRY(e, cudaMemsetAsync(b->mu, 0, ALPHA_VECTORS * b->stride * sizeof *b->mu, stream)))
        return -1;
    pack_kernel<<<ALPHA_PARTS, THREADS, 0, stream>>>(*b, *m);
    if (TRY_LAUNCH(e, "pack_kernel"))
        return -1;
    moments_kernel<<<(unsigned)((n + warps - 1) / warps), THREADS, 0, stream>>>(*m, from, n, unit);
    if (TRY_LAUNCH(e, "moments_kernel"))
        return -1;
    moments_double_kernel<<<(unsigned)(blocks < 4096 ? blocks : 4096), THREADS, 0, stream>>>(
        *m, 1.0 / unit);
    return TRY_LAUNCH(e, "moments_double_kernel");
}

/* Uses one warp per site, which stores the field of the mesh in b.y. */
static __global__ void gather_kernel(const __grid_constant__ alpha_batch b,
                                     const __grid_constant__ alpha_mesh m)
{
    __shared__ struct stencil capacity[THREADS / 32];
    struct stencil *s = &capacity[threadIdx.x / 32];
    size_t i = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32, w = b.stride;
    if (i >= b.sites)
        return;
    stencil_make(m, i, s);
    int lane = threadIdx.x & 31, points = m.order * m.order;
    double g[ALPHA_VECTORS] = {};
    for (int k = lane; k < points; k += 32) {
        int l1 = k / m.order, l2 = k % m.order;
        size_t row = mesh_stencil_row(&s->m, l1, l2, m.n, m.pitch);
        double vv = s->m.w[1][l1] * s->m.w[2][l2], sv = s->slope[1][l1] * s->m.w[2][l2],
               vs = s->m.w[1][l1] * s->slope[2][l2];
#pragma unroll
        for (int d = 0; d < 3; d++) {
            const double *from = m.mesh + d * m.values + row;
            double steep = 0.0, flat = 0.0;
            for (int p = 0; p < m.order; p++) {
                double x = from[s->m.plane[p]];
                steep = fma(s->slope[0][p], x, steep);
                flat = fma(s->m.w[0][p], x, flat);
            }
            g[3 * d] = fma(vv, steep, g[3 * d]);
            g[3 * d + 1] = fma(sv, flat, g[3 * d + 1]);
            g[3 * d + 2] = fma(vs, flat, g[3 * d + 2]);
        }
    }
    for (int k = 0; k < ALPHA_VECTORS; k++)
        for (int x = 16; x; x /= 2)
            g[k] += __shfl_xor_sync(~0u, g[k], x);
    if (lane == 0)
        for (int d = 0; d < 3; d++)
            for (int a = 0; a < 3; a++)
                b.y[(3 * d + a) * w + i] = (m.n[0] * m.box.inv[a][0] * g[3 * d] +
                                            m.n[1] * m.box.inv[a][1] * g[3 * d + 1]) +
                                           m.n[2] * m.box.inv[a][2] * g[3 * d + 2];
}

/* ---- short-range pairs */

/* Adds the field at i of the dipoles of j at vector d, with terms along d and along the dipole. */
static __device__ __forceinline__ void pair_terms(const alpha_batch &b, const alpha_mesh &m,
                                                  size_t i, size_t j, double r2, double *along,
                                                  double *own)
{
    double u = rsqrt(r2), u2 = u * u, r3 = u2 * u, reach = m.reach, q = 0.0, rho = 0.0;
    *along = *own = 0.0;
    if (r2 < reach * reach) {
        alpha_split_short_range(&m.split, r2 / (reach * reach), &q, &rho);
        double third = reach * reach * reach, y = fma(r3, u2, -q / (third * reach * reach));
        *along = 3.0 * y;
        *own = fma(-r2, y, rho / third);
    }
    if (b.thole != ALPHA_BARE) {
        double size = sqrt(b.size[i] * b.size[j]), l3, l5;
        if (r2 > b.reach * b.reach * size * size)
            return;
        alpha_undamped(b.thole, b.a, sqrt(r2) / size, &l3, &l5);
        *along -= 3.0 * l5 * r3 * u2;
        *own += l3 * r3;
    }
}

/* A block processes 32 sites, one site per lane. The warps divide the neighbours of each site. */
static __global__ void __launch_bounds__(FINISH_THREADS)
    pairs_kernel(const __grid_constant__ alpha_batch b, const __grid_constant__ alpha_mesh m)
{
    __shared__ double part[FINISH_WARPS][ALPHA_VECTORS][ALPHA_TILE];
    __shared__ double f[ALPHA_VECTORS][ALPHA_TILE];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    size_t w = b.stride, i = (size_t)blockIdx.x * ALPHA_TILE + lane;
    double g[ALPHA_VECTORS] = {}, d[3], along, own;
    const double *p = m.packed + ALPHA_PACKED * i;
    int n = m.count[i];
    for (int k = warp; k < n; k += FINISH_WARPS) {
        size_t j = (size_t)m.near[(size_t)k * w + i];
        const double *q = m.packed + ALPHA_PACKED * j, *mu = q + 3;
        pair_terms(b, m, i, j, separate(m, p, q, d), &along, &own);
#pragma unroll
        for (int c = 0; c < ALPHA_VECTORS; c += 3) {
            double dot = along * fma(d[0], mu[c], fma(d[1], mu[c + 1], d[2] * mu[c + 2]));
            g[c] = fma(dot, d[0], fma(own, mu[c], g[c]));
            g[c + 1] = fma(dot, d[1], fma(own, mu[c + 1], g[c + 1]));
            g[c + 2] = fma(dot, d[2], fma(own, mu[c + 2], g[c + 2]));
        }
    }
    for (int k = 0; k < ALPHA_VECTORS; k++)
        part[warp][k][lane] = g[k];
    __syncthreads();
    for (int k = threadIdx.x; k < ALPHA_VECTORS * ALPHA_TILE; k += FINISH_THREADS) {
        size_t c = (size_t)k / ALPHA_TILE, l = (size_t)k % ALPHA_TILE,
               to = (size_t)blockIdx.x * ALPHA_TILE + l;
        double sum = to < b.sites ? b.y[c * w + to] : 0.0;
        for (int v = 0; v < FINISH_WARPS; v++)
            sum += part[v][c][l];
        f[c][l] = sum;
    }
    __syncthreads();
    finish(b, 0, m.self, f);
}

int alpha_mesh_gather(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                      cudaStream_t stream)
{
    const size_t warps = THREADS / 32;
    gather_kernel<<<(unsigned)((b->sites + warps - 1) / warps), THREADS, 0, stream>>>(*b, *m);
    return TRY_LAUNCH(e, "gather_kernel");
}

int alpha_mesh_field(struct err *e, const struct alpha_batch *b, const struct alpha_mesh *m,
                     cudaStream_t stream)
{
    if (alpha_mesh_gather(e, b, m, stream))
        return -1;
    pairs_kernel<<<(unsigned)(b->stride / ALPHA_TILE), FINISH_THREADS, 0, stream>>>(*b, *m);
    return TRY_LAUNCH(e, "pairs_kernel");
}
