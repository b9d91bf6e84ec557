/* SPDX-License-Identifier: MIT */
#include "stats/series_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_rules.h"

int series_next(struct series_source *in, struct frame *f)
{
    int got;
    do
        got = frame_next(in->r, f);
    while (got > 0 && (f->desc.type == FRAME_META || f->desc.type == FRAME_OTHER));
    if (got < 0)
        *in->e = *frame_error(in->r);
    return got;
}

int series_first_array(struct series_source *in, struct frame *f, enum frame_type type,
                       const char *what)
{
    int got;
    do
        got = series_next(in, f);
    while (got > 0 && frame_is_per_step(&f->desc) && !frame_counts_steps(&f->desc));
    if (got > 0 && f->desc.type != type)
        return series_refuse(in, ERR_BAD, "expected %s, found %s", what,
                             f->desc.type == FRAME_END ? "an empty segment" : f->desc.code);
    return got;
}

int series_next_array(struct series_source *in, struct frame *f, const char *what)
{
    int got = series_next(in, f);
    if (got < 0)
        return -1;
    if (got == 0 || f->desc.type == FRAME_END)
        return series_refuse(in, ERR_BAD, "expected the %s, found the end of the segment", what);
    return 0;
}

int series_end(struct series_source *in)
{
    struct frame f = {0};
    int got = series_next(in, &f);
    if (got >= 0 && (got == 0 || f.desc.type != FRAME_END))
        return series_refuse(in, ERR_BAD, "expected END after the arrays of the segment, found %s",
                             f.desc.code);
    return got < 0 ? -1 : 0;
}

void *series_take(struct series_source *in, const struct frame *f)
{
    void *copy = malloc(f->bytes ? f->bytes : 1);
    if (copy == NULL) {
        series_refuse(in, ERR_MEMORY, "out of memory: %zu bytes", f->bytes);
        return NULL;
    }
    memcpy(copy, f->data, f->bytes);
    return copy;
}

int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what)
{
    if (f->desc.type == type && f->desc.dtype == dtype && f->desc.ndim == ndim)
        return 0;
    return series_refuse(in, ERR_BAD,
                         "expected %s as %s with %d dimensions, found %s of another shape", what,
                         dtype == FRAME_U64 ? "u64" : "f64", ndim, f->desc.code);
}

int series_take_errors(struct series_source *in, size_t blocks, struct errors *e)
{
    const struct meta *m = frame_meta(in->r);
    const char *how = meta_get(m, "data.errors"), *runs = how ? meta_get(m, "data.runs") : NULL;
    errors_free(e);
    if (blocks < 2)
        return 0;
    if (how && strcmp(how, "blocking") != 0)
        return series_refuse(in, ERR_BAD, "data.errors: expected blocking, found \"%.100s\"", how);
    if (errors_init(e, how != NULL, blocks, runs) == 0)
        return 0;
    return e->cache && runs
               ? series_refuse(
                     in, ERR_BAD,
                     "data.runs: expected numbers that add up to %zu blocks, found \"%.100s\"",
                     blocks, runs)
               : series_refuse(in, ERR_MEMORY, "out of memory for %zu blocks", blocks);
}

/* Returns whether the sums are finite and not negative, or NaN (undefined) if there is no cell or
 * density. */
static bool sane(const struct frame *f, bool undefined)
{
    const double *v = f->data;
    size_t n = f->bytes / sizeof *v, k = 0;
    while (k < n && ((v[k] >= 0.0 && isfinite(v[k])) || (undefined && isnan(v[k]))))
        k++;
    return k == n;
}

int series_hist_read(struct series_source *in, struct frame *f, struct series_hist *h)
{
    const struct meta *m = frame_meta(in->r);
    unsigned long long bins = 0;
    *h = (struct series_hist){0};
    if (series_expect(in, f, FRAME_HIST, FRAME_U64, 3, "HIST counts") != 0)
        return -1;
    h->blocks = f->desc.dims[0];
    h->pairs = f->desc.dims[1];
    h->bins = f->desc.dims[2];
    if (h->blocks == 0 || h->pairs == 0 || h->bins == 0)
        return series_refuse(in, ERR_BAD,
                             "expected at least one block, pair and bin, found %zu x %zu x %zu",
                             h->blocks, h->pairs, h->bins);
    if (!(h->counts = series_take(in, f)))
        return -1;
    if (meta_get_f64(m, "data.rmax", &h->rmax, 1) != 1 || !(h->rmax > 0.0) || !isfinite(h->rmax) ||
        meta_get_u64(m, "data.bins", &bins) != 1 || bins != h->bins)
        return series_refuse(
            in, ERR_BAD, "expected data.rmax > 0 and data.bins = %zu in HIST, found other values",
            h->bins);
    if (series_next_array(in, f, "HIST expectations") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, 3, "HIST expectations") != 0)
        return -1;
    if (f->desc.dims[0] != h->blocks || f->desc.dims[1] != h->pairs || f->desc.dims[2] != h->bins)
        return series_refuse(in, ERR_BAD,
                             "expected HIST expectations [%zu, %zu, %zu], found another shape",
                             h->blocks, h->pairs, h->bins);
    if (!sane(f, true))
        return series_refuse(in, ERR_BAD,
                             "HIST expectations: expected numbers >= 0 or NaN, found other values");
    if (!(h->expected = series_take(in, f)) || series_next_array(in, f, "HIST steps") != 0 ||
        series_expect(in, f, FRAME_HIST, FRAME_F64, meta_get(m, "data.lags") ? 2 : 1,
                      "HIST steps") != 0)
        return -1;
    h->lags = f->desc.ndim > 1 ? f->desc.dims[1] : 0;
    if (f->desc.dims[0] != h->blocks || (f->desc.ndim > 1 && (!h->lags || h->pairs % h->lags)))
        return series_refuse(in, ERR_BAD, "expected HIST steps for %zu blocks, found %llu",
                             h->blocks, (unsigned long long)f->desc.dims[0]);
    if (!sane(f, false))
        return series_refuse(in, ERR_BAD,
                             "HIST steps: expected finite numbers >= 0, found other values");
    return (h->steps = series_take(in, f)) ? series_take_errors(in, h->blocks, &h->errors) : -1;
}

void series_hist_free(struct series_hist *h)
{
    free(h->counts);
    free(h->expected);
    free(h->steps);
    errors_free(&h->errors);
    *h = (struct series_hist){0};
}
