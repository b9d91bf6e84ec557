/* SPDX-License-Identifier: MIT */
/*
 * Tables of beta, tile by tile, for gram_posn: all components at once, which share r, r⁻⁵ and the
 * explicit images. Lattice sums always go through them; what else is too much code for the march
 * does, too: double, and more lags than one pass has.
 *
 * A table is [component][tile][8 warps][2 sets of 4 atoms i][ld columns][4 atoms j] vectors of the
 * 4 atoms i, in the order in which the warps of a tile read it (table_source).
 */
#include "g4/g4_gpu_gram.cuh"

#define THREADS 256
#define COLUMNS 8 /* that a block works on at a time: a warp has one set of a warp of the tile */

/* Where a thread stands in its tile. */
template <class T> struct table_place {
    typedef typename vec4<T>::type V;
    size_t i, j; /* first of four atoms i */
    const V *xi, *xj;
    size_t out; /* of column 0, without the component */

    /* false: no pair of this thread's counts, and nobody reads them */
    __device__ bool open(const table_args &a)
    {
        int lane = threadIdx.x & 31, set = threadIdx.x / 32 + 8 * (blockIdx.z & 1), warp = set / 2;
        struct pair_tiles p = pair_tiles::of(a.natoms);
        size_t tile = a.first_tile + blockIdx.x, r = p.row(tile), i0 = 16 * r + 8 * (warp / 4);
        i = i0 + 4 * (set % 2);
        j = 16 * (tile - p.begin(r) + r) + 4 * (warp % 4) + lane % 4;
        xi = (const V *)a.src + i * a.ld;
        xj = (const V *)a.src + j / 4 * 4 * a.ld + j % 4;
        out = ((size_t)blockIdx.x * 16 + set) * 4 * a.ld + lane % 4;
        return i0 <= j / 4 * 4 + 3;
    }
};

