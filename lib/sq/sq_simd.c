/* SPDX-License-Identifier: MIT */
/* sq_simd.c: density waves of a block of atoms. Built for three levels (simd.h); eight partial sums
 * at every level, so that all give the same bits. */
#include <string.h>

#include "sq/sq_phase.h"
#include "sq/sq_tile.h"

typedef double lanes __attribute__((vector_size(64)));
#define LANES 8

static inline double total(const lanes *v)
{
    const lanes a = *v;
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

/* c = a b, or a conj(b), of n complex numbers, real parts before imaginary ones. */
static inline void times(size_t n, double (*restrict c)[SQ_BLOCK], const double (*a)[SQ_BLOCK],
                         const double (*b)[SQ_BLOCK], double sign)
{
    for (size_t i = 0; i < n; i++) {
        double ar = a[0][i], ai = a[1][i], br = b[0][i], bi = sign * b[1][i];
        c[0][i] = ar * br - ai * bi;
        c[1][i] = ar * bi + ai * br;
    }
}

/* Powers 0 to highest along one axis; beyond the atoms, up to n, all are 0. */
static void powers(const struct sq_tile *t, int axis, size_t n)
{
    double(*e)[SQ_BLOCK] = t->e[axis];
    int32_t highest = t->w->highest[axis];
    memset(e, 0, (highest ? 4 : 2) * sizeof *e);
    for (size_t i = 0; i < t->atoms; i++)
        e[0][i] = 1.0;
    for (size_t i = 0; highest && i < t->atoms; i++)
        sq_phase(t->s[axis][i], &e[2][i], &e[3][i]);
    for (int32_t p = 2; p <= highest; p++)
        times(n, e + 2 * p, (const double(*)[SQ_BLOCK])e + 2 * (p / 2),
              (const double(*)[SQ_BLOCK])e + 2 * (p - p / 2), 1.0);
}

/* The sums for l and -l at once, of n atoms: four products serve both. */
static inline void both(size_t n, const double (*xy)[SQ_BLOCK], const double (*z)[SQ_BLOCK],
                        double plus[2], double minus[2])
{
    lanes rr = {0}, ii = {0}, ri = {0}, ir = {0};
    for (size_t i = 0; i < n; i += LANES) {
        const lanes xr = *(const lanes *)&xy[0][i], xi = *(const lanes *)&xy[1][i],
                    zr = *(const lanes *)&z[0][i], zi = *(const lanes *)&z[1][i];
        rr += xr * zr;
        ii += xi * zi;
        ri += xr * zi;
        ir += xi * zr;
    }
    double a = total(&rr), b = total(&ii), c = total(&ri), d = total(&ir);
    plus[0] = a - b;
    plus[1] = c + d;
    minus[0] = a + b;
    minus[1] = d - c;
}

void SIMD_NAME(sq_tile)(const struct sq_tile *t)
{
    size_t n = (t->atoms + LANES - 1) / LANES * LANES;
    const int32_t(*hkl)[3] = (const int32_t(*)[3])t->w->hkl;
    for (int a = 0; a < 3; a++)
        powers(t, a, n);
    for (size_t v = 0; v < t->w->n; v++) {
        int32_t h = hkl[v][0], k = hkl[v][1], l = hkl[v][2];
        bool same = v && hkl[v - 1][0] == h && hkl[v - 1][1] == k;
        if (!same)
            times(n, t->xy, (const double(*)[SQ_BLOCK])t->e[0] + 2 * h,
                  (const double(*)[SQ_BLOCK])t->e[1] + 2 * (k < 0 ? -k : k), k < 0 ? -1.0 : 1.0);
        double sum[2][2], *rho = t->rho + 2 * v;
        both(n, (const double(*)[SQ_BLOCK])t->xy,
             (const double(*)[SQ_BLOCK])t->e[2] + 2 * (l < 0 ? -l : l), sum[0], sum[1]);
        memcpy(rho, sum[l < 0], sizeof *sum);
        if (l > 0 && v + 1 < t->w->n && hkl[v + 1][0] == h && hkl[v + 1][1] == k &&
            hkl[v + 1][2] == -l) {
            memcpy(rho + 2, sum[1], sizeof *sum);
            v++;
        }
    }
}
