/* SPDX-License-Identifier: MIT */
#include "base/simd_image.h"
#include "g4/pairs.h"

#include <math.h>
#include <string.h>

#define HOT static inline __attribute__((always_inline))
#define LANES 16

#define WRAP(S, T)                                                                                 \
    HOT void wrap_##S##_##T(const struct box *b, size_t n, size_t stride, const S *restrict src,   \
                            T *restrict to)                                                        \
    {                                                                                              \
        for (size_t c = 0; b->ortho && c < 3; c++) {                                               \
            double len = b->h[c][c], inv = b->pbc[c] ? b->inv[c][c] : 0.0;                         \
            for (size_t a = 0; a < n; a++) {                                                       \
                double r = (double)src[3 * a + c];                                                 \
                to[c * stride + a] = (T)(r - floor(r * inv) * len);                                \
            }                                                                                      \
        }                                                                                          \
        for (size_t a = 0; !b->ortho && a < n; a++) {                                              \
            double r[3] = {(double)src[3 * a], (double)src[3 * a + 1], (double)src[3 * a + 2]};    \
            box_wrap(b, r);                                                                        \
            for (size_t c = 0; c < 3; c++)                                                         \
                to[c * stride + a] = (T)r[c];                                                      \
        }                                                                                          \
        for (size_t c = 0; c < 3; c++)                                                             \
            memset(to + c * stride + n, 0, (stride - n) * sizeof *to);                             \
    }

WRAP(float, float)
WRAP(float, double)
WRAP(double, float)
WRAP(double, double)

void SIMD_NAME(pairs_wrap)(const struct pairs *p, const struct box *b, const void *pos,
                           void *scratch)
{
    size_t n = p->natoms, stride = n + PAIRS_SLACK;
    if (p->source == FRAME_F32 && p->dtype == FRAME_F32)
        wrap_float_float(b, n, stride, pos, scratch);
    else if (p->source == FRAME_F32)
        wrap_float_double(b, n, stride, pos, scratch);
    else if (p->dtype == FRAME_F32)
        wrap_double_float(b, n, stride, pos, scratch);
    else
        wrap_double_double(b, n, stride, pos, scratch);
}

/* Row i of the table, LANES at a time; the surplus lanes are overwritten by the next row. Returns
 * whether all is finite. */
HOT int row_f32(int component, int tri, const struct box_f32 *g, float coef, float rc2,
                const float *restrict x, size_t stride, size_t i, size_t n, float *restrict out)
{
    float xi = x[i], yi = x[stride + i], zi = x[2 * stride + i], bad = 0.0f;
    for (size_t j = i + 1; j < n; j += LANES) {
        const float *p = x + j;
        float *o = out + (j - i - 1), v[LANES];
        for (int l = 0; l < LANES; l++) {
            float dx = xi - p[l], dy = yi - p[stride + (size_t)l],
                  dz = zi - p[2 * stride + (size_t)l];
            if (tri) {
                box_image_tri_f32(g, &dx, &dy, &dz);
            } else {
                dx = simd_image_f32(dx, g->h[0][0], g->inv[0][0]);
                dy = simd_image_f32(dy, g->h[1][1], g->inv[1][1]);
                dz = simd_image_f32(dz, g->h[2][2], g->inv[2][2]);
            }
            v[l] = beta_f32(component, coef, dx, dy, dz, rc2);
        }
        memcpy(o, v, sizeof v);
    }
    for (size_t k = 0; k < n - i - 1; k++)
        bad += 0.0f * out[k];
    return bad == 0.0f;
}

HOT int row_f64(int component, const struct box *g, double coef, double rc2,
                const double *restrict x, size_t stride, size_t i, size_t n, double *restrict out)
{
    double xi = x[i], yi = x[stride + i], zi = x[2 * stride + i], bad = 0.0;
    for (size_t j = i + 1; j < n; j++) {
        double d[3] = {xi - x[j], yi - x[stride + j], zi - x[2 * stride + j]};
        if (g->ortho) {
            for (int c = 0; c < 3; c++)
                d[c] = box_image_f64(d[c], g->h[c][c], g->inv[c][c]);
        } else {
            box_image(g, d);
        }
        out[j - i - 1] = beta_f64(component, coef, d[0], d[1], d[2], rc2);
    }
    for (size_t k = 0; k < n - i - 1; k++)
        bad += 0.0 * out[k];
    return bad == 0.0;
}

/* A row added up in eight lanes, so that every level adds in the same order. */
#define ROW_SUM(T)                                                                                 \
    HOT double row_sum_##T(const T *v, size_t n)                                                   \
    {                                                                                              \
        double a[8] = {0};                                                                         \
        size_t k = 0;                                                                              \
        for (; k + 8 <= n; k += 8)                                                                 \
            for (size_t l = 0; l < 8; l++)                                                         \
                a[l] += (double)v[k + l];                                                          \
        for (size_t l = 0; k < n; k++, l++)                                                        \
            a[l] += (double)v[k];                                                                  \
        return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));                  \
    }
ROW_SUM(float)
ROW_SUM(double)

double SIMD_NAME(pairs_sum)(enum frame_dtype dtype, size_t n, const void *table)
{
    double sum = 0.0;
    for (size_t i = 0, at = 0; i + 1 < n; i++, at += n - i)
        sum += dtype == FRAME_F64 ? row_sum_double((const double *)table + at, n - i - 1)
                                  : row_sum_float((const float *)table + at, n - i - 1);
    return sum;
}

/* Every row ends the function where it holds a number that is not finite. */
#define TABLE_CASE(c)                                                                              \
    case c:                                                                                        \
        for (size_t i = 0, at = 0; i + 1 < n; i++, at += sum ? 0 : n - i) {                        \
            int good;                                                                              \
            if (p->dtype == FRAME_F64) {                                                           \
                double *row = (double *)out + at;                                                  \
                good = row_f64(c, &d, p->coef[comp], p->rc2, scratch, stride, i, n, row);          \
                total += sum ? row_sum_double(row, n - i - 1) : 0.0;                               \
            } else {                                                                               \
                float *row = (float *)out + at, coef = (float)p->coef[comp], rc2 = (float)p->rc2;  \
                good = b->ortho ? row_f32(c, 0, &f, coef, rc2, scratch, stride, i, n, row)         \
                                : row_f32(c, 1, &f, coef, rc2, scratch, stride, i, n, row);        \
                total += sum ? row_sum_float(row, n - i - 1) : 0.0;                                \
            }                                                                                      \
            if (!good)                                                                             \
                return i;                                                                          \
        }                                                                                          \
        break

size_t SIMD_NAME(pairs_table)(const struct pairs *p, int comp, const struct box *b,
                              const void *scratch, void *out, double *sum)
{
    size_t n = p->natoms, stride = n + PAIRS_SLACK;
    struct box_f32 f;
    struct box d = *b;
    double total = 0.0;
    box_round_f32(b, &f);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            d.inv[a][k] = b->pbc[k] ? b->inv[a][k] : 0.0;
    switch (p->component[comp]) {
        TABLE_CASE(BETA_XZ);
        TABLE_CASE(BETA_XY);
        TABLE_CASE(BETA_YZ);
        TABLE_CASE(BETA_XX_YY);
        TABLE_CASE(BETA_ZZ);
    }
    if (sum)
        *sum = total;
    return n;
}
