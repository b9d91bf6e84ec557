/* SPDX-License-Identifier: MIT */
#include "stats/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "io/decimal.h"
#include "stream/frame_prefetch.h"
#include "stream/scalars.h"

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

/* Adds a point with difference `diff`, larger absolute value `larger`, and combined error `se`. */
static void add_point(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                      double diff, double larger, double se, double dof)
{
    bool finite = !isinf(larger);
    double rel = diff == 0.0 ? 0.0 : finite ? diff / larger : INFINITY;
    double sigma = isnan(t->sigma) || isinf(dof)
                       ? or_zero(t->sigma)
                       : errors_quantile(errors_tail(t->sigma, INFINITY), dof);
    double allowed = (finite ? rtol_in_force(c, t) * larger : 0.0) + (se > 0.0 ? sigma * se : 0.0);
    c->points++;
    c->scale = fmax(c->scale, finite ? larger : 0.0);
    c->sum_rel += rel;
    c->max_rel = fmax(c->max_rel, rel);
    c->max_sigma = fmax(c->max_sigma, diff / se); /* 0 / 0 is NaN and does not count */
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
                     double a, double b, double se, double dof)
{
    if (isnan(a) || isnan(b)) {
        c->points++;
        c->nan_both += isnan(a) && isnan(b);
        c->nan_one += !isnan(a) || !isnan(b);
        return;
    }
    if (isnan(se) && !isnan(t->sigma) && a != b) {
        c->points++;
        c->unjudged++;
        return;
    }
    add_point(c, t, where, a == b ? 0.0 : fabs(a - b), fmax(fabs(a), fabs(b)), or_zero(se), dof);
}

/* Adds a point of integers, which are compared exactly even above 2^53. */
static void tolerance_count(struct tolerance_column *c, const struct tolerance *t, uint64_t where,
                            uint64_t a, uint64_t b)
{
    add_point(c, t, where, (double)(a > b ? a - b : b - a), (double)(a > b ? a : b), 0.0, INFINITY);
}

int tolerance_judge(const struct tolerance_column *c, const struct tolerance *t)
{
    if (!isnan(t->sigma) && (!c->has_se || c->unjudged == c->points))
        return -1;
    return c->nan_one == 0 && (c->nan_both == 0 || c->undefined) &&
           c->excess <= (isnan(t->atol) ? rtol_in_force(c, t) * c->scale : t->atol);
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
        size_t n = isnan(x) ? decimal_put_u64(number, where % series_group(s))
                            : decimal_put_f64(number, x, 0);
        snprintf(text, size, "%.*s", (int)n, number);
        if (s->axes > 1)
            snprintf(text + n, size > n ? size - n : 0, ",%.6g", s->v[where * s->cols + 1]);
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
    if (t->type == FRAME_SERI) {
        snprintf(text, size, "%llu", (unsigned long long)step);
        return;
    }
    for (; row >= t->natoms - 1 - i; i++)
        row -= t->natoms - 1 - i;
    snprintf(text, size, "%llu:%llu-%llu", (unsigned long long)step, (unsigned long long)i,
             (unsigned long long)(i + 1 + row));
}

static int comparable(const struct series *a, const struct series *b, struct err *e)
{
    static const char *const kinds[] = {
        [FRAME_CORR] = "CORR", [FRAME_HIST] = "HIST", [FRAME_SPEC] = "SPEC"};
    if (a->type != b->type)
        return err_bad(e, "the inputs have different kinds: %s and %s", kinds[a->type],
                       kinds[b->type]);
    if (a->rows != b->rows)
        return err_bad(e, "the inputs have different lengths: %zu and %zu rows", a->rows, b->rows);
    for (size_t c = 0; c < a->cols || c < b->cols; c++)
        if (c >= a->cols || c >= b->cols || strcmp(a->name[c], b->name[c]) != 0) {
            const char *of_a = c < a->cols ? a->name[c] : "absent",
                       *of_b = c < b->cols ? b->name[c] : "absent";
            return err_bad(e,
                           "the inputs have different columns: column %zu is %s in one result and "
                           "%s in the other",
                           c + 1, of_a, of_b);
        }
    if (a->axes != b->axes)
        return err_bad(e, "the inputs have different numbers of axes: %zu and %zu", a->axes,
                       b->axes);
    for (size_t k = 0; k < a->rows * a->axes; k++) {
        size_t i = k / a->axes, c = k % a->axes;
        double x = a->v[i * a->cols + c], y = b->v[i * b->cols + c];
        if (!(fabs(x - y) <= TOLERANCE_AXIS * fmax(fabs(x), fabs(y))) && !(isnan(x) && isnan(y)))
            return err_bad(e,
                           "the inputs have different axes: %s in row %zu is %.10g in one result "
                           "and %.10g in the other",
                           a->name[c], i, x, y);
    }
    return 0;
}

static double degrees(const struct series *s, size_t row, size_t col)
{
    return s->dof ? s->dof[row * s->cols + col] : 0.0;
}

