/* SPDX-License-Identifier: MIT */
#include "base/simd_image.h"
#include "pair/ewald_lanes.h"
#include "pair/pair.h"
#include "pair/pairs.h"

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

#define FINITE(T)                                                                                  \
    HOT int finite_##T(const T *v, size_t n)                                                       \
    {                                                                                              \
        T bad = 0;                                                                                 \
        for (size_t k = 0; k < n; k++)                                                             \
            bad += 0 * v[k];                                                                       \
        return bad == 0;                                                                           \
    }
FINITE(float)
FINITE(double)

/* Computes row i of the table, LANES elements at a time. The next row overwrites the surplus lanes.
 * Returns whether all values are finite. */
HOT int row_f32(enum sum_form form, int component, int tri, const struct sum_cell *cell, float coef,
                const float *restrict x, size_t stride, size_t i, size_t n, float *restrict out)
{
    float xi = x[i], yi = x[stride + i], zi = x[2 * stride + i];
    for (size_t j = i + 1; j < n; j += LANES) {
        const float *p = x + j;
        float *o = out + (j - i - 1), v[LANES];
        for (int l = 0; l < LANES; l++) {
            float dx = xi - p[l], dy = yi - p[stride + (size_t)l],
                  dz = zi - p[2 * stride + (size_t)l];
            simd_cell_f32(tri, &cell->f, &dx, &dy, &dz);
            v[l] = pair_beta_f32(form, &cell->taper_f32, NULL, component, coef, dx, dy, dz);
        }
        memcpy(o, v, sizeof v);
    }
    return finite_float(out, n - i - 1);
}

HOT int row_f64(enum sum_form form, int component, const struct sum_cell *cell, double coef,
                const double *restrict x, size_t stride, size_t i, size_t n, double *restrict out)
{
    double xi = x[i], yi = x[stride + i], zi = x[2 * stride + i];
    for (size_t j = i + 1; j < n; j++) {
        double d[3] = {xi - x[j], yi - x[stride + j], zi - x[2 * stride + j]};
        simd_cell_f64(!cell->d.ortho, &cell->d, d);
        out[j - i - 1] =
            pair_beta_f64(form, &cell->taper_f64, NULL, component, coef, d[0], d[1], d[2]);
    }
    return finite_double(out, n - i - 1);
}

/* For a sum over all images, computes rows of ncomp components, `step` apart, in one pass. The bits
 * are the same as for one component at a time. */
#define ROW_EWALD(T, S)                                                                            \
    HOT int row_ewald_##S(int ncomp, const int *component, const double *coef,                     \
                          const struct sum_cell *cell, const T *restrict x, size_t stride,         \
                          size_t i, size_t n, T *restrict out, size_t step)                        \
    {                                                                                              \
        struct ewald_block_##S block;                                                              \
        T at[3] = {x[i], x[stride + i], x[2 * stride + i]};                                        \
        int good = 1;                                                                              \
        for (int g = 0; g < EWALD_GROUPS; g++)                                                     \
            block.cell[g] = &cell->ewald_##S;                                                      \
        for (size_t j = i + 1; j < n; j += EWALD_LANES) {                                          \
            size_t m = n - j < EWALD_LANES ? n - j : EWALD_LANES;                                  \
            size_t groups = (m + EWALD_GROUP - 1) / EWALD_GROUP;                                   \
            for (size_t c = 0; c < 3; c++)                                                         \
                for (size_t l = 0; l < groups * EWALD_GROUP; l++)                                  \
                    block.d[c][l] = at[c] - x[c * stride + j + l];                                 \
            ewald_block_run_##S(&block, (int)groups, ncomp, component);                            \
            for (size_t c = 0; c < (size_t)ncomp; c++)                                             \
                for (size_t l = 0; l < m; l++)                                                     \
                    out[c * step + j - i - 1 + l] = (T)coef[c] * block.q[c][l];                    \
        }                                                                                          \
        for (size_t c = 0; c < (size_t)ncomp; c++)                                                 \
            good &= finite_##T(out + c * step, n - i - 1);                                         \
        return good;                                                                               \
    }
ROW_EWALD(float, f32)
ROW_EWALD(double, f64)

/* Returns the sum of a row in eight lanes, so that every SIMD level sums in the same order. */
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

