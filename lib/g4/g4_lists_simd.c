/* SPDX-License-Identifier: MIT */
/* Kernels of the neighbour lists. They compute beta of an atom and up to eight of its neighbours in
 * sixteen steps, with one lane per step. The operations are those of beta.h, so the results equal
 * those without lists bit for bit. */
#include "base/simd_image.h"
#include "g4/g4_engine.h"
#include "pair/pair.h"

#define HOT static inline __attribute__((always_inline))
#define STEPS G4_LANES

/* Returns the cell of step s. Lanes after the last step are unused. */
HOT const struct sum_cell *cell_at(const struct g4_near *t, size_t s)
{
    return t->geom + (s < t->steps ? s : t->steps - 1);
}

/* Points to the rows x, y, z of atom j, from step s on. */
#define ROW(T, j) ((const T *)t->rows + 3 * (size_t)(j)*t->stride + s)

/* ---- neighbours in range ---- */

HOT int f32_range_find(const struct g4_near *t, int tri, int one, float rc2, size_t i, size_t j,
                       size_t s)
{
    const float *pi = ROW(float, i), *pj = ROW(float, j);
    const struct box_f32 box = t->geom->f;
    size_t left = t->steps - s; /* later lanes hold old values, which are no pairs */
    int any = 0;
    for (size_t l = 0; l < STEPS; l++) {
        float x = pi[l] - pj[l], y = pi[t->stride + l] - pj[t->stride + l],
              z = pi[2 * t->stride + l] - pj[2 * t->stride + l];
        simd_cell_f32(tri, one ? &box : &cell_at(t, s + l)->f, &x, &y, &z);
        any |= ((beta_r2_f32(x, y, z) <= rc2) & (l < left)) ? -1 : 0;
    }
    return any;
}

HOT int f32_range_find_f64(const struct g4_near *t, int tri, double rc2, size_t i, size_t j,
                           size_t s)
{
    const double *pi = ROW(double, i), *pj = ROW(double, j);
    size_t left = t->steps - s; /* later lanes hold old values, which are no pairs */
    int any = 0;
    for (size_t l = 0; l < STEPS; l++) {
        double d[3] = {pi[l] - pj[l], pi[t->stride + l] - pj[t->stride + l],
                       pi[2 * t->stride + l] - pj[2 * t->stride + l]};
        simd_cell_f64(tri, &cell_at(t, s + l)->d, d);
        any |= ((beta_r2_f64(d[0], d[1], d[2]) <= rc2) & (l < left)) ? -1 : 0;
    }
    return any;
}

HOT size_t keep(const struct g4_near *t, int f64, int tri, int one, size_t i, uint32_t *near,
                size_t n)
{
    float rc2_f = t->geom->taper_f32.rc2;
    double rc2_d = t->geom->taper_f64.rc2;
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        int any = 0;
        for (size_t s = 0; s < t->steps && !any; s += STEPS)
            any = f64 ? f32_range_find_f64(t, tri, rc2_d, i, near[k], s)
                      : f32_range_find(t, tri, one, rc2_f, i, near[k], s);
        near[kept] = near[k];
        kept += any != 0;
    }
    return kept;
}

size_t SIMD_NAME(g4_near_keep)(const struct g4_near *t, size_t i, uint32_t *near, size_t n)
{
    return t->f64 && t->tri ? keep(t, 1, 1, 0, i, near, n)
           : t->f64         ? keep(t, 1, 0, 0, i, near, n)
           : t->tri         ? keep(t, 0, 1, 0, i, near, n)
           : t->one_geom    ? keep(t, 0, 0, 1, i, near, n)
                            : keep(t, 0, 0, 0, i, near, n);
}

/* ---- beta of a group: b[nc][8][16] ---- */

#define COMPONENT(nc, component, k) ((nc) == 1 ? (component) : (k))

HOT void group_f32(enum sum_form form, const struct g4_near *t, int nc, int component, int tri,
                   int one, size_t i, const uint32_t *near, size_t count, size_t s,
                   float *restrict b)
{
    const float *pi = ROW(float, i);
    const struct box_f32 box = t->geom->f;
    struct beta_taper_f32 sw = t->geom->taper_f32;
    float coef[BETA_NCOMPONENTS];
    if (form == SUM_NEAR)
        sw.slope = (float)(2.0 / t->mesh->reach);
    for (int k = 0; k < nc; k++)
        coef[k] = (float)t->coef[k];
    for (size_t q = 0; q < count; q++) {
        const float *pj = ROW(float, near[q]);
        for (size_t l = 0; l < STEPS; l++) {
            float x = pi[l] - pj[l], y = pi[t->stride + l] - pj[t->stride + l],
                  z = pi[2 * t->stride + l] - pj[2 * t->stride + l];
            simd_cell_f32(tri, one ? &box : &cell_at(t, s + l)->f, &x, &y, &z);
            for (int k = 0; k < nc; k++)
                b[((size_t)k * G4_HALF + q) * STEPS + l] = pair_beta_f32(
                    form, &sw, t->mesh, COMPONENT(nc, component, k), coef[k], x, y, z);
        }
    }
}

