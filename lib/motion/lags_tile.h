/* SPDX-License-Identifier: MIT */
/* lags_tile.h: interface of lags.c to the loop that is compiled for every SIMD level. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

#define LAGS_TILE 8 /* number of frequencies in a register of the highest SIMD level */

/* The values at LAGS_TILE frequencies. All real parts come first, then all imaginary parts. */
typedef double lags_tile[2][LAGS_TILE];

/* Computes sum[b * depth + d] += conj(z[a][b]) z[a][b + d] for all series a, in order. The indices
 * satisfy b < blocks, d < depth and b + d < pieces. The array z is [series][width]. */
SIMD_DECLARE(void, lags_products,
             (size_t series, size_t width, size_t pieces, size_t blocks, size_t depth,
              const lags_tile *z, lags_tile *sum));
/* Writes two spectra, times 2, to the tiles to[0], to[stride], and so on, and to the tiles `next`
 * later. These are the spectra of the real and of the imaginary part of a series of m numbers,
 * whose spectrum is z. The numbers z[-LAGS_TILE] to z[m + LAGS_TILE - 1] are read, and z[m] equals
 * z[0]. */
SIMD_DECLARE(void, lags_scatter,
             (double (*z)[2], size_t m, size_t tiles, size_t stride, size_t next, lags_tile *to));
