/* SPDX-License-Identifier: MIT */
/* alpha_gpu_table.cu: tensors T of all pairs in the steps of a batch. */
#include <cfloat>

#include "alpha/alpha_gpu.h"

#define THREADS 128
#define WARPS (THREADS / 32)
#define PAIRS 4 /* pairs per thread at a time, in rows WARPS apart */
#define PAD (ALPHA_TILE + 1)
#define POLY_SHARED 48 /* largest KiB in shared memory (larger polynomials stay in global memory) */

/* Sets x to fma(x, w, c) for the pairs of a thread. */
#define EACH for (int l = 0; l < PAIRS; l++)

EWALD_DEFINE(double, f64, 4, fma)

/* ---- sites */

/* Block y processes a step, with one thread per site. */
static __global__ void place_kernel(const __grid_constant__ alpha_batch b)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, step = blockIdx.y, w = b.stride;
    if (i >= w)
        return;
    double r[3] = {}, s[ALPHA_TENSOR] = {}, *base = b.b + step * ALPHA_VECTORS * w;
    if (i < b.sites) {
        const double *at = b.pos + 3 * (step * b.sites + i),
                     *root = b.s + ALPHA_TENSOR * (step * b.sites + i);
        for (int k = 0; k < 3; k++)
            r[k] = at[k];
        for (int k = 0; k < ALPHA_TENSOR; k++)
            s[k] = root[k];
        box_wrap(&b.cell[step].d, r);
    }
    for (int k = 0; k < 3; k++)
        b.wrapped[(3 * step + k) * w + i] = r[k];
    for (int k = 0; k < ALPHA_TENSOR; k++)
        b.root[(ALPHA_TENSOR * step + k) * w + i] = s[k];
    for (int d = 0, k = 0; d < 3; d++)
        for (int c = d; c < 3; c++, k++)
            base[(3 * d + c) * w + i] = base[(3 * c + d) * w + i] = s[k];
    b.size[step * w + i] = b.thole == ALPHA_BARE ? 0.0 : alpha_size(s);
    if (i == 0)
        b.same[step] = ~0ull;
}

/* ---- one image or all images */

/* Computes s in an orthorhombic cell, and the sums of form/r⁵ over the images that are added one by
 * one, like ewald_images but with a reciprocal square root. */
static __device__ __forceinline__ void images(const struct ewald_f64 *e, const double *dx,
                                              const double *dy, const double *dz, double *s,
                                              double (&sum)[ALPHA_COMPS][PAIRS])
{
    double v[3 * PAIRS];
    EACH
    {
        const double d[3] = {dx[l], dy[l], dz[l]};
        for (int k = 0; k < 3; k++) {
            double f = d[k] * e->inv[k][k], one = f < 0 ? -1.0 : 1.0;
            s[k * PAIRS + l] = (f + f) - one;
            v[k * PAIRS + l] = one * e->h[k][k];
        }
    }
    for (int i = -e->layers[0]; i <= 1 + e->layers[0]; i++)
        for (int j = -e->layers[1]; j <= 1 + e->layers[1]; j++)
            for (int k = -e->layers[2]; k <= 1 + e->layers[2]; k++)
                EACH
                {
                    double x = dx[l] - i * v[l], y = dy[l] - j * v[PAIRS + l],
                           z = dz[l] - k * v[2 * PAIRS + l], y2 = y * y, z2 = z * z;
                    double u = rsqrt(fma(x, x, y2 + z2)), u2 = u * u, g = u2 * u2 * u;
                    sum[BETA_XZ][l] = fma(x * z, g, sum[BETA_XZ][l]);
                    sum[BETA_XY][l] = fma(x * y, g, sum[BETA_XY][l]);
                    sum[BETA_YZ][l] = fma(y * z, g, sum[BETA_YZ][l]);
                    sum[BETA_XX_YY][l] = fma(fma(x, x, -y2), g, sum[BETA_XX_YY][l]);
                    sum[BETA_ZZ][l] = fma(fma(2.0, z2, -fma(x, x, y2)), g, sum[BETA_ZZ][l]);
                }
}

