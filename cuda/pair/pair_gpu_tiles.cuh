/* SPDX-License-Identifier: MIT */
/* pair_gpu_tiles.cuh: finds the row and column of a tile of 16 x 16 pairs of atoms in the triangle
 * of all pairs. */
#pragma once

#include "pair/pair_gpu.h"

/* Converts the number of a tile to its (row, column), with column >= row, in the upper triangle of
 * n x n tiles, which are numbered row by row. */
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

/* Tiles of 16 atoms i by 16 atoms j, in the upper triangle of all pairs, row by row. */
struct pair_tiles {
    size_t rows;

    __host__ __device__ static pair_tiles of(size_t natoms)
    {
        return {(natoms + 15) / 16};
    }
    /* Returns the number of the first tile of row r, or the number of all tiles for r = `rows`. */
    __host__ __device__ size_t begin(size_t r) const
    {
        return r * (2 * rows - r + 1) / 2;
    }
    __host__ __device__ size_t row(size_t tile) const
    {
        size_t lo = 0, hi = rows; /* begin(lo) <= tile < begin(hi) */
        while (hi - lo > 1) {
            size_t mid = (lo + hi) / 2;
            if (begin(mid) <= tile)
                lo = mid;
            else
                hi = mid;
        }
        return lo;
    }
};

/* Sets *row and *column to the row and column of a tile, in groups of 16 atoms. */
__device__ __forceinline__ void tile_place(const struct tile_list &l, size_t rows, size_t tile,
                                           size_t *row, size_t *column)
{
    struct pair_tiles p = pair_tiles::of(rows);
    if (l.tile) {
        *row = (size_t)l.tile[tile].x;
        *column = (size_t)l.tile[tile].y;
        return;
    }
    *row = p.row(tile);
    *column = tile - p.begin(*row) + *row;
}
