/* SPDX-License-Identifier: MIT */
/*
 * tolerance.h: do two streams say the same, within tolerances or error bars?
 *
 * A point passes when |a - b| <= atol + rtol max(|a|, |b|) + t sqrt(se_a² + se_b²), where Student's
 * t of the errors' degrees of freedom is passed as rarely as sigma by a normal number; t = sigma
 * where the degrees are not known. A point without an error is not judged with sigma. A number
 * that is NaN on one side never passes; NaN on both sides passes only in a column of standard
 * errors (not defined there, in both), and is counted. Relative errors are |a - b| / max(|a|, |b|),
 * 0 where a = b.
 *
 * Defaults. rtol: TOLERANCE_RTOL, but 0 for what should be equal (integer columns, positions,
 * cells, pair tables) and 0 when only atol or sigma is given. atol: rtol times the largest |value|
 * of the column, because sums in double that are taken in another order differ by 1e-12 of their
 * largest terms wherever they pass through 0; real differences are larger than 1e-9 of it. With
 * sigma, only columns that have standard errors are judged.
 */
#ifndef MBF_TOLERANCE_H
#define MBF_TOLERANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TOLERANCE_RTOL 1e-9
#define TOLERANCE_AXIS                                                                             \
    1e-9 /* relative: t_ps, r_A, nu and times may differ by so much; more is another axis */

struct tolerance {
    double rtol, atol, sigma; /* NaN: not given */
};

struct tolerance_column {
    char name[SERIES_NAME];
    bool exact;                                   /* by default to be equal: integers, positions */
    bool is_se;                                   /* a column of standard errors */
    bool has_se;                                  /* judged with sigma */
    uint64_t points, nan_one, nan_both, unjudged; /* unjudged: with sigma, without an error */
    double scale;                                 /* largest |value| */
    double max_rel, sum_rel, max_abs, max_sigma,
        excess;                 /* excess: largest |a - b| less what rtol and sigma allow */
    uint64_t at_abs, at_excess; /* where (row, or step * values + value) max_abs and excess are */
};

/* One point into a column; se: of a - b, NaN where unknown; dof: its degrees of freedom. */
void tolerance_point(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                     double a, double b, double se, double dof);
/* The same for integers, exact beyond 2^53 too, where they may look equal as doubles. */
void tolerance_count(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                     uint64_t a, uint64_t b);
/* 1: agrees, 0: differs, -1: not judged (sigma, and the column has no errors). */
int tolerance_judge(const struct tolerance_column *c, const struct tolerance *t);

/* Result for a segment. */
struct tolerance_table {
    struct tolerance_column *col;
    size_t ncols;
    enum frame_type type;
    uint64_t rows; /* rows or steps */
    char axis
        [2 *
         SERIES_NAME]; /* name of the axis, or of two "t_ps,q_A-1"; "step" for positions and pairs */
    size_t natoms, per_step; /* POSN, PAIR: rows a step (atoms or pairs) */
};
void tolerance_table_free(struct tolerance_table *t);
/* Where a point is, as text: the axis value, or step:atom, or step:i-j. */
void tolerance_where(const struct tolerance_table *t, const struct series *s, uint64_t where,
                     char *text, size_t size);

/* Says what of system, convention and components is not the same in two META. */
void tolerance_meta(const struct meta *a, const struct meta *b,
                    void (*say)(const char *fmt, ...) __attribute__((format(printf, 1, 2))));

/* Two segments of columns. 0, or -1 with e: kind, rows, axis or columns are not the same, memory. */
int tolerance_series(const struct series *a, const struct series *b, const struct tolerance *t,
                     struct tolerance_table *out, struct err *e) FRAME_MUST;
/* Two segments of POSN or PAIR, read to their ends; progress is called for each step. The same. */
int tolerance_steps(struct series_steps *a, struct series_steps *b, const struct tolerance *t,
                    void (*progress)(void *ctx), void *ctx, struct tolerance_table *out,
                    struct err *e) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