/* Evaluates the terms of one power of u, with degree K in v and w, and the highest powers first. */
template <int K>
static __device__ __forceinline__ void part_of(const double *c, const double *v, const double *w,
                                               double *a)
{
    double b[PAIRS];
    int n = 0;
#pragma unroll
    for (int j = 0; j <= K; j++) {
        EACH b[l] = c[n];
        n++;
#pragma unroll
        for (int k = 0; k < j; k++, n++)
            EACH b[l] = fma(b[l], w[l], c[n]);
        EACH a[l] = j ? fma(a[l], v[l], b[l]) : b[l];
    }
}

#define PART(K)                                                                                    \
    case K: part_of<K>(c, u + PAIRS, u + 2 * PAIRS, a); break;

/* Evaluates the polynomial of an orthorhombic cell. The array `u` contains the squares of s. */
static __device__ __forceinline__ void polynomial(int degree, const double *c, const double *u,
                                                  double *out)
{
    double a[PAIRS];
    EACH out[l] = 0.0;
#pragma unroll 1
    for (int k = 0; k <= degree; k++) {
        switch (k) {
            PART(0)
            PART(1)
            PART(2)
            PART(3)
            PART(4)
            PART(5)
            PART(6)
            PART(7)
            PART(8)
            PART(9)
            PART(10)
            PART(11)
            PART(12)
        }
        EACH out[l] = fma(out[l], u[l], a[l]);
        c += (k + 1) * (k + 2) / 2;
    }
}

/* The tile of a block, with five or six components, [comps][row j][PAD], and columns i. */
struct tile {
    double *t;
    __device__ __forceinline__ double &at(int c, int j, int i) const
    {
        return t[(c * ALPHA_TILE + j) * PAD + i];
    }
};

enum { FREE, BRICK, OBLIQUE };

/* The tensor t of the column and rows of a lane: 3 Q_xz, ... */
template <int CELL>
static __device__ __forceinline__ void tensors(const struct ewald_f64 *e, const double *poly,
                                               const double *dx, const double *dy, const double *dz,
                                               const tile &t, int row, int lane)
{
    const double coef[ALPHA_COMPS] = {3.0, 3.0, 3.0, 1.5, 1.0};
    const int all[ALPHA_COMPS] = {0, 1, 2, 3, 4};
    double s[3 * PAIRS], sum[ALPHA_COMPS][PAIRS] = {}, u[3 * PAIRS], p[PAIRS], q[PAIRS];
    if constexpr (CELL == FREE) {
        EACH
        {
            double r2 = beta_r2_f64(dx[l], dy[l], dz[l]), g = beta_rm5_f64(r2);
            for (int c = 0; c < ALPHA_COMPS; c++)
                t.at(c, row + WARPS * l, lane) =
                    coef[c] * (beta_form_f64(c, dx[l], dy[l], dz[l]) * g);
        }
        return;
    }
    if constexpr (CELL == BRICK) {
        images(e, dx, dy, dz, s, sum);
        for (int k = 0; k < 3 * PAIRS; k++)
            u[k] = s[k] * s[k];
    } else {
        ewald_images_f64_4(e, ALPHA_COMPS, all, dx, dy, dz, s, &sum[0][0]);
    }
    for (int c = 0; c < ALPHA_COMPS; c++)
        EACH t.at(c, row + WARPS * l, lane) = sum[c][l];
#pragma unroll 1
    for (int c = 0; c < ALPHA_COMPS; c++) {
        double *to = &t.at(c, row, lane);
        EACH q[l] = to[WARPS * PAD * l];
        if constexpr (CELL == BRICK) {
            polynomial(e->degree[c], poly + c * e->nterms, u, p);
            EACH p[l] =
                fma(p[l], EWALD_PARITY(c, 1, s[l], s[PAIRS + l], s[2 * PAIRS + l], 1.0) * e->scale,
                    q[l]);
        } else {
            struct ewald_f64 here = *e;
            here.poly = poly;
            ewald_poly_f64_4(&here, c, s, u);
            ewald_q_f64_4(e, c, s, q, u, p);
        }
        EACH to[WARPS * PAD * l] = (c < 3 ? 3.0 : c == 3 ? 1.5 : 1.0) * p[l];
    }
}

