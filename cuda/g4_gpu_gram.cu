/* SPDX-License-Identifier: MIT */
/*
 * Sums of lag products of many series at once, sum_p b_p(tau) b_p(tau + t) for all t, as banded Gram matrices in fp64.
 *
 * A warp marches along time in blocks of 8 steps with 16 series (four groups of four). Both operands of the 8 x 8 x 4
 * matrix product have the same layout, lane = 4 * time + series, so one register per group and block of steps serves
 * as the left operand (origins) and, in a ring of the last NT blocks, as the right one. Tile j gathers the products of
 * block T and block T + j over all T and all series; lag t is a diagonal of tiles t / 8 and t / 8 + 1, summed at the end.
 * Cost of 48 lags: 7 tiles = 56 multiply-adds a value instead of 48, at the matrix rate, twice the vector rate.
 * Deterministic: every sum has one order, which depends on the shape of the problem only.
 */
#include "g4_gpu.h"

#define WARPS_POSN 16
#define WARPS_ROWS 2

/* c += a b, 8 x 8 x 4. a: row lane/4, k lane%4; b: k lane%4, column lane/4; c: row lane/4, columns 2 (lane%4), + 1. */
__device__ __forceinline__ void mma_8x8x4(double (&c)[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
#else /* no fp64 matrix unit (and so few fp64 lanes that the shuffles do not count) */
    int lane = threadIdx.x & 31;
    for (int k = 0; k < 4; k++) {
        double x = __shfl_sync(~0u, a, (lane & ~3) + k);
        c[0] = fma(x, __shfl_sync(~0u, b, 8 * (lane & 3) + k), c[0]);
        c[1] = fma(x, __shfl_sync(~0u, b, 8 * (lane & 3) + 4 + k), c[1]);
    }
#endif
}

/* Tile number -> (row, column), column >= row, of the upper triangle of n x n tiles, row by row. */
__device__ __forceinline__ void triangle(size_t tile, size_t n, size_t *row, size_t *column)
{
    double m = 2.0 * (double)n + 1.0;
    size_t r = (size_t)((m - sqrt(m * m - 8.0 * (double)tile)) / 2.0);
    while (r > 0 && r * (2 * n - r + 1) / 2 > tile)
        r--;
    while ((r + 1) * (2 * n - r) / 2 <= tile)
        r++;
    *row = r;
    *column = r + (tile - r * (2 * n - r + 1) / 2);
}

/*
 * Sources of values. open: point this warp at its 16 series of a tile, false when it has none. load: fetch what the
 * block of 8 columns from col on needs; make: the four values of this lane (column col + lane / 4).
 */
template <class T, int COMP, int CELL> struct posn_source {
    typedef typename vec4<T>::type V;
    const V *i, *j;
    size_t ld;
    T rc2[4];
    V xi[4], xj;

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t bi, bj;
        triangle(tile, (a.rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS, &bi, &bj);
        size_t i0 = bi * G4_TILE_ATOMS + 4 * (warp / 4), j0 = bj * G4_TILE_ATOMS + 4 * (warp % 4);
        if (i0 > j0)
            return false;
        ld = a.ld;
        i = (const V *)a.src + i0 * ld;
        j = (const V *)a.src + (j0 + lane % 4) * ld;
        for (int q = 0; q < 4; q++)
            rc2[q] = i0 + q < j0 + lane % 4 ? beta_rc2(a.beta, (T)0) : (T)-1;
        return true;
    }
    __device__ __forceinline__ void load(const gram_args &, int col)
    {
        size_t t = (size_t)col + (threadIdx.x & 31) / 4;
        xj = j[t];
#pragma unroll
        for (int q = 0; q < 4; q++)
            xi[q] = i[q * ld + t];
    }
    __device__ __forceinline__ void make(const gram_args &a, int col, double (&b)[4])
    {
        size_t t = (size_t)col + (threadIdx.x & 31) / 4;
#pragma unroll
        for (int q = 0; q < 4; q++)
            b[q] = (double)beta_of<COMP, CELL>(a.beta, xi[q], xj, rc2[q], t);
    }
};

/* Rows are values in memory: pairs [col][ld], series [row][ld]. */
template <class T, bool PAIRS> struct rows_source {
    const T *v;
    size_t ld;
    bool on[4];
    T x[4];

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t r0 = (tile * WARPS_ROWS + warp) * 16 + lane % 4;
        if (r0 - lane % 4 >= a.rows)
            return false;
        ld = a.ld;
        v = (const T *)a.src + (PAIRS ? r0 : r0 * ld);
        for (int q = 0; q < 4; q++)
            on[q] = r0 + 4 * q < a.rows;
        return true;
    }
    __device__ __forceinline__ void load(const gram_args &a, int col)
    {
        size_t t = (size_t)col + (threadIdx.x & 31) / 4;
#pragma unroll
        for (int q = 0; q < 4; q++)
            x[q] = on[q] && t < (size_t)a.cols ? (PAIRS ? v[t * ld + 4 * q] : v[4 * q * ld + t]) : (T)0;
    }
    __device__ __forceinline__ void make(const gram_args &, int, double (&b)[4])
    {
#pragma unroll
        for (int q = 0; q < 4; q++)
            b[q] = (double)x[q];
    }
};

