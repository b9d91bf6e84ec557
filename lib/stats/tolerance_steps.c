/* SPDX-License-Identifier: MIT */
/* tolerance_steps.c: positions and pair tables, step by step. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/tolerance.h"
#include "stats/tolerance_refuse.h"

int tolerance_refuse(int *status, int value, char *err, size_t errlen, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err, errlen, fmt, ap);
    va_end(ap);
    *status = value;
    return -1;
}

static bool same_shape(const struct series_steps *a, const struct series_steps *b)
{
    return a->type == b->type && a->natoms == b->natoms && a->ncols == b->ncols &&
           a->nvalues == b->nvalues;
}

static int check_step(const struct series_steps *a, const struct series_steps *b, int *status,
                      char *err, size_t errlen)
{
    if (!same_shape(a, b))
        return tolerance_refuse(
            status, 2, err, errlen,
            "different kinds: %s of %zu atoms, %zu columns and %s of %zu atoms, "
            "%zu columns",
            a->type == FRAME_POSN ? "POSN" : "PAIR", a->natoms, a->ncols,
            b->type == FRAME_POSN ? "POSN" : "PAIR", b->natoms, b->ncols);
    if (a->index != b->index)
        return tolerance_refuse(status, 2, err, errlen, "different axes: step %llu and step %llu",
                                (unsigned long long)a->index, (unsigned long long)b->index);
    if (!(fabs(a->time - b->time) <= TOLERANCE_AXIS * fmax(fabs(a->time), fabs(b->time))) &&
        !(isnan(a->time) && isnan(b->time)))
        return tolerance_refuse(status, 2, err, errlen,
                                "different axes: step %llu is at %.10g ps and %.10g ps",
                                (unsigned long long)a->index, a->time, b->time);
    if (!a->cell != !b->cell)
        return tolerance_refuse(status, 2, err, errlen, "step %llu: only one of the two has a cell",
                                (unsigned long long)a->index);
    return 0;
}

/* Equal bytes, all finite: nothing to look at. */
static bool plainly_equal(const struct series_steps *a, const struct series_steps *b)
{
    if (a->dtype != b->dtype ||
        memcmp(a->data, b->data, a->nvalues * frame_dtype_size(a->dtype)) != 0)
        return false;
    double probe = 0.0; /* x * 0 is NaN for NaN and infinity */
    if (a->dtype == FRAME_F32)
        for (size_t i = 0; i < a->nvalues; i++)
            probe += ((const float *)a->data)[i] * 0.0f;
    else
        for (size_t i = 0; i < a->nvalues; i++)
            probe += ((const double *)a->data)[i] * 0.0;
    return probe == 0.0;
}

static double value(const struct series_steps *s, size_t i)
{
    return s->dtype == FRAME_F32 ? (double)((const float *)s->data)[i]
                                 : ((const double *)s->data)[i];
}

static void compare_step(const struct series_steps *a, const struct series_steps *b,
                         const struct tolerance *t, struct tolerance_table *out)
{
    bool equal = plainly_equal(a, b), posn = a->type == FRAME_POSN;
    uint64_t first = a->index * out->per_step;
    for (size_t c = 0; c < a->ncols; c++) {
        if (equal) {
            out->col[c].points += out->per_step;
            continue;
        }
        for (size_t k = 0; k < out->per_step; k++) {
            size_t i = posn ? 3 * k + c : c * out->per_step + k;
            tolerance_point(&out->col[c], t, first + k, value(a, i), value(b, i), 0.0, 0.0);
        }
    }
    for (size_t k = 0; a->cell && k < 9; k++)
        tolerance_point(&out->col[a->ncols], t, first, a->cell[k], b->cell[k], 0.0, 0.0);
}

static int lay_out(const struct series_steps *s, struct tolerance_table *out)
{
    const char *list = meta_get(frame_meta(s->r), "data.component");
    *out = (struct tolerance_table){.type = s->type, .natoms = s->natoms, .ncols = s->ncols + 1};
    if (!(out->col = calloc(out->ncols, sizeof *out->col)))
        return -1;
    strcpy(out->axis, "step");
    out->per_step = s->ncols ? s->nvalues / s->ncols : 0;
    for (size_t c = 0; c < out->ncols; c++) {
        char word[16] = "";
        out->col[c].exact = true;
        if (c == s->ncols)
            strcpy(out->col[c].name, "cell_A");
        else if (s->type == FRAME_POSN)
            sprintf(out->col[c].name, "%c_A", "xyz"[c]);
        else if (list && series_word(list, c, word, sizeof word) == 1)
            sprintf(out->col[c].name, "beta_%s", word);
        else
            sprintf(out->col[c].name, "beta_%zu", c);
    }
    return 0;
}

int tolerance_steps(struct series_steps *a, struct series_steps *b, const struct tolerance *t,
                    struct tolerance_table *out, int *status, char *err, size_t errlen)
{
    *out = (struct tolerance_table){0};
    if (!isnan(t->sigma))
        return tolerance_refuse(status, 2, err, errlen,
                                "--sigma: positions and pair tables have no standard errors");
    for (;;) {
        int more_a = series_steps_next(a, status, err, errlen);
        int more_b = more_a < 0 ? -1 : series_steps_next(b, status, err, errlen);
        if (more_a < 0 || more_b < 0)
            goto fail;
        if (more_a != more_b) {
            tolerance_refuse(status, 2, err, errlen,
                             "different lengths: the %s stream ends after %llu steps",
                             more_a ? "second" : "first", (unsigned long long)out->rows);
            goto fail;
        }
        if (!more_a)
            return 0;
        if (check_step(a, b, status, err, errlen) != 0)
            goto fail;
        if (!out->col && lay_out(a, out) != 0) {
            tolerance_refuse(status, 3, err, errlen, "out of memory");
            goto fail;
        }
        compare_step(a, b, t, out);
        out->rows++;
    }
fail:
    tolerance_table_free(out);
    return -1;
}
