/* SPDX-License-Identifier: MIT */
/* fqt_simd.c: what is done number by number; built for three levels (simd.h). */
#include "base/phase.h"
#include "fqt/fqt_products.h"

void SIMD_NAME(fqt_multiply)(size_t m, const double *a, const double *b, double *restrict to)
{
    const double *ar = a, *ai = a + m, *br = b, *bi = b + m;
    double *restrict re = to, *restrict im = to + m;
    for (size_t k = 0; k < m; k++) {
        re[k] += ar[k] * br[k] + ai[k] * bi[k];
        im[k] += ar[k] * bi[k] - ai[k] * br[k];
    }
}

void SIMD_NAME(fqt_phases)(size_t n, const double *places, size_t stride, const int *hkl,
                           double *out, size_t m)
{
    double h = hkl[0], k = hkl[1], l = hkl[2], *restrict re = out, *restrict im = out + m;
    const double *x = places, *y = places + stride, *z = places + 2 * stride;
    for (size_t t = 0; t < n; t++)
        phase_of(h * x[t] + k * y[t] + l * z[t], &re[t], &im[t]);
}
