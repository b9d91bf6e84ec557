/* SPDX-License-Identifier: MIT */
/* tolerance.h: compares the values a and b of two streams, within tolerances or within error bars.
 *
 * A point passes if |a - b| <= atol + rtol max(|a|, |b|) + t sqrt(se_a² + se_b²). The factor t is
 * exceeded in Student's distribution with the same probability as sigma in a normal distribution,
 * and equals sigma if the number of degrees of freedom is unknown. If sigma is given, points
 * without a standard error are ignored. A point that is NaN in only one stream never passes. A
 * point that is NaN in both streams passes only in a column of standard errors or scalars, and is
 * counted. The relative error is |a - b| / max(|a|, |b|), or 0 if a = b.
 *
 * The default of rtol is usually TOLERANCE_RTOL. If only atol or sigma is given, the default of
 * rtol is 0. The default of rtol is also 0 for data that are expected to be identical (integer
 * columns, positions, scalars, cells, pair tables). The default of atol is rtol times the largest
 * |value| of the column. If the same terms are added in a different order, sums differ by about
 * 1e-12 of their largest terms, even where a sum passes through 0. A difference of more than 1e-9
 * of the largest value must therefore have another cause. If sigma is given, only columns with
 * standard errors are compared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/series.h"

#define TOLERANCE_RTOL 1e-9
#define TOLERANCE_AXIS 1e-9 /* for t_ps, r_A, nu */

struct tolerance {
    double rtol, atol, sigma; /* NaN: not given */
};

struct tolerance_column {
    char name[SERIES_NAME];
    bool exact;                                   /* values must be equal */
    bool undefined;                               /* NaN in both is allowed */
    bool has_se;                                  /* sigma applies */
    uint64_t points, nan_one, nan_both, unjudged; /* unjudged: without errors */
    double scale;                                 /* largest |value| */
    /* `excess` is the largest amount by which |a - b| exceeds the tolerance of rtol and sigma. */
    double max_rel, sum_rel, max_abs, max_sigma, excess;
    /* Row of a column, or step * per_step + index of the atom or pair. */
    uint64_t at_abs, at_excess;
};

/* Adds a point to the statistics of a column. The standard error `se` of a - b, with `dof` degrees
 * of freedom, is NaN if unknown. */
void tolerance_point(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                     double a, double b, double se, double dof);
/* Returns 1 if all points pass, 0 if not, or -1 if the errors that sigma needs are missing. */
int tolerance_judge(const struct tolerance_column *c, const struct tolerance *t);

struct tolerance_table {
    struct tolerance_column *col;
    size_t ncols;
    enum frame_type type;
    uint64_t rows;
    char axis[2 * SERIES_NAME];
    size_t natoms, per_step; /* per_step: atoms or pairs */
};
void tolerance_table_free(struct tolerance_table *t);
/* Writes the place of a point to text[]: an axis value, step:atom, or step:i-j for a pair. */
void tolerance_where(const struct tolerance_table *t, const struct series *s, uint64_t where,
                     char *text, size_t size);

/* Reports which keys for the system, the convention and the components differ between two METAs. */
void tolerance_meta(const struct meta *a, const struct meta *b,
                    void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2))));

/* Compares two segments that consist of columns. Returns 0, or -1 with an error message in e if the
 * type, the number of rows, the axis or the columns differ, or if memory runs out. */
int tolerance_series(const struct series *a, const struct series *b, const struct tolerance *t,
                     struct tolerance_table *out, struct err *e) FRAME_MUST;
/* Compares two POSN or PAIR segments, and calls progress() after each step. Returns 0, or -1 with
 * an error message in e. */
int tolerance_steps(struct series_steps *a, struct series_steps *b, const struct tolerance *t,
                    void (*progress)(void *ctx), void *ctx, struct tolerance_table *out,
                    struct err *e) FRAME_MUST;
