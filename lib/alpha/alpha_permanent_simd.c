/* SPDX-License-Identifier: MIT */
/* alpha_permanent_simd.c: computes the field of permanent moments from the waves of a rod (n0, n1,
 * all n2). It first computes the amplitudes of all waves, and then their fields at the sites. Every
 * SIMD level processes eight sites at a time and adds numbers in the same order. */
#include <string.h>

#include "alpha/alpha_permanent.h"
#include "base/simd_vec.h"

#define LANES ALPHA_LANES
#define WIDTH SIMD_DOUBLES
#define PARTS (LANES / WIDTH)
SIMD_VECTOR(vec, double, WIDTH);

/* Computes the phases of a rod at all sites, without the factor of n2. */
static void begin(const struct alpha_rod *r, const struct alpha_phases *p)
{
    size_t n = p->stride;
    size_t n1 = (size_t)(r->n1 < 0 ? -r->n1 : r->n1);
    const double *x = p->power[0] + 2 * (size_t)r->n0 * n, *y = p->power[1] + 2 * n1 * n;
    const double sign = r->n1 < 0 ? -1.0 : 1.0;
    for (size_t i = 0; i < p->n; i += WIDTH) {
        vec xr = LOAD(x + i), xi = LOAD(x + n + i), yr = LOAD(y + i), yi = sign * LOAD(y + n + i);
        STORE(p->xy + i) = xr * yr - xi * yi;
        STORE(p->xy + n + i) = xr * yi + xi * yr;
    }
}

/* The amplitude of a site at n2 is (c[0] + n2 c[1] - n2² Q22) + i (c[3] + n2 m2). */
static void moments(const struct alpha_rod *r, size_t n, size_t w, const double *m, double *c)
{
    double n0 = r->n0, n1 = r->n1;
    for (size_t i = 0; i < n; i += WIDTH, m += WIDTH, c += WIDTH) {
        vec xx = LOAD(m + 4 * w), xy = LOAD(m + 5 * w), xz = LOAD(m + 6 * w), yy = LOAD(m + 7 * w),
            yz = LOAD(m + 8 * w);
        STORE(c) = LOAD(m) - ((n0 * n0 * xx + 2.0 * n0 * n1 * xy) + n1 * n1 * yy);
        STORE(c + w) = -2.0 * (n0 * xz + n1 * yz);
        STORE(c + 2 * w) = n0 * LOAD(m + w) + n1 * LOAD(m + 2 * w);
    }
}

/* Returns the sum in a fixed order, which is the same on every SIMD level. */
HOT double lanes_of(const vec *p)
{
    double v[LANES];
    memcpy(v, p, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* Computes the phases exp(i k r) at the sites, p for n2 and q for -n2, from those of xy and n2. */
#define PHASES(xr, xi, zr, zi)                                                                     \
    vec rr = (xr) * (zr), ii = (xi) * (zi), ri = (xr) * (zi), ir = (xi) * (zr);                    \
    vec pr = rr - ii, pi = ri + ir, qr = rr + ii, qi = ir - ri

/* Computes the amplitudes of n2 and -n2, times their weights. */
HOT void forth(const struct alpha_rod *r, size_t lanes, const struct alpha_phases *f, int n2,
               const double *m, const double *c, int charges, double *sum)
{
    size_t w = f->stride;
    const double *z = f->power[2] + 2 * (size_t)n2 * w;
    vec s[4][PARTS] = {{{0}}};
    double up = r->weight[n2], down = r->weight[lanes + (size_t)n2];
    for (size_t i = 0; i < f->n; i += LANES)
        for (size_t p = 0; p < PARTS; p++) {
            size_t k = i + p * WIDTH;
            PHASES(LOAD(f->xy + k), LOAD(f->xy + w + k), LOAD(z + k), LOAD(z + w + k));
            if (charges) {
                vec q = LOAD(m + k);
                s[0][p] += q * pr;
                s[1][p] += q * pi;
                s[2][p] += q * qr;
                s[3][p] += q * qi;
                continue;
            }
            double t = n2;
            vec even = LOAD(c + k) - t * t * LOAD(m + 9 * w + k), odd = t * LOAD(c + w + k),
                a = even + odd, b = even - odd, mean = LOAD(c + 2 * w + k),
                slope = t * LOAD(m + 3 * w + k), x = mean + slope, y = mean - slope;
            s[0][p] += a * pr - x * pi;
            s[1][p] += a * pi + x * pr;
            s[2][p] += b * qr - y * qi;
            s[3][p] += b * qi + y * qr;
        }
    for (size_t k = 0; k < 4; k++)
        sum[k * lanes + (size_t)n2] = (k < 2 ? up : down) * lanes_of(s[k]);
}

/* Computes the fields of the waves of the rod at sites i, i + 1, ... */
HOT void back(const struct alpha_rod *r, size_t lanes, const struct alpha_phases *t, size_t i,
              const double *sum, double *field)
{
    size_t w = t->stride;
    const double *z = t->power[2] + i;
    vec xr = LOAD(t->xy + i), xi = LOAD(t->xy + w + i), u = {0}, v = {0};
    for (int n2 = 0; n2 <= r->last; n2++, z += 2 * w) {
        const double *s = sum + n2;
        PHASES(xr, xi, LOAD(z), LOAD(z + w));
        vec up = pr * s[lanes] - pi * s[0], down = qr * s[3 * lanes] - qi * s[2 * lanes];
        u += up + down;
        v += (double)n2 * (up - down);
    }
    STORE(field + i) = LOAD(field + i) + (double)r->n0 * u;
    STORE(field + w + i) = LOAD(field + w + i) + (double)r->n1 * u;
    STORE(field + 2 * w + i) = LOAD(field + 2 * w + i) + v;
}

void SIMD_NAME(alpha_permanent_rod)(const struct alpha_rod *r, size_t lanes,
                                    const struct alpha_phases *from, const struct alpha_phases *to,
                                    const double *moment, int charges, double *scratch, double *sum,
                                    double *field)
{
    begin(r, from);
    begin(r, to);
    if (!charges)
        moments(r, from->n, from->stride, moment, scratch);
    for (int n2 = 0; n2 <= r->last; n2++)
        if (charges)
            forth(r, lanes, from, n2, moment, scratch, 1, sum);
        else
            forth(r, lanes, from, n2, moment, scratch, 0, sum);
    for (size_t i = 0; i < to->n; i += WIDTH)
        back(r, lanes, to, i, sum, field);
}
