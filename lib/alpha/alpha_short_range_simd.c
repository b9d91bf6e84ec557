/* SPDX-License-Identifier: MIT */
/* alpha_short_range_simd.c: a row of short-range pairs: first what all sets of dipoles need, then
 * the
 * fields in both directions. Every level takes eight pairs at a time and adds in the same order. */
#include <math.h>
#include <string.h>

#include "alpha/alpha_field.h"
#include "base/simd_vec.h"

#define LANES ALPHA_LANES
#define WIDTH SIMD_DOUBLES
#define PARTS (LANES / WIDTH)
SIMD_VECTOR(vec, double, WIDTH);
SIMD_VECTOR(ivec, int64_t, WIDTH);

#define ROUND 6755399441055744.0 /* 1.5 2⁵²: adding and subtracting it rounds */

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

/* d of site i and sites j, j + 1, ... */
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

/* 3 G and B of pairs in range. */
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

/* Computes pairs of i and j, j + 1, ... in the range for a row; returns whether any counts. */
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

/* Sum in a fixed order, the same on every level. */
HOT double lanes(const vec *p)
{
    double v[LANES];
    memcpy(v, p, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* Eight pairs: adds their fields at i to g, and the field of i to theirs. */
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
