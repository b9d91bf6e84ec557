/* SPDX-License-Identifier: MIT */
#include "stats/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            for (size_t k = 0; k < n; k++)
                if ((unsigned char)list[k] < ' ' || list[k] == 127) /* not allowed in text */
                    return -1;
            memcpy(word, list, n);
            word[n] = '\0';
            return 1;
        }
        list += n;
    }
}

bool series_unit_of(const char *list, const char *name, char *unit, size_t size)
{
    size_t n = strlen(name);
    for (const char *s = list; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strncmp(s, name, n) == 0 && s[n] == ':') {
            snprintf(unit, size, "%.*s", (int)strcspn(s + n + 1, " "), s + n + 1);
            return true;
        }
    return false;
}

const char *series_functions(const struct meta *m)
{
    const char *list = meta_get(m, "data.functions");
    return list ? list : "G G2 G3 G4"; /* streams of 0.1.0 contain these without the key */
}

int series_alloc(struct series *s, enum frame_type type, size_t rows, size_t cols, size_t blocks)
{
    size_t cells, many;
    *s = (struct series){
        .type = type, .rows = rows, .cols = cols, .blocks = blocks, .axes = 1, .groups = 1};
    if (__builtin_mul_overflow(rows, cols, &cells) ||
        __builtin_mul_overflow(cells, blocks + 1, &many) || many > SIZE_MAX / sizeof(double) ||
        cols > INT32_MAX)
        goto fail;
    s->name = calloc(cols ? cols : 1, sizeof *s->name);
    s->v = malloc((cells ? cells : 1) * sizeof *s->v);
    s->count = calloc(cols ? cols : 1, sizeof *s->count);
    s->se = malloc((cols ? cols : 1) * sizeof *s->se);
    s->dev = blocks ? calloc(cells * blocks, sizeof *s->dev) : NULL;
    s->samples = malloc((2 * cols + 1) * sizeof *s->samples);
    s->lacking = s->samples + cols;
    s->dof = blocks ? calloc(cells ? cells : 1, sizeof *s->dof) : NULL;
    if (!s->name || !s->v || !s->count || !s->se || !s->samples ||
        (blocks && (!s->dev || !s->dof || errors_init(&s->errors, 0, blocks, NULL) != 0)))
        goto fail;
    for (size_t i = 0; i < cells; i++)
        s->v[i] = NAN;
    for (size_t c = 0; c < cols; c++)
        s->se[c] = -1, s->samples[c] = s->lacking[c] = INFINITY;
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
    free(s->samples);
    free(s->dev);
    free(s->dof);
    errors_free(&s->errors);
    *s = (struct series){0};
}

int series_slice(const struct series *s, size_t g, struct series *out)
{
    size_t rows = series_group(s), cut = s->axes - 1, cols = s->cols - cut;
    if (series_alloc(out, s->type, rows, cols, s->blocks) != 0)
        return -1;
    out->nfunctions = s->nfunctions;
    out->nsets = s->nsets;
    for (size_t c = 0; c < cols; c++) {
        size_t from = c + (c ? cut : 0);
        memcpy(out->name[c], s->name[from], SERIES_NAME);
        out->se[c] = s->se[from] < 0 ? -1 : s->se[from] - (int)cut;
        for (size_t k = 0; k < rows; k++)
            out->v[k * cols + c] = s->v[(g * rows + k) * s->cols + from];
        for (size_t k = 0; out->dev && k < rows * s->blocks; k++) {
            size_t b = k / rows, row = k % rows;
            out->dev[k * cols + c] = s->dev[(b * s->rows + g * rows + row) * s->cols + from];
        }
    }
    errors_free(&out->errors);
    if (!s->blocks || errors_like(&out->errors, &s->errors) == 0)
        return 0;
    series_free(out);
    return -1;
}

int series_errors(struct series *s, size_t col, enum errors_kind kind, double block)
{
    size_t rows = series_group(s), se = (size_t)s->se[col];
    struct error *e = malloc((rows + 1) * sizeof *e);
    int rc = e ? 0 : -1;
    for (size_t g = 0; rc == 0 && g < s->groups; g++) {
        size_t at = g * rows * s->cols + col;
        struct errors_column c = {s->dev + at, rows, s->cols,   s->rows * s->cols,
                                  block > 0.0, kind, s->v + at, block};
        rc = errors_column(&s->errors, &c, e);
        for (size_t k = 0; rc == 0 && k < rows; k++, at += s->cols) {
            s->v[at - col + se] = isnan(s->v[at]) ? NAN : e[k].se;
            s->dof[at] = e[k].dof;
            bool none = isnan(e[k].se);
            if (s->errors.levels && none && !isnan(s->v[at]) && isinf(s->lacking[col]))
                s->lacking[col] = e[k].independent;
            if (s->errors.levels && !none)
                s->samples[col] = fmin(s->samples[col], e[k].independent);
        }
    }
    free(e);
    return rc;
}

char *series_samples(const struct series *s)
{
    char *text = malloc(s->cols * (SERIES_NAME + 16) + 1), *p = text;
    for (size_t c = 0; text && c < s->cols; c++)
        if (isfinite(s->samples[c]))
            p += sprintf(p, "%s%s:%.3g", p > text ? " " : "", s->name[c], s->samples[c]);
    if (text)
        *p = '\0';
    return text;
}

size_t series_unknown(const struct series *s, size_t col)
{
    size_t unknown = 0;
    for (size_t c = 0; c < s->cols; c++)
        for (size_t row = 0; s->se[c] == (int)col && row < s->rows; row++)
            unknown += isnan(s->v[row * s->cols + col]) && !isnan(s->v[row * s->cols + c]);
    return unknown;
}

bool series_decayed(const struct series *s, size_t col)
{
    const double *end = s->v + (s->rows - 1) * s->cols;
    int se = s->se[col];
    return fabs(end[col]) <= 0.01 * fabs(s->v[col]) || (se >= 0 && fabs(end[col]) < 3.0 * end[se]);
}

int series_column(const struct series *s, const char *name)
{
    for (size_t c = 0; c < s->cols; c++)
        if (strcmp(s->name[c], name) == 0)
            return (int)c;
    return -1;
}

int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp,
                    size_t nfunctions, const uint64_t *counts, const double *sums)
{
    struct frame_desc d = {
        .type = FRAME_CORR, .dtype = FRAME_U64, .ndim = 2, .dims = {blocks, lags}, .time = NAN};
    d.flags = FRAME_CRITICAL;
    if (frame_put(w, &d, counts) != 0)
        return -1;
    d.dtype = FRAME_F64;
    d.ndim = 4;
    d.dims[2] = ncomp;
    d.dims[3] = nfunctions;
    return frame_put(w, &d, sums);
}

int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v)
{
    struct frame_desc d = {
        .type = FRAME_SPEC, .dtype = FRAME_F64, .ndim = 2, .dims = {rows, cols}, .time = NAN};
    d.flags = FRAME_CRITICAL;
    return frame_put(w, &d, v);
}

double series_coarse(const struct series *s, size_t g, size_t col, size_t *row)
{
    size_t rows = series_group(s), last = rows < 3 ? 0 : (rows - 1) / 2 * 2;
    const double *v = s->v + g * rows * s->cols;
    double sum = 0.0;
    *row = g * rows + last;
    for (size_t k = 0; k <= last; k++)
        sum += (k == 0 || k == last ? 0.5 : k % 2 ? -1.0 : 1.0) * v[k * s->cols + col];
    return last ? sum * (v[s->cols] - v[0]) / 3.0 : 0.0;
}
