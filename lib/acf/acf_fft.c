/* SPDX-License-Identifier: MIT */
#include "acf/acf.h"

#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/smooth.h"
#include "stats/blocks.h"
#include "stats/series.h"
#include "stream/stride.h"
#include "stream/window.h"

/* ---- the series ---- */

void acf_free(struct acf_series *s)
{
    free(s->v);
    free(s->name);
    meta_free(s->meta);
    memset(s, 0, sizeof *s);
}

/* A segment begins: names and dt from the first, agreement from the others. */
static int acf_begin(struct acf_series *s, struct frame_reader *r, struct err *e)
{
    const struct meta *m = frame_meta(r);
    const char *list = meta_get(m, "data.columns"), *key;
    if (s->meta) {
        if ((key = meta_sys_differs(s->meta, m)) ||
            (key = meta_differs(s->meta, m, "data.columns")))
            return err_set(e, ERR_BAD, "%s: the segments of one series must agree in %s",
                           frame_name(r), key);
        return 0;
    }
    char word[SERIES_NAME];
    int rc;
    while ((rc = series_word(list ? list : "", s->columns, word, sizeof word)) > 0)
        s->columns++;
    if (rc < 0 || s->columns == 0)
        return err_set(e, ERR_BAD,
                       "%s: a time series (SERI) with names in data.columns expected, found %s",
                       frame_name(r),
                       list                           ? list
                       : meta_get(m, "data.quantity") ? meta_get(m, "data.quantity")
                                                      : "none");
    if (!(s->meta = meta_copy(m)) || !(s->name = calloc(s->columns, sizeof *s->name)))
        return err_memory(e, "the names of columns");
    for (size_t c = 0; c < s->columns; c++)
        (void)series_word(list, c, s->name[c], sizeof s->name[c]);
    if (meta_get_f64(m, "sys.dt_ps", &s->dt_ps, 1) != 1)
        s->dt_ps = NAN;
    return 0;
}

/* Does an array go on one stride after the last step? Products must not run across a jump. */
static int acf_goes_on(struct acf_series *s, const struct frame_desc *d, const char *name,
                       struct err *e)
{
    char last[64] = "", found[64] = "";
    bool timed = !isnan(s->next_time) && !isnan(d->time),
         good = timed ? fabs(d->time - s->next_time) <=
                            STRIDE_PRINTED * s->dt_ps + 1e-12 * fabs(s->next_time)
                      : d->index == s->next;
    if (timed) {
        snprintf(last, sizeof last, " at %.10g ps", s->next_time - s->dt_ps);
        snprintf(found, sizeof found, " at %.10g ps", d->time);
    }
    if (s->steps && !good)
        return err_set(e, ERR_BAD,
                       "%s: expected a step that follows step %llu%s, found step %llu%s: products "
                       "must not run across a jump",
                       name, (unsigned long long)s->next - 1, last, (unsigned long long)d->index,
                       found);
    s->next = d->index + d->dims[0];
    s->next_time = d->time + (double)d->dims[0] * s->dt_ps;
    return 0;
}

/* Steps [first, last) of an array behind those that are there, v [columns][room]. */
static int acf_append(struct acf_series *s, const struct frame *f, size_t first, size_t last,
                      size_t *room, uint64_t max_mem, const char *name, struct err *e)
{
    size_t n = last - first, need = s->steps + n;
    const double *x = (const double *)f->data + first * s->columns;
    if (f->desc.dtype != FRAME_F64 || f->desc.ndim != 2 || f->desc.dims[1] != s->columns)
        return err_set(e, ERR_BAD, "%s: SERI [F,%zu] of f64 expected, as data.columns says", name,
                       s->columns);
    if (need > *room) {
        size_t more = need + need / 2, bytes;
        double *v = NULL;
        if (__builtin_mul_overflow(more, s->columns * sizeof *v, &bytes))
            bytes = SIZE_MAX;
        if (err_over(e, (double)bytes, max_mem, NULL, "%zu steps of %zu columns", need, s->columns))
            return err_set(e, ERR_MEMORY, "%s: %s", name, e->text);
        if (bytes == SIZE_MAX || !(v = malloc(bytes)))
            return err_memory(e, "the series");
        for (size_t c = 0; c < s->columns && s->steps; c++)
            memcpy(v + c * more, s->v + c * *room, s->steps * sizeof *v);
        free(s->v);
        s->v = v;
        *room = more;
    }
    for (size_t t = 0; t < n; t++)
        for (size_t c = 0; c < s->columns; c++) {
            double y = x[t * s->columns + c];
            if (!isfinite(y))
                return err_set(e, ERR_BAD, "%s: step %zu: %s is not a finite number", name,
                               s->steps + t, s->name[c]);
            s->v[c * *room + s->steps + t] = y;
        }
    s->steps = need;
    return 0;
}

