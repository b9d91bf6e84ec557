/* SPDX-License-Identifier: MIT */
/* This is the inner loop of the method `direct`. It handles 16 pairs p times 16 pairs q and n
 * steps, sorted by the number of shared atoms. */
#include "base/simd_vec.h"
#include "g4/g4_engine.h"

SIMD_VECTOR(v8, double, 8);
SIMD_VECTOR(i8, int64_t, 8);

#define GROUP 4 /* number of pairs p at a time */

void SIMD_NAME(g4_products)(const double *x, const double *y, size_t n, const struct g4_atoms *p,
                            const struct g4_atoms *q, double *out)
{
    for (size_t p0 = 0; p0 < G4_LANES; p0 += GROUP) {
        v8 a[GROUP][2];
#pragma GCC unroll 4
        for (int k = 0; k < GROUP; k++)
            a[k][0] = a[k][1] = (v8){0};
        for (size_t t = 0; t < n; t++) {
            v8 y0 = *(const v8_u *)(y + t * G4_LANES),
               y1 = *(const v8_u *)(y + t * G4_LANES + G4_HALF);
#pragma GCC unroll 4
            for (int k = 0; k < GROUP; k++) {
                double xk = x[t * G4_LANES + p0 + (size_t)k];
                a[k][0] += xk * y0;
                a[k][1] += xk * y1;
            }
        }
        for (int k = 0; k < GROUP; k++)
            for (size_t h = 0; h < 2; h++) {
                i8 qi = *(const i8_u *)(q->i + h * G4_HALF),
                   qj = *(const i8_u *)(q->j + h * G4_HALF);
                int64_t pi = p->i[p0 + (size_t)k], pj = p->j[p0 + (size_t)k];
                i8 shared = -((qi == pi) + (qi == pj) + (qj == pi) + (qj == pj));
                *(v8_u *)(out + h * G4_HALF) += a[k][h];
                for (int f = 1; f < G4_NFUNCTIONS; f++) /* for pairs that share 2, 1 or 0 atoms */
                    *(v8_u *)(out + f * G4_LANES + h * G4_HALF) +=
                        (v8)((i8)a[k][h] & (shared == 3 - f));
            }
    }
}
