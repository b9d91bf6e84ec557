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
/* Writes a spectrum z to the tiles to[0], to[stride], and so on. */
SIMD_DECLARE(void, lags_scatter, (double (*z)[2], size_t tiles, size_t stride, lags_tile *to));
