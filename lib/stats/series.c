/* SPDX-License-Identifier: MIT */
#include "stats/series.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/blocks.h"
#include "stats/series_reading.h"

int series_refuse(struct series_source *in, int status, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    *in->status = status;
    snprintf(in->err, in->errlen, "%s: %s", frame_name(in->r), text);
    return -1;
}

int series_refuse_reader(struct series_source *in)
{
    *in->status = frame_error(in->r)->status;
    snprintf(in->err, in->errlen, "%s", frame_error(in->r)->text);
    return -1;
}

/* The next array, or END: 1, 0 at the clean end of the stream, -1. META and unknown frames are
 * passed over. */
static int next_event(struct series_source *in, struct frame *f)
{
    int got;
    do {
        got = frame_next(in->r, f);
        if (got < 0)
            return series_refuse_reader(in);
    } while (got > 0 && (f->desc.type == FRAME_META || f->desc.type == FRAME_OTHER));
    return got;
}

int series_next_array(struct series_source *in, struct frame *f, const char *what)
{
    int got = next_event(in, f);
    if (got < 0)
        return -1;
    if (got == 0 || f->desc.type == FRAME_END)
        return series_refuse(in, 2, "%s array expected, found the end of the segment", what);
    return 0;
}

void *series_take(struct series_source *in, const struct frame *f)
{
    void *copy = malloc(f->bytes ? f->bytes : 1);
    if (copy == NULL) {
        series_refuse(in, 3, "out of memory: %zu bytes", f->bytes);
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
    return series_refuse(in, 2, "%s array of %s, %d dimensions expected, found %s of another shape",
                         what, dtype == FRAME_U64 ? "u64" : "f64", ndim, f->desc.code);
}

int series_word(const char *list, size_t i, char *word, size_t size)
{
    for (;;) {
        list += strspn(list, " ");
        size_t n = strcspn(list, " ");
        if (n == 0)
            return 0;
        if (i-- == 0) {
            if (n >= size)
                return -1;
            memcpy(word, list, n);
            word[n] = '\0';
            return 1;
        }
        list += n;
    }
}

int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols, size_t blocks)
{
    size_t cells, many;
    *s = (struct series){.type = type, .rows = rows, .cols = cols, .blocks = blocks};
    if (__builtin_mul_overflow(rows, cols, &cells) ||
        __builtin_mul_overflow(cells, blocks + 1, &many) || many > SIZE_MAX / sizeof(double) ||
        cols > INT32_MAX)
        goto fail;
    s->name = calloc(cols ? cols : 1, sizeof *s->name);
    s->v = malloc((cells ? cells : 1) * sizeof *s->v);
    s->count = calloc(cols ? cols : 1, sizeof *s->count);
    s->se = malloc((cols ? cols : 1) * sizeof *s->se);
    s->dev = blocks ? calloc(cells * blocks, sizeof *s->dev) : NULL;
    if (!s->name || !s->v || !s->count || !s->se || (blocks && !s->dev))
        goto fail;
    for (size_t i = 0; i < cells; i++)
        s->v[i] = NAN;
    for (size_t c = 0; c < cols; c++)
        s->se[c] = -1;
    return 0;
fail:
    series_free(s);
    return -1;
}

void series_free(struct series *s)
{
    if (s->count)
        for (size_t c = 0; c < s->cols; c++)
            free(s->count[c]);
    free(s->count);
    free(s->name);
    free(s->v);
    free(s->se);
    free(s->dev);
    *s = (struct series){0};
}

int series_column(const struct series *s, const char *name)
{
    for (size_t c = 0; c < s->cols; c++)
        if (strcmp(s->name[c], name) == 0)
            return (int)c;
    return -1;
}

void series_ratio(struct series *s, size_t row, size_t col, size_t blocks, const double *y,
                  const double *n)
{
    double *v = s->v + row * s->cols;
    int se = s->se[col];
    v[col] = stats_ratio(blocks, y, n, se < 0 ? NULL : v + se,
                         se < 0 ? NULL : s->dev + row * s->cols + col, s->rows * s->cols);
}

