/* SPDX-License-Identifier: MIT */
/* fqt_simd.c: operations on single numbers, built for three SIMD levels (simd.h). */
#include "base/cis.h"
#include "base/simd_vec.h"
#include "fqt/fqt_products.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* numbers per register */
#define PARTS (FQT_TILE / PART)
SIMD_VECTOR(part, double, PART);

void SIMD_NAME(fqt_multiply)(size_t m, size_t signals, const double *a, const double *b,
                             size_t stride, double *restrict to)
{
    for (size_t half = 0; half < PARTS; half += 2) { /* two parts fit into the registers */
        size_t x = half * PART, y = x + PART;
        part rx = {0}, ix = {0}, ry = {0}, iy = {0};
        for (size_t s = 0; s < signals; s++) {
            const double *p = a + s * stride, *q = b + s * stride;
            part ar = *(const part_u *)(p + x), ai = *(const part_u *)(p + m + x),
                 br = *(const part_u *)(q + x), bi = *(const part_u *)(q + m + x);
            rx += ar * br + ai * bi;
            ix += ar * bi - ai * br;
            ar = *(const part_u *)(p + y), ai = *(const part_u *)(p + m + y);
            br = *(const part_u *)(q + y), bi = *(const part_u *)(q + m + y);
            ry += ar * br + ai * bi;
            iy += ar * bi - ai * br;
        }
        *(part_u *)(to + x) += rx;
        *(part_u *)(to + FQT_TILE + x) += ix;
        *(part_u *)(to + y) += ry;
        *(part_u *)(to + FQT_TILE + y) += iy;
    }
}

void SIMD_NAME(fqt_phases)(size_t n, const double *places, size_t stride, const int *hkl,
                           double *out, size_t m)
{
    double h = hkl[0], k = hkl[1], l = hkl[2], *restrict re = out, *restrict im = out + m;
    const double *x = places, *y = places + stride, *z = places + 2 * stride;
    for (size_t t = 0; t < n; t++)
        cis_2pi(h * x[t] + k * y[t] + l * z[t], &re[t], &im[t]);
}
