/* SPDX-License-Identifier: MIT */
/* lags_simd.c: products of spectra, compiled for three levels (simd.h). Each frequency has its own
 * sum, so all levels give the same bits. */
#include <stdbool.h>

#include "base/simd_vec.h"
#include "motion/lags_tile.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* frequencies in a register */
#define PARTNERS (SIMD_LEVEL >= 3 ? 4 : 2) /* columns at once, whose sums stay in registers */
#define ROWS (SIMD_LEVEL == 4 ? 2 : 1)     /* number of earlier columns at once */
SIMD_VECTOR(part, double, PART);

/* Multiplies rows <= ROWS consecutive columns x by n <= PARTNERS consecutive later columns z, from
 * frequency p of the tile on. The sums of the next column x begin `stride` tiles later. */
HOT void partners(size_t series, size_t width, size_t rows, size_t n, const lags_tile *x,
                  const lags_tile *z, lags_tile *sum, size_t stride, int p)
{
    part re[ROWS][PARTNERS], im[ROWS][PARTNERS];
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < n; k++) {
            re[r][k] = *(const part_u *)&sum[r * stride + k][0][p];
            im[r][k] = *(const part_u *)&sum[r * stride + k][1][p];
        }
    for (size_t a = 0; a < series; a++, x += width, z += width)
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

/* Processes partner columns one after the other. They stay in the L1 cache while all earlier
 * columns are multiplied. */
void SIMD_NAME(lags_products)(size_t series, size_t width, size_t pieces, size_t blocks,
                              size_t depth, const lags_tile *z, lags_tile *sum)
{
    for (size_t c = 0; c < pieces; c += PARTNERS) {
        size_t end = c + PARTNERS < pieces ? c + PARTNERS : pieces, rows;
        for (size_t b = c < depth ? 0 : c - depth + 1; b < blocks && b < end; b += rows) {
            size_t from = b > c ? b : c, to = b + depth < end ? b + depth : end;
            lags_tile *row = sum + b * depth - b;
            bool whole = to - from == PARTNERS;
            rows = whole && b + ROWS <= blocks && b + ROWS <= c + 1 ? ROWS : 1;
            for (int p = 0; whole && p < LAGS_TILE; p += PART)
                if (rows == ROWS)
                    partners(series, width, ROWS, PARTNERS, z + b, z + c, row + c, depth - 1, p);
                else
                    partners(series, width, 1, PARTNERS, z + b, z + c, row + c, 0, p);
            for (size_t k = from; !whole && k < to; k++)
                for (int p = 0; p < LAGS_TILE; p += PART)
                    partners(series, width, 1, 1, z + b, z + k, row + k, 0, p);
        }
    }
}

/* The real parts (p = 0) or the imaginary parts (p = 1) of PART complex numbers, in order and in
 * reverse. */
#if SIMD_LEVEL == 4
#define EACH(p) (p), 2 + (p), 4 + (p), 6 + (p), 8 + (p), 10 + (p), 12 + (p), 14 + (p)
#define BACK(p) 14 + (p), 12 + (p), 10 + (p), 8 + (p), 6 + (p), 4 + (p), 2 + (p), (p)
#elif SIMD_LEVEL == 3
#define EACH(p) (p), 2 + (p), 4 + (p), 6 + (p)
#define BACK(p) 6 + (p), 4 + (p), 2 + (p), (p)
#else
#define EACH(p) (p), 2 + (p)
#define BACK(p) 2 + (p), (p)
#endif

void SIMD_NAME(lags_scatter)(double (*restrict z)[2], size_t m, size_t tiles, size_t stride,
                             size_t next, lags_tile *restrict to)
{
    for (size_t t = 0; t < tiles; t++, to += stride)
        for (int p = 0; p < LAGS_TILE; p += PART) {
            const double *f = z[t * LAGS_TILE + (size_t)p], *g = z[m + 1] - (f - z[0]) - 2 * PART;
            const part a = *(const part_u *)f, b = *(const part_u *)(f + PART),
                       c = *(const part_u *)g, d = *(const part_u *)(g + PART);
            const part re = __builtin_shufflevector(a, b, EACH(0)),
                       im = __builtin_shufflevector(a, b, EACH(1)),
                       re_back = __builtin_shufflevector(c, d, BACK(0)),
                       im_back = __builtin_shufflevector(c, d, BACK(1));
            *(part_u *)&to[0][0][p] = re + re_back;
            *(part_u *)&to[0][1][p] = im - im_back;
            *(part_u *)&to[next][0][p] = im + im_back;
            *(part_u *)&to[next][1][p] = re_back - re;
        }
}