/*
 * One warp, one set of 16 series, origins [first, last): acc += its products. NEAR: the pass begins with tile 0, so
 * the origins are in the ring; else they are made a second time. Steps past the window give zeros (all sources).
 */
template <int NT, bool NEAR, bool MASKED, class SRC>
__device__ __forceinline__ void march(SRC &src, const gram_args &a, struct g4_task task, double (&acc)[NT][2])
{
    double ring[NT][4], far[4];
    int ahead = 8 * a.tile0, t = task.first, row = (threadIdx.x & 31) / 4;
#pragma unroll
    for (int u = 0; u < NT; u++) {
        src.load(a, t + ahead + 8 * u);
        src.make(a, t + ahead + 8 * u, ring[u]);
    }
    for (;;) {
#pragma unroll
        for (int u = 0; u < NT; u++) {
            if (t >= task.last)
                return;
            if (!NEAR) {
                src.load(a, t);
                src.make(a, t, far);
            }
            src.load(a, t + ahead + 8 * NT);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                double left = NEAR ? ring[u][q] : far[q];
                if (MASKED && t + row >= task.last)
                    left = 0.0;
#pragma unroll
                for (int j = 0; j < NT; j++)
                    mma_8x8x4(acc[j], left, ring[(u + j) % NT][q]);
            }
            src.make(a, t + ahead + 8 * NT, ring[u]);
            t += 8;
        }
    }
}

/*
 * Block: part[task y][block x][lags] from the accumulators of its warps, in their order. Uses s[warps * 64] and
 * s_sum[NT * 64], syncs. Lag t gathers, for each row, column t + row of the band.
 */
template <int NT>
__device__ __forceinline__ void finish(const gram_args &a, double (&acc)[NT][2], double *s, double *s_sum)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int j = 0; j < NT; j++) {
        s[warp * 64 + 2 * lane] = acc[j][0];
        s[warp * 64 + 2 * lane + 1] = acc[j][1];
        __syncthreads();
        for (int k = threadIdx.x; k < 64; k += blockDim.x) {
            double sum = 0.0;
            for (int w = 0; w < warps; w++)
                sum += s[w * 64 + k];
            s_sum[j * 64 + k] = sum;
        }
        __syncthreads();
    }
    double *part = a.part + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * a.lags;
    int from = a.tile0 ? 8 * a.tile0 - 7 : 0, to = a.tile0 ? 8 * (a.tile0 + NT) : a.lags;
    to = to < a.lags ? to : a.lags;
    for (int t = from + (int)threadIdx.x; t < to; t += blockDim.x) {
        double sum = a.tile0 ? part[t] : 0.0;
        for (int row = 0; row < 8; row++) {
            int j = (t + row) / 8 - a.tile0;
            if (j >= 0 && j < NT)
                sum += s_sum[j * 64 + row * 8 + (t + row) % 8];
        }
        part[t] = sum;
    }
}

template <int NT, bool NEAR, bool MASKED, class SRC, int WARPS>
__global__ __launch_bounds__(32 * WARPS) void gram_kernel(const __grid_constant__ gram_args a)
{
    __shared__ double s[WARPS * 64], s_sum[NT * 64];
    double acc[NT][2] = {};
    for (size_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        SRC src;
        if (src.open(a, tile))
            march<NT, NEAR, MASKED>(src, a, a.tasks[blockIdx.y], acc);
    }
    finish<NT>(a, acc, s, s_sum);
}

