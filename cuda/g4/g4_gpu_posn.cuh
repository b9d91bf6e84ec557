/* SPDX-License-Identifier: MIT */
/* g4_gpu_posn.cuh: the Gram kernels for pairs of positions. Each kind of cell is compiled in its
 * own file, because nvcc takes seconds per kernel. */
#pragma once

#include "g4/g4_gpu_lag_mma.cuh"

/* One block processes one tile and one task or piece. Its shared memory contains the array `stash`,
 * which finish() reuses, then the sums of the tasks of a piece, and the sums of the tile. */
template <bool NEAR, bool PIECES, class SRC>
__device__ __forceinline__ void posn_tile(const gram_args &a, size_t tile, double *stash)
{
    struct g4_piece piece = {};
    struct g4_task task = {};
    if (PIECES)
        piece = a.pieces[blockIdx.y];
    else
        task = a.tasks[blockIdx.y];
    int first = PIECES ? piece.first : task.first, last = PIECES ? piece.last : task.last;
    double *shared = stash + 16 * LAG_MMA_STASH(NEAR);
    tile_sums sums = {shared + (PIECES ? GRAM_WARPS_POSN * LAG_SUMS : 0),
                      a.asum + (size_t)blockIdx.x * GRAM_TILE_SUMS * a.ld, a.ld,
                      blockIdx.y + 1 == gridDim.y ? a.cols : last};
    lag_sums<GRAM_WARPS_POSN, PIECES ? LAG_SUMS : 2 * LAG_MMA_STASH(NEAR)> lags = {PIECES ? shared
                                                                                          : stash};
    if (PIECES)
        lags.open(a, piece.task);
    if (NEAR)
        sums.open(PIECES ? 2 : a.buffers);
    SRC src;
    bool active = src.open(a, tile);
    lag_mma<NEAR, 2, SRC> m = {};
    if (active)
        m.open(src, a, first, stash + (threadIdx.x / 32) * 2 * LAG_MMA_STASH(NEAR));
    m.template run<NEAR, PIECES>(a, active, first, last, sums, lags);
    if (!PIECES)
        m.finish(a, lags, a.part + ((size_t)blockIdx.y * a.slots + blockIdx.x) * a.lags);
}

/* Block x processes tile a.first_tile + x. Diagonal tiles have their own source of values. For
 * devices with too little shared memory (gram_shared), the kernel is compiled without code. */
template <bool NEAR, bool PIECES, class DIAGONAL, class OTHER>
__device__ __forceinline__ void posn_block(const gram_args &a)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    extern __shared__ double2 s_dyn[];
    size_t tile = a.first_tile + blockIdx.x, r, c;
    tile_place(a.list, a.rows, tile, &r, &c);
    if (r == c)
        posn_tile<NEAR, PIECES, DIAGONAL>(a, tile, (double *)s_dyn);
    else
        posn_tile<NEAR, PIECES, OTHER>(a, tile, (double *)s_dyn);
#endif
}

/* The kernel for pairs of positions. */
template <int COMP, int CELL, bool PIECES, bool FUNCTION = false>
__global__ __launch_bounds__(32 * GRAM_WARPS_POSN,
                             1) void gram_posn_kernel(const __grid_constant__ gram_args a)
{
    posn_block<true, PIECES, posn_source<COMP, CELL, true, FUNCTION>,
               posn_source<COMP, CELL, false, FUNCTION>>(a);
}

/* A kernel must request shared memory above 48 KiB. */
template <bool NEAR>
static cudaError_t run_tiles(void (*kernel)(gram_args), gram_args a, dim3 grid, cudaStream_t stream)
{
    int device = 0, max = 0, bytes = 16 * LAG_MMA_STASH(NEAR) * (int)sizeof(double);
    cudaError_t rc = cudaGetDevice(&device);
    if (rc == cudaSuccess)
        rc = cudaDeviceGetAttribute(&max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    bytes += a.npieces ? GRAM_WARPS_POSN * LAG_SUMS * (int)sizeof(double) : 0;
    a.buffers = bytes + SUMS_SHARED(2) * (int)sizeof(double) <= max ? 2 : 1;
    bytes += NEAR ? SUMS_SHARED(a.buffers) * (int)sizeof(double) : 0;
    if (rc == cudaSuccess)
        rc = cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  bytes);
    if (rc == cudaSuccess)
        kernel<<<grid, 32 * GRAM_WARPS_POSN, (size_t)bytes, stream>>>(a);
    return rc == cudaSuccess ? cudaGetLastError() : rc;
}

/* Launches the first pass over pairs of a form, with one cell for all columns or one per column.
 * Pieces have their own files, because the first launch loads all kernels of a file. */
template <enum sum_form FORM, bool PIECES>
static cudaError_t posn_run(int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
#define POSN_CASE(C, NAME, WORDS, EVEN, NONE)                                                      \
    case C: return run_tiles<true>(gram_posn_kernel<C, G4_CELL(FORM, 1), PIECES>, a, grid, stream);
    switch (G4_IS_FIXED(cell) ? a.beta.component : -1) {
        BETA_EACH(POSN_CASE, )
    default:
        return run_tiles<true>(gram_posn_kernel<-1, G4_CELL(FORM, 0), PIECES>, a, grid, stream);
    }
}

/* Works like posn_run, with a pair function. Only the most common ones have a kernel per component
 * (beta_with). */
template <enum sum_form FORM, bool PIECES>
static cudaError_t function_run(int cell, const gram_args &a, dim3 grid, cudaStream_t stream)
{
    const struct beta_function *f = &a.beta.function;
    bool common = G4_IS_FIXED(cell) && f->rank == 2 && f->did == (FORM == SUM_TAPERED);
#define FUNCTION_CASE(C, NAME, WORDS, EVEN, NONE)                                                  \
    case C:                                                                                        \
        return run_tiles<true>(gram_posn_kernel<C, G4_CELL(FORM, 1), PIECES, true>, a, grid,       \
                               stream);
    switch (common ? a.beta.component : -1) {
        BETA_EACH(FUNCTION_CASE, )
    default:
        return run_tiles<true>(G4_IS_FIXED(cell)
                                   ? gram_posn_kernel<-1, G4_CELL(FORM, 1), PIECES, true>
                                   : gram_posn_kernel<-1, G4_CELL(FORM, 0), PIECES, true>,
                               a, grid, stream);
    }
}

/* Reads values from a table (pair_gpu_table.cu), without code for beta. */
template <bool NEAR, bool PIECES, class T>
__global__ __launch_bounds__(32 * GRAM_WARPS_POSN,
                             1) void gram_table_kernel(const __grid_constant__ gram_args a)
{
    posn_block<NEAR, PIECES, table_source<T, true>, table_source<T, false>>(a);
}

template <class T, bool PIECES>
static cudaError_t run_table(const gram_args &a, dim3 grid, cudaStream_t stream)
{
    return a.tile0 ? run_tiles<false>(gram_table_kernel<false, PIECES, T>, a, grid, stream)
                   : run_tiles<true>(gram_table_kernel<true, PIECES, T>, a, grid, stream);
}
