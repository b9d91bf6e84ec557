/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_field.h"

#include <string.h>

#include "base/simd_vec.h"

#define LANES 8 /* in a vector, or in so many as the level has room for */
#if SIMD_LEVEL >= 4
#define WIDTH 8
#elif SIMD_LEVEL == 3
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define PARTS (LANES / WIDTH)
SIMD_VECTOR(vec, double, WIDTH);

#define HOT static inline __attribute__((always_inline))

#define LOAD(p) (*(const vec_u *)(p))

/* In a fixed order, the same on every level. */
HOT double lanes(const vec *p)
{
    double v[LANES];
    memcpy(v, p, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* Columns j.. of a row, component c of T at row + c step: what they give to i, into g, and i to them. */
HOT void columns(const double *row, size_t step, double trace, size_t stride, size_t i, size_t j,
                 const double *mu, double *out, vec g[3][PARTS])
{
    double ix = mu[i], iy = mu[stride + i], iz = mu[2 * stride + i];
    for (size_t p = 0; p < PARTS; p++, row += WIDTH, j += WIDTH) {
        vec xz = LOAD(row), xy = LOAD(row + step), yz = LOAD(row + 2 * step),
            d = LOAD(row + 3 * step), zz = LOAD(row + 4 * step);
        vec half = 0.5 * zz, xx = (d - half) + trace, yy = trace - (d + half);
        zz += trace;
        vec mx = LOAD(mu + j), my = LOAD(mu + stride + j), mz = LOAD(mu + 2 * stride + j);
        g[0][p] += (xx * mx + xy * my) + xz * mz;
        g[1][p] += (xy * mx + yy * my) + yz * mz;
        g[2][p] += (xz * mx + yz * my) + zz * mz;
        *(vec_u *)(out + j) = LOAD(out + j) + ((xx * ix + xy * iy) + xz * iz);
        *(vec_u *)(out + stride + j) = LOAD(out + stride + j) + ((xy * ix + yy * iy) + yz * iz);
        *(vec_u *)(out + 2 * stride + j) =
            LOAD(out + 2 * stride + j) + ((xz * ix + yz * iy) + zz * iz);
    }
}

void SIMD_NAME(alpha_field)(size_t n, size_t stride, const double *table, double trace,
                            const double *mu, double *out)
{
    size_t npairs = n * (n - 1) / 2;
    memset(out, 0, 9 * stride * sizeof *out);
    for (size_t i = 0, at = 0; i + 1 < n; i++, at += n - i)
        for (size_t d = 0; d < 3; d++) {
            const double *row = table + at, *m = mu + 3 * d * stride;
            double *o = out + 3 * d * stride;
            vec g[3][PARTS] = {{{0}}};
            size_t j = i + 1;
            for (; j + LANES <= n; j += LANES)
                columns(row + j - i - 1, npairs, trace, stride, i, j, m, o, g);
            if (j < n) {
                double last[5][LANES] = {{0}};
                for (size_t c = 0; c < 5; c++)
                    memcpy(last[c], row + c * npairs + j - i - 1, (n - j) * sizeof(double));
                columns(last[0], LANES, trace, stride, i, j, m, o, g);
            }
            for (size_t c = 0; c < 3; c++)
                o[c * stride + i] += lanes(g[c]);
        }
}
