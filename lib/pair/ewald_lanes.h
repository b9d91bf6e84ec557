/* SPDX-License-Identifier: MIT */
/* ewald_lanes.h: evaluates the functions of ewald.h for many pairs together, in files X_simd.c.
 * Pairs are in groups of 16, each with its own cell, but all cells share one polynomial. */
#pragma once

#include "pair/ewald.h"

#define EWALD_GROUP 16
#define EWALD_GROUPS 16 /* most groups in a block */
#define EWALD_LANES 256

EWALD_DEFINE(float, f32, 16, BETA_FMA)
EWALD_DEFINE(float, f32, 64, BETA_FMA)
EWALD_DEFINE(double, f64, 16, EWALD_MADD)
EWALD_DEFINE(double, f64, 32, EWALD_MADD)

#ifndef SIMD_LEVEL
#define SIMD_LEVEL 2
#endif
/* Not inlined, because copies would make the programs much larger. */
#define EWALD_CALLED static __attribute__((noinline, unused))

/* Defines a block of pairs, with the differences d as input. The output is s and, for each
 * component, the sum over images, which is later replaced by Q. The general polynomial is evaluated
 * for WIDE pairs together. In double precision, WIDE is half as large, so that the sums stay in
 * registers. */
#define EWALD_BLOCK(T, S, WIDE)                                                                    \
    struct ewald_block_##S {                                                                       \
        T d[3][EWALD_LANES];                                                                       \
        const struct ewald_##S *cell[EWALD_GROUPS];                                                \
        T s[3][EWALD_LANES], q[BETA_NCOMPONENTS][EWALD_LANES], poly[EWALD_LANES];                  \
    };                                                                                             \
    EWALD_CALLED void ewald_any_images_##S(struct ewald_block_##S *b, int groups, int ncomp,       \
                                           const int *component)                                   \
    {                                                                                              \
        T s[3 * EWALD_GROUP], sum[BETA_NCOMPONENTS * EWALD_GROUP];                                 \
        for (int g = 0; g < groups; g++) {                                                         \
            int at = g * EWALD_GROUP;                                                              \
            ewald_images_##S##_16(b->cell[g], ncomp, component, b->d[0] + at, b->d[1] + at,        \
                                  b->d[2] + at, s, sum);                                           \
            for (int l = 0; l < EWALD_GROUP; l++) {                                                \
                for (int k = 0; k < 3; k++)                                                        \
                    b->s[k][at + l] = s[k * EWALD_GROUP + l];                                      \
                for (int c = 0; c < ncomp; c++)                                                    \
                    b->q[c][at + l] = sum[c * EWALD_GROUP + l];                                    \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    EWALD_CALLED void ewald_any_poly_##S(struct ewald_block_##S *b, int lanes, int component)      \
    {                                                                                              \
        T s[3 * WIDE];                                                                             \
        for (int at = 0; at < lanes; at += WIDE) {                                                 \
            for (int l = 0; l < 3 * WIDE; l++)                                                     \
                s[l] = b->s[l / WIDE][at + l % WIDE];                                              \
            ewald_poly_##S##_##WIDE(b->cell[0], component, s, b->poly + at);                       \
        }                                                                                          \
    }                                                                                              \
    EWALD_CALLED void ewald_add_poly_##S(struct ewald_block_##S *b, int groups, int c,             \
                                         int component)                                            \
    {                                                                                              \
        for (int g = 0; g < groups; g++) {                                                         \
            const struct ewald_##S *e = b->cell[g];                                                \
            for (int l = g * EWALD_GROUP; l < (g + 1) * EWALD_GROUP; l++) {                        \
                T x = b->s[0][l], y = b->s[1][l], z = b->s[2][l]; /* leaves no branch */           \
                T one = EWALD_PARITY(component, e->ortho, x, y, z, (T)1);                          \
                b->q[c][l] = EWALD_MADD_##S(b->poly[l], one * e->scale, b->q[c][l]);               \
            }                                                                                      \
        }                                                                                          \
    }
#define EWALD_MADD_f32 BETA_FMA
#define EWALD_MADD_f64 EWALD_MADD

EWALD_BLOCK(float, f32, 64)
EWALD_BLOCK(double, f64, 32)

/* Computes s and the sums over the eight corners, for orthorhombic cells and for compile-time
 * constants `ncomp` and `component`. */
HD void ewald_all_corners_f32(struct ewald_block_f32 *b, int groups, int ncomp,
                              const int *component)
{
    for (int g = 0; g < groups; g++) {
        const struct ewald_f32 *e = b->cell[g];
        const float len[3] = {e->h[0][0], e->h[1][1], e->h[2][2]},
                    inv[3] = {e->inv[0][0], e->inv[1][1], e->inv[2][2]};
        for (int l = g * EWALD_GROUP; l < (g + 1) * EWALD_GROUP; l++) {
            float s[3], sum[BETA_NCOMPONENTS];
            ewald_corners_f32(len, inv, ncomp, component, b->d[0][l], b->d[1][l], b->d[2][l], s,
                              sum);
            for (int k = 0; k < 3; k++)
                b->s[k][l] = s[k];
            for (int c = 0; c < ncomp; c++)
                b->q[c][l] = sum[c];
        }
    }
}

#define EWALD_ALL_P3(D)                                                                            \
    EWALD_CALLED void ewald_all_p3_##D(struct ewald_block_f32 *b, const float *c, int lanes)       \
    {                                                                                              \
        for (int l = 0; l < lanes; l++)                                                            \
            b->poly[l] = ewald_p3_##D(c, b->s[0][l] * b->s[0][l], b->s[1][l] * b->s[1][l],         \
                                      b->s[2][l] * b->s[2][l]);                                    \
    }