/* Computes row i of a component. Component and form are compile-time constants. Returns whether all
 * values are finite. */
HOT int row_of(enum sum_form form, const struct pairs *p, int c, int comp,
               const struct sum_cell *cell, const void *x, size_t stride, size_t i, size_t n,
               void *out)
{
    double coef = p->coef[comp];
    return p->dtype == FRAME_F64 ? row_f64(form, c, cell, coef, x, stride, i, n, out)
           : cell->d.ortho       ? row_f32(form, c, 0, cell, (float)coef, x, stride, i, n, out)
                                 : row_f32(form, c, 1, cell, (float)coef, x, stride, i, n, out);
}

HOT int row(const struct pairs *p, int c, int comp, const struct sum_cell *cell, const void *x,
            size_t stride, size_t i, size_t n, void *out)
{
#define ROW_FORM(FORM)                                                                             \
    case FORM: return row_of(FORM, p, c, comp, cell, x, stride, i, n, out);
    switch (sum_pair_form(&p->sum)) {
        PAIR_EACH_FORM(ROW_FORM)
    default:
        return p->dtype == FRAME_F64
                   ? row_ewald_f64(1, &c, p->coef + comp, cell, x, stride, i, n, out, 0)
                   : row_ewald_f32(1, &c, p->coef + comp, cell, x, stride, i, n, out, 0);
    }
}

