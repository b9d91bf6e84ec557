/* SPDX-License-Identifier: MIT */
/*
 * Sums of lag products of many series at once, sum_p b_p(tau) b_p(tau + t) for all t, as banded Gram matrices in fp64.
 *
 * A warp marches along time in blocks of 8 steps with 16 series (four groups of four). All operands of the 16 x 8 x 4
 * matrix product have one layout, lane = 4 * time + series: a block of steps is one register a group, which serves as
 * left operand (origins) and, in a ring of four blocks, as right one. The rows of the left operand are the blocks T and
 * T - 4, so that the products with the blocks T .. T + 3 are lag tiles 0 .. 6 (49 lags a pass); tile j gathers the products of two
 * blocks j blocks apart, over all T and all series; lag t is a diagonal of tiles t / 8 and t / 8 + 1, summed at the end.
 * On Hopper 16 x 8 runs at twice the rate of 8 x 8, which is no faster than the vector units but leaves the fp32 lanes
 * free; so the tile without a partner is an 8 x 8 one. 48 lags cost 56 multiply-adds a value instead of 48.
 * Deterministic: every sum has one order, which depends on the shape of the problem only.
 */
#include "g4_gpu_gram.cuh"
#include "g4_gpu_mma.cuh"

#define TILES 7 /* lag tiles of one pass */

/*
 * Sums over the pair tile of a block of 8 steps, for A_i: a warp reduces its 4 x 4 pairs in registers (put), 16 warps
 * meet in shared memory after every four blocks (share), 512 threads write 16 + 16 sums of 32 steps. One barrier a
 * share; two buffers take turns.
 */
#define SUMS_BUFFER (4 * 16 * 64)
struct tile_sums {
    double *s;   /* shared [2][4 blocks][16 warps][2][32] */
    double *out; /* [32][ld]: atoms of i, then of j */
    size_t ld;
    int end, turn; /* columns >= end are another task's */

    __device__ __forceinline__ void put(int u, const double (&b)[4])
    {
        int lane = threadIdx.x & 31;
        double *mine = s + turn * SUMS_BUFFER + u * 1024 + (threadIdx.x / 32) * 64;
        bool hi = lane & 2, odd = lane & 1;
        double x = hi ? b[2] : b[0], y = hi ? b[3] : b[1];
        x += __shfl_xor_sync(~0u, hi ? b[0] : b[2], 2);
        y += __shfl_xor_sync(~0u, hi ? b[1] : b[3], 2);
        mine[lane] = (odd ? y : x) + __shfl_xor_sync(~0u, odd ? x : y, 1); /* atom i0 + lane % 4 */
        mine[32 + lane] = (b[0] + b[1]) + (b[2] + b[3]);                  /* atom j0 + lane % 4 */
    }
    __device__ __forceinline__ void put_zero()
    {
        double *mine = s + turn * SUMS_BUFFER + (threadIdx.x / 32) * 64 + (threadIdx.x & 31);
        for (int u = 0; u < 4; u++)
            mine[u * 1024] = mine[u * 1024 + 32] = 0.0;
    }
    /* Thread: one lane of the records of four warps (a row or a column of the tile), for two of the four blocks. */
    __device__ __forceinline__ void share(int col)
    {
        __syncthreads();
        int k = threadIdx.x & 255, side = k / 128, w = k / 32 % 4, t = col + threadIdx.x / 256 * 8 + k % 32 / 4;
        const double *from = s + turn * SUMS_BUFFER + threadIdx.x / 256 * 1024 + (side ? 32 + 64 * w : 256 * w) + k % 32;
        double *to = out + (size_t)(16 * side + 4 * w + k % 4) * ld + t;
        int stride = side ? 256 : 64;
#pragma unroll
        for (int m = 0; m < 2; m++)
            if (t + 16 * m < end)
                to[16 * m] = (from[2048 * m] + from[2048 * m + stride]) +
                             (from[2048 * m + 2 * stride] + from[2048 * m + 3 * stride]);
        turn ^= 1;
    }
};

/*
 * One warp, one set of 16 series, origins [first, last): acc += its products. NEAR: the pass begins with tile 0, so
 * the origins are in the ring; else they are made a second time. stash: shared [4][4][32] of this warp. Steps past the
 * window give zeros (all sources). SUMS: columns up to sums.end go through sums; a warp that is not active, since its tile
 * has no pairs, adds zeros and keeps step, so that all warps of a block meet at the same barrier. Products and the making
 * of the next values alternate, a group of series at a time, so that the units have both to choose from.
 */