#if SIMD_LEVEL > 2
EWALD_ALL_P3(4)
EWALD_ALL_P3(5)
EWALD_ALL_P3(6)
EWALD_ALL_P3(7)
EWALD_ALL_P3(8)
#endif

/* Evaluates the polynomial of one component, with a separate loop for each degree that is typical
 * of liquids. */
HD void ewald_all_poly_f32(struct ewald_block_f32 *b, int lanes, int component)
{
    const struct ewald_f32 *e = b->cell[0];
#if SIMD_LEVEL > 2
    const float *c = e->poly + component * e->nterms;
    switch (e->ortho ? e->degree[component] : 0) {
    case 4: ewald_all_p3_4(b, c, lanes); return;
    case 5: ewald_all_p3_5(b, c, lanes); return;
    case 6: ewald_all_p3_6(b, c, lanes); return;
    case 7: ewald_all_p3_7(b, c, lanes); return;
    case 8: ewald_all_p3_8(b, c, lanes); return;
    default: break;
    }
#endif
    (void)e;
    ewald_any_poly_f32(b, lanes, component);
}

/* Stores Q of ncomp components in b->q, without changing lanes after the last group. */
HD void ewald_block_run_f32(struct ewald_block_f32 *b, int groups, int ncomp, const int *component)
{
    if (SIMD_LEVEL > 2 && ewald_is_corners_f32(b->cell[0])) /* level 2 may emulate fma, slowly */
        ewald_all_corners_f32(b, groups, ncomp, component);
    else
        ewald_any_images_f32(b, groups, ncomp, component);
    for (int c = 0; c < ncomp; c++) {
        ewald_all_poly_f32(b, groups * EWALD_GROUP, component[c]);
        ewald_add_poly_f32(b, groups, c, component[c]);
    }
}

HD void ewald_block_run_f64(struct ewald_block_f64 *b, int groups, int ncomp, const int *component)
{
    ewald_any_images_f64(b, groups, ncomp, component);
    for (int c = 0; c < ncomp; c++) {
        ewald_any_poly_f64(b, groups * EWALD_GROUP, component[c]);
        ewald_add_poly_f64(b, groups, c, component[c]);
    }
}