__device__ __forceinline__ float &part(float4 &v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}
__device__ __forceinline__ double &part(double4_16 &v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

/*
 * Orthorhombic cells of one polynomial of degree D, in single precision; components [FIRST, FIRST +
 * N). Block (tile x, columns y, half z of the sets): thread = (set, column, j), four atoms i. The
 * polynomials are parameters, so that they are operands and not loads. One component: a thread goes
 * on to other columns with what it has loaded; five: it would spill.
 */
template <int FIRST, int N, int D>
__global__
__launch_bounds__(THREADS) void table_corners_kernel(const __grid_constant__ table_args a)
{
    table_place<float> p;
    int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4;
    if (col >= a.columns || !p.open(a))
        return;
    do {
        const struct ewald_f32 *e = &a.cell[col].ewald_f32;
        const float len[3] = {e->h[0][0], e->h[1][1], e->h[2][2]},
                    inv[3] = {e->inv[0][0], e->inv[1][1], e->inv[2][2]};
        const int all[] = {0, 1, 2, 3, 4};
        float4 xj = p.xj[4 * (size_t)col], out;
        float s[4][3], sum[4][N];
        bool on[4];
#pragma unroll
        for (int m = 0; m < 4; m++) {
            float4 xi = p.xi[4 * (size_t)col + m];
            float x = xi.x - xj.x;
            on[m] = p.i + m < p.j && x == x; /* pads are NaN */
            ewald_corners_f32(len, inv, N, all + FIRST, x, xi.y - xj.y, xi.z - xj.z, s[m], sum[m]);
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
#pragma unroll
            for (int m = 0; m < 4; m++) {
                float v = ewald_p3(D, a.poly[k], s[m][0] * s[m][0], s[m][1] * s[m][1],
                                   s[m][2] * s[m][2]),
                      one = EWALD_PARITY(FIRST + k, 1, s[m][0], s[m][1], s[m][2], 1.0f),
                      q = BETA_FMA(v, one * e->scale, sum[m][k]);
                part(out, m) = on[m] ? a.coef_f[k] * q : 0.0f;
            }
            ((float4 *)a.out)[k * a.stride + p.out + 4 * (size_t)col] = out;
        }
        col += gridDim.y * COLUMNS;
    } while (N == 1 && col < a.columns);
}

/* beta of a.ncomp components at a difference (x, y, z) of wrapped positions, as beta_of has it. */
__device__ __forceinline__ void table_pair(const table_args &a, const struct sum_cell *c, float x,
                                           float y, float z, float *q)
{
    if (a.kind == SUM_EWALD) {
        beta_ewald(&c->ewald_f32, a.ncomp, a.component, x, y, z, q);
        for (int k = 0; k < a.ncomp; k++)
            q[k] = a.coef_f[k] * q[k];
        return;
    }
    beta_image(&c->f, x, y, z);
    float r2 = beta_r2_f32(x, y, z), rm5, f = 1.0f, rc2 = a.rc2_f;
    if (a.kind == SUM_TAPER) {
        f = beta_switch_f32(r2, c->taper_f32.slope, c->taper_f32.shift, &rm5);
        rc2 = c->taper_f32.rc2;
    } else {
        rm5 = beta_rm5_f32(r2);
    }
    for (int k = 0; k < a.ncomp; k++) {
        float v = ((a.coef_f[k] * beta_form_f32(a.component[k], x, y, z)) * rm5) * f;
        q[k] = r2 <= rc2 ? v : 0.0f;
    }
}

__device__ __forceinline__ void table_pair(const table_args &a, const struct sum_cell *c, double x,
                                           double y, double z, double *q)
{
    if (a.kind == SUM_EWALD) {
        beta_ewald(&c->ewald_f64, a.ncomp, a.component, x, y, z, q);
        for (int k = 0; k < a.ncomp; k++)
            q[k] = a.coef[k] * q[k];
        return;
    }
    double d[3] = {x, y, z};
    box_image(&c->d, d);
    double r2 = beta_r2_f64(d[0], d[1], d[2]), rm5 = beta_rm5_f64(r2), f = 1.0, rc2 = a.rc2;
    if (a.kind == SUM_TAPER) {
        f = beta_switch_f64(r2, c->taper_f64.slope, c->taper_f64.shift);
        rc2 = c->taper_f64.rc2;
    }
    for (int k = 0; k < a.ncomp; k++) {
        double v = ((a.coef[k] * beta_form_f64(a.component[k], d[0], d[1], d[2])) * rm5) * f;
        q[k] = r2 <= rc2 ? v : 0.0;
    }
}

/* Any sum in any cells: with their records, in loops. */
template <class T>
__global__ __launch_bounds__(THREADS) void table_any_kernel(const __grid_constant__ table_args a)
{
    typedef typename vec4<T>::type V;
    table_place<T> p;
    if (!p.open(a))
        return;
    for (int col = blockIdx.y * COLUMNS + (threadIdx.x & 31) / 4; col < a.columns;
         col += gridDim.y * COLUMNS) {
        V xj = p.xj[4 * (size_t)col], out[BETA_NCOMPONENTS];
        for (int m = 0; m < 4; m++) {
            V xi = p.xi[4 * (size_t)col + m];
            T q[BETA_NCOMPONENTS];
            table_pair(a, &a.cell[col], xi.x - xj.x, xi.y - xj.y, xi.z - xj.z, q);
            for (int k = 0; k < a.ncomp; k++)
                part(out[k], m) = p.i + m < p.j ? q[k] : (T)0;
        }
        for (int k = 0; k < a.ncomp; k++)
            ((V *)a.out)[k * a.stride + p.out + 4 * (size_t)col] = out[k];
    }
}

template <int FIRST, int N> static int corners(const table_args &a, dim3 grid, cudaStream_t stream)
{
    switch (a.degree) {
    case 4: table_corners_kernel<FIRST, N, 4><<<grid, THREADS, 0, stream>>>(a); return 1;
    case 5: table_corners_kernel<FIRST, N, 5><<<grid, THREADS, 0, stream>>>(a); return 1;
    case 6: table_corners_kernel<FIRST, N, 6><<<grid, THREADS, 0, stream>>>(a); return 1;
    case 7: table_corners_kernel<FIRST, N, 7><<<grid, THREADS, 0, stream>>>(a); return 1;
    case 8: table_corners_kernel<FIRST, N, 8><<<grid, THREADS, 0, stream>>>(a); return 1;
    default: return 0;
    }
}

/* Has the fast kernel what it takes? */
static int fast(const table_args &a, dim3 grid, cudaStream_t stream)
{
    if (a.ncomp == BETA_NCOMPONENTS)
        return corners<0, BETA_NCOMPONENTS>(a, grid, stream);
    switch (a.component[0]) {
    case BETA_XZ: return corners<BETA_XZ, 1>(a, grid, stream);
    case BETA_XY: return corners<BETA_XY, 1>(a, grid, stream);
    case BETA_YZ: return corners<BETA_YZ, 1>(a, grid, stream);
    case BETA_XX_YY: return corners<BETA_XX_YY, 1>(a, grid, stream);
    default: return corners<BETA_ZZ, 1>(a, grid, stream);
    }
}

size_t table_values(size_t ld)
{
    return 16 * 16 * ld;
}

const void *table_of(const struct table_args *a, int is64, int c)
{
    return (const char *)a->out + (size_t)c * a->stride * 4 * (is64 ? 8 : 4);
}

int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream)
{
    int groups = (a.columns + COLUMNS - 1) / COLUMNS;
    dim3 grid((unsigned)ntiles, (unsigned)(groups < 64 || a.ncomp > 1 ? groups : 64), 2);
    a.first_tile = first_tile;
    if (is64)
        table_any_kernel<double><<<grid, THREADS, 0, stream>>>(a);
    else if (!a.degree || !fast(a, grid, stream))
        table_any_kernel<float><<<grid, THREADS, 0, stream>>>(a);
    return TRY_LAUNCH(e, "table_make");
}
