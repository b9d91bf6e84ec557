/* SPDX-License-Identifier: MIT */
/* g4_gpu_gram.cuh: the sources of values for the Gram kernels. The values come from positions or
 * from rows in memory. */
#pragma once

#include "g4/g4_gpu.h"
#include "pair/pair_gpu_tiles.cuh"

#define GRAM_WARPS_POSN 8 /* warps, each with two sets of 4 x 4 pairs of a 16 x 16 tile */
#define GRAM_WARPS_ROWS 2
/* Number of parts into which the rows of a task are divided, because such launches are small. */
#define GRAM_SLICES(source) ((source) == GRAM_SERIES ? 16 : 4)

/* These functions perform one pass of gram_posn. Beta comes from f32 positions, for the sum `mic`
 * or `taper` without or with a pair function, or from a table. Without a table, a.tile0 is 0. */
cudaError_t posn_mic(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_mic_pieces(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_taper(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_taper_pieces(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_mic_function(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_mic_function_pieces(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_taper_function(int cell, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_taper_function_pieces(int cell, const gram_args &a, dim3 grid,
                                       cudaStream_t stream);
cudaError_t posn_table(int is64, const gram_args &a, dim3 grid, cudaStream_t stream);
cudaError_t posn_table_pieces(int is64, const gram_args &a, dim3 grid, cudaStream_t stream);

/* Sources of values. The function open() sets the series of this warp in a tile and returns false
 * if the warp has no series. For group q of four series, load() reads the data in 8 columns,
 * starting with column `col`. The function make() computes the value of this lane, in column col +
 * lane / 4. The functions load() and make() are called in the order of q. */
/* If DIAGONAL is set, the tile is on the diagonal, and only its pairs with i < j count. If FUNCTION
 * is set, beta includes a pair function. */
template <int COMP, int CELL, bool DIAGONAL, bool FUNCTION> struct posn_source {
    const float4 *i, *j; /* positions of atoms i and j at column lane / 4 */
    size_t i4;           /* offset to the next four atoms */
    float rc2[DIAGONAL ? 8 : 1];
    unsigned column[2] = {}; /* columns of the pair function, 8 bits for each q */
    float4 xi[8], xj, next;

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t r, c;
        tile_place(a.list, a.rows, tile, &r, &c);
        size_t i0 = 16 * r + 8 * (warp / 4), j0 = 16 * c + 4 * (warp % 4);
        if (DIAGONAL && i0 > j0 + 3)
            return false;
        i4 = 4 * a.ld;
        i = (const float4 *)a.src + i0 * a.ld + 4 * (lane / 4);
        j = (const float4 *)a.src + j0 * a.ld + lane;
        for (int q = 0; DIAGONAL && q < 8; q++)
            rc2[q] = i0 + q < j0 + lane % 4 ? a.beta.rc2_f : -1.0f;
        for (int q = 0; FUNCTION && q < 8; q++)
            column[q / 4] |= function_first(a.beta.function, i0 + q, j0 + lane % 4) /
                                 (unsigned)a.beta.function.cells
                             << 8 * (q % 4);
        return true;
    }
    __device__ __forceinline__ void load(const gram_args &, int col, int q)
    {
        xi[q] = i[q / 4 * i4 + 4 * col + q % 4];
        if (q == 0)
            next = j[4 * col];
    }
    __device__ __forceinline__ float make(const gram_args &a, int col, int q)
    {
        if (q == 0)
            xj = next;
        float max = DIAGONAL ? rc2[q] : a.beta.rc2_f;
        size_t at = (size_t)col + (threadIdx.x & 31) / 4;
        if constexpr (FUNCTION)
            return beta_with<COMP, CELL>(
                a.beta, (column[q / 4] >> 8 * (q % 4) & 255) * a.beta.function.cells, xi[q], xj,
                max, at);
        else
            return beta_of<COMP, CELL>(a.beta, xi[q], xj, max, at);
    }
};

/* A tile with values in memory (table_make). Four atoms i for the same (j, column) form one vector,
 * which is read together with the first of these atoms. */
template <class T, bool DIAGONAL> struct table_source {
    typedef typename vec4<T>::type V;
    const V *v; /* vector of this lane in column 0 */
    size_t set; /* offset to the next four atoms i */
    V x, next[2];

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t r, c;
        tile_place(a.list, a.rows, tile, &r, &c);
        size_t i0 = 16 * r + 8 * (warp / 4), j0 = 16 * c + 4 * (warp % 4);
        set = 4 * a.ld;
        v = (const V *)a.src + ((tile - a.first_tile) * 8 + warp) * 2 * set + lane;
        return !DIAGONAL || i0 <= j0 + 3;
    }
    __device__ __forceinline__ void load(const gram_args &, int col, int q)
    {
        if (q % 4 == 0)
            next[q / 4] = v[q / 4 * set + 4 * col];
    }
    __device__ __forceinline__ T make(const gram_args &, int, int q)
    {
        if (q % 4 == 0)
            x = next[q / 4];
        return q % 4 == 0 ? x.x : q % 4 == 1 ? x.y : q % 4 == 2 ? x.z : x.w;
    }
};

/* Rows are values in memory, either pairs [col][ld] or series [row][ld]. */
template <class T, bool PAIRS> struct rows_source {
    const T *v;
    size_t ld;
    bool on[4];
    T x[4];

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t r0 = (tile * GRAM_WARPS_ROWS + warp) * 16 + lane % 4;
        if (r0 - lane % 4 >= a.rows)
            return false;
        ld = a.ld;
        v = (const T *)a.src + (PAIRS ? r0 : r0 * ld);
        for (int q = 0; q < 4; q++)
            on[q] = r0 + 4 * q < a.rows;
        return true;
    }
    __device__ __forceinline__ void load(const gram_args &a, int col, int q)
    {
        size_t t = (size_t)col + (threadIdx.x & 31) / 4;
        x[q] = on[q] && t < (size_t)a.cols ? (PAIRS ? v[t * ld + 4 * q] : v[4 * q * ld + t]) : (T)0;
    }
    __device__ __forceinline__ T make(const gram_args &, int, int q)
    {
        return x[q];
    }
};
