/* SPDX-License-Identifier: MIT */
#include "base/simd_image.h"
#include "base/simd_vec.h"
#include "g4/g4_engine.h"
#include "pair/ewald_lanes.h"
#include "pair/pair.h"

#define BATCH 16 /* number of steps */

/* ---- positions into the window ---- */

/* Wraps atoms [first, first + count) of one orthorhombic step along one axis, like box_wrap(). */
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

/* Selects component k of a tile, which has either all components, in order, or a single one. */
#define COMPONENT(nc, component, k) ((nc) == 1 ? (component) : (k))

/* These functions compute pair_beta_f32 in two halves, each for a batch of steps. The chain of
 * dependent operations would otherwise be too long for the processor to overlap pairs. */
HOT void lanes_r2_f32(int nc, int component, int tri, const struct box_f32 *g, const float *coef,
                      const float *restrict pi, const float *restrict pj, float *restrict r2,
                      float *restrict w)
{
    for (int l = 0; l < G4_LANES; l++) {
        float x = pi[0] - pj[l], y = pi[G4_LANES] - pj[G4_LANES + l],
              z = pi[2 * G4_LANES] - pj[2 * G4_LANES + l];
        simd_cell_f32(tri, g, &x, &y, &z);
        r2[l] = beta_r2_f32(x, y, z);
        for (int k = 0; k < nc; k++)
            w[k * BATCH * G4_LANES + l] =
                coef[k] * beta_form_f32(COMPONENT(nc, component, k), x, y, z);
    }
}

/* The array b is [nc][16]. */
HOT void lanes_beta_f32(enum sum_form form, int nc, const struct beta_taper_f32 *taper,
                        const float *restrict r2, const float *restrict w,
                        const int32_t *restrict mask, float *restrict b)
{
    const struct beta_taper_f32 t = *taper;
    for (int l = 0; l < G4_LANES; l++) {
        float rm5, f;
        pair_radial_f32(form, &t, NULL, r2[l], &rm5, &f);
        for (int k = 0; k < nc; k++) {
            float v = pair_end_f32(w[k * BATCH * G4_LANES + l], rm5, f, r2[l] <= t.rc2);
            b[k * G4_LANES + l] = mask[l] ? v : 0.0f;
        }
    }
}

/* The array b is [nc][16]. */
HOT void beta_lanes_f64(enum sum_form form, const struct g4_tile *t, int nc, int component, int tri,
                        const struct sum_cell *cell, const double *restrict pi,
                        const double *restrict pj, double *restrict b)
{
    for (int l = 0; l < G4_LANES; l++) {
        double d[3] = {pi[0] - pj[l], pi[G4_LANES] - pj[G4_LANES + l],
                       pi[2 * G4_LANES] - pj[2 * G4_LANES + l]};
        simd_cell_f64(tri, &cell->d, d);
        for (int k = 0; k < nc; k++) {
            double v = pair_beta_f64(form, &cell->taper_f64, NULL, COMPONENT(nc, component, k),
                                     t->coef[k], d[0], d[1], d[2]);
            b[k * G4_LANES + l] = t->mask[l] ? v : 0.0;
        }
    }
}

SIMD_VECTOR(v8, double, 8);
SIMD_VECTOR(v4, double, 4);
SIMD_VECTOR(v2, double, 2);

/* Adds one step of a tile to A. The sum over a row adds the two halves of its lanes: 16 -> 8 -> 4
 * -> 2 -> 1. */
HOT void tile_sums(const double *b0, const double *b1, double *row, double *col)
{
    union {
        v8 v;
        v4 h[2];
    } r8 = {*(const v8_u *)b0 + *(const v8_u *)b1};
    union {
        v4 v;
        v2 h[2];
    } r4 = {r8.h[0] + r8.h[1]};
    v2 r2 = r4.h[0] + r4.h[1];
    *(v8_u *)col += *(const v8_u *)b0;
    *(v8_u *)(col + G4_HALF) += *(const v8_u *)b1;
    *row += r2[0] + r2[1];
}

/* Writes the halves of step s and adds them to A. */
#define TILE_OUT(T)                                                                                \
    HOT void tile_out_##T(const struct g4_tile *t, int k, int sums, size_t s, const T *b)          \
    {                                                                                              \
        double *h0 = t->half[k][0] + G4_HALF * s, *h1 = t->half[k][1] + G4_HALF * s;               \
        for (int l = 0; l < G4_HALF; l++)                                                          \
            h0[l] = (double)b[l];                                                                  \
        for (int l = 0; l < G4_HALF; l++)                                                          \
            h1[l] = (double)b[G4_HALF + l];                                                        \
        if (sums)                                                                                  \
            tile_sums(h0, h1, t->arow[k] + G4_LANES * s, t->acol[k] + G4_LANES * s);               \
    }
