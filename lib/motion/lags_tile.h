/* SPDX-License-Identifier: MIT */
/* lags_tile.h: what lags.c hands to the loop that is built for every level. */
#ifndef MBF_LAGS_TILE_H
#define MBF_LAGS_TILE_H

#include <stddef.h>

#include "base/simd.h"

#define LAGS_TILE 8 /* frequencies: a register of the highest level */

/* Of LAGS_TILE frequencies, real parts before imaginary ones. */
typedef double lags_tile[2][LAGS_TILE];

/* sum[b * depth + d] += conj(z[a][b]) z[a][b + d] for all series a in order, b < blocks,
 * d < depth, b + d < pieces; z [series][width]. */
SIMD_DECLARE(void, lags_products,
             (size_t series, size_t width, size_t pieces, size_t blocks, size_t depth,
              const lags_tile *z, lags_tile *sum));

#endif