/* Steps [*first, *last) of an array lie in the window of time. 0; 1: those behind do not; -1. */
static int acf_window(struct acf_series *s, const struct frame_reader *r,
                      const struct frame_desc *d, size_t *first, size_t *last, struct err *e)
{
    const struct window *w = frame_window(r);
    *first = 0;
    *last = (size_t)d->dims[0];
    for (size_t k = 0; w && k < *last; k++) {
        double time = frame_step_time(d, k, s->dt_ps);
        if (isnan(time))
            return window_no_time(e, frame_name(r), d->index + k);
        if (!s->steps && k == *first && window_before(w, time, s->dt_ps)) {
            s->before = time;
            *first = k + 1;
        } else if (window_behind(w, time, s->dt_ps)) {
            s->behind = time;
            *last = k;
            return 1;
        }
    }
    return 0;
}

/* An array of steps. 0; 1: the window of time ends within; -1. */
static int acf_on_array(struct acf_series *s, const struct frame_reader *r, const struct frame *f,
                        size_t *room, uint64_t max_mem, struct err *e)
{
    size_t first, last;
    if (acf_goes_on(s, &f->desc, frame_name(r), e))
        return -1;
    int rc = acf_window(s, r, &f->desc, &first, &last, e);
    return rc < 0 || acf_append(s, f, first, last, room, max_mem, frame_name(r), e) ? -1 : rc;
}