template <bool NEAR, bool SUMS, class SRC>
__device__ __forceinline__ void march(SRC &src, bool active, const gram_args &a, struct g4_task task,
                                      double (&acc)[4][4], double *stash, tile_sums &sums)
{
    double ring[4][4];
    SRC origin = src;
    int lane = threadIdx.x & 31, ahead = 8 * a.tile0, t = task.first;
    int end = SUMS && sums.end - 32 > task.last + 32 ? sums.end - 32 : task.last + 32;
    if (active) {
#pragma unroll
        for (int u = 0; u < 4; u++) {
#pragma unroll
            for (int q = 0; q < 4; q++) {
                src.load(a, t + ahead + 8 * u, q);
                ring[u][q] = src.make(a, t + ahead + 8 * u, q);
                stash[(u * 4 + q) * 32 + lane] = 0.0;
            }
            if (SUMS)
                sums.put(u, ring[u]);
        }
#pragma unroll
        for (int q = 0; q < 4; q++)
            src.load(a, t + ahead + 32, q);
    } else if (SUMS) {
        sums.put_zero();
    }
    if (SUMS)
        sums.share(t);
    for (; t < end; t += 32) {
        if (active) {
#pragma unroll
            for (int u = 0; u < 4; u++) {
                bool on = t + 8 * u + lane / 4 < task.last;
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    double *old = stash + (u * 4 + q) * 32 + lane, upper = ring[u][q], lower = *old;
                    if (!NEAR) {
                        origin.load(a, t + 8 * u, q);
                        upper = origin.make(a, t + 8 * u, q);
                    }
                    *old = upper = on ? upper : 0.0;
#pragma unroll
                    for (int j = 0; j < 3; j++)
                        mma_16x8x4(acc[j], upper, lower, ring[(u + j) % 4][q]);
                    mma_8x8x4(acc[3][0], acc[3][1], upper, ring[(u + 3) % 4][q]);
                    ring[u][q] = src.make(a, t + ahead + 8 * u + 32, q);
                    src.load(a, t + ahead + 8 * u + 40, q);
                }
                if (SUMS)
                    sums.put(u, ring[u]);
            }
        } else if (SUMS) {
            sums.put_zero();
        }
        if (SUMS && t + 32 < sums.end)
            sums.share(t + 32);
    }
}

/*
 * Block: add the accumulators of its warps, in their order, to part[task y][block x, slice z][lags]. Uses shared s[warps][128]
 * and s_sum[8][64], of which TILES count; syncs. Lag t gathers, for each row, column t + row of the band.
 */
__device__ __forceinline__ void finish(const gram_args &a, double (&acc)[4][4], double *s, double *s_sum)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int j = 0; j < 4; j++) {
        __syncthreads();
        for (int k = 0; k < 4; k++)
            s[warp * 128 + (k / 2) * 64 + 2 * lane + k % 2] = acc[j][k];
        __syncthreads();
        for (int k = threadIdx.x; k < 128; k += blockDim.x) {
            double sum = 0.0;
            for (int w = 0; w < warps; w++)
                sum += s[w * 128 + k];
            s_sum[(j + 4 * (k / 64)) * 64 + k % 64] = sum;
        }
    }
    __syncthreads();
    double *part = a.part + ((size_t)blockIdx.y * a.slots * gridDim.z + blockIdx.x * gridDim.z + blockIdx.z) * a.lags;
    int from = a.tile0 ? 8 * a.tile0 - 7 : 0, to = 8 * (a.tile0 + TILES) < a.lags ? 8 * (a.tile0 + TILES) : a.lags;
    for (int t = from + (int)threadIdx.x; t < to; t += blockDim.x) {
        double sum = part[t];
        for (int row = 0; row < 8; row++) {
            int j = (t + row) / 8 - a.tile0;
            if (j >= 0 && j < TILES)
                sum += s_sum[j * 64 + row * 8 + (t + row) % 8];
        }
        part[t] = sum;
    }
}