TILE_OUT(float)
TILE_OUT(double)

HOT void tile_posn_f32(enum sum_form form, const struct g4_tile *t, int nc, int component, int tri,
                       int one, int sums, size_t from, size_t to)
{
    const float *pi = t->pi, *pj = t->pj;
    float coef[BETA_NCOMPONENTS];
    struct box_f32 box = t->geom->f;
    const struct beta_taper_f32 first = t->geom->taper_f32; /* for mic, the same for all cells */
    for (int k = 0; k < nc; k++)
        coef[k] = (float)t->coef[k];
    for (size_t at = from; at < to; at += BATCH) {
        float r2[BATCH * G4_LANES] __attribute__((aligned(64))),
            w[BETA_NCOMPONENTS * BATCH * G4_LANES] __attribute__((aligned(64)));
        size_t end = at + BATCH < to ? at + BATCH : to;
        for (size_t s = at; s < end; s++)
            lanes_r2_f32(nc, component, tri, one ? &box : &t->geom[s].f, coef, pi + s * t->stride,
                         pj + s * t->stride, r2 + (s - at) * G4_LANES, w + (s - at) * G4_LANES);
        for (size_t s = at; s < end; s++) {
            float b[BETA_NCOMPONENTS * G4_LANES] __attribute__((aligned(64)));
            lanes_beta_f32(form, nc, form == SUM_NEAREST ? &first : &t->geom[s].taper_f32,
                           r2 + (s - at) * G4_LANES, w + (s - at) * G4_LANES, t->mask, b);
            for (int k = 0; k < nc; k++)
                tile_out_float(t, k, sums, s, b + k * G4_LANES);
        }
    }
}

HOT void tile_posn_f64(enum sum_form form, const struct g4_tile *t, int nc, int component, int tri,
                       int sums, size_t from, size_t to)
{
    const double *pi = t->pi, *pj = t->pj;
    for (size_t s = from; s < to; s++) {
        double b[BETA_NCOMPONENTS * G4_LANES] __attribute__((aligned(64)));
        beta_lanes_f64(form, t, nc, component, tri, &t->geom[s], pi + s * t->stride,
                       pj + s * t->stride, b);
        for (int k = 0; k < nc; k++)
            tile_out_double(t, k, sums, s, b + k * G4_LANES);
    }
}

/* Processes batches of steps whose cells share a polynomial. */
#define TILE_EWALD(T, S)                                                                           \
    HOT void tile_ewald_##S(const struct g4_tile *t, int nc, int component, int sums, size_t from, \
                            size_t to)                                                             \
    {                                                                                              \
        struct ewald_block_##S block;                                                              \
        int list[BETA_NCOMPONENTS];                                                                \
        for (int k = 0; k < nc; k++)                                                               \
            list[k] = COMPONENT(nc, component, k);                                                 \
        for (size_t s = from; s < to;) {                                                           \
            int n = 0;                                                                             \
            for (; n < EWALD_GROUPS && s + (size_t)n < to; n++) {                                  \
                const T *pi = (const T *)t->pi + (s + (size_t)n) * t->stride,                      \
                        *pj = (const T *)t->pj + (s + (size_t)n) * t->stride;                      \
                block.cell[n] = &t->geom[s + (size_t)n].ewald_##S;                                 \
                if (block.cell[n]->poly != block.cell[0]->poly)                                    \
                    break;                                                                         \
                for (int c = 0; c < 3; c++)                                                        \
                    for (int l = 0; l < G4_LANES; l++)                                             \
                        block.d[c][n * G4_LANES + l] = pi[c * G4_LANES] - pj[c * G4_LANES + l];    \
            }                                                                                      \
            ewald_block_run_##S(&block, n, nc, list);                                              \
            for (int g = 0; g < n; g++, s++)                                                       \
                for (int k = 0; k < nc; k++) {                                                     \
                    T b[G4_LANES] __attribute__((aligned(64))), coef = (T)t->coef[k];              \
                    for (int l = 0; l < G4_LANES; l++) {                                           \
                        T v = coef * block.q[k][g * G4_LANES + l];                                 \
                        b[l] = t->mask[l] ? v : 0;                                                 \
                    }                                                                              \
                    tile_out_##T(t, k, sums, s, b);                                                \
                }                                                                                  \
        }                                                                                          \
    }
TILE_EWALD(float, f32)
TILE_EWALD(double, f64)

