/* SPDX-License-Identifier: MIT */
/* motion_simd.c: sums over the points of two steps, compiled for three SIMD levels (simd.h). Every
 * level uses eight partial sums, so all levels give the same bits. */
#include "base/simd_vec.h"
#include "motion/motion_kernel.h"

#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* partial sums per register */
#define PARTS (MOTION_LANES / PART)
SIMD_VECTOR(part, double, PART);

static inline double total(const part *s)
{
    double a[MOTION_LANES];
    for (int k = 0; k < PARTS; k++)
        *(part_u *)(a + k * PART) = s[k];
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

void SIMD_NAME(motion_products)(size_t n, size_t stride, const double *now, const double *then,
                                double to[4])
{
    part sum[3][PARTS] = {{{0}}};
    for (size_t i = 0; i < n; i += MOTION_LANES)
        for (int k = 0; k < PARTS; k++)
            for (size_t a = 0; a < 3; a++) {
                size_t at = a * stride + i + (size_t)(k * PART);
                sum[a][k] += *(const part_u *)(now + at) * *(const part_u *)(then + at);
            }
    for (int a = 0; a < 3; a++)
        to[a] = total(sum[a]);
}

static inline __attribute__((always_inline)) void
squares(size_t n, size_t stride, const double *now, const double *then, int fourth, double to[4])
{
    part sum[4][PARTS] = {{{0}}};
    for (size_t i = 0; i < n; i += MOTION_LANES)
        for (int k = 0; k < PARTS; k++) {
            part r2 = {0};
            for (size_t a = 0; a < 3; a++) {
                size_t at = a * stride + i + (size_t)(k * PART);
                part d = *(const part_u *)(now + at) - *(const part_u *)(then + at), d2 = d * d;
                sum[a][k] += d2;
                r2 += d2;
            }
            if (fourth)
                sum[3][k] += r2 * r2;
        }
    for (int a = 0; a < 4; a++)
        to[a] = total(sum[a]);
}

void SIMD_NAME(motion_squares)(size_t n, size_t stride, const double *now, const double *then,
                               int fourth, double to[4])
{
    if (fourth)
        squares(n, stride, now, then, 1, to);
    else
        squares(n, stride, now, then, 0, to);
}