static int acf_read_all(struct frame_reader *r, uint64_t max_mem, struct acf_series *s,
                        size_t *room, struct err *e)
{
    struct frame f;
    int got, over = 0;
    while (!over && (got = frame_next(r, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            if (acf_begin(s, r, e))
                return -1;
        } else if (f.desc.type == FRAME_TIME)
            return err_set(
                e, ERR_BAD,
                "%s: steps of one distance expected, found a block with times of its own",
                frame_name(r));
        else if (f.desc.type == FRAME_SERI) {
            if ((over = acf_on_array(s, r, &f, room, max_mem, e)) < 0)
                return -1;
        } else if (f.desc.type != FRAME_END)
            return err_set(e, ERR_BAD, "%s: a time series (SERI) expected, found %s", frame_name(r),
                           f.desc.code);
    }
    if (!over && got < 0) {
        *e = *frame_error(r);
        return -1;
    }
    if (!s->steps && frame_window(r))
        return window_empty(e, frame_name(r), frame_window(r), s->before, s->behind);
    return s->steps
               ? 0
               : err_set(e, ERR_BAD, "%s: at least one step expected, found none", frame_name(r));
}

int acf_read(struct frame_reader *r, uint64_t max_mem, struct acf_series *s, struct err *e)
{
    size_t room = 0;
    *s = (struct acf_series){.before = NAN, .behind = NAN};
    if (acf_read_all(r, max_mem, s, &room, e)) {
        acf_free(s);
        return -1;
    }
    for (size_t c = 1; c < s->columns; c++)
        memmove(s->v + c * s->steps, s->v + c * room, s->steps * sizeof *s->v);
    return 0;
}

/* ---- which pairs ---- */

static size_t acf_column(const struct acf_series *s, const char *name, size_t len)
{
    size_t c = 0;
    while (c < s->columns && (strlen(s->name[c]) != len || memcmp(s->name[c], name, len) != 0))
        c++;
    return c;
}

/* One item of the list. The number of ways to read it. */
static int acf_item(const struct acf_series *s, const char *text, size_t len, struct acf_pair *p)
{
    int ways = 0;
    size_t whole = acf_column(s, text, len);
    if (whole < s->columns) {
        *p = (struct acf_pair){whole, whole};
        ways++;
    }
    for (size_t k = 1; k + 1 < len; k++) {
        if (text[k] != '-')
            continue;
        size_t a = acf_column(s, text, k), b = acf_column(s, text + k + 1, len - k - 1);
        if (a < s->columns && b < s->columns) {
            *p = (struct acf_pair){a, b};
            ways++;
        }
    }
    return ways;
}

int acf_pairs(const struct acf_series *s, const char *list, struct acf_pair *pair, struct err *e)
{
    size_t n = 0;
    if (!list) {
        if (s->columns > ACF_MAX_PAIRS)
            return err_set(e, ERR_BAD, "at most %d functions, found %zu columns: choose by --pairs",
                           ACF_MAX_PAIRS, s->columns);
        for (; n < s->columns; n++)
            pair[n] = (struct acf_pair){n, n};
        return (int)n;
    }
    while (*list) {
        size_t len = strcspn(list, ",");
        if (n == ACF_MAX_PAIRS)
            return err_set(e, ERR_BAD, "--pairs: at most %d pairs", ACF_MAX_PAIRS);
        int ways = acf_item(s, list, len, &pair[n++]);
        if (ways != 1)
            return err_set(e, ERR_BAD, "--pairs: '%.*s' %s", (int)(len < 200 ? len : 200), list,
                           ways ? "can be read in several ways" : "is no column, nor A-B of two");
        for (size_t k = 0; k + 1 < n; k++)
            if (pair[k].a == pair[n - 1].a && pair[k].b == pair[n - 1].b)
                return err_set(e, ERR_BAD, "--pairs: '%.*s' is there twice",
                               (int)(len < 200 ? len : 200), list);
        list += len + (list[len] == ',');
    }
    return n ? (int)n : err_set(e, ERR_BAD, "--pairs: at least one pair expected");
}

/* ---- the functions ---- */

struct acf_work {
    const struct acf_series *s;
    const struct acf_params *p;
    const uint64_t *bound; /* [blocks + 1] */
    size_t m;              /* length of a transform */
    double *x;             /* [threads][m] */
    fftw_complex *z;       /* [threads][2][m/2 + 1] */
    fftw_plan forth, back;
    double *sums;
};

/* Block and pair k: origins [from, to) of a, everything that they reach of b. */
static void acf_task(void *ctx, size_t k, int thread)
{
    const struct acf_work *w = ctx;
    size_t block = k / w->p->npairs, pair = k % w->p->npairs, lags = w->p->lags,
           bins = w->m / 2 + 1;
    size_t from = (size_t)w->bound[block], to = (size_t)w->bound[block + 1], last = to + lags - 1;
    const double *a = w->s->v + w->p->pair[pair].a * w->s->steps;
    const double *b = w->s->v + w->p->pair[pair].b * w->s->steps;
    double *x = w->x + (size_t)thread * w->m;
    fftw_complex *za = w->z + 2 * (size_t)thread * bins, *zb = za + bins;
    last = last < w->s->steps ? last : w->s->steps;

    memcpy(x, a + from, (to - from) * sizeof *x);
    memset(x + (to - from), 0, (w->m - (to - from)) * sizeof *x);
    fftw_execute_dft_r2c(w->forth, x, za);
    memcpy(x, b + from, (last - from) * sizeof *x);
    memset(x + (last - from), 0, (w->m - (last - from)) * sizeof *x);
    fftw_execute_dft_r2c(w->forth, x, zb);
    for (size_t j = 0; j < bins; j++) { /* conj(a) b */
        double re = za[j][0] * zb[j][0] + za[j][1] * zb[j][1];
        zb[j][1] = za[j][0] * zb[j][1] - za[j][1] * zb[j][0];
        zb[j][0] = re;
    }
    fftw_execute_dft_c2r(w->back, zb, x);
    for (size_t l = 0; l < lags; l++)
        w->sums[(block * lags + l) * w->p->npairs + pair] = x[l] / (double)w->m;
}

static void acf_counts(const struct acf_work *w, uint64_t *counts)
{
    for (size_t b = 0; b < w->p->blocks; b++)
        for (size_t l = 0; l < w->p->lags; l++) {
            uint64_t end = w->s->steps - l, to = w->bound[b + 1] < end ? w->bound[b + 1] : end;
            counts[b * w->p->lags + l] = to > w->bound[b] ? to - w->bound[b] : 0;
        }
}

static void acf_subtract(struct acf_series *s)
{
    for (size_t c = 0; c < s->columns; c++) {
        double *v = s->v + c * s->steps, sum = 0.0, mean;
        for (size_t t = 0; t < s->steps; t++)
            sum += v[t];
        mean = sum / (double)s->steps;
        sum = 0.0; /* of what the first sum lost by rounding */
        for (size_t t = 0; t < s->steps; t++)
            sum += v[t] - mean;
        mean += sum / (double)s->steps;
        for (size_t t = 0; t < s->steps; t++)
            v[t] -= mean;
    }
}

static void acf_blocks_init(struct stats_blocks *b, const struct acf_params *p)
{
    if (p->least)
        stats_blocks_init_levels(b, p->least, p->lags * p->npairs, 0);
    else
        stats_blocks_init(b, stats_blocks_most(p->blocks), 0, 0);
    b->row = 0;
}

void acf_blocks(const struct acf_series *s, struct acf_params *p)
{
    struct stats_blocks b;
    p->least = p->lags / 24 + 1;
    acf_blocks_init(&b, p);
    stats_blocks_settle(&b, s->steps);
    p->blocks = stats_blocks_taken(&b, s->steps);
}

/* First origin of each block, and the longest block. */
static size_t acf_bounds(const struct acf_series *s, const struct acf_params *p, uint64_t *bound)
{
    struct stats_blocks b;
    size_t longest = 0, blocks = p->blocks;
    acf_blocks_init(&b, p);
    if (stats_blocks_reach(&b, s->steps))
        return 0;
    for (size_t k = 0; k <= blocks; k++) {
        bound[k] = stats_blocks_bound(&b, s->steps, blocks, k);
        if (k && bound[k] - bound[k - 1] > longest)
            longest = (size_t)(bound[k] - bound[k - 1]);
    }
    stats_blocks_free(&b);
    return longest;
}

int acf_compute(struct acf_series *s, const struct acf_params *p, uint64_t *counts, double *sums,
                struct err *e)
{
    struct acf_work w = {.s = s, .p = p, .sums = sums};
    uint64_t *bound = malloc((p->blocks + 1) * sizeof *bound);
    size_t longest = bound ? acf_bounds(s, p, bound) : 0;
    struct pool *pool = longest ? pool_new(p->threads) : NULL;
    size_t threads = pool ? (size_t)pool_threads(pool) : 1;
    int rc = 0;
    w.bound = bound;
    w.m = smooth_length(longest + p->lags); /* even or odd, as it comes */
    double need = (double)threads * (8.0 * (double)w.m + 16.0 * ((double)w.m + 2.0));
    if (!pool)
        rc = err_memory(e, "threads and blocks");
    else if (err_over(e, need, p->max_mem, "fewer --threads or --lags",
                      "transforms of %zu points on %zu threads", w.m, threads))
        rc = -1;
    else if (w.m > INT32_MAX)
        rc = err_set(e, ERR_BAD, "%zu steps a block and %zu lags are too many for one transform",
                     longest, p->lags);
    else if (!(w.x = fftw_malloc(threads * w.m * sizeof *w.x)) ||
             !(w.z = fftw_malloc(threads * 2 * (w.m / 2 + 1) * sizeof *w.z)) ||
             !(w.forth =
                   fftw_plan_dft_r2c_1d((int)w.m, w.x, w.z, FFTW_ESTIMATE | FFTW_UNALIGNED)) ||
             !(w.back = fftw_plan_dft_c2r_1d((int)w.m, w.z, w.x, FFTW_ESTIMATE | FFTW_UNALIGNED)))
        rc = err_memory(e, "transforms");
    else {
        if (p->subtract)
            acf_subtract(s);
        acf_counts(&w, counts);
        pool_run(pool, acf_task, &w, p->blocks * p->npairs);
    }
    pool_free(pool);
    if (w.forth)
        fftw_destroy_plan(w.forth);
    if (w.back)
        fftw_destroy_plan(w.back);
    fftw_free(w.x);
    fftw_free(w.z);
    free(bound);
    return rc;
}
