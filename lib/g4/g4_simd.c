/* SPDX-License-Identifier: MIT */
#include "base/simd_image.h"
#include "g4/g4_engine.h"

#define BATCH 16 /* steps */
#define HOT static inline __attribute__((always_inline))

/* ---- positions into the window ---- */

/* Atoms [first, first + count) of one orthorhombic step, one axis: wrapped as box_wrap does it. */
#define STORE_AXIS(T)                                                                              \
    for (int c = 0; c < 3; c++) {                                                                  \
        double len = box->h[c][c], inv = box->pbc[c] ? box->inv[c][c] : 0.0;                       \
        for (size_t l = 0; l < count; l++) {                                                       \
            double r = (double)src[3 * l + (size_t)c];                                             \
            to[(size_t)c * G4_LANES + l] = (T)(r - __builtin_floor(r * inv) * len);                \
        }                                                                                          \
    }

#define STORE_TRI(T)                                                                               \
    for (size_t l = 0; l < count; l++) {                                                           \
        double r[3] = {(double)src[3 * l], (double)src[3 * l + 1], (double)src[3 * l + 2]};        \
        box_wrap(box, r);                                                                          \
        for (size_t c = 0; c < 3; c++)                                                             \
            to[c * G4_LANES + l] = (T)r[c];                                                        \
    }

HOT void store_f32(size_t count, const struct box *box, const float *restrict src,
                   float *restrict to)
{
    if (box->ortho)
        STORE_AXIS(float)
    else
        STORE_TRI(float)
}

HOT void store_f64(size_t count, const struct box *box, const double *restrict src,
                   double *restrict to)
{
    if (box->ortho)
        STORE_AXIS(double)
    else
        STORE_TRI(double)
}

void SIMD_NAME(g4_store)(const struct g4 *g, const struct box *box, const void *pos, void *dst)
{
    for (size_t b = 0; b < g->nblocks; b++) {
        size_t left = g->natoms - b * G4_LANES, at = b * G4_LANES * 3, to = b * g->row_stride;
        if (g->p.dtype == FRAME_F32) {
            const float *src = (const float *)pos + at;
            if (left >= G4_LANES)
                store_f32(G4_LANES, box, src, (float *)dst + to);
            else
                store_f32(left, box, src, (float *)dst + to);
        } else {
            store_f64(left < G4_LANES ? left : G4_LANES, box, (const double *)pos + at,
                      (double *)dst + to);
        }
    }
}

/* ---- beta of a tile ---- */

/*
 * beta_f32 in two halves, so that a batch of steps goes through each: the chain of dependent
 * operations of the whole is too long for the processor to overlap several of them.
 */
HOT void lanes_r2_f32(int component, int tri, const struct box_f32 *g, float coef,
                      const float *restrict pi, const float *restrict pj, float *restrict r2,
                      float *restrict w)
{
    for (int l = 0; l < G4_LANES; l++) {
        float x = pi[0] - pj[l], y = pi[G4_LANES] - pj[G4_LANES + l],
              z = pi[2 * G4_LANES] - pj[2 * G4_LANES + l];
        if (tri) {
            box_image_tri_f32(g, &x, &y, &z);
        } else {
            x = simd_image_f32(x, g->h[0][0], g->inv[0][0]);
            y = simd_image_f32(y, g->h[1][1], g->inv[1][1]);
            z = simd_image_f32(z, g->h[2][2], g->inv[2][2]);
        }
        r2[l] = beta_r2_f32(x, y, z);
        w[l] = coef * beta_form_f32(component, x, y, z);
    }
}

HOT void lanes_beta_f32(float rc2, const float *restrict r2, const float *restrict w,
                        const int32_t *restrict mask, float *restrict b)
{
    for (int l = 0; l < G4_LANES; l++) {
        float v = beta_from_f32(w[l], r2[l], rc2);
        b[l] = mask[l] ? v : 0.0f;
    }
}

HOT void beta_lanes_f64(int component, int tri, const struct box *g, double coef, double rc2,
                        const double *restrict pi, const double *restrict pj,
                        const int32_t *restrict mask, double *restrict b)
{
    for (int l = 0; l < G4_LANES; l++) {
        double d[3] = {pi[0] - pj[l], pi[G4_LANES] - pj[G4_LANES + l],
                       pi[2 * G4_LANES] - pj[2 * G4_LANES + l]};
        if (tri) {
            box_image(g, d);
        } else {
            d[0] = box_image_f64(d[0], g->h[0][0], g->inv[0][0]);
            d[1] = box_image_f64(d[1], g->h[1][1], g->inv[1][1]);
            d[2] = box_image_f64(d[2], g->h[2][2], g->inv[2][2]);
        }
        double v = beta_f64(component, coef, d[0], d[1], d[2], rc2);
        b[l] = mask[l] ? v : 0.0;
    }
}

typedef double v8 __attribute__((vector_size(64), aligned(8)));
typedef double v4 __attribute__((vector_size(32), aligned(8)));
typedef double v2 __attribute__((vector_size(16), aligned(8)));

