/* SPDX-License-Identifier: MIT */
/* alpha_waves_simd.c: computes the fields of dipoles from waves, one rod (n0, n1, all n2) at a
 * time. It first computes the amplitudes of eight waves over all sites, then their fields at eight
 * sites. Each wave and each site has its own lane, so every SIMD level gives the same bits. */
#include <string.h>

#include "alpha/alpha_field.h"
#include "base/simd_vec.h"

#define WIDTH SIMD_DOUBLES
SIMD_VECTOR(vec, double, WIDTH);

/* Computes k mu, and the phases of a rod at all sites without the factor of n2. */
static void begin(const struct alpha_waves *w, const struct alpha_rod *r, const double *nu)
{
    size_t n = w->stride;
    int n1 = r->n1 < 0 ? -r->n1 : r->n1;
    const double *x = w->power[0] + 2 * (size_t)r->n0 * n, *y = w->power[1] + 2 * (size_t)n1 * n;
    double sign = r->n1 < 0 ? -1.0 : 1.0, n0 = r->n0;
    for (size_t i = 0; i < n; i++) {
        double yi = sign * y[n + i];
        w->xy[i] = x[i] * y[i] - x[n + i] * yi;
        w->xy[n + i] = x[i] * yi + x[n + i] * y[i];
    }
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < n; i++)
            w->along[d * n + i] = n0 * nu[3 * d * n + i] + (double)r->n1 * nu[(3 * d + 1) * n + i];
}

/* Computes the phases exp(i k r) at the sites, p for n2 and q for -n2, from those of xy and n2. */
#define PHASES(xr, xi, zr, zi)                                                                     \
    vec rr = (xr) * (zr), ii = (xi) * (zi), ri = (xr) * (zi), ir = (xi) * (zr);                    \
    vec pr = rr - ii, pi = ri + ir, qr = rr + ii, qi = ir - ri

/* Computes the weighted amplitudes of n2 = first, first + 1, ... */
HOT void forth(const struct alpha_waves *w, const struct alpha_rod *r, const double *nu,
               size_t first)
{
    size_t n = w->stride, lanes = w->lanes;
    const double *z = w->across + first, *xr = w->xy, *xi = w->xy + n, *m = w->along;
    double count[WIDTH];
    vec p[3][2] = {{{0}}}, q[3][2] = {{{0}}};
    for (int l = 0; l < WIDTH; l++)
        count[l] = (double)(first + (size_t)l);
    const vec n2 = LOAD(count);
    for (size_t i = 0; i < w->n; i++, z += 2 * lanes) {
        PHASES(xr[i], xi[i], LOAD(z), LOAD(z + lanes));
        for (size_t d = 0; d < 3; d++) {
            vec more = n2 * nu[(3 * d + 2) * n + i];
            vec up = m[d * n + i] + more, down = m[d * n + i] - more;
            p[d][0] += pr * up;
            p[d][1] += pi * up;
            q[d][0] += qr * down;
            q[d][1] += qi * down;
        }
    }
    for (size_t d = 0; d < 3; d++)
        for (size_t c = 0; c < 2; c++) {
            double *to = w->sum + (2 * d + c) * lanes + first;
            STORE(to) = p[d][c] * LOAD(r->weight + first);
            STORE(to + 6 * lanes) = q[d][c] * LOAD(r->weight + lanes + first);
        }
}

/* Computes the fields of the waves of the rod at sites i, i + 1, ... */
HOT void back(const struct alpha_waves *w, const struct alpha_rod *r, size_t i, double *field)
{
    size_t n = w->stride, lanes = w->lanes;
    const double *z = w->power[2] + i;
    vec xr = LOAD(w->xy + i), xi = LOAD(w->xy + n + i), u[3] = {{0}}, v[3] = {{0}};
    for (int n2 = 0; n2 <= r->last; n2++, z += 2 * n) {
        const double *s = w->sum + n2;
        PHASES(xr, xi, LOAD(z), LOAD(z + n));
        for (size_t d = 0; d < 3; d++, s += 2 * lanes) {
            vec up = pr * s[0] + pi * s[lanes], down = qr * s[6 * lanes] + qi * s[7 * lanes];
            u[d] += up + down;
            v[d] += (double)n2 * (up - down);
        }
    }
    for (size_t d = 0; d < 3; d++) {
        double *to = field + 3 * d * n + i;
        STORE(to) = LOAD(to) + (double)r->n0 * u[d];
        STORE(to + n) = LOAD(to + n) + (double)r->n1 * u[d];
        STORE(to + 2 * n) = LOAD(to + 2 * n) + v[d];
    }
}

void SIMD_NAME(alpha_waves)(const struct alpha_waves *w, const double *nu, double *field)
{
    for (size_t k = 0; k < w->rods; k++) {
        const struct alpha_rod *r = &w->rod[k];
        begin(w, r, nu);
        for (size_t first = 0; first <= (size_t)r->last; first += WIDTH)
            forth(w, r, nu, first);
        for (size_t i = 0; i < w->n; i += WIDTH)
            back(w, r, i, field);
    }
}
