/* SPDX-License-Identifier: MIT */
/* alpha_short_range_simd.c: computes a row of short-range pairs. It first computes the vectors and
 * factors that are the same for all sets of dipoles, and then the fields in both directions. Every
 * SIMD level processes eight pairs at a time and adds numbers in the same order. */
#include <math.h>
#include <string.h>

#include "alpha/alpha_field.h"
#include "base/simd_vec.h"

#define LANES ALPHA_LANES
#define WIDTH SIMD_DOUBLES
#define PARTS (LANES / WIDTH)
SIMD_VECTOR(vec, double, WIDTH);
SIMD_VECTOR(ivec, int64_t, WIDTH);

#define ROUND 6755399441055744.0 /* 1.5 2⁵²; adding and then subtracting it rounds a number */

HOT vec choose(ivec mask, vec a)
{
    return (vec)(mask & (ivec)a);
}

HOT vec root(vec a)
{
    double v[WIDTH];
    memcpy(v, &a, sizeof v);
    for (int l = 0; l < WIDTH; l++)
        v[l] = sqrt(v[l]);
    memcpy(&a, v, sizeof a);
    return a;
}

/* Computes the vectors d between site i and sites j, j + 1, ... */
HOT void differences(const struct alpha_short_range *a, const double i[3], size_t j, vec d[3])
{
    vec f[3];
    for (size_t c = 0; c < 3; c++) {
        d[c] = i[c] - LOAD(a->at + c * a->stride + j);
        f[c] = d[c] - ((d[c] + ROUND) - ROUND);
    }
    if (a->cell == 1)
        for (int c = 0; c < 3; c++)
            d[c] = f[c] * a->h[c][c];
    if (a->cell == 2)
        for (int c = 0; c < 3; c++)
            d[c] = (f[0] * a->h[0][c] + f[1] * a->h[1][c]) + f[2] * a->h[2][c];
}

/* Computes the factors 3 G and B of the pairs in range. */
HOT void weigh(const struct alpha_short_range *a, vec r2, ivec in, vec *g3, vec *b)
{
    vec one = choose(~in, (vec){0} + 1.0);
    r2 = choose(in, r2) + one;
    vec g = 1.0 / ((r2 * r2) * root(r2)), rho = {0};
    if (a->terms > 0) {
        vec v = r2 * (2.0 / a->r2) - 1.0, q = (vec){0} + a->q[a->terms - 1];
        rho += a->rho[a->terms - 1];
        for (int k = a->terms - 2; k >= 0; k--) {
            q = q * v + a->q[k];
            rho = rho * v + a->rho[k];
        }
        g -= q;
    }
    g = choose(in, g);
    *g3 = 3.0 * g;
    *b = choose(in, r2 * g - rho);
}

/* Computes the pairs of site i with sites j, j + 1, ... in the range for a row. Returns whether any
 * pair is in range. */
