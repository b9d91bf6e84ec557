/* SPDX-License-Identifier: MIT */
/* g4_gpu_gram.cuh: where the Gram kernels' values come from: positions or rows in memory. */
#ifndef MBF_G4_GPU_GRAM_CUH
#define MBF_G4_GPU_GRAM_CUH

#include "g4_gpu.h"

#define GRAM_WARPS_ROWS 2
#define GRAM_SLICES 4 /* parts of a task that rows are cut into, since their launches are small */

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
 * Sources of values. open: point this warp at its 16 series of a tile, false when it has none. load: fetch what group q
 * needs of the block of 8 columns from col on; make: the value of this lane (column col + lane / 4). In the order q = 0..3.
 */
template <class T, int COMP, int CELL> struct posn_source {
    typedef typename vec4<T>::type V;
    const V *i, *j; /* of column lane / 4 */
    T rc2[4];
    V xi[4], xj, next;

    __device__ bool open(const gram_args &a, size_t tile)
    {
        int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
        size_t bi, bj;
        triangle(tile, (a.rows + G4_TILE_ATOMS - 1) / G4_TILE_ATOMS, &bi, &bj);
        size_t i0 = bi * G4_TILE_ATOMS + 4 * (warp / 4), j0 = bj * G4_TILE_ATOMS + 4 * (warp % 4);
        if (i0 > j0)
            return false;
        i = (const V *)a.src + i0 * a.ld + 4 * (lane / 4);
        j = (const V *)a.src + j0 * a.ld + lane;
        for (int q = 0; q < 4; q++)
            rc2[q] = i0 + q < j0 + lane % 4 ? beta_rc2(a.beta, (T)0) : (T)-1;
        return true;
    }
    __device__ __forceinline__ void load(const gram_args &, int col, int q)
    {
        xi[q] = i[4 * col + q];
        if (q == 0)
            next = j[4 * col];
    }
    __device__ __forceinline__ double make(const gram_args &a, int col, int q)
    {
        if (q == 0)
            xj = next;
        return (double)beta_of<COMP, CELL>(a.beta, xi[q], xj, rc2[q], (size_t)col + (threadIdx.x & 31) / 4);
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
    __device__ __forceinline__ double make(const gram_args &, int, int q)
    {
        return (double)x[q];
    }
};

#endif
