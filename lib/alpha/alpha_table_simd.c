/* SPDX-License-Identifier: MIT */
/* alpha_table_simd.c: computes the fields of three sets of dipoles from a table of all pairs, which
 * is read once. Every SIMD level processes eight pairs at once in the same order. */
#include <stdint.h>
#include <string.h>

#include "alpha/alpha_field.h"
#include "base/simd_vec.h"

#define LANES ALPHA_LANES
#define WIDTH (SIMD_LEVEL >= 3 ? 8 : 4)
#define PARTS (LANES / WIDTH)
SIMD_VECTOR(vec, float, WIDTH);
SIMD_VECTOR(ivec, int32_t, WIDTH);

HOT vec choose(ivec mask, vec a)
{
    return (vec)(mask & (ivec)a);
}

/* Returns the sum in a fixed order, which is the same on every SIMD level. */
HOT float lanes(const vec *p)
{
    float v[LANES];
    memcpy(v, p, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* Processes the columns of a row that `mask` selects. Component c of T is at row + c step. Adds
 * their field at the site with dipoles `own` to `g`, and adds the field of that site to theirs. */
HOT void columns(const float *row, size_t step, float trace, size_t stride, const ivec *mask,
                 const float own[9], const float *mu, float *out, vec g[9][PARTS])
{
    for (size_t p = 0; p < PARTS; p++, row += WIDTH, mu += WIDTH, out += WIDTH) {
        vec xz = LOAD(row), xy = LOAD(row + step), yz = LOAD(row + 2 * step),
            d = LOAD(row + 3 * step), zz = LOAD(row + 4 * step);
        vec half = 0.5f * zz, xx = (d - half) + trace, yy = trace - (d + half);
        zz += trace;
        if (mask) {
            xz = choose(mask[p], xz);
            xy = choose(mask[p], xy);
            yz = choose(mask[p], yz);
            xx = choose(mask[p], xx);
            yy = choose(mask[p], yy);
            zz = choose(mask[p], zz);
        }
        for (size_t k = 0; k < 9; k += 3) {
            const float *m = mu + k * stride;
            float *o = out + k * stride, ix = own[k], iy = own[k + 1], iz = own[k + 2];
            vec mx = LOAD(m), my = LOAD(m + stride), mz = LOAD(m + 2 * stride);
            g[k][p] += (xx * mx + xy * my) + xz * mz;
            g[k + 1][p] += (xy * mx + yy * my) + yz * mz;
            g[k + 2][p] += (xz * mx + yz * my) + zz * mz;
            STORE(o) = LOAD(o) + ((xx * ix + xy * iy) + xz * iz);
            STORE(o + stride) = LOAD(o + stride) + ((xy * ix + yy * iy) + yz * iz);
            STORE(o + 2 * stride) = LOAD(o + 2 * stride) + ((xz * ix + yz * iy) + zz * iz);
        }
    }
}

void SIMD_NAME(alpha_table)(size_t n, size_t stride, const float *table, float trace,
                            const float *mu, float *out)
{
    size_t npairs = n * (n - 1) / 2;
    memset(out, 0, 9 * stride * sizeof *out);
    for (size_t i = 0, at = 0; i + 1 < n; i++, at += n - i) {
        size_t j = (i + 1) / LANES * LANES;
        const float *row = table + at - (i + 1 - j);
        float own[9];
        int32_t after[LANES];
        ivec mask[PARTS];
        vec g[9][PARTS] = {{{0}}};
        for (size_t l = 0; l < LANES; l++)
            after[l] = j + l > i ? -1 : 0;
        memcpy(mask, after, sizeof mask);
        for (size_t k = 0; k < 9; k++)
            own[k] = mu[k * stride + i];
        columns(row, npairs, trace, stride, mask, own, mu + j, out + j, g);
        for (j += LANES, row += LANES; j < n; j += LANES, row += LANES)
            columns(row, npairs, trace, stride, NULL, own, mu + j, out + j, g);
        for (size_t k = 0; k < 9; k++)
            out[k * stride + i] += lanes(g[k]);
    }
}