HOT void group_f64(enum sum_form form, const struct g4_near *t, int nc, int component, int tri,
                   size_t i, const uint32_t *near, size_t count, size_t s, double *restrict b)
{
    const double *pi = ROW(double, i);
    struct beta_taper_f64 sw = t->geom->taper_f64;
    if (form == SUM_NEAR)
        sw.slope = 2.0 / t->mesh->reach;
    for (size_t q = 0; q < count; q++) {
        const double *pj = ROW(double, near[q]);
        for (size_t l = 0; l < STEPS; l++) {
            double d[3] = {pi[l] - pj[l], pi[t->stride + l] - pj[t->stride + l],
                           pi[2 * t->stride + l] - pj[2 * t->stride + l]};
            simd_cell_f64(tri, &cell_at(t, s + l)->d, d);
            for (int k = 0; k < nc; k++)
                b[((size_t)k * G4_HALF + q) * STEPS + l] = pair_beta_f64(
                    form, &sw, t->mesh, COMPONENT(nc, component, k), t->coef[k], d[0], d[1], d[2]);
        }
    }
}

HOT void group_of(enum sum_form form, const struct g4_near *t, int nc, int c, size_t i,
                  const uint32_t *near, size_t count, size_t s, void *b)
{
    if (t->f64 && t->tri)
        group_f64(form, t, nc, c, 1, i, near, count, s, b);
    else if (t->f64)
        group_f64(form, t, nc, c, 0, i, near, count, s, b);
    else if (t->tri)
        group_f32(form, t, nc, c, 1, 0, i, near, count, s, b);
    else if (t->one_geom)
        group_f32(form, t, nc, c, 0, 1, i, near, count, s, b);
    else
        group_f32(form, t, nc, c, 0, 0, i, near, count, s, b);
}

#define GROUP_ONE(nc, c) group_of(form, t, nc, c, i, near, count, s, b)
#define GROUP_FORM(FORM)                                                                           \
    static __attribute__((noinline)) void group_##FORM(                                            \
        const struct g4_near *t, size_t i, const uint32_t *near, size_t count, size_t s, void *b)  \
    {                                                                                              \
        const enum sum_form form = FORM;                                                           \
        BETA_SWITCH(t->ncomp, t->component[0], GROUP_ONE)                                          \
    }
PAIR_EACH_FORM(GROUP_FORM)
GROUP_FORM(SUM_NEAR)

HOT void group(enum sum_form form, const struct g4_near *t, size_t i, const uint32_t *near,
               size_t count, size_t s, void *b)
{
#define GROUP_CASE(FORM)                                                                           \
    case FORM: group_##FORM(t, i, near, count, s, b); break;
    switch (form) {
        PAIR_EACH_FORM(GROUP_CASE)
    default: group_SUM_NEAR(t, i, near, count, s, b);
    }
}

/* Adds the pair function to a group, or replaces the group by it. */
#define GROUP_FUNCTION(T, S, BOX, CELL, IMAGE)                                                     \
    HOT void function_image_##S(const struct g4_near *t, int tri, int one, const T *restrict pi,   \
                                const T *restrict pj, size_t s, T *restrict to)                    \
    {                                                                                              \
        const BOX first = t->geom->CELL;                                                           \
        for (size_t l = 0; l < STEPS; l++) {                                                       \
            const BOX *box = one ? &first : &cell_at(t, s + l)->CELL;                              \
            T d[3] = {pi[l] - pj[l], pi[t->stride + l] - pj[t->stride + l],                        \
                      pi[2 * t->stride + l] - pj[2 * t->stride + l]};                              \
            IMAGE;                                                                                 \
            for (int c = 0; c < 3; c++)                                                            \
                to[c * FUNCTION_BATCH + l] = d[c];                                                 \
        }                                                                                          \
    }                                                                                              \
    static __attribute__((noinline)) void function_##T(                                            \
        const struct g4_near *t, size_t i, const uint32_t *near, size_t count, size_t s, T *b)     \
    {                                                                                              \
        const struct pair_function *f = t->function;                                               \
        const T *pi = ROW(T, i);                                                                   \
        struct function_##S v;                                                                     \
        for (size_t q = 0; q < count; q++) {                                                       \
            const T *pj = ROW(T, near[q]);                                                         \
            T *to = v.d[0] + STEPS * q;                                                            \
            for (size_t l = 0; l < STEPS; l++)                                                     \
                v.at[STEPS * q + l] = f->start[f->kind[i] * f->kinds + f->kind[near[q]]];          \
            if (t->tri)                                                                            \
                function_image_##S(t, 1, 0, pi, pj, s, to);                                        \
            else if (t->one_geom)                                                                  \
                function_image_##S(t, 0, 1, pi, pj, s, to);                                        \
            else                                                                                   \
                function_image_##S(t, 0, 0, pi, pj, s, to);                                        \
        }                                                                                          \
        SIMD_NAME(function_run_##S)(f, count * STEPS, t->ncomp, t->component, &v);                 \
        for (int k = 0; k < t->ncomp; k++) {                                                       \
            T *to = b + (size_t)k * G4_HALF * STEPS;                                               \
            for (size_t l = 0; l < count * STEPS; l++)                                             \
                to[l] = f->did ? to[l] + v.v[k][l] : v.v[k][l];                                    \
        }                                                                                          \
    }
GROUP_FUNCTION(float, f32, struct box_f32, f, simd_cell_f32(tri, box, d, d + 1, d + 2))
GROUP_FUNCTION(double, f64, struct box, d, simd_cell_f64(tri, box, d))

/* Multiplies by the weights of both atoms, if there are any. */
#define WEIGH(T)                                                                                   \
    static __attribute__((noinline)) void weigh_##T(const struct g4_near *t, size_t i,             \
                                                    const uint32_t *near, size_t count, T *b)      \
    {                                                                                              \
        for (size_t k = 0; k < (size_t)t->ncomp; k++)                                              \
            for (size_t q = 0; q < count; q++) {                                                   \
                T f = (T)(t->w[i] * t->w[near[q]]);                                                \
                for (size_t l = 0; l < STEPS; l++)                                                 \
                    b[(k * G4_HALF + q) * STEPS + l] *= f;                                         \
            }                                                                                      \
    }
