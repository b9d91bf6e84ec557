/* SPDX-License-Identifier: MIT */
/* lags_simd.c: products of spectra, compiled for three levels (simd.h). Each frequency has its own
 * sum, so all levels give the same bits. */
#include <stdbool.h>

#include "base/simd_vec.h"
#include "motion/lags_tile.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* frequencies in a register */
#define PARTNERS (SIMD_LEVEL >= 3 ? 4 : 2) /* columns at once, whose sums stay in registers */
#define ROWS (SIMD_LEVEL == 4 ? 2 : 1)     /* number of earlier columns at once */
#define PASS 32 /* number of series at once. Their partners fit into the L1 cache */
SIMD_VECTOR(part, double, PART);

/* Multiplies rows <= ROWS consecutive columns x by n <= PARTNERS consecutive later columns z, from
 * frequency p of the tile on. The sums of the next column x begin `stride` tiles later. */
HOT void partners(size_t series, size_t rows, size_t n, const lags_tile *x, const lags_tile *z,
                  lags_tile *sum, size_t stride, int p)
{
    part re[ROWS][PARTNERS], im[ROWS][PARTNERS];
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < n; k++) {
            re[r][k] = *(const part_u *)&sum[r * stride + k][0][p];
            im[r][k] = *(const part_u *)&sum[r * stride + k][1][p];
        }
    for (size_t a = 0; a < series; a++, x += LAGS_GROUP, z += LAGS_GROUP)
        for (size_t k = 0; k < n; k++) {
            const part yr = *(const part_u *)&z[k][0][p], yi = *(const part_u *)&z[k][1][p];
            for (size_t r = 0; r < rows; r++) {
                const part xr = *(const part_u *)&x[r][0][p], xi = *(const part_u *)&x[r][1][p];
                re[r][k] += xr * yr + xi * yi;
                im[r][k] += xr * yi - xi * yr;
            }
        }
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < n; k++) {
            *(part_u *)&sum[r * stride + k][0][p] = re[r][k];
            *(part_u *)&sum[r * stride + k][1][p] = im[r][k];
        }
}

/* Multiplies columns c to c + PARTNERS - 1 by all earlier columns, for `series` series from z on.
 */
HOT void column(size_t series, size_t capacity, size_t pieces, size_t blocks, size_t depth,
                size_t c, const lags_tile *z, lags_tile *sum)
{
    size_t end = c + PARTNERS < pieces ? c + PARTNERS : pieces, rows;
    const lags_tile *y = z + lags_at(capacity, 0, c);
    for (size_t b = c < depth ? 0 : c - depth + 1; b < blocks && b < end; b += rows) {
        size_t from = b > c ? b : c, to = b + depth < end ? b + depth : end;
        const lags_tile *x = z + lags_at(capacity, 0, b);
        lags_tile *row = sum + b * depth - b;
        bool whole = to - from == PARTNERS;
        rows = whole && b + ROWS <= blocks && b + ROWS <= c + 1 && b % ROWS == 0 ? ROWS : 1;
        for (size_t r = rows; r < 2 * rows; r++) /* the sums of the next columns */
            for (size_t k = 0; k < PARTNERS; k++) {
                __builtin_prefetch(row[r * (depth - 1) + c + k][0], 1);
                __builtin_prefetch(row[r * (depth - 1) + c + k][1], 1);
            }
        for (int p = 0; whole && p < LAGS_TILE; p += PART)
            if (rows == ROWS)
                partners(series, ROWS, PARTNERS, x, y, row + c, depth - 1, p);
            else
                partners(series, 1, PARTNERS, x, y, row + c, 0, p);
        for (size_t k = from; !whole && k < to; k++)
            for (int p = 0; p < LAGS_TILE; p += PART)
                partners(series, 1, 1, x, y + (k - c), row + k, 0, p);
    }
}

/* Processes partner columns one after the other. The columns of a pass stay in the L1 cache while
 * all earlier columns are multiplied. */
void SIMD_NAME(lags_products)(size_t series, size_t capacity, size_t pieces, size_t blocks,
                              size_t depth, const lags_tile *z, lags_tile *sum)
{
    for (size_t c = 0; c < pieces; c += PARTNERS)
        for (size_t a = 0; a < series; a += PASS)
            column(series - a < PASS ? series - a : PASS, capacity, pieces, blocks, depth, c,
                   z + a * LAGS_GROUP, sum);
}

/* The order of PART numbers in reverse. */
#if SIMD_LEVEL == 4
#define BACK 7, 6, 5, 4, 3, 2, 1, 0
#elif SIMD_LEVEL == 3
#define BACK 3, 2, 1, 0
#else
#define BACK 1, 0
#endif

void SIMD_NAME(lags_scatter)(const double *restrict re, const double *restrict im, size_t m,
                             size_t tiles, size_t stride, lags_tile *restrict to)
{
    for (size_t t = 0; t < tiles; t++, to += stride)
        for (int p = 0; p < LAGS_TILE; p += PART) {
            ptrdiff_t f = (ptrdiff_t)(t * LAGS_TILE) + p, g = (ptrdiff_t)m - f - (PART - 1);
            const part a = *(const part_u *)&re[f], b = *(const part_u *)&im[f],
                       c = *(const part_u *)&re[g], d = *(const part_u *)&im[g],
                       re_back = __builtin_shufflevector(c, c, BACK),
                       im_back = __builtin_shufflevector(d, d, BACK);
            *(part_u *)&to[0][0][p] = a + re_back;
            *(part_u *)&to[0][1][p] = b - im_back;
            *(part_u *)&to[LAGS_GROUP][0][p] = b + im_back;
            *(part_u *)&to[LAGS_GROUP][1][p] = re_back - a;
        }
}