#define TILE_PAIR(T)                                                                               \
    HOT void tile_pair_##T(const struct g4_tile *t, int sums, size_t from, size_t to)              \
    {                                                                                              \
        for (size_t s = from; s < to; s++)                                                         \
            tile_out_##T(t, 0, sums, s, (const T *)t->pj + s * t->stride);                         \
    }
TILE_PAIR(float)
TILE_PAIR(double)

HOT void tile_one(enum sum_form form, const struct g4_tile *t, int nc, int c, int sums, size_t from,
                  size_t to)
{
    if (t->f64)
        tile_posn_f64(form, t, nc, c, t->tri, sums, from, to);
    else if (t->tri)
        tile_posn_f32(form, t, nc, c, 1, 0, sums, from, to);
    else if (t->one_geom)
        tile_posn_f32(form, t, nc, c, 0, 1, sums, from, to);
    else
        tile_posn_f32(form, t, nc, c, 0, 0, sums, from, to);
}

/* Each form has its own function, so that the forms do not compete for registers. */
#define TILE_ONE(nc, c) tile_one(form, t, nc, c, sums, from, to)
#define TILE_FORM(FORM)                                                                            \
    static __attribute__((noinline)) void tile_##FORM(const struct g4_tile *t, int sums,           \
                                                      size_t from, size_t to)                      \
    {                                                                                              \
        const enum sum_form form = FORM;                                                           \
        BETA_SWITCH(t->ncomp, t->component[0], TILE_ONE)                                           \
    }
PAIR_EACH_FORM(TILE_FORM)

static __attribute__((noinline)) void tile_ewald(const struct g4_tile *t, int sums, size_t from,
                                                 size_t to)
{
    if (t->f64) { /* a copy of the code per component would not pay */
        tile_ewald_f64(t, t->ncomp, t->component[0], sums, from, to);
        return;
    }
#define TILE_EWALD_F32(nc, c) tile_ewald_f32(t, nc, c, sums, from, to)
    BETA_SWITCH(t->ncomp, t->component[0], TILE_EWALD_F32)
}

HOT void tile_range(const struct g4_tile *t, int sums, size_t from, size_t to)
{
    if (from == to)
        return;
    if (!t->pi) {
        if (t->f64)
            tile_pair_double(t, sums, from, to);
        else
            tile_pair_float(t, sums, from, to);
        return;
    }
#define TILE_CASE(FORM)                                                                            \
    case FORM: tile_##FORM(t, sums, from, to); break;
    switch (t->form) {
        PAIR_EACH_FORM(TILE_CASE)
    default: tile_ewald(t, sums, from, to);
    }
}

/* Adds the pair function to both halves of all components, or replaces the halves by it. Without
 * weights, adds the halves to A in step `from` and later steps. */
#define TILE_FUNCTION(T, S, BOX, CELL, IMAGE)                                                      \
    HOT void function_image_##S(int tri, const BOX *restrict box, const T *restrict pi,            \
                                const T *restrict pj, T *restrict to)                              \
    {                                                                                              \
        for (size_t l = 0; l < G4_LANES; l++) {                                                    \
            T d[3] = {pi[0] - pj[l], pi[G4_LANES] - pj[G4_LANES + l],                              \
                      pi[2 * G4_LANES] - pj[2 * G4_LANES + l]};                                    \
            IMAGE;                                                                                 \
            for (int c = 0; c < 3; c++)                                                            \
                to[c * FUNCTION_BATCH + l] = d[c];                                                 \
        }                                                                                          \
    }                                                                                              \
    HOT void tile_function_##S(const struct g4_tile *t, int tri, int one, size_t from)             \
    {                                                                                              \
        struct function_##S b;                                                                     \
        const struct pair_function *f = t->function;                                               \
        const BOX first = t->geom->CELL;                                                           \
        for (size_t s = 0, n; s < t->n; s += n) {                                                  \
            n = t->n - s < BATCH ? t->n - s : BATCH;                                               \
            for (size_t q = 0; q < n; q++) {                                                       \
                memcpy(b.at + q * G4_LANES, t->start, sizeof t->start);                            \
                function_image_##S(tri, one ? &first : &t->geom[s + q].CELL,                       \
                                   (const T *)t->pi + (s + q) * t->stride,                         \
                                   (const T *)t->pj + (s + q) * t->stride, b.d[0] + q * G4_LANES); \
            }                                                                                      \
            SIMD_NAME(function_run_##S)(f, n * G4_LANES, t->ncomp, t->component, &b);              \
            for (int k = 0; k < t->ncomp; k++) {                                                   \
                if (f->did)                                                                        \
                    function_out_##T(t, k, 1, from, s, n, b.v[k]);                                 \
                else                                                                               \
                    function_out_##T(t, k, 0, from, s, n, b.v[k]);                                 \
            }                                                                                      \
        }                                                                                          \
    }
