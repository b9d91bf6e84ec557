/* SPDX-License-Identifier: MIT */
/* lags_tile.h: declares the loop of lags.c that is compiled for every SIMD level. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

#define LAGS_TILE 8  /* number of frequencies in a register of the highest SIMD level */
#define LAGS_GROUP 4 /* number of consecutive pieces that are stored together */

/* The values at LAGS_TILE frequencies. All real parts precede all imaginary parts. */
typedef double lags_tile[2][LAGS_TILE];

/* Returns the index of piece b of series a in an array z[groups of pieces][capacity][LAGS_GROUP].
 * The products of a group thus read consecutive memory. */
static inline size_t lags_at(size_t capacity, size_t a, size_t b)
{
    return (b / LAGS_GROUP * capacity + a) * LAGS_GROUP + b % LAGS_GROUP;
}

/* Computes sum[b * depth + d] += conj(z(a, b)) z(a, b + d) for all series a, in order. The indices
 * satisfy b < blocks, d < depth and b + d < pieces. The array z has the order of lags_at. */
SIMD_DECLARE(void, lags_products,
             (size_t series, size_t capacity, size_t pieces, size_t blocks, size_t depth,
              const lags_tile *z, lags_tile *sum));
/* For a series of m numbers with the spectrum re + i im, computes twice the spectra of its real
 * part and of its imaginary part. Writes these two spectra to the tiles to[0], to[stride], and so
 * on, and to the tiles LAGS_GROUP later. The numbers re[-LAGS_TILE] to re[m + LAGS_TILE - 1] are
 * read, and re[m] equals re[0]. The same holds for im. */
SIMD_DECLARE(void, lags_scatter,
             (const double *re, const double *im, size_t m, size_t tiles, size_t stride,
              lags_tile *to));
