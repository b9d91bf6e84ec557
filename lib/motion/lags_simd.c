/* SPDX-License-Identifier: MIT */
/* lags_simd.c: products of spectra, compiled for three levels (simd.h). Each frequency has its own
 * sum, so all levels give the same bits. */
#include "base/simd_vec.h"
#include "motion/lags_tile.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* frequencies in a register */
#define PARTNERS (SIMD_LEVEL >= 3 ? 4 : 2) /* at once: their sums stay in registers */
SIMD_VECTOR(part, double, PART);

/* Multiplies n <= PARTNERS consecutive columns z by an earlier column x, from frequency p of the
 * tile on. */
static inline __attribute__((always_inline)) void partners(size_t series, size_t width, size_t n,
                                                           const lags_tile *x, const lags_tile *z,
                                                           lags_tile *sum, int p)
{
    part re[PARTNERS], im[PARTNERS];
    for (size_t k = 0; k < n; k++) {
        re[k] = *(const part_u *)&sum[k][0][p];
        im[k] = *(const part_u *)&sum[k][1][p];
    }
    for (size_t a = 0; a < series; a++, x += width, z += width) {
        const part xr = *(const part_u *)&x[0][0][p], xi = *(const part_u *)&x[0][1][p];
        for (size_t k = 0; k < n; k++) {
            const part yr = *(const part_u *)&z[k][0][p], yi = *(const part_u *)&z[k][1][p];
            re[k] += xr * yr + xi * yi;
            im[k] += xr * yi - xi * yr;
        }
    }
    for (size_t k = 0; k < n; k++) {
        *(part_u *)&sum[k][0][p] = re[k];
        *(part_u *)&sum[k][1][p] = im[k];
    }
}

/* Takes partner columns one after the other; they stay in the L1 cache while the earlier columns
 * pass. */
void SIMD_NAME(lags_products)(size_t series, size_t width, size_t pieces, size_t blocks,
                              size_t depth, const lags_tile *z, lags_tile *sum)
{
    for (size_t c = 0; c < pieces; c += PARTNERS) {
        size_t end = c + PARTNERS < pieces ? c + PARTNERS : pieces;
        for (size_t b = c < depth ? 0 : c - depth + 1; b < blocks && b < end; b++) {
            size_t from = b > c ? b : c, to = b + depth < end ? b + depth : end;
            lags_tile *row = sum + b * depth - b;
            if (to - from == PARTNERS)
                for (int p = 0; p < LAGS_TILE; p += PART)
                    partners(series, width, PARTNERS, z + b, z + c, row + c, p);
            else
                for (size_t k = from; k < to; k++)
                    for (int p = 0; p < LAGS_TILE; p += PART)
                        partners(series, width, 1, z + b, z + k, row + k, p);
        }
    }
}