size_t gram_tiles(enum gram_source s, size_t rows)
{
    size_t n = (rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS;
    if (s == GRAM_POSN_F32 || s == GRAM_POSN_F64)
        return n * (n + 1) / 2;
    return (rows + 16 * WARPS_ROWS - 1) / (16 * WARPS_ROWS);
}

size_t gram_blocks(enum gram_source s, size_t rows)
{
    size_t n = gram_tiles(s, rows);
    return n < G4_MAX_BLOCKS ? n : G4_MAX_BLOCKS;
}

template <class SRC, int WARPS, bool MASKED>
static void run(const struct gram_args &a, dim3 grid, cudaStream_t stream)
{
    if (a.tile0 == 0)
        gram_kernel<G4_NEAR_TILES, true, MASKED, SRC, WARPS><<<grid, 32 * WARPS, 0, stream>>>(a);
    else
        gram_kernel<G4_NEAR_TILES, false, true, SRC, WARPS><<<grid, 32 * WARPS, 0, stream>>>(a);
}

template <int COMP> static void run_fixed(const struct gram_args &a, int masked, dim3 grid, cudaStream_t stream)
{
    if (a.tile0)
        run<posn_source<float, -1, G4_CELL_FIXED>, WARPS_POSN, true>(a, grid, stream);
    else if (masked)
        gram_kernel<G4_NEAR_TILES, true, true, posn_source<float, COMP, G4_CELL_FIXED>, WARPS_POSN>
            <<<grid, 32 * WARPS_POSN, 0, stream>>>(a);
    else
        gram_kernel<G4_NEAR_TILES, true, false, posn_source<float, COMP, G4_CELL_FIXED>, WARPS_POSN>
            <<<grid, 32 * WARPS_POSN, 0, stream>>>(a);
}

static void run_any(enum gram_source s, int cell, int masked, const struct gram_args &a, dim3 grid, cudaStream_t stream)
{
    if (s == GRAM_POSN_F64)
        run<posn_source<double, -1, G4_CELL_ANY>, WARPS_POSN, true>(a, grid, stream);
    else if (s == GRAM_PAIR_F32)
        run<rows_source<float, true>, WARPS_ROWS, true>(a, grid, stream);
    else if (s == GRAM_PAIR_F64)
        run<rows_source<double, true>, WARPS_ROWS, true>(a, grid, stream);
    else if (s == GRAM_SERIES)
        run<rows_source<double, false>, WARPS_ROWS, true>(a, grid, stream);
    else if (cell == G4_CELL_ANY)
        run<posn_source<float, -1, G4_CELL_ANY>, WARPS_POSN, true>(a, grid, stream);
    else if (a.beta.component == BETA_XZ)
        run_fixed<BETA_XZ>(a, masked, grid, stream);
    else if (a.beta.component == BETA_XY)
        run_fixed<BETA_XY>(a, masked, grid, stream);
    else if (a.beta.component == BETA_YZ)
        run_fixed<BETA_YZ>(a, masked, grid, stream);
    else if (a.beta.component == BETA_XX_YY)
        run_fixed<BETA_XX_YY>(a, masked, grid, stream);
    else
        run_fixed<BETA_ZZ>(a, masked, grid, stream);
}

int gram_launch(struct gpu_err *e, enum gram_source s, int cell, int masked, struct gram_args a, int ntasks,
                cudaStream_t stream)
{
    a.tiles = gram_tiles(s, a.rows);
    dim3 grid((unsigned)gram_blocks(s, a.rows), (unsigned)ntasks);
    int last = (a.lags + 6) / G4_TILE_LAGS; /* tile that holds the longest lag of the last row */
    for (a.tile0 = 0; a.tile0 <= last; a.tile0 += G4_NEAR_TILES) {
        run_any(s, cell, masked, a, grid, stream);
        TRY_LAUNCH(e, "gram_kernel");
    }
    return 0;
}

/* Block: task x, 32 lags from 32 * y on; thread (lag, slice). One order of summation whatever the launch. */
__global__ void gram_reduce_kernel(const double *part, size_t nblocks, int lags, double *out)
{
    __shared__ double s[8][33];
    int lag = blockIdx.y * 32 + threadIdx.x;
    double sum = 0.0;
    if (lag < lags)
        for (size_t b = threadIdx.y; b < nblocks; b += 8)
            sum += part[((size_t)blockIdx.x * nblocks + b) * lags + lag];
    s[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && lag < lags) {
        for (int y = 1; y < 8; y++)
            sum += s[y][threadIdx.x];
        out[(size_t)blockIdx.x * lags + lag] = sum;
    }
}

int gram_reduce(struct gpu_err *e, const double *part, size_t nblocks, int ntasks, int lags, double *out,
                cudaStream_t stream)
{
    gram_reduce_kernel<<<dim3((unsigned)ntasks, (unsigned)((lags + 31) / 32)), dim3(32, 8), 0, stream>>>(part, nblocks,
                                                                                                     lags, out);
    TRY_LAUNCH(e, "gram_reduce_kernel");
    return 0;
}
