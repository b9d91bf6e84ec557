/* SPDX-License-Identifier: MIT */
/* lags_simd.c: products of spectra. Built for three levels (simd.h); each frequency has its own sum,
 * so that all levels give the same bits. */
#include "base/simd_vec.h"
#include "motion/lags_tile.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* frequencies in a register */
#define PARTNERS (SIMD_LEVEL >= 3 ? 4 : 2) /* at a time: the registers hold their sums */
SIMD_VECTOR(part, double, PART);

/* n <= PARTNERS partners of one piece, from frequency p of the tile on. */
static inline __attribute__((always_inline)) void partners(size_t series, size_t pieces, size_t n,
                                                           const lags_tile *z, size_t d,
                                                           lags_tile *sum, int p)
{
    part re[PARTNERS], im[PARTNERS];
    for (size_t k = 0; k < n; k++) {
        re[k] = *(const part_u *)&sum[k][0][p];
        im[k] = *(const part_u *)&sum[k][1][p];
    }
    for (size_t a = 0; a < series; a++, z += pieces) {
        const part xr = *(const part_u *)&z[0][0][p], xi = *(const part_u *)&z[0][1][p];
        for (size_t k = 0; k < n; k++) {
            const part yr = *(const part_u *)&z[d + k][0][p], yi = *(const part_u *)&z[d + k][1][p];
            re[k] += xr * yr + xi * yi;
            im[k] += xr * yi - xi * yr;
        }
    }
    for (size_t k = 0; k < n; k++) {
        *(part_u *)&sum[k][0][p] = re[k];
        *(part_u *)&sum[k][1][p] = im[k];
    }
}

void SIMD_NAME(lags_products)(size_t series, size_t pieces, size_t blocks, size_t depth,
                              const lags_tile *z, lags_tile *sum)
{
    for (size_t b = 0; b < blocks; b++) {
        size_t n = depth < pieces - b ? depth : pieces - b, d = 0;
        lags_tile *to = sum + b * depth;
        for (; d + PARTNERS <= n; d += PARTNERS)
            for (int p = 0; p < LAGS_TILE; p += PART)
                partners(series, pieces, PARTNERS, z + b, d, to + d, p);
        for (; d < n; d++)
            for (int p = 0; p < LAGS_TILE; p += PART)
                partners(series, pieces, 1, z + b, d, to + d, p);
    }
}