/* Adds the pair function to row i, or replaces the row by it. */
#define FUNCTION_ROW(T, S, IMAGE)                                                                  \
    HOT void function_row_##S(const struct pair_function *f, int tri, int component,               \
                              const struct sum_cell *cell, const T *restrict x, size_t stride,     \
                              size_t i, size_t n, T *restrict out)                                 \
    {                                                                                              \
        const int32_t *start = f->start + f->kind[i] * f->kinds;                                   \
        struct function_##S b;                                                                     \
        for (size_t j = i + 1; j < n; j += FUNCTION_BATCH, out += FUNCTION_BATCH) {                \
            size_t m = n - j < FUNCTION_BATCH ? n - j : FUNCTION_BATCH, end = (m + 15) / 16 * 16;  \
            for (size_t l = 0; l < end; l++)                                                       \
                b.at[l] = start[f->kind[j + l]];                                                   \
            for (size_t l = 0; l < end; l++) {                                                     \
                const T *p = x + j + l;                                                            \
                T d[3] = {x[i] - p[0], x[stride + i] - p[stride],                                  \
                          x[2 * stride + i] - p[2 * stride]};                                      \
                IMAGE;                                                                             \
                for (int c = 0; c < 3; c++)                                                        \
                    b.d[c][l] = d[c];                                                              \
            }                                                                                      \
            SIMD_NAME(function_run_##S)(f, end, 1, &component, &b);                                \
            for (size_t l = 0; l < m; l++)                                                         \
                out[l] = f->did ? out[l] + b.v[0][l] : b.v[0][l];                                  \
        }                                                                                          \
    }
FUNCTION_ROW(float, f32, simd_cell_f32(tri, &cell->f, d, d + 1, d + 2))
FUNCTION_ROW(double, f64, simd_cell_f64(tri, &cell->d, d))

static __attribute__((noinline)) void function_row(const struct pairs *p, int component,
                                                   const struct sum_cell *cell, const void *x,
                                                   size_t stride, size_t i, size_t n, void *row)
{
    const struct pair_function *f = &p->function;
    if (p->dtype == FRAME_F64)
        function_row_f64(f, !cell->d.ortho, component, cell, x, stride, i, n, row);
    else if (cell->d.ortho)
        function_row_f32(f, 0, component, cell, x, stride, i, n, row);
    else
        function_row_f32(f, 1, component, cell, x, stride, i, n, row);
}

/* Multiplies a row of beta by its factors, and adds the interaction with own images (factors.h).
 * Returns whether all values are finite. */
#define WEIGH(T)                                                                                   \
    HOT int weigh_##T(const struct factors *f, double self, size_t i, size_t n, T *restrict row)   \
    {                                                                                              \
        double v[WEIGH_AT_ONCE], own[WEIGH_AT_ONCE];                                               \
        for (size_t j = i + 1; j < n; j += WEIGH_AT_ONCE, row += WEIGH_AT_ONCE) {                  \
            size_t m = n - j < WEIGH_AT_ONCE ? n - j : WEIGH_AT_ONCE;                              \
            factors_row(f, i, j, m, v, self != 0.0 ? own : NULL);                                  \
            for (size_t k = 0; k < m; k++)                                                         \
                row[k] = v[k] != 0.0 ? row[k] * (T)v[k] : 0;                                       \
            for (size_t k = 0; self != 0.0 && k < m; k++)                                          \
                row[k] += (T)(own[k] * self);                                                      \
            if (!finite_##T(row, m))                                                               \
                return 0;                                                                          \
        }                                                                                          \
        return 1;                                                                                  \
    }
#define WEIGH_AT_ONCE 256
WEIGH(float)
WEIGH(double)

HOT int weigh(const struct pairs *p, int comp, const struct sum_cell *cell, size_t i, size_t n,
              void *row)
{
    double self = p->coef[comp] * cell->self[p->component[comp]];
    return p->dtype == FRAME_F64 ? weigh_double(p->factors, self, i, n, row)
                                 : weigh_float(p->factors, self, i, n, row);
}

/* A row with a number that is not finite makes the function return. */
#define TABLE(c)                                                                                   \
    for (size_t i = 0, at = 0; i + 1 < n; i++, at += sum ? 0 : n - i) {                            \
        void *to = (char *)out + at * es;                                                          \
        int good = (p->function.cells && !p->function.did) ||                                      \
                   row(p, c, comp, cell, scratch, stride, i, n, to);                               \
        if (p->function.cells)                                                                     \
            function_row(p, c, cell, scratch, stride, i, n, to);                                   \
        if (p->function.cells && (!p->factors || p->factors->ones))                                \
            good = p->dtype == FRAME_F64 ? finite_double(to, n - i - 1)                            \
                                         : finite_float(to, n - i - 1);                            \
        else if (p->factors)                                                                       \
            good = weigh(p, comp, cell, i, n, to);                                                 \
        if (sum)                                                                                   \
            total += p->dtype == FRAME_F64 ? row_sum_double(to, n - i - 1)                         \
                                           : row_sum_float(to, n - i - 1);                         \
        if (!good)                                                                                 \
            return i;                                                                              \
    }

size_t SIMD_NAME(pairs_table)(const struct pairs *p, int comp, const struct sum_cell *cell,
                              const void *scratch, void *out, double *sum)
{
    size_t n = p->natoms, stride = n + PAIRS_SLACK, es = frame_dtype_size(p->dtype);
    double total = 0.0;
    switch (p->component[comp]) {
#define TABLE_CASE(C, NAME, WORDS, EVEN, NONE)                                                     \
    case C: TABLE(C) break;
        BETA_EACH(TABLE_CASE, )
    }
    if (sum)
        *sum = total;
    return n;
}

size_t SIMD_NAME(pairs_tables)(const struct pairs *p, const struct sum_cell *cell,
                               const void *scratch, void *out)
{
    static const int all[BETA_NCOMPONENTS] = {BETA_EACH(BETA_ENUM, )};
    size_t n = p->natoms, npairs = n * (n - 1) / 2, bytes = npairs * frame_dtype_size(p->dtype);
    if (sum_pair_form(&p->sum) == SUM_IMAGES && p->ncomp == BETA_NCOMPONENTS && !p->factors) {
        for (size_t i = 0, at = 0; i + 1 < n; i++, at += n - i)
            if (!(p->dtype == FRAME_F64
                      ? row_ewald_f64(BETA_NCOMPONENTS, all, p->coef, cell, scratch,
                                      n + PAIRS_SLACK, i, n, (double *)out + at, npairs)
                      : row_ewald_f32(BETA_NCOMPONENTS, all, p->coef, cell, scratch,
                                      n + PAIRS_SLACK, i, n, (float *)out + at, npairs)))
                return i;
        return n;
    }
    for (int c = 0; c < p->ncomp; c++) {
        size_t i =
            SIMD_NAME(pairs_table)(p, c, cell, scratch, (char *)out + (size_t)c * bytes, NULL);
        if (i < n)
            return i;
    }
    return n;
}
