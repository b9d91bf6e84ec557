/* SPDX-License-Identifier: MIT */
/* series_corr.c: CORR segments, from sums over origins to averages and standard errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series_reading.h"

enum { FUNCTIONS = 4, COL_TIME = 0, COL_ORIGINS, COL_FIRST };

struct corr {
    size_t blocks, lags, ncomp;
    size_t sets; /* groups of four columns: 1 (average over components) or ncomp (apart) */
    uint64_t *counts;
    double *sums;
};

/* Sum of function f in one block and lag, over the components of a set, as a plain mean. */
static double set_sum(const struct corr *c, size_t block, size_t lag, size_t set, size_t f)
{
    const double *at = c->sums + (block * c->lags + lag) * c->ncomp * FUNCTIONS;
    if (c->sets > 1 || c->ncomp == 1)
        return at[set * FUNCTIONS + f];
    double sum = 0.0;
    for (size_t k = 0; k < c->ncomp; k++)
        sum += at[k * FUNCTIONS + f];
    return sum / (double)c->ncomp;
}

static int name_columns(struct series_source *in, const struct corr *c, struct series *s)
{
    static const char *const names[FUNCTIONS] = {"G", "G2", "G3", "G4"};
    const char *list = meta_get(frame_meta(in->r), "data.component");
    size_t nvalues = c->sets * FUNCTIONS;
    strcpy(s->name[COL_TIME], "t_ps");
    strcpy(s->name[COL_ORIGINS], "origins");
    for (size_t i = 0; i < nvalues; i++) {
        char word[16] = "", *name = s->name[COL_FIRST + i];
        if (c->sets > 1 &&
            (list == NULL || series_word(list, i / FUNCTIONS, word, sizeof word) != 1))
            return series_refuse(in, 2, "%zu names expected in data.component, found \"%.100s\"",
                                 c->ncomp, list ? list : "");
        snprintf(name, SERIES_NAME, "%s%s%s", names[i % FUNCTIONS], *word ? "_" : "", word);
        if (s->blocks) {
            s->se[COL_FIRST + i] = (int)(COL_FIRST + nvalues + i);
            snprintf(s->name[COL_FIRST + nvalues + i], SERIES_NAME, "%.20s_se", name);
        }
    }
    return 0;
}

static int fill_row(struct series_source *in, const struct corr *c, struct series *s, size_t lag,
                    double dt, double *work)
{
    double *y = work, *n = work + c->blocks, *row = s->v + lag * s->cols;
    uint64_t total = 0;
    for (size_t b = 0; b < c->blocks; b++) {
        uint64_t one = c->counts[b * c->lags + lag];
        n[b] = (double)one;
        if (__builtin_add_overflow(total, one, &total))
            return series_refuse(
                in, 2, "lag %zu: the numbers of origins add up to more than 64 bits hold", lag);
    }
    row[COL_TIME] = (double)lag * dt;
    row[COL_ORIGINS] = (double)total;
    s->count[COL_ORIGINS][lag] = total;
    for (size_t i = 0; i < c->sets * FUNCTIONS; i++) {
        for (size_t b = 0; b < c->blocks; b++)
            y[b] = set_sum(c, b, lag, i / FUNCTIONS, i % FUNCTIONS);
        series_ratio(s, lag, COL_FIRST + i, c->blocks, y, n);
    }
    return 0;
}

static int normalise(struct series_source *in, struct corr *c, struct series *s)
{
    const struct meta *m = frame_meta(in->r);
    const char *average = meta_get(m, "data.average");
    double dt = NAN;
    c->sets = average && strcmp(average, "apart") == 0 ? c->ncomp : 1;
    if (meta_get_f64(m, "sys.dt_ps", &dt, 1) < 0)
        return series_refuse(in, 2, "sys.dt_ps: a number expected, found \"%.100s\"",
                             meta_get(m, "sys.dt_ps"));
    size_t errors = c->blocks >= 2;
    if (series_alloc(s, FRAME_CORR, c->lags, COL_FIRST + c->sets * FUNCTIONS * (1 + errors),
                     errors ? c->blocks : 0) != 0 ||
        !(s->count[COL_ORIGINS] = calloc(c->lags, sizeof(uint64_t))))
        return series_refuse(in, 3, "out of memory for %zu lags", c->lags);
    if (name_columns(in, c, s) != 0)
        return -1;
    double *work = calloc(2 * c->blocks, sizeof *work);
    if (work == NULL)
        return series_refuse(in, 3, "out of memory for %zu blocks", c->blocks);
    int rc = 0;
    for (size_t lag = 0; lag < c->lags && rc == 0; lag++)
        rc = fill_row(in, c, s, lag, dt, work);
    free(work);
    return rc;
}

int series_read_corr(struct series_source *in, struct frame *f, struct series *s)
{
    struct corr c = {0};
    int rc = -1;
    if (series_expect(in, f, FRAME_CORR, FRAME_U64, 2, "CORR counts") != 0)
        return -1;
    c.blocks = f->desc.dims[0];
    c.lags = f->desc.dims[1];
    if (c.blocks == 0 || c.lags == 0)
        return series_refuse(in, 2, "at least one block and one lag expected, found %zu x %zu",
                             c.blocks, c.lags);
    if (!(c.counts = series_take(in, f)))
        return -1;
    if (series_next_array(in, f, "CORR sums") != 0 ||
        series_expect(in, f, FRAME_CORR, FRAME_F64, 4, "CORR sums") != 0)
        goto out;
    c.ncomp = f->desc.dims[2];
    if (f->desc.dims[0] != c.blocks || f->desc.dims[1] != c.lags || f->desc.dims[3] != FUNCTIONS ||
        c.ncomp == 0 || c.ncomp > META_MAX_BYTES) {
        series_refuse(in, 2, "CORR sums [%zu, %zu, components, 4] expected, found another shape",
                      c.blocks, c.lags);
        goto out;
    }
    c.sums = f->data;
    rc = normalise(in, &c, s);
out:
    free(c.counts);
    return rc;
}
