/* SPDX-License-Identifier: MIT */
#include "stats/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "stats/tolerance_refuse.h"

static bool given(const struct tolerance *t)
{
    return !isnan(t->rtol) || !isnan(t->atol) || !isnan(t->sigma);
}

static double or_zero(double x)
{
    return isnan(x) ? 0.0 : x;
}

static double rtol_in_force(const struct tolerance_column *c, const struct tolerance *t)
{
    return given(t) ? or_zero(t->rtol) : c->exact ? 0.0 : TOLERANCE_RTOL;
}

double tolerance_atol(const struct tolerance_column *c, const struct tolerance *t)
{
    return isnan(t->atol) ? rtol_in_force(c, t) * c->scale : t->atol;
}

/* A point whose values differ by diff and are at most larger, with combined error se. */
static void add_point(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                      double diff, double larger, double se)
{
    bool finite = !isinf(larger);
    double rel = diff == 0.0 ? 0.0 : finite ? diff / larger : INFINITY;
    double allowed = (finite ? rtol_in_force(c, t) * larger : 0.0) + or_zero(t->sigma) * se;
    c->points++;
    c->scale = fmax(c->scale, finite ? larger : 0.0);
    c->sum_rel += rel;
    c->max_rel = fmax(c->max_rel, rel);
    if (diff > 0.0)
        c->max_sigma = fmax(c->max_sigma, diff / se);
    if (diff > c->max_abs) {
        c->max_abs = diff;
        c->at_abs = where;
    }
    if (diff > 0.0 && diff - allowed > c->excess) {
        c->excess = diff - allowed;
        c->at_excess = where;
    }
}

void tolerance_point(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                     double a, double b, double se_a, double se_b)
{
    if (isnan(a) || isnan(b)) {
        c->points++;
        c->nan_both += isnan(a) && isnan(b);
        c->nan_one += !isnan(a) || !isnan(b);
        return;
    }
    add_point(c, t, where, a == b ? 0.0 : fabs(a - b), fmax(fabs(a), fabs(b)),
              hypot(or_zero(se_a), or_zero(se_b)));
}

void tolerance_count(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                     uint64_t a, uint64_t b)
{
    add_point(c, t, where, (double)(a > b ? a - b : b - a), (double)(a > b ? a : b), 0.0);
}

int tolerance_judge(const struct tolerance_column *c, const struct tolerance *t)
{
    if (!isnan(t->sigma) && !c->has_se)
        return -1;
    return c->nan_one == 0 && (c->nan_both == 0 || c->is_se) && c->excess <= tolerance_atol(c, t);
}

void tolerance_table_free(struct tolerance_table *t)
{
    free(t->col);
    *t = (struct tolerance_table){0};
}

void tolerance_where(const struct tolerance_table *t, const struct series *s, uint64_t where,
                     char *text, size_t size)
{
    if (s) {
        char number[DECIMAL_TEXT];
        double x = s->v[where * s->cols];
        size_t n = isnan(x) ? decimal_put_u64(number, where) : decimal_put_f64(number, x, 0);
        snprintf(text, size, "%.*s", (int)n, number);
        return;
    }
    if (t->per_step == 0) {
        snprintf(text, size, "-");
        return;
    }
    uint64_t step = where / t->per_step, row = where % t->per_step, i = 0;
    if (t->type == FRAME_POSN) {
        snprintf(text, size, "%llu:%llu", (unsigned long long)step, (unsigned long long)row);
        return;
    }
    for (; row >= t->natoms - 1 - i; i++)
        row -= t->natoms - 1 - i;
    snprintf(text, size, "%llu:%llu-%llu", (unsigned long long)step, (unsigned long long)i,
             (unsigned long long)(i + 1 + row));
}

/* The same kind, rows, columns and axis? */
static int comparable(const struct series *a, const struct series *b, int *status, char *err,
                      size_t errlen)
{
    static const char *const kinds[] = {
        [FRAME_CORR] = "CORR", [FRAME_HIST] = "HIST", [FRAME_SPEC] = "SPEC"};
    if (a->type != b->type)
        return tolerance_refuse(status, 2, err, errlen, "different kinds: %s and %s",
                                kinds[a->type], kinds[b->type]);
    if (a->rows != b->rows)
        return tolerance_refuse(status, 2, err, errlen, "different lengths: %zu and %zu rows",
                                a->rows, b->rows);
    for (size_t c = 0; c < a->cols || c < b->cols; c++)
        if (c >= a->cols || c >= b->cols || strcmp(a->name[c], b->name[c]) != 0)
            return tolerance_refuse(
                status, 2, err, errlen, "different columns: column %zu is %s and %s", c + 1,
                c < a->cols ? a->name[c] : "absent", c < b->cols ? b->name[c] : "absent");
    for (size_t i = 0; i < a->rows; i++) {
        double x = a->v[i * a->cols], y = b->v[i * b->cols];
        if (!(fabs(x - y) <= TOLERANCE_AXIS * fmax(fabs(x), fabs(y))) && !(isnan(x) && isnan(y)))
            return tolerance_refuse(status, 2, err, errlen,
                                    "different axes: %s of row %zu is %.10g and %.10g", a->name[0],
                                    i, x, y);
    }
    return 0;
}

static void one_column(const struct series *a, const struct series *b, const struct tolerance *t,
                       size_t c, struct tolerance_column *col)
{
    int se = a->se[c];
    strcpy(col->name, a->name[c]);
    col->exact = a->count[c] && b->count[c];
    col->has_se = se >= 0;
    for (size_t k = 0; k < a->cols; k++)
        col->is_se |= a->se[k] == (int)c;
    for (size_t i = 0; i < a->rows; i++) {
        const double *x = a->v + i * a->cols, *y = b->v + i * b->cols;
        if (col->exact)
            tolerance_count(col, t, i, a->count[c][i], b->count[c][i]);
        else
            tolerance_point(col, t, i, x[c], y[c], se >= 0 ? x[se] : 0.0, se >= 0 ? y[se] : 0.0);
    }
}

int tolerance_series(const struct series *a, const struct series *b, const struct tolerance *t,
                     struct tolerance_table *out, int *status, char *err, size_t errlen)
{
    *out = (struct tolerance_table){.type = a->type, .rows = a->rows, .ncols = a->cols - 1};
    if (comparable(a, b, status, err, errlen) != 0)
        return -1;
    strcpy(out->axis, a->name[0]);
    if (!(out->col = calloc(a->cols, sizeof *out->col)))
        return tolerance_refuse(status, 3, err, errlen, "out of memory");
    bool errors = false;
    for (size_t c = 1; c < a->cols; c++) {
        one_column(a, b, t, c, &out->col[c - 1]);
        errors |= a->se[c] >= 0;
    }
    if (isnan(t->sigma) || errors)
        return 0;
    tolerance_table_free(out);
    return tolerance_refuse(status, 2, err, errlen,
                            "--sigma: standard errors expected, found none (g4: --blocks)");
}