/* Applies damping to the pair of sites i and j at one place of the tile. */
static __device__ __noinline__ void damp(const alpha_batch &b, size_t step, size_t i, size_t j,
                                         const tile &t, int row, int lane)
{
    const double *p = b.pos + 3 * step * b.sites, *size = b.size + step * b.stride;
    const struct box *box = b.box + step;
    double at[3], d[ALPHA_TENSOR] = {};
    for (int k = 0; k < 3; k++)
        at[k] = p[3 * i + k] - p[3 * j + k];
    box_image(box, at);
    alpha_damp_images(b.thole, b.a, box, at, i == j, b.reach, sqrt(size[i] * size[j]), d);
    double third = (d[0] + d[3] + d[5]) / 3.0;
    t.at(BETA_XZ, row, lane) += d[2];
    t.at(BETA_XY, row, lane) += d[1];
    t.at(BETA_YZ, row, lane) += d[4];
    t.at(BETA_XX_YY, row, lane) += 0.5 * (d[0] - d[3]);
    t.at(BETA_ZZ, row, lane) += d[5] - third;
    t.at(ALPHA_COMPS, row, lane) = third;
}

/* Stores a tile and its transpose. */
static __device__ __forceinline__ void store(const alpha_batch &b, size_t step, size_t r, size_t c,
                                             const tile &t)
{
    size_t w = b.stride, matrix = w * w;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    for (size_t k = 0; k < b.comps; k++)
        for (int j = warp; j < ALPHA_TILE; j += WARPS)
            for (int turned = 0; turned <= (r != c); turned++) {
                double v = turned ? t.at((int)k, lane, j) : t.at((int)k, j, lane);
                size_t row = turned ? r : c, column = turned ? c : r;
                size_t to = (step * b.comps + k) * matrix + (ALPHA_TILE * row + j) * w +
                            ALPHA_TILE * column + lane;
                float high = (float)v;
                b.high[to] = high;
                b.low[to] = (float)(v - (double)high);
            }
}

/* Finds row and column (row <= column) of tile number k in the upper triangle of n x n tiles. */
static __device__ __forceinline__ void triangle(size_t k, size_t n, size_t *r, size_t *c)
{
    size_t row = 0;
    while (k >= n - row)
        k -= n - row++;
    *r = row;
    *c = row + k;
}

/* Processes PAIRS rows of a tile from `row` on, in the column of a lane. The sites of the first row
 * are i and j. */
template <int CELL>
static __device__ __forceinline__ void rows(const alpha_batch &b, size_t step, const double *poly,
                                            const tile &t, size_t i, size_t j, int row, int lane)
{
    size_t w = b.stride;
    const double *at = b.wrapped + 3 * step * w;
    double d[3][PAIRS];
    EACH
    {
        size_t to = j + WARPS * l;
        for (int k = 0; k < 3; k++) {
            double x = at[k * w + i], y = at[k * w + to];
            d[k][l] = i < to ? x - y : y - x; /* lower minus higher site, as in ewald.h */
        }
        if (i == to || i >= b.sites || to >= b.sites) /* any value except 0 */
            d[0][l] = d[1][l] = d[2][l] = 1.0;
    }
    tensors<CELL>(&b.cell[step].ewald_f64, poly, d[0], d[1], d[2], t, row, lane);
}