static void one_column(const struct series *a, const struct series *b, const struct tolerance *t,
                       size_t c, struct tolerance_column *col)
{
    int se = a->se[c];
    strcpy(col->name, a->name[c]);
    col->exact = a->count[c] && b->count[c];
    col->has_se = se >= 0;
    for (size_t k = 0; k < a->cols; k++)
        col->undefined |= a->se[k] == (int)c;
    for (size_t i = 0; i < a->rows; i++) {
        const double *x = a->v + i * a->cols, *y = b->v + i * b->cols;
        if (col->exact)
            tolerance_count(col, t, i, a->count[c][i], b->count[c][i]);
        else if (se < 0)
            tolerance_point(col, t, i, x[c], y[c], 0.0, INFINITY);
        else
            tolerance_point(col, t, i, x[c], y[c], hypot(x[se], y[se]),
                            errors_dof(x[se], degrees(a, i, c), y[se], degrees(b, i, c)));
    }
}

int tolerance_series(const struct series *a, const struct series *b, const struct tolerance *t,
                     struct tolerance_table *out, struct err *e)
{
    *out = (struct tolerance_table){.type = a->type, .rows = a->rows, .ncols = a->cols - a->axes};
    if (comparable(a, b, e) != 0)
        return -1;
    snprintf(out->axis, sizeof out->axis, "%s%s%s", a->name[0], a->axes > 1 ? "," : "",
             a->axes > 1 ? a->name[1] : "");
    if (!(out->col = calloc(a->cols, sizeof *out->col)))
        return err_memory(e, "a table of columns");
    bool errors = false;
    for (size_t c = a->axes; c < a->cols; c++) {
        one_column(a, b, t, c, &out->col[c - a->axes]);
        errors |= a->se[c] >= 0;
    }
    if (isnan(t->sigma) || errors)
        return 0;
    tolerance_table_free(out);
    return err_bad(e, "--sigma: expected standard errors, found none (use --blocks)");
}

/* ---- positions and pair tables, step by step */

static bool same_shape(const struct series_steps *a, const struct series_steps *b)
{
    return a->type == b->type && a->natoms == b->natoms && a->ncols == b->ncols &&
           a->nvalues == b->nvalues && a->nscalars == b->nscalars;
}

static int check_step(const struct series_steps *a, const struct series_steps *b, struct err *e)
{
    if (!same_shape(a, b))
        return err_bad(e,
                       "the inputs have different kinds: %s of %zu atoms with %zu columns and %s "
                       "of %zu atoms with %zu columns",
                       a->code, a->natoms, a->ncols + a->nscalars, b->code, b->natoms,
                       b->ncols + b->nscalars);
    if (a->index != b->index)
        return err_bad(
            e, "the inputs have different axes: step %llu in one stream and step %llu in the other",
            (unsigned long long)a->index, (unsigned long long)b->index);
    if (!(fabs(a->time - b->time) <= TOLERANCE_AXIS * fmax(fabs(a->time), fabs(b->time))) &&
        !(isnan(a->time) && isnan(b->time)))
        return err_bad(e,
                       "the inputs have different axes: step %llu is at %.10g ps in one stream and "
                       "at %.10g ps in the other",
                       (unsigned long long)a->index, a->time, b->time);
    if (!a->cell != !b->cell)
        return err_bad(e, "step %llu: only one of the two streams has a cell",
                       (unsigned long long)a->index);
    return 0;
}

/* Compares n numbers of a step. */
struct numbers {
    const void *v;
    enum frame_dtype dtype;
    size_t n;
};

/* Returns whether the bytes are equal and all numbers are finite. */
static bool plainly_equal(struct numbers a, struct numbers b)
{
    return a.dtype == b.dtype && memcmp(a.v, b.v, a.n * frame_dtype_size(a.dtype)) == 0 &&
           frame_not_finite(a.v, a.dtype, a.n) == a.n;
}

static double value(struct numbers s, size_t i)
{
    return real_at(s.v, s.dtype == FRAME_F64, i);
}

/* Compares `cols` columns of `rows` numbers: number k of column c is number c * by_col + k * by_row
 * of a and b. */
static void compare_numbers(struct numbers a, struct numbers b, size_t cols, size_t by_col,
                            size_t by_row, const struct tolerance *t, uint64_t first,
                            struct tolerance_column *col)
{
    size_t rows = cols ? a.n / cols : 0;
    bool equal = plainly_equal(a, b);
    for (size_t c = 0; c < cols; c++) {
        if (equal)
            col[c].points += rows;
        for (size_t k = 0; !equal && k < rows; k++) {
            size_t i = c * by_col + k * by_row;
            tolerance_point(&col[c], t, first + k, value(a, i), value(b, i), 0.0, INFINITY);
        }
    }
}