/* Pairs of positions: block x takes tile a.first_tile + x. Shared: stash, sums (which finish uses again), s_sum. */
template <bool NEAR, class SRC> __global__ __launch_bounds__(512, 1) void gram_posn_kernel(const __grid_constant__ gram_args a)
{
    extern __shared__ double2 s_dyn[];
    double *stash = (double *)s_dyn, *s = stash + 16 * 512, *s_sum = s + 2 * SUMS_BUFFER, acc[4][4] = {};
    struct g4_task task = a.tasks[blockIdx.y];
    tile_sums sums = {s, a.asum + (size_t)blockIdx.x * 32 * a.ld, a.ld,
                      blockIdx.y + 1 == gridDim.y ? a.cols : task.last, 0};
    SRC src;
    bool active = src.open(a, a.first_tile + blockIdx.x);
    march<NEAR, NEAR>(src, active, a, task, acc, stash + (threadIdx.x / 32) * 512, sums);
    finish(a, acc, s, s_sum);
}

/*
 * Rows: block x takes tiles x, x + slots, ... and slice z of the origins of task y; its sums go to slot x * GRAM_SLICES + z.
 */
template <bool NEAR, class SRC> __global__ __launch_bounds__(64) void gram_rows_kernel(const __grid_constant__ gram_args a)
{
    __shared__ double2 stash[GRAM_WARPS_ROWS * 256];
    __shared__ double s[GRAM_WARPS_ROWS * 128], s_sum[512];
    double acc[4][4] = {};
    tile_sums none = {};
    struct g4_task task = a.tasks[blockIdx.y];
    int slice = ((task.last - task.first + GRAM_SLICES - 1) / GRAM_SLICES + 7) / 8 * 8;
    task.first += (int)blockIdx.z * slice;
    task.last = task.first + slice < task.last ? task.first + slice : task.last;
    for (size_t tile = blockIdx.x; tile < a.tiles && task.first < task.last; tile += gridDim.x) {
        SRC src;
        if (src.open(a, tile))
            march<NEAR, false>(src, true, a, task, acc, (double *)(stash + (threadIdx.x / 32) * 256), none);
    }
    finish(a, acc, s, s_sum);
}

/* Thread: A of one atom at one column += the sums of tiles [first, last), row of tiles first, then column, in order. */
__global__ void gram_atoms_kernel(const double *asum, size_t ld, size_t natoms, int cols, size_t first, size_t last,
                                  double *atoms)
{
    size_t n = (natoms + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS, atom = blockIdx.y, b = atom / G4_TILE_ATOMS, r0, r1, c;
    size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= (size_t)cols)
        return;
    triangle(first, n, &r0, &c);
    triangle(last - 1, n, &r1, &c);
    double sum = first ? atoms[atom * ld + col] : 0.0;
    size_t begin = b * (2 * n - b + 1) / 2, from = begin > first ? begin : first;
    size_t to = begin + n - b < last ? begin + n - b : last;
    const double *p = asum + atom % G4_TILE_ATOMS * ld + col;
    for (size_t k = from; k < to; k++)
        sum += p[(k - first) * 32 * ld];
    p += G4_TILE_ATOMS * ld;
    for (size_t r = r0; r <= r1 && r <= b; r++) {
        size_t k = r * (2 * n - r + 1) / 2 + b - r;
        if (k >= first && k < last)
            sum += p[(k - first) * 32 * ld];
    }
    atoms[atom * ld + col] = sum;
}