#define FUNCTION_OUT(T, V, I)                                                                      \
    HOT void function_out_##T(const struct g4_tile *t, int k, int did, size_t from, size_t s,      \
                              size_t n, const T *restrict v)                                       \
    {                                                                                              \
        for (size_t end = s + n; s < end; s++, v += G4_LANES) {                                    \
            const double *h0 = t->half[k][0] + G4_HALF * s, *h1 = t->half[k][1] + G4_HALF * s;     \
            T b[G4_LANES] __attribute__((aligned(64)));                                            \
            for (int l = 0; l < G4_LANES; l += G4_HALF) {                                          \
                V half = *(const V *)(v + l);                                                      \
                *(V *)(b + l) =                                                                    \
                    (V)((I)half & __builtin_convertvector(*(const i8_u *)(t->mask + l), I));       \
            }                                                                                      \
            for (int l = 0; l < G4_HALF && did; l++) {                                             \
                b[l] = (T)h0[l] + b[l];                                                            \
                b[G4_HALF + l] = (T)h1[l] + b[G4_HALF + l];                                        \
            }                                                                                      \
            tile_out_##T(t, k, !t->weigh && s >= from, s, b);                                      \
        }                                                                                          \
    }
SIMD_VECTOR(f8, float, 8);
SIMD_VECTOR(i8, int32_t, 8);
SIMD_VECTOR(l8, int64_t, 8);
FUNCTION_OUT(float, f8, i8)
FUNCTION_OUT(double, v8, l8)
TILE_FUNCTION(float, f32, struct box_f32, f, simd_cell_f32(tri, box, d, d + 1, d + 2))
TILE_FUNCTION(double, f64, struct box, d, simd_cell_f64(tri, box, d))

static __attribute__((noinline)) void tile_function(const struct g4_tile *t, size_t from)
{
    if (t->f64 && t->tri)
        tile_function_f64(t, 1, 0, from);
    else if (t->f64)
        tile_function_f64(t, 0, 0, from);
    else if (t->tri)
        tile_function_f32(t, 1, 0, from);
    else if (t->one_geom)
        tile_function_f32(t, 0, 1, from);
    else
        tile_function_f32(t, 0, 0, from);
}

/* Multiplies both halves of component k by the weights, rounded like beta. Adds them to A in step
 * `from` and later steps. */
#define WEIGH(T)                                                                                   \
    HOT void weigh_##T(const struct g4_tile *t, int k, size_t from)                                \
    {                                                                                              \
        T f[G4_LANES], own[G4_LANES];                                                              \
        for (int l = 0; l < G4_LANES; l++)                                                         \
            f[l] = t->mask[l] ? (T)t->factor[l] : 0;                                               \
        for (size_t s = 0; s < t->n; s++) {                                                        \
            double self = t->coef[k] * t->geom[s].self[t->component[k]];                           \
            double *h[2] = {t->half[k][0] + G4_HALF * s, t->half[k][1] + G4_HALF * s};             \
            for (int l = 0; l < G4_LANES; l++)                                                     \
                own[l] = t->mask[l] ? (T)(t->own[l] * self) : 0;                                   \
            for (int l = 0; l < G4_LANES; l++) {                                                   \
                double *b = h[l / G4_HALF] + l % G4_HALF;                                          \
                *b = (double)((T)*b * f[l] + own[l]);                                              \
            }                                                                                      \
            if (s >= from)                                                                         \
                tile_sums(h[0], h[1], t->arow[k] + G4_LANES * s, t->acol[k] + G4_LANES * s);       \
        }                                                                                          \
    }
WEIGH(float)
WEIGH(double)

static __attribute__((noinline)) void tile_weigh(const struct g4_tile *t, size_t from)
{
    for (int k = 0; k < t->ncomp; k++)
        if (t->f64)
            weigh_double(t, k, from);
        else
            weigh_float(t, k, from);
}

void SIMD_NAME(g4_tile_fill)(const struct g4_tile *t)
{
    size_t from = t->arow[0] ? (t->from < t->n ? t->from : t->n) : t->n;
    if (t->weigh || t->function) {
        if (!t->function || t->function->did)
            tile_range(t, 0, 0, t->n);
        if (t->function)
            tile_function(t, from);
        if (t->weigh)
            tile_weigh(t, from);
        return;
    }
    tile_range(t, 0, 0, from);
    tile_range(t, 1, from, t->n);
}