WEIGH(float)
WEIGH(double)

/* ---- A_i, and halves of tiles ---- */

#define GROUP_VALUES (BETA_NCOMPONENTS * G4_HALF * STEPS)

#define NEAR_SUM(T)                                                                                \
    HOT void near_sum_##T(const struct g4_near *t, size_t i, const uint32_t *near, size_t n,       \
                          size_t s, double(*restrict sum)[STEPS])                                  \
    {                                                                                              \
        T b[GROUP_VALUES] __attribute__((aligned(64)));                                            \
        for (size_t at = 0; at < n; at += G4_HALF) {                                               \
            size_t count = n - at < G4_HALF ? n - at : G4_HALF;                                    \
            if (!t->function || t->function->did)                                                  \
                group(t->mesh ? SUM_NEAR : t->form, t, i, near + at, count, s, b);                 \
            if (t->function)                                                                       \
                function_##T(t, i, near + at, count, s, b);                                        \
            if (t->w)                                                                              \
                weigh_##T(t, i, near + at, count, b);                                              \
            for (size_t k = 0; k < (size_t)t->ncomp; k++)                                          \
                for (size_t q = 0; q < count; q++)                                                 \
                    for (size_t l = 0; l < STEPS; l++)                                             \
                        sum[k][l] += (double)b[(k * G4_HALF + q) * STEPS + l];                     \
        }                                                                                          \
    }
NEAR_SUM(float)
NEAR_SUM(double)

void SIMD_NAME(g4_near_sum)(const struct g4_near *t, size_t i, const uint32_t *near, size_t n,
                            size_t from, double *const *a)
{
    for (size_t s = from - from % STEPS; s < t->steps; s += STEPS) {
        double sum[BETA_NCOMPONENTS][STEPS] __attribute__((aligned(64))) = {{0}};
        if (t->f64)
            near_sum_double(t, i, near, n, s, sum);
        else
            near_sum_float(t, i, near, n, s, sum);
        for (int k = 0; k < t->ncomp; k++)
            for (size_t l = s < from ? from - s : 0; l < STEPS && s + l < t->steps; l++)
                a[k][(s + l) * G4_LANES] =
                    t->mesh ? a[k][(s + l) * G4_LANES] + sum[k][l] : sum[k][l];
    }
}

#define NEAR_FILL(T)                                                                               \
    HOT void near_fill_##T(const struct g4_near *t, size_t i, const uint32_t *near, size_t count,  \
                           size_t s, double *const *half)                                          \
    {                                                                                              \
        T b[GROUP_VALUES] __attribute__((aligned(64)));                                            \
        if (!t->function || t->function->did)                                                      \
            group(t->form, t, i, near, count, s, b);                                               \
        if (t->function)                                                                           \
            function_##T(t, i, near, count, s, b);                                                 \
        if (t->w)                                                                                  \
            weigh_##T(t, i, near, count, b);                                                       \
        for (size_t k = 0; k < (size_t)t->ncomp; k++) {                                            \
            const T *from = b + k * G4_HALF * STEPS;                                               \
            double *to = half[k] + s * G4_HALF;                                                    \
            memset(b + (k * G4_HALF + count) * STEPS, 0, (G4_HALF - count) * STEPS * sizeof *b);   \
            for (size_t l = 0; l < STEPS; l++)                                                     \
                for (size_t q = 0; q < G4_HALF; q++)                                               \
                    to[l * G4_HALF + q] = (double)from[q * STEPS + l];                             \
        }                                                                                          \
    }
NEAR_FILL(float)
NEAR_FILL(double)

void SIMD_NAME(g4_near_fill)(const struct g4_near *t, size_t i, const uint32_t *near, size_t count,
                             double *const *half)
{
    for (size_t s = 0; s < t->steps; s += STEPS)
        if (t->f64)
            near_fill_double(t, i, near, count, s, half);
        else
            near_fill_float(t, i, near, count, s, half);
}