/* One step of a tile into A: the row sum folds the lanes 16 -> 8 -> 4 -> 2 -> 1. */
HOT void tile_sums(const v8 *b0, const v8 *b1, double *row, double *col)
{
    union {
        v8 v;
        v4 h[2];
    } r8 = {*b0 + *b1};
    union {
        v4 v;
        v2 h[2];
    } r4 = {r8.h[0] + r8.h[1]};
    v2 r2 = r4.h[0] + r4.h[1];
    *(v8 *)col += *b0;
    *(v8 *)(col + G4_HALF) += *b1;
    *row += r2[0] + r2[1];
}

/* Halves out, A on. */
#define TILE_OUT()                                                                                 \
    for (int l = 0; l < G4_HALF; l++)                                                              \
        h0[G4_HALF * s + (size_t)l] = (double)b[l];                                                \
    for (int l = 0; l < G4_HALF; l++)                                                              \
        h1[G4_HALF * s + (size_t)l] = (double)b[G4_HALF + l];                                      \
    if (sums)                                                                                      \
        tile_sums((const v8 *)(h0 + G4_HALF * s), (const v8 *)(h1 + G4_HALF * s),                  \
                  t->arow + G4_LANES * s, t->acol + G4_LANES * s);

HOT void tile_posn_f32(const struct g4_tile *t, int component, int tri, int one, int sums,
                       size_t from, size_t to)
{
    const float *pi = t->pi, *pj = t->pj;
    float coef = (float)t->coef, rc2 = (float)t->rc2;
    struct box_f32 box = t->geom->f;
    double *h0 = t->half[0], *h1 = t->half[1];
    for (size_t at = from; at < to; at += BATCH) {
        float r2[BATCH * G4_LANES] __attribute__((aligned(64))),
            w[BATCH * G4_LANES] __attribute__((aligned(64)));
        size_t end = at + BATCH < to ? at + BATCH : to;
        for (size_t s = at; s < end; s++)
            lanes_r2_f32(component, tri, one ? &box : &t->geom[s].f, coef, pi + s * t->stride,
                         pj + s * t->stride, r2 + (s - at) * G4_LANES, w + (s - at) * G4_LANES);
        for (size_t s = at; s < end; s++) {
            float b[G4_LANES] __attribute__((aligned(64)));
            lanes_beta_f32(rc2, r2 + (s - at) * G4_LANES, w + (s - at) * G4_LANES, t->mask, b);
            TILE_OUT()
        }
    }
}

HOT void tile_posn_f64(const struct g4_tile *t, int component, int tri, int sums, size_t from,
                       size_t to)
{
    const double *pi = t->pi, *pj = t->pj;
    double *h0 = t->half[0], *h1 = t->half[1];
    for (size_t s = from; s < to; s++) {
        double b[G4_LANES] __attribute__((aligned(64)));
        beta_lanes_f64(component, tri, &t->geom[s].d, t->coef, t->rc2, pi + s * t->stride,
                       pj + s * t->stride, t->mask, b);
        TILE_OUT()
    }
}

HOT void tile_pair_f32(const struct g4_tile *t, int sums, size_t from, size_t to)
{
    double *h0 = t->half[0], *h1 = t->half[1];
    for (size_t s = from; s < to; s++) {
        const float *b = (const float *)t->pj + s * t->stride;
        TILE_OUT()
    }
}

HOT void tile_pair_f64(const struct g4_tile *t, int sums, size_t from, size_t to)
{
    double *h0 = t->half[0], *h1 = t->half[1];
    for (size_t s = from; s < to; s++) {
        const double *b = (const double *)t->pj + s * t->stride;
        TILE_OUT()
    }
}

#define TILE_CASE(c)                                                                               \
    case c:                                                                                        \
        if (t->f64)                                                                                \
            tile_posn_f64(t, c, t->tri, sums, from, to);                                           \
        else if (t->tri)                                                                           \
            tile_posn_f32(t, c, 1, 0, sums, from, to);                                             \
        else if (t->one_geom)                                                                      \
            tile_posn_f32(t, c, 0, 1, sums, from, to);                                             \
        else                                                                                       \
            tile_posn_f32(t, c, 0, 0, sums, from, to);                                             \
        break

HOT void tile_range(const struct g4_tile *t, int sums, size_t from, size_t to)
{
    if (!t->pi) {
        if (t->f64)
            tile_pair_f64(t, sums, from, to);
        else
            tile_pair_f32(t, sums, from, to);
        return;
    }
    switch (t->component) {
        TILE_CASE(BETA_XZ);
        TILE_CASE(BETA_XY);
        TILE_CASE(BETA_YZ);
        TILE_CASE(BETA_XX_YY);
        TILE_CASE(BETA_ZZ);
    }
}

void SIMD_NAME(g4_tile_fill)(const struct g4_tile *t)
{
    size_t from = t->arow ? (t->from < t->n ? t->from : t->n) : t->n;
    tile_range(t, 0, 0, from);
    tile_range(t, 1, from, t->n);
}