HOT int pairs(const struct alpha_short_range *a, const double i[3], size_t j,
              const struct near_range *range, double *row)
{
    static const double count[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    double min = (double)range->from - (double)j, max = (double)range->to - (double)j;
    vec d[PARTS][3], r2[PARTS];
    ivec in[PARTS], any = {0};
    for (size_t p = 0; p < PARTS; p++) {
        differences(a, i, j + p * WIDTH, d[p]);
        r2[p] = (d[p][0] * d[p][0] + d[p][1] * d[p][1]) + d[p][2] * d[p][2];
        vec l = LOAD(count + p * WIDTH);
        in[p] = (r2[p] < a->r2) & (l >= min) & (l < max);
        any |= in[p];
    }
    int64_t some = 0;
    for (int l = 0; l < WIDTH; l++)
        some |= any[l];
    if (!some)
        return 0;
    for (size_t p = 0; p < PARTS; p++) {
        vec g3, b;
        weigh(a, r2[p], in[p], &g3, &b);
        for (size_t c = 0; c < 3; c++)
            STORE(row + c * LANES + p * WIDTH) = d[p][c];
        STORE(row + 3 * LANES + p * WIDTH) = g3;
        STORE(row + 4 * LANES + p * WIDTH) = b;
    }
    return 1;
}

/* Returns the sum in a fixed order, which is the same on every SIMD level. */
HOT double lanes(const vec *p)
{
    double v[LANES];
    memcpy(v, p, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* For eight pairs, adds the field of the sites j at site i to `g`. Adds the field of site i to the
 * fields at the sites j. */
HOT void both(const double *row, const double *m, double *o, size_t stride, double ix, double iy,
              double iz, vec g[3][PARTS])
{
    for (size_t p = 0; p < PARTS; p++, row += WIDTH, m += WIDTH, o += WIDTH) {
        vec x = LOAD(row), y = LOAD(row + LANES), z = LOAD(row + 2 * LANES),
            g3 = LOAD(row + 3 * LANES), b = LOAD(row + 4 * LANES);
        vec mx = LOAD(m), my = LOAD(m + stride), mz = LOAD(m + 2 * stride);
        vec to = g3 * ((x * mx + y * my) + z * mz), from = g3 * ((x * ix + y * iy) + z * iz);
        g[0][p] += x * to - b * mx;
        g[1][p] += y * to - b * my;
        g[2][p] += z * to - b * mz;
        STORE(o) = LOAD(o) + (x * from - b * ix);
        STORE(o + stride) = LOAD(o + stride) + (y * from - b * iy);
        STORE(o + 2 * stride) = LOAD(o + 2 * stride) + (z * from - b * iz);
    }
}

/* Evaluates a polynomial whose number of terms is a multiple of four, in four independent sums. */
HOT vec poly(const double *p, int terms, vec v)
{
    vec v2 = v * v, v4 = v2 * v2, a[4];
    for (int c = 0; c < 4; c++)
        a[c] = (vec){0} + p[terms - 4 + c];
    for (int k = terms - 8; k >= 0; k -= 4)
        for (int c = 0; c < 4; c++)
            a[c] = a[c] * v4 + p[k + c];
    return (a[0] + a[1] * v) + (a[2] + a[3] * v) * v2;
}

/* Adds the field of the permanent sites j to j + WIDTH - 1 that `in` selects. */
HOT void permanent(const struct alpha_short_range *a, const double at[3], size_t j, ivec in,
                   const double *m, int charges, vec e[3])
{
    size_t w = a->stride;
    vec d[3];
    differences(a, at, j, d);
    vec r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    int64_t some = 0;
    in &= r2 < a->r2;
    for (int k = 0; k < WIDTH; k++)
        some |= in[k];
    if (!some)
        return;
    r2 = choose(in, r2) + choose(~in, (vec){0} + 1.0);
    vec v = r2 * (2.0 / a->r2) - 1.0, y = 1.0 / root(r2), y2 = y * y, b = y * y2;
    const vec b0 = b;
    if (a->terms > 0)
        b -= poly(a->p, a->even, v);
    b = choose(in, b);
    vec along = LOAD(m) * b;
    if (!charges) {
        vec g = b0 * y2, h = 5.0 * (g * y2);
        if (a->terms > 0) {
            g -= poly(a->q, a->even, v);
            h += poly(a->slope, a->even, v);
        }
        g = choose(in, g);
        h = choose(in, h);
        vec p[3] = {LOAD(m + w), LOAD(m + 2 * w), LOAD(m + 3 * w)};
        vec xx = LOAD(m + 4 * w), xy = LOAD(m + 5 * w), xz = LOAD(m + 6 * w), yy = LOAD(m + 7 * w),
            yz = LOAD(m + 8 * w), zz = LOAD(m + 9 * w);
        vec t[3] = {(xx * d[0] + xy * d[1]) + xz * d[2], (xy * d[0] + yy * d[1]) + yz * d[2],
                    (xz * d[0] + yz * d[1]) + zz * d[2]};
        along += 3.0 * g * ((p[0] * d[0] + p[1] * d[1]) + p[2] * d[2]) +
                 h * ((t[0] * d[0] + t[1] * d[1]) + t[2] * d[2]);
        for (int c = 0; c < 3; c++)
            e[c] -= b * p[c] + 2.0 * g * t[c];
    }
    for (int c = 0; c < 3; c++)
        e[c] += along * d[c];
}

HOT void permanents(const struct alpha_short_range *a, const double at[3], double own,
                    const struct near_range *r, size_t ranges, const double *moment, int charges,
                    double out[3])
{
    static const double count[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    vec e[PARTS][3] = {{{0}}}, sum[PARTS];
    for (size_t k = 0; k < ranges; k++)
        for (size_t j = r[k].from / LANES * LANES; j < r[k].to; j += LANES)
            for (size_t p = 0; p < PARTS; p++) {
                size_t i = j + p * WIDTH;
                vec l = LOAD(count + p * WIDTH) + (double)j;
                ivec in =
                    (l >= (double)r[k].from) & (l < (double)r[k].to) & (LOAD(a->owner + i) != own);
                permanent(a, at, i, in, moment + i, charges, e[p]);
            }
    for (int c = 0; c < 3; c++) {
        for (size_t p = 0; p < PARTS; p++)
            sum[p] = e[p][c];
        out[c] += lanes(sum);
    }
}

void SIMD_NAME(alpha_permanent_row)(const struct alpha_short_range *a, const double at[3],
                                    double own, const struct near_range *r, size_t ranges,
                                    const double *moment, int charges, double out[3])
{
    if (charges)
        permanents(a, at, own, r, ranges, moment, 1, out);
    else
        permanents(a, at, own, r, ranges, moment, 0, out);
}

void SIMD_NAME(alpha_short_range_row)(const struct alpha_short_range *a, size_t i,
                                      const struct near_range *r, size_t ranges, const double *mu,
                                      double *out)
{
    size_t stride = a->stride, rows = 0;
    const double at[3] = {a->at[i], a->at[stride + i], a->at[2 * stride + i]};
    for (size_t k = 0; k < ranges; k++)
        for (size_t j = r[k].from / LANES * LANES; j < r[k].to; j += LANES)
            if (pairs(a, at, j, &r[k], a->row + rows * ALPHA_SHORT_RANGE_OF * LANES))
                a->first[rows++] = (uint32_t)j;
    for (size_t d = 0; d < 3; d++) {
        const double *m = mu + 3 * d * stride;
        double *o = out + 3 * d * stride, ix = m[i], iy = m[stride + i], iz = m[2 * stride + i];
        vec g[3][PARTS] = {{{0}}};
        for (size_t k = 0; k < rows; k++)
            both(a->row + k * ALPHA_SHORT_RANGE_OF * LANES, m + a->first[k], o + a->first[k],
                 stride, ix, iy, iz, g);
        for (size_t c = 0; c < 3; c++)
            o[c * stride + i] += lanes(g[c]);
    }
}
