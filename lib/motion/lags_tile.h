/* SPDX-License-Identifier: MIT */
/* lags_tile.h: declares the loop of lags.c that is compiled for every SIMD level. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

#define LAGS_TILE 8  /* frequencies per register */
#define LAGS_GROUP 4 /* pieces stored together */

/* real parts, then imaginary parts */
typedef double lags_tile[2][LAGS_TILE];

/* Returns the index of piece b of series a in an array z[groups of pieces][capacity][LAGS_GROUP],
 * so that the products of a group read consecutive memory. */
static inline size_t lags_at(size_t capacity, size_t a, size_t b)
{
    return (b / LAGS_GROUP * capacity + a) * LAGS_GROUP + b % LAGS_GROUP;
}

/* Adds conj(z(a, b)) z(a, b + d) to sum[b * depth + d] for all series a, in order, with b < blocks,
 * d < depth and b + d < pieces. The array z has the order of lags_at. */
SIMD_DECLARE(void, lags_products,
             (size_t series, size_t capacity, size_t pieces, size_t blocks, size_t depth,
              const lags_tile *z, lags_tile *sum));
/* Computes twice the spectra of the real part and of the imaginary part of a series of m numbers
 * with the spectrum re + i im. The two spectra are written to the tiles to[0], to[stride], and so
 * on, and to the tiles LAGS_GROUP later. The numbers re[-LAGS_TILE] to re[m + LAGS_TILE - 1] and
 * the same numbers of im are read, and the numbers at m must equal the numbers at 0. */
SIMD_DECLARE(void, lags_scatter,
             (const double *re, const double *im, size_t m, size_t tiles, size_t stride,
              lags_tile *to));
