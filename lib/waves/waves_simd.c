/* SPDX-License-Identifier: MIT */
/* waves_simd.c: computes density waves of a block of atoms, built for three SIMD levels (simd.h).
 * Every level uses eight partial sums, so all levels give the same bits. */
#include <stdlib.h>
#include <string.h>

#include "base/cis.h"
#include "base/simd_vec.h"
#include "waves/waves_tile.h"

#define LANES 8
#define PART (SIMD_LEVEL == 4 ? 8 : SIMD_LEVEL == 3 ? 4 : 2) /* partial sums per register */
#define COLUMNS                                                                                    \
    (SIMD_LEVEL == 4 ? 4 : 2) /* values of |l| at a time, whose sums fit into the registers */
SIMD_VECTOR(part, double, PART);

static inline double total(const double *a)
{
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

/* Sets c to a b, or to a conj(b), for n complex numbers, with separate real and imaginary parts. */
static inline void times(size_t n, double (*restrict c)[WAVES_PIECE],
                         const double (*a)[WAVES_PIECE], const double (*b)[WAVES_PIECE],
                         double sign)
{
    for (size_t i = 0; i < n; i++) {
        double ar = a[0][i], ai = a[1][i], br = b[0][i], bi = sign * b[1][i];
        c[0][i] = ar * br - ai * bi;
        c[1][i] = ar * bi + ai * br;
    }
}

/* Computes the powers that waves need along one axis. Elements after the atoms, up to n, are 0. */
static void powers(const struct waves_tile *t, int axis, size_t n)
{
    double(*e)[WAVES_PIECE] = t->e[axis];
    const struct waves_powers *w = &t->p[axis];
    memset(e, 0, (w->n > 1 ? 4 : 2) * sizeof *e);
    for (size_t i = 0; i < t->atoms; i++)
        e[0][i] = 1.0;
    for (size_t i = 0; w->n > 1 && i < t->atoms; i++)
        cis_2pi(t->s[axis][i], &e[2][i], &e[3][i]);
    for (size_t k = 2; k < w->n; k++) {
        int32_t half = w->power[k] / 2;
        times(n, e + 2 * k, (const double(*)[WAVES_PIECE])e + 2 * w->at[half],
              (const double(*)[WAVES_PIECE])e + 2 * w->at[w->power[k] - half], 1.0);
    }
}

/* Computes the sums for l and -l of n atoms from the same four products. The powers l of each
 * column are z. */
static inline void both(size_t n, const double (*xy)[WAVES_PIECE],
                        const double (*const z[COLUMNS])[WAVES_PIECE], double to[COLUMNS][2][2])
{
    double sum[COLUMNS][4][LANES];
    for (int p = 0; p < LANES; p += PART) {
        part rr[COLUMNS] = {0}, ii[COLUMNS] = {0}, ri[COLUMNS] = {0}, ir[COLUMNS] = {0};
        for (size_t i = (size_t)p; i < n; i += LANES) {
            const part xr = *(const part_u *)&xy[0][i], xi = *(const part_u *)&xy[1][i];
            for (int c = 0; c < COLUMNS; c++) {
                const part zr = *(const part_u *)&z[c][0][i], zi = *(const part_u *)&z[c][1][i];
                rr[c] += xr * zr;
                ii[c] += xi * zi;
                ri[c] += xr * zi;
                ir[c] += xi * zr;
            }
        }
        for (int c = 0; c < COLUMNS; c++) {
            *(part_u *)&sum[c][0][p] = rr[c];
            *(part_u *)&sum[c][1][p] = ii[c];
            *(part_u *)&sum[c][2][p] = ri[c];
            *(part_u *)&sum[c][3][p] = ir[c];
        }
    }
    for (int k = 0; k < COLUMNS; k++) {
        double a = total(sum[k][0]), b = total(sum[k][1]), c = total(sum[k][2]),
               d = total(sum[k][3]);
        to[k][0][0] = a - b;
        to[k][0][1] = c + d;
        to[k][1][0] = a + b;
        to[k][1][1] = d - c;
    }
}

/* Returns the number of vectors from v on with the same h and k as v. */
static size_t rod_length(const struct waves *w, size_t v)
{
    size_t n = 1;
    while (v + n < w->n && w->hkl[v + n][0] == w->hkl[v][0] && w->hkl[v + n][1] == w->hkl[v][1])
        n++;
    return n;
}

/* Processes vectors [v, end) with the same h and k. The array xy is the product of their phases for
 * each atom. */
static void rod(const struct waves_tile *t, size_t n, const double (*xy)[WAVES_PIECE], size_t v,
                size_t end, double *rho)
{
    const int32_t(*hkl)[3] = (const int32_t(*)[3])t->w->hkl;
    for (size_t at = v, next; at < end;) {
        const double(*z[COLUMNS])[WAVES_PIECE];
        double sum[COLUMNS][2][2];
        int32_t column[COLUMNS];
        next = at;
        for (int c = 0; c < COLUMNS; c++) { /* repeats the last value after the end */
            column[c] = abs(hkl[next < end ? next : end - 1][2]);
            z[c] = (const double(*)[WAVES_PIECE])t->e[2] + 2 * t->p[2].at[column[c]];
            while (next < end && abs(hkl[next][2]) == column[c])
                next++;
        }
        both(n, xy, z, sum);
        for (int c = 0; at < next; at++) {
            while (column[c] != abs(hkl[at][2]))
                c++;
            memcpy(rho + 2 * at, sum[c][hkl[at][2] < 0], sizeof **sum);
        }
    }
}

void SIMD_NAME(waves_tile)(const struct waves_tile *t)
{
    size_t n = (t->atoms + LANES - 1) / LANES * LANES;
    const int32_t(*hkl)[3] = (const int32_t(*)[3])t->w->hkl;
    for (int a = 0; a < 3; a++)
        powers(t, a, n);
    for (size_t v = 0, end; v < t->w->n; v = end) {
        int32_t h = hkl[v][0], k = hkl[v][1];
        end = v + rod_length(t->w, v);
        times(n, t->xy, (const double(*)[WAVES_PIECE])t->e[0] + 2 * t->p[0].at[h],
              (const double(*)[WAVES_PIECE])t->e[1] + 2 * t->p[1].at[abs(k)], k < 0 ? -1.0 : 1.0);
        rod(t, n, (const double(*)[WAVES_PIECE])t->xy, v, end, t->rho);
        for (size_t m = 1; m < t->kinds; m++) {
            for (size_t i = 0; i < n; i++) {
                t->xy[2][i] = t->by[m - 1][i] * t->xy[0][i];
                t->xy[3][i] = t->by[m - 1][i] * t->xy[1][i];
            }
            rod(t, n, (const double(*)[WAVES_PIECE])t->xy + 2, v, end, t->rho + 2 * m * t->w->n);
        }
    }
}
