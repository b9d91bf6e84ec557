/* SPDX-License-Identifier: MIT */
/* pair_function.h: reads a function f(r) for each pair of species from a table, and computes the
 * value of a pair of atoms from this function, on host and device (--pair-function). For the format
 * of the file, see the page beta-gen(1).
 *
 * The value of a pair is coef q(d) f(r) r^-rank, where d is the minimum image of r_i - r_j. For
 * rank 0, q is 1. For rank 1, q is x, y or z (components 0 to 2). For rank 2, q is the quadratic
 * form of beta.h. A function of rank 1 points from the first to the second species in the name of
 * its column, so that the value does not depend on the order of the atoms.
 *
 * Between the points of the table, f is the natural cubic spline, stored as cubic polynomials in
 * cells of equal width. Cells are the intervals between evenly spaced points, and otherwise a
 * quarter of the smallest interval. If a point is inside a cell, the polynomial of the cell has the
 * value and the slope of the spline at both ends. Every operation is a single IEEE operation, so
 * that host and device give the same bits. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hd.h"
#include "base/simd.h"
#include "pair/beta.h"
#include "stream/meta.h"

C_LINKAGE_BEGIN

#define FUNCTION_ZZ 0.28867513459481287 /* 1/(2 sqrt 3) */
#define PAIR_FUNCTION_SLACK 32          /* bytes after kind[] */

struct pair_function_file;

/* If there is no pair function, `cells` is 0. Device code uses only the members up to `f64`. */
struct pair_function {
    /* A column has `cells` cells, including a cell before the first point and a cell after the last
     * point. */
    int rank, cells;
    int did;                /* added to the dipole-induced-dipole beta */
    double first, end, per; /* Å, Å, cells per Å */
    size_t kinds, columns;  /* kinds: species */
    unsigned char *kind;    /* [natoms + slack] */
    int32_t *start;         /* [kinds][kinds], index of the first coefficient */
    /* The coefficients [columns][cells][4] begin with the lowest power. */
    float *f32;
    double *f64;
    struct pair_function_file *file;
};

/* Reads the file `path`. Returns 0, or -1 with an error message in e that contains the line number
 * if the file is not a table of pair functions. */
int pair_function_read(const char *path, struct pair_function *f, struct err *e) MUST_USE;
/* Finds the species of the atoms that the META m describes, and computes the splines. Returns 0, or
 * -1 with an error message in e if a pair of species has no column, or if a column names an unknown
 * species. */
int pair_function_bind(struct pair_function *f, const struct meta *m, size_t natoms,
                       struct err *e) MUST_USE;
void pair_function_free(struct pair_function *f);

/* Return the unit of f, or "1" if there is no f, and the name of the file. */
const char *pair_function_unit(const struct pair_function *f);
const char *pair_function_path(const struct pair_function *f);
/* Writes data.function to the META m. Returns 0 or -1. */
int pair_function_meta(const struct pair_function *f, struct meta *m);

/* Finds the cell of a distance r, the position x in the cell, and q = r^rank for the ranks 1 and 2.
 * From the four coefficients of the cell, pair_function_poly computes u = f(r) r^-rank, which is
 * NaN before the first point, and 0 beyond the end of the table. A component follows from u by
 * pair_function_value. All three steps are done by pair_function_at, for atoms of the species a and
 * b. */
#define PAIR_FUNCTION_DEFINE(T, S, ROOT)                                                           \
    HD int pair_function_cell_##S(const struct pair_function *f, T r2, T *x, T *q)                 \
    {                                                                                              \
        T r = ROOT(r2), t = (r - (T)f->first) * (T)f->per + 1, top = (T)(f->cells - 1);            \
        t = t > 0 ? t : 0;                                                                         \
        t = t < top ? t : top;                                                                     \
        int k = (int)t;                                                                            \
        *x = t - (T)k;                                                                             \
        *q = f->rank == 2 ? r2 : r;                                                                \
        return k;                                                                                  \
    }                                                                                              \
    HD T pair_function_poly_##S(int rank, T q, T x, T c0, T c1, T c2, T c3)                        \
    {                                                                                              \
        T v = c0 + x * (c1 + x * (c2 + x * c3));                                                   \
        return rank ? v / q : v;                                                                   \
    }                                                                                              \
    HD T pair_function_value_##S(int rank, int component, T x, T y, T z, T u)                      \
    {                                                                                              \
        if (rank == 2)                                                                             \
            return ((T)(component == BETA_XX_YY ? 0.5                                              \
                        : component == BETA_ZZ  ? FUNCTION_ZZ                                      \
                                                : 1.0) *                                            \
                    beta_form_##S(component, x, y, z)) *                                           \
                   u;                                                                              \
        return rank == 1 ? (component == 0 ? x : component == 1 ? y : z) * u : u;                  \
    }                                                                                              \
    HD T pair_function_at_##S(const struct pair_function *f, int a, int b, int component, T x,     \
                              T y, T z)                                                            \
    {                                                                                              \
        T in, q;                                                                                   \
        const T *c = f->S + f->start[(size_t)a * f->kinds + (size_t)b] +                           \
                     4 * pair_function_cell_##S(f, beta_r2_##S(x, y, z), &in, &q);                 \
        T u = pair_function_poly_##S(f->rank, q, in, c[0], c[1], c[2], c[3]);                      \
        return pair_function_value_##S(f->rank, component, x, y, z, u);                            \
    }
PAIR_FUNCTION_DEFINE(float, f32, sqrtf)
PAIR_FUNCTION_DEFINE(double, f64, sqrt)

/* A batch contains n pairs, where n is a multiple of 16. For each pair, the caller sets at[] to the
 * index of the first coefficient for the species of the pair, and d[] to the minimum image of r_i -
 * r_j. The kernel function_run computes v[k], the value of component k of ncomp components. */
#define FUNCTION_BATCH 256
#define FUNCTION_STRUCT(T, S)                                                                      \
    struct function_##S {                                                                          \
        int32_t at[FUNCTION_BATCH]; /* of the first coefficient */                                 \
        T d[3][FUNCTION_BATCH], x[FUNCTION_BATCH], q[FUNCTION_BATCH];                              \
        T v[BETA_NCOMPONENTS][FUNCTION_BATCH];                                                     \
    } __attribute__((aligned(64)));                                                                \
    SIMD_DECLARE(void, function_run_##S,                                                           \
                 (const struct pair_function *f, size_t n, int ncomp, const int *component,        \
                  struct function_##S *b))
FUNCTION_STRUCT(float, f32);
FUNCTION_STRUCT(double, f64);

C_LINKAGE_END