static void compare_step(const struct series_steps *a, const struct series_steps *b,
                         const struct tolerance *t, struct tolerance_table *out)
{
    bool posn = a->type == FRAME_POSN;
    uint64_t first = a->index * out->per_step;
    size_t n = a->nscalars * a->natoms;
    compare_numbers((struct numbers){a->data, a->dtype, a->nvalues},
                    (struct numbers){b->data, b->dtype, b->nvalues}, a->ncols,
                    posn ? 1 : out->per_step, posn ? 3 : 1, t, first, out->col);
    if (n > 0)
        compare_numbers((struct numbers){a->scalars, a->dtype, n},
                        (struct numbers){b->scalars, b->dtype, n}, a->nscalars, 1, a->nscalars, t,
                        first, out->col + a->ncols);
    for (size_t k = 0; a->cell && k < 9; k++)
        tolerance_point(&out->col[out->ncols - 1], t, first, a->cell[k], b->cell[k], 0.0, INFINITY);
}

static int lay_out(const struct series_steps *s, struct tolerance_table *out)
{
    bool seri = s->type == FRAME_SERI;
    const char *list = meta_get(frame_meta(s->r), seri ? "data.columns" : "data.component");
    struct scalar scalar[SCALARS_MAX];
    struct err e;
    *out = (struct tolerance_table){
        .type = s->type, .natoms = s->natoms, .ncols = s->ncols + s->nscalars + 1};
    if (s->nscalars && scalars_read(frame_meta(s->r), scalar, &e) < 0)
        return -1;
    if (!(out->col = calloc(out->ncols, sizeof *out->col)))
        return -1;
    strcpy(out->axis, "step");
    out->per_step = s->ncols ? s->nvalues / s->ncols : 0;
    for (size_t c = 0; c < out->ncols; c++) {
        char word[SERIES_NAME - sizeof "beta_"] = "";
        out->col[c].exact = true;
        out->col[c].undefined = c >= s->ncols && c < s->ncols + s->nscalars;
        if (c == out->ncols - 1)
            strcpy(out->col[c].name, "cell_A");
        else if (c >= s->ncols)
            strcpy(out->col[c].name, scalar[c - s->ncols].name);
        else if (s->type == FRAME_POSN)
            sprintf(out->col[c].name, "%c_A", "xyz"[c]);
        else if (list && series_word(list, c, word, sizeof word) == 1)
            sprintf(out->col[c].name, "%s%s", seri ? "" : "beta_", word);
        else
            sprintf(out->col[c].name, "%s_%zu", seri ? "column" : "beta", c);
    }
    return 0;
}

int tolerance_steps(struct series_steps *a, struct series_steps *b, const struct tolerance *t,
                    void (*progress)(void *ctx), void *ctx, struct tolerance_table *out,
                    struct err *e)
{
    *out = (struct tolerance_table){0};
    if (!isnan(t->sigma))
        return err_bad(e, "--sigma: positions and pair tables have no standard errors");
    for (;;) {
        int more_a = series_steps_next(a, e);
        int more_b = more_a < 0 ? -1 : series_steps_next(b, e);
        if (more_a < 0 || more_b < 0)
            goto fail;
        if (more_a != more_b) {
            const char *which = more_a ? "second" : "first";
            err_bad(e, "the inputs have different lengths: the %s stream ends after %llu steps",
                    which, (unsigned long long)out->rows);
            goto fail;
        }
        if (!more_a)
            return 0;
        if (check_step(a, b, e) != 0)
            goto fail;
        if (!out->col && lay_out(a, out) != 0) {
            err_memory(e, "a table of columns");
            goto fail;
        }
        compare_step(a, b, t, out);
        out->rows++;
        progress(ctx);
    }
fail:
    tolerance_table_free(out);
    return -1;
}

/* Returns whether this key describes the meaning of the numbers and not only the sampling. */
static bool tells(const char *key)
{
    static const char *const not [] = {
        "data.blocks",           "data.steps", "data.runs",  "data.errors",  "data.isotropy.",
        "data.correlation_time", "data.md_",   "data.shard", "data.changed", "data.scatter"};
    bool any = strncmp(key, "data.", 5) == 0;
    for (size_t k = 0; k < sizeof not / sizeof *not ; k++)
        any &= strncmp(key, not [k], strlen(not [k])) != 0;
    return any;
}

void tolerance_meta(const struct meta *a, const struct meta *b, void (*say)(const char *fmt, ...))
{
    const char *key = meta_sys_differs(a, b), *value;
    if (key)
        say("%s differs between the two streams", key);
    for (int side = 0; side < 2; side++) {
        const struct meta *m = side ? b : a, *o = side ? a : b;
        for (size_t i = 0; meta_at(m, i, &key, &value); i++) {
            const char *other = meta_get(o, key);
            if (tells(key) && (other ? !side && strcmp(value, other) != 0 : true))
                say("%s is %.200s in the %s stream and %.200s in the %s stream", key, value,
                    side ? "second" : "first", other ? other : "absent", side ? "first" : "second");
        }
    }
}