/* Names of a SPEC segment's columns; NAME_se belongs to NAME. */
static int name_spec(struct series_source *in, struct series *s)
{
    const char *list = meta_get(frame_meta(in->r), "data.columns");
    char extra[SERIES_NAME];
    if (list == NULL)
        return series_refuse(in, 2, "META key data.columns expected in a SPEC segment, found none");
    for (size_t c = 0; c < s->cols; c++)
        if (series_word(list, c, s->name[c], SERIES_NAME) != 1)
            return series_refuse(in, 2,
                                 "%zu column names expected in data.columns, found \"%.200s\"",
                                 s->cols, list);
    if (series_word(list, s->cols, extra, sizeof extra) != 0)
        return series_refuse(in, 2, "%zu column names expected in data.columns, found more",
                             s->cols);
    for (size_t c = 0; c < s->cols; c++) {
        snprintf(extra, sizeof extra, "%.*s_se", SERIES_NAME - 4, s->name[c]);
        s->se[c] = series_column(s, extra);
    }
    return 0;
}

int series_read_spec(struct series_source *in, struct frame *f, struct series *s)
{
    if (series_expect(in, f, FRAME_SPEC, FRAME_F64, 2, "SPEC") != 0)
        return -1;
    /* A name takes two bytes of META, so more columns than that cannot be named: refuse before
     * allocating. */
    if (f->desc.dims[1] == 0 || f->desc.dims[1] > META_MAX_BYTES / 2)
        return series_refuse(in, 2, "1 to %d columns expected, found %llu", META_MAX_BYTES / 2,
                             (unsigned long long)f->desc.dims[1]);
    if (series_alloc(s, FRAME_SPEC, f->desc.dims[0], f->desc.dims[1], 0) != 0)
        return series_refuse(in, 3, "out of memory for %llu rows",
                             (unsigned long long)f->desc.dims[0]);
    memcpy(s->v, f->data, f->bytes);
    return name_spec(in, s);
}

static int read_segment(struct series_source *in, const struct frame *first, struct series *s)
{
    struct frame f;
    int got = 1;
    if (first)
        f = *first;
    else
        got = next_event(in, &f);
    if (got <= 0)
        return got;
    int rc;
    switch (f.desc.type) {
    case FRAME_CORR: rc = series_read_corr(in, &f, s); break;
    case FRAME_HIST: rc = series_read_hist(in, &f, s); break;
    case FRAME_SPEC: rc = series_read_spec(in, &f, s); break;
    case FRAME_END:
        return series_refuse(in, 2, "CORR, HIST or SPEC expected, found an empty segment");
    default: return series_refuse(in, 2, "CORR, HIST or SPEC expected, found %s", f.desc.code);
    }
    if (rc != 0 || (got = next_event(in, &f)) < 0)
        return -1;
    if (got == 0 || f.desc.type != FRAME_END)
        return series_refuse(in, 2, "END expected after the arrays of the segment, found %s",
                             f.desc.code);
    return 1;
}

int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     int *status, char *err, size_t errlen)
{
    struct series_source in = {r, status, err, errlen};
    *s = (struct series){0};
    int rc = read_segment(&in, first, s);
    if (rc <= 0)
        series_free(s);
    return rc;
}

int series_read(struct frame_reader *r, struct series *s, int *status, char *err, size_t errlen)
{
    return series_read_from(r, NULL, s, status, err, errlen);
}

int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    const uint64_t *counts, const double *sums)
{
    struct frame_desc d = {
        .type = FRAME_CORR, .dtype = FRAME_U64, .ndim = 2, .dims = {blocks, lags}, .time = NAN};
    d.flags = FRAME_CRITICAL;
    if (frame_put(w, &d, counts) != 0)
        return -1;
    d.dtype = FRAME_F64;
    d.ndim = 4;
    d.dims[2] = ncomp;
    d.dims[3] = 4;
    return frame_put(w, &d, sums);
}

int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v)
{
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 2, .dims = {rows, cols}, .time = NAN};
    d.flags = FRAME_CRITICAL;
    return frame_put(w, &d, v);
}