/* Handles places without a pair, pairs at the same place, and damped pairs. */
static __device__ __forceinline__ void check(const alpha_batch &b, size_t step, const tile &t,
                                             size_t i, size_t j, int row, int lane)
{
    size_t low = i < j ? i : j, high = i < j ? j : i;
    bool pads = high >= b.sites, none = pads || i == j;
    double sum = 0.0;
    for (int k = 0; k < ALPHA_COMPS; k++)
        sum += fabs(t.at(k, row, lane));
    if (!none && !(sum <= DBL_MAX))
        atomicMin(&b.same[step], (unsigned long long)(low * b.sites + high));
    for (int k = 0; none && k < (int)b.comps; k++)
        t.at(k, row, lane) = 0.0;
    if (b.thole != ALPHA_BARE && !pads)
        damp(b, step, low, high, t, row, lane);
}

/* Block (x, y) processes tile x of step y. Each lane is one of the first 32 sites of the tile, and
 * the rows are its other sites. */
template <int CELL>
static __global__ void __launch_bounds__(THREADS, 3)
    table_kernel(const __grid_constant__ alpha_batch b, int shared_poly)
{
    extern __shared__ double capacity[];
    size_t step = blockIdx.y, r, c;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const struct ewald_f64 *e = &b.cell[step].ewald_f64;
    const double *poly = CELL == FREE ? NULL : e->poly;
    tile t = {capacity};
    if (CELL != FREE && (e->ortho != 0) != (CELL == BRICK))
        return;
    if (CELL != FREE && shared_poly) {
        double *to = capacity + b.comps * ALPHA_TILE * PAD;
        for (int k = threadIdx.x; k < ALPHA_COMPS * e->nterms; k += THREADS)
            to[k] = poly[k];
        poly = to;
        __syncthreads();
    }
    triangle(blockIdx.x, b.stride / ALPHA_TILE, &r, &c);
    size_t i = ALPHA_TILE * r + lane, j = ALPHA_TILE * c;
#pragma unroll 1
    for (int row = warp; row < ALPHA_TILE; row += PAIRS * WARPS)
        rows<CELL>(b, step, poly, t, i, j + row, row, lane);
    for (int row = warp; row < ALPHA_TILE; row += WARPS)
        check(b, step, t, i, j + row, row, lane);
    __syncthreads();
    store(b, step, r, c, t);
}

/* ---- launches */

int alpha_gpu_place(struct err *e, const struct alpha_batch *b, size_t n, cudaStream_t stream)
{
    dim3 grid((unsigned)((b->stride + 127) / 128), (unsigned)n);
    place_kernel<<<grid, 128, 0, stream>>>(*b);
    return TRY_LAUNCH(e, "place_kernel");
}

template <int CELL>
static int launch(struct err *e, const struct alpha_batch *b, size_t n, size_t terms,
                  cudaStream_t stream)
{
    size_t tiles = b->stride / ALPHA_TILE, poly = ALPHA_COMPS * terms * sizeof(double),
           bytes = b->comps * ALPHA_TILE * PAD * sizeof(double);
    int shared = poly <= (size_t)POLY_SHARED << 10;
    bytes += shared ? poly : 0;
    if (TRY(e, cudaFuncSetAttribute(table_kernel<CELL>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes)))
        return -1;
    dim3 grid((unsigned)(tiles * (tiles + 1) / 2), (unsigned)n);
    table_kernel<CELL><<<grid, THREADS, bytes, stream>>>(*b, shared);
    return TRY_LAUNCH(e, "table_kernel");
}

int alpha_gpu_table(struct err *e, const struct alpha_batch *b, size_t n, size_t bricks,
                    size_t others, cudaStream_t stream)
{
    if (!bricks && !others)
        return launch<FREE>(e, b, n, 0, stream);
    return (bricks && launch<BRICK>(e, b, n, bricks, stream)) ||
                   (others && launch<OBLIQUE>(e, b, n, others, stream))
               ? -1
               : 0;
}
