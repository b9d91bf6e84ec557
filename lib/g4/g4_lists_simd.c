/* SPDX-License-Identifier: MIT */
/*
 * The kernels of neighbour lists: beta of an atom and up to eight of its neighbours in sixteen
 * steps, lanes are steps. The operations are those of beta.h, so the bits are those of all pairs.
 */
#include "base/simd_image.h"
#include "g4/g4_engine.h"

#define HOT static inline __attribute__((always_inline))
#define STEPS G4_LANES

/* Cell of step s; behind the last step the lanes hold no step. */
HOT const struct sum_cell *cell_at(const struct g4_near *t, size_t s)
{
    return t->geom + (s < t->steps ? s : t->steps - 1);
}

/* Difference of two wrapped positions, nearest image. */
HOT void image_f32(const struct box_f32 *g, int tri, float *x, float *y, float *z)
{
    if (tri) {
        box_image_tri_f32(g, x, y, z);
        return;
    }
    *x = simd_image_f32(*x, g->h[0][0], g->inv[0][0]);
    *y = simd_image_f32(*y, g->h[1][1], g->inv[1][1]);
    *z = simd_image_f32(*z, g->h[2][2], g->inv[2][2]);
}

HOT void image_f64(const struct box *g, int tri, double d[3])
{
    if (tri)
        box_image(g, d);
    else
        for (int c = 0; c < 3; c++)
            d[c] = box_image_f64(d[c], g->h[c][c], g->inv[c][c]);
}

/* Rows x, y, z of atom j from step s on. */
#define ROW(T, j) ((const T *)t->rows + 3 * (size_t)(j)*t->stride + s)

/* ---- who is in reach ---- */

HOT int reach_f32(const struct g4_near *t, int tri, int one, float rc2, size_t i, size_t j,
                  size_t s)
{
    const float *pi = ROW(float, i), *pj = ROW(float, j);
    const struct box_f32 box = t->geom->f;
    size_t left = t->steps - s; /* lanes behind hold what was there before: no step, no pair */
    int any = 0;
    for (size_t l = 0; l < STEPS; l++) {
        float x = pi[l] - pj[l], y = pi[t->stride + l] - pj[t->stride + l],
              z = pi[2 * t->stride + l] - pj[2 * t->stride + l];
        image_f32(one ? &box : &cell_at(t, s + l)->f, tri, &x, &y, &z);
        any |= ((beta_r2_f32(x, y, z) <= rc2) & (l < left)) ? -1 : 0;
    }
    return any;
}

HOT int reach_f64(const struct g4_near *t, int tri, double rc2, size_t i, size_t j, size_t s)
{
    const double *pi = ROW(double, i), *pj = ROW(double, j);
    size_t left = t->steps - s; /* lanes behind hold what was there before: no step, no pair */
    int any = 0;
    for (size_t l = 0; l < STEPS; l++) {
        double d[3] = {pi[l] - pj[l], pi[t->stride + l] - pj[t->stride + l],
                       pi[2 * t->stride + l] - pj[2 * t->stride + l]};
        image_f64(&cell_at(t, s + l)->d, tri, d);
        any |= ((beta_r2_f64(d[0], d[1], d[2]) <= rc2) & (l < left)) ? -1 : 0;
    }
    return any;
}