size_t gram_tiles(enum gram_source s, size_t rows)
{
    size_t n = (rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS;
    if (s == GRAM_POSN_F32 || s == GRAM_POSN_F64)
        return n * (n + 1) / 2;
    return (rows + 16 * GRAM_WARPS_ROWS - 1) / (16 * GRAM_WARPS_ROWS);
}

size_t gram_slots(enum gram_source s, size_t rows, size_t group)
{
    size_t n = gram_tiles(s, rows), posn = s == GRAM_POSN_F32 || s == GRAM_POSN_F64, most = posn ? group : G4_MAX_BLOCKS;
    return (n < most ? n : most) * (posn ? 1 : GRAM_SLICES);
}

size_t gram_shared(void)
{
    return (16 * 512 + 2 * SUMS_BUFFER + 512) * sizeof(double);
}

/* More than 48 KiB of shared memory have to be asked for. */
template <bool NEAR, class SRC> static cudaError_t run_posn(const gram_args &a, dim3 grid, cudaStream_t stream)
{
    const int shared = (int)gram_shared();
    cudaError_t rc = cudaFuncSetAttribute(gram_posn_kernel<NEAR, SRC>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (rc == cudaSuccess)
        gram_posn_kernel<NEAR, SRC><<<grid, 512, shared, stream>>>(a);
    return rc == cudaSuccess ? cudaGetLastError() : rc;
}

template <class SRC> static cudaError_t run_rows(const gram_args &a, dim3 grid, cudaStream_t stream)
{
    if (a.tile0 == 0)
        gram_rows_kernel<true, SRC><<<grid, 32 * GRAM_WARPS_ROWS, 0, stream>>>(a);
    else
        gram_rows_kernel<false, SRC><<<grid, 32 * GRAM_WARPS_ROWS, 0, stream>>>(a);
    return cudaGetLastError();
}

static cudaError_t run(enum gram_source s, int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    if (s == GRAM_PAIR_F32)
        return run_rows<rows_source<float, true>>(a, grid, stream);
    if (s == GRAM_PAIR_F64)
        return run_rows<rows_source<double, true>>(a, grid, stream);
    if (s == GRAM_SERIES)
        return run_rows<rows_source<double, false>>(a, grid, stream);
    if (s == GRAM_POSN_F64 && a.tile0)
        return run_posn<false, posn_source<double, -1, G4_CELL_ANY>>(a, grid, stream);
    if (s == GRAM_POSN_F64)
        return run_posn<true, posn_source<double, -1, G4_CELL_ANY>>(a, grid, stream);
    if (cell == G4_CELL_ANY && a.tile0)
        return run_posn<false, posn_source<float, -1, G4_CELL_ANY>>(a, grid, stream);
    if (cell == G4_CELL_ANY)
        return run_posn<true, posn_source<float, -1, G4_CELL_ANY>>(a, grid, stream);
    if (a.tile0)
        return run_posn<false, posn_source<float, -1, G4_CELL_FIXED>>(a, grid, stream);
    switch (a.beta.component) {
    case BETA_XZ: return run_posn<true, posn_source<float, BETA_XZ, G4_CELL_FIXED>>(a, grid, stream);
    case BETA_XY: return run_posn<true, posn_source<float, BETA_XY, G4_CELL_FIXED>>(a, grid, stream);
    case BETA_YZ: return run_posn<true, posn_source<float, BETA_YZ, G4_CELL_FIXED>>(a, grid, stream);
    case BETA_XX_YY: return run_posn<true, posn_source<float, BETA_XX_YY, G4_CELL_FIXED>>(a, grid, stream);
    default: return run_posn<true, posn_source<float, BETA_ZZ, G4_CELL_FIXED>>(a, grid, stream);
    }
}

/* All lag tiles. */
static int passes(struct gpu_err *e, enum gram_source s, int cell, gram_args a, dim3 grid, cudaStream_t stream)
{
    int last = (a.lags + 6) / 8; /* tile that holds the longest lag of the last row */
    for (a.tile0 = 0; a.tile0 <= last; a.tile0 += TILES)
        TRY(e, run(s, cell, a, grid, stream));
    return 0;
}

int gram_rows(struct gpu_err *e, enum gram_source s, struct gram_args a, int ntasks, cudaStream_t stream)
{
    a.tiles = gram_tiles(s, a.rows);
    a.slots = gram_slots(s, a.rows, 0) / GRAM_SLICES;
    TRY(e, cudaMemsetAsync(a.part, 0, (size_t)ntasks * a.slots * GRAM_SLICES * a.lags * sizeof(double), stream));
    return passes(e, s, G4_CELL_ANY, a, dim3((unsigned)a.slots, (unsigned)ntasks, GRAM_SLICES), stream);
}

int gram_posn(struct gpu_err *e, enum gram_source s, int cell, struct gram_args a, int ntasks, size_t group, double *atoms,
              cudaStream_t stream)
{
    size_t tiles = gram_tiles(s, a.rows);
    a.slots = gram_slots(s, a.rows, group);
    TRY(e, cudaMemsetAsync(a.part, 0, (size_t)ntasks * a.slots * a.lags * sizeof(double), stream));
    for (a.first_tile = 0; a.first_tile < tiles; a.first_tile += a.slots) {
        size_t n = tiles - a.first_tile < a.slots ? tiles - a.first_tile : a.slots;
        if (passes(e, s, cell, a, dim3((unsigned)n, (unsigned)ntasks), stream))
            return -1;
        gram_atoms_kernel<<<dim3((unsigned)((a.cols + 127) / 128), (unsigned)a.rows), 128, 0, stream>>>(
            a.asum, a.ld, a.rows, a.cols, a.first_tile, a.first_tile + n, atoms);
        TRY_LAUNCH(e, "gram_atoms_kernel");
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
