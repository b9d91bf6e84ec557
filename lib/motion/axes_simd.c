/* SPDX-License-Identifier: MIT */
/* axes_simd.c: unit vectors, compiled for three levels (simd.h). All levels give the same bits. */
#include <math.h>

#include "motion/axes_unit.h"

void SIMD_NAME(axes_unit)(size_t n, bool f64, double u[restrict AXES_VALUES][AXES_SOME],
                          double length[restrict AXES_SOME])
{
    for (size_t k = 0; k < n; k++)
        length[k] = sqrt(u[0][k] * u[0][k] + u[1][k] * u[1][k] + u[2][k] * u[2][k]);
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < n; k++)
            u[a][k] /= length[k];
    for (size_t a = 0; a < 3 && !f64; a++)
        for (size_t k = 0; k < n; k++)
            u[a][k] = (float)u[a][k]; /* both methods use this value */
    for (size_t c = 0; c < AXES_RANK2; c++)
        for (size_t k = 0; k < n; k++)
            u[3 + c][k] = axes_rank2(c, u[axes_first[c]][k], u[axes_second[c]][k]);
}