HOT size_t keep(const struct g4_near *t, int f64, int tri, int one, size_t i, uint32_t *near,
                size_t n)
{
    float rc2_f = t->taper ? t->geom->taper_f32.rc2 : (float)t->rc2;
    double rc2_d = t->taper ? t->geom->taper_f64.rc2 : t->rc2;
    size_t kept = 0;
    for (size_t k = 0; k < n; k++) {
        int any = 0;
        for (size_t s = 0; s < t->steps && !any; s += STEPS)
            any = f64 ? reach_f64(t, tri, rc2_d, i, near[k], s)
                      : reach_f32(t, tri, one, rc2_f, i, near[k], s);
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
enum { CUT, TAPER, NEAR };

HOT void group_f32(const struct g4_near *t, int nc, int component, int tri, int one, int kind,
                   size_t i, const uint32_t *near, size_t count, size_t s, float *restrict b)
{
    const float *pi = ROW(float, i);
    const struct box_f32 box = t->geom->f;
    const struct beta_taper_f32 sw = t->geom->taper_f32;
    float coef[BETA_NCOMPONENTS], rc2 = (float)t->rc2,
                                  slope = kind == NEAR ? (float)(2.0 / t->mesh->reach) : 0.0f;
    for (int k = 0; k < nc; k++)
        coef[k] = (float)t->coef[k];
    for (size_t q = 0; q < count; q++) {
        const float *pj = ROW(float, near[q]);
        for (size_t l = 0; l < STEPS; l++) {
            float x = pi[l] - pj[l], y = pi[t->stride + l] - pj[t->stride + l],
                  z = pi[2 * t->stride + l] - pj[2 * t->stride + l];
            image_f32(one ? &box : &cell_at(t, s + l)->f, tri, &x, &y, &z);
            for (int k = 0; k < nc; k++) {
                int c = COMPONENT(nc, component, k);
                b[((size_t)k * G4_HALF + q) * STEPS + l] =
                    kind == NEAR    ? mesh_beta_f32(t->mesh, c, coef[k], x, y, z, slope, sw.rc2)
                    : kind == TAPER ? beta_tapered_f32(c, coef[k], x, y, z, &sw)
                                    : beta_f32(c, coef[k], x, y, z, rc2);
            }
        }
    }
}

HOT void group_f64(const struct g4_near *t, int nc, int component, int tri, int kind, size_t i,
                   const uint32_t *near, size_t count, size_t s, double *restrict b)
{
    const double *pi = ROW(double, i);
    const struct beta_taper_f64 sw = t->geom->taper_f64;
    double slope = kind == NEAR ? 2.0 / t->mesh->reach : 0.0;
    for (size_t q = 0; q < count; q++) {
        const double *pj = ROW(double, near[q]);
        for (size_t l = 0; l < STEPS; l++) {
            double d[3] = {pi[l] - pj[l], pi[t->stride + l] - pj[t->stride + l],
                           pi[2 * t->stride + l] - pj[2 * t->stride + l]};
            image_f64(&cell_at(t, s + l)->d, tri, d);
            for (int k = 0; k < nc; k++) {
                int c = COMPONENT(nc, component, k);
                b[((size_t)k * G4_HALF + q) * STEPS + l] =
                    kind == NEAR
                        ? mesh_beta_f64(t->mesh, c, t->coef[k], d[0], d[1], d[2], slope, sw.rc2)
                    : kind == TAPER ? beta_tapered_f64(c, t->coef[k], d[0], d[1], d[2], &sw)
                                    : beta_f64(c, t->coef[k], d[0], d[1], d[2], t->rc2);
            }
        }
    }
}

HOT void group_cells(const struct g4_near *t, int nc, int c, int kind, size_t i,
                     const uint32_t *near, size_t count, size_t s, void *b)
{
    if (t->f64 && t->tri)
        group_f64(t, nc, c, 1, kind, i, near, count, s, b);
    else if (t->f64)
        group_f64(t, nc, c, 0, kind, i, near, count, s, b);
    else if (t->tri)
        group_f32(t, nc, c, 1, 0, kind, i, near, count, s, b);
    else if (t->one_geom)
        group_f32(t, nc, c, 0, 1, kind, i, near, count, s, b);
    else
        group_f32(t, nc, c, 0, 0, kind, i, near, count, s, b);
}

#define GROUP(NAME, KIND)                                                                          \
    static __attribute__((noinline)) void NAME(                                                    \
        const struct g4_near *t, size_t i, const uint32_t *near, size_t count, size_t s, void *b)  \
    {                                                                                              \
        switch (t->ncomp == 1 ? t->component[0] : BETA_NCOMPONENTS) {                              \
        case BETA_XZ: group_cells(t, 1, BETA_XZ, KIND, i, near, count, s, b); break;               \
        case BETA_XY: group_cells(t, 1, BETA_XY, KIND, i, near, count, s, b); break;               \
        case BETA_YZ: group_cells(t, 1, BETA_YZ, KIND, i, near, count, s, b); break;               \
        case BETA_XX_YY: group_cells(t, 1, BETA_XX_YY, KIND, i, near, count, s, b); break;         \
        case BETA_ZZ: group_cells(t, 1, BETA_ZZ, KIND, i, near, count, s, b); break;               \
        default: group_cells(t, BETA_NCOMPONENTS, 0, KIND, i, near, count, s, b);                  \
        }                                                                                          \
    }
GROUP(group_cut, CUT)
GROUP(group_taper, TAPER)
GROUP(group_near, NEAR)

HOT void group(const struct g4_near *t, int near_part, size_t i, const uint32_t *near, size_t count,
               size_t s, void *b)
{
    if (near_part)
        group_near(t, i, near, count, s, b);
    else if (t->taper)
        group_taper(t, i, near, count, s, b);
    else
        group_cut(t, i, near, count, s, b);
}

/* Weights of both atoms, where they have some. */
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
            group(t, t->mesh != NULL, i, near + at, count, s, b);                                  \
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
        group(t, 0, i, near, count, s, b);                                                         \
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
