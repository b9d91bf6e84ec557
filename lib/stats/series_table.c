/* SPDX-License-Identifier: MIT */
#include "stats/series_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/labels.h"
#include "stream/frame_rules.h"
#include "stream/scalars.h"

/* Returns the programs and options that made the segment, "a --b | c", or NULL if out of memory. */
static char *origin(const struct meta *m)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bool lost = !f;
    for (int n = 1; f && n <= 64; n++) {
        char name[32];
        snprintf(name, sizeof name, "prov.%d.tool", n);
        const char *t = meta_get(m, name);
        snprintf(name, sizeof name, "prov.%d.args", n);
        const char *a = meta_get(m, name);
        const char *words[] = {n > 1 ? " | " : "", t, a && *a ? " " : "", a ? a : ""};
        for (size_t k = 0; t && k < 4; k++)
            lost |= fputs(words[k], f) < 0;
    }
    if ((f && fclose(f) != 0) || lost) {
        free(text);
        return NULL;
    }
    return text;
}

#define ENOUGH 6.0 /* independent samples of a run that is long enough, although n is uncertain */

/* States why the column `se` of errors has gaps. */
static void put_why(char *text, size_t size, const struct series *s, size_t se, bool lags,
                    const char *unit)
{
    double n = INFINITY;
    for (size_t c = 0; c < s->cols; c++)
        if (s->se[c] == (int)se)
            n = s->lacking[c];
    double tau = 0.5 / n, more = ENOUGH / n;
    const char *remedy = lags ? "fewer lags or a longer run" : "a longer run";
    if (!(n > 0.0 && n < ERRORS_INDEPENDENT)) /* there are enough samples in total */
        snprintf(text, size, "too few blocks have samples (use %s)", remedy);
    else if (s->span > 0.0)
        snprintf(text, size,
                 "the correlation time is about %.2g %s; a run of %.2g %s would be long enough",
                 tau * s->span, unit, more * s->span, unit);
    else
        snprintf(text, size,
                 "the correlation time is about %.2g of the run; a run %.2g times as long would be "
                 "long enough",
                 tau, more);
}

/* Writes the key "errors.NAME_se" if errors are unknown in some rows, or "errors.none" if no errors
 * are known although they were requested. Returns 0, or -1 if memory runs out. */
static int put_unknown(struct table *t, const struct series *s, const struct meta *m)
{
    bool lags = s->type == FRAME_CORR && !meta_get(m, "data.axis");
    const char *units = meta_get(m, "sys.units"),
               *unit = units && !strcmp(units, "lj") ? "tau" : "ps";
    if (meta_get(m, "data.errors") && s->type != FRAME_SPEC && s->blocks == 0)
        table_key(t, "errors.none",
                  lags ? "one block (use fewer lags, such as a quarter of the run, or --blocks)"
                       : "one block (use a longer run or --blocks)");
    char *samples = series_samples(s);
    if (!samples)
        return -1;
    if (*samples)
        table_key(t, "samples", samples);
    free(samples);
    for (size_t c = 0; c < s->cols; c++) {
        size_t unknown = series_unknown(s, c);
        char key[SERIES_NAME + 8], text[200];
        snprintf(key, sizeof key, "errors.%s", s->name[c]);
        int n = snprintf(text, sizeof text, "nan in %zu of %zu rows: ", unknown, s->rows);
        put_why(text + n, sizeof text - (size_t)n, s, c, lags, unit);
        if (unknown)
            table_key(t, key, text);
    }
    return 0;
}

#define COARSE 0.01 /* smallest relative change that is reported for an integral without an error */

/* Warns of running integrals that the lag spacing changes by more than their errors. */
static void warn_coarse(const struct series *s, void (*warn)(const char *fmt, ...))
{
    size_t n = s->nfunctions * s->nsets, first = series_first(s), row;
    for (size_t k = 0; k < n * s->groups; k++) {
        size_t c = first + k % n, integral = series_integral(s, c);
        double by = series_coarse(s, k / n, c, &row), *v = s->v + row * s->cols, se = NAN;
        if (s->se[integral] >= 0)
            se = v[s->se[integral]];
        const char *large = se > 0.0 ? ", more than its error" : "";
        if (fabs(by) > (se > 0.0 ? se : COARSE * fabs(v[integral])))
            warn("the lags are too far apart: up to %g ps, %s is %.3g, but may be wrong by %.2g%s "
                 "(use more closely spaced rows)",
                 v[0], s->name[integral], v[integral], fabs(by), large);
    }
}

/* Writes the labels and units of all columns. Returns 0 or -1. */
static int put_labels(struct series_table *o, const struct meta *m, enum frame_type type,
                      const char *legend)
{
    static const char *const key[] = {"unit.of", "label.of"};
    for (int k = 0; k < 2; k++) {
        char *list = labels_list(m, type, legend, k);
        if (!list)
            return err_memory(&o->err, "a line");
        table_key(&o->table, key[k], list);
        free(list);
    }
    return 0;
}

/* Writes the legend and keys: origin, input and description of the data. Returns 0 or -1. */
static int put_head(struct series_table *o, const struct meta *m, const struct series *s,
                    const char *legend, enum frame_type type)
{
    bool plain = type == FRAME_PAIR || type == FRAME_POSN;
    struct table *t = &o->table;
    const char *key, *value;
    char *from = origin(m);
    if (!from)
        return err_memory(&o->err, "a line");
    table_begin(t, legend);
    table_key(t, "origin", from);
    table_key(t, "input",
              type == FRAME_CORR   ? "CORR"
              : type == FRAME_HIST ? "HIST"
              : type == FRAME_SPEC ? "SPEC"
              : type == FRAME_SERI ? "SERI"
              : type == FRAME_PAIR ? "PAIR"
                                   : "POSN");
    for (size_t i = 0; meta_at(m, i, &key, &value); i++)
        if ((strncmp(key, "data.", 5) == 0 && strcmp(key, "data.columns") != 0 &&
             (plain || (strcmp(key, "data.unit.of") != 0 && strcmp(key, "data.label.of") != 0))) ||
            strncmp(key, "sys.", 4) == 0 || strncmp(key, "x.", 2) == 0)
            table_key(t, strncmp(key, "data.", 5) == 0 ? key + 5 : key, value);
    int rc = plain ? 0 : put_labels(o, m, type, legend);
    if (rc == 0 && s && put_unknown(t, s, m) != 0)
        rc = err_memory(&o->err, "META");
    table_columns(t, legend);
    free(from);
    return rc;
}

static int put_series(struct series_table *o, struct frame_reader *r, const struct frame *first)
{
    struct series s;
    struct table *t = &o->table;
    if (series_read_from(r, first, &s, &o->err) != 1)
        return -1;
    double dt;
    bool lags = s.type == FRAME_CORR && !meta_get(frame_meta(r), "data.axis") &&
                meta_get_f64(frame_meta(r), "sys.dt_ps", &dt, 1) != 1;
    char *line = malloc(s.cols * (SERIES_NAME + 1) + 1), *p = line;
    int rc = line ? 0 : err_memory(&o->err, "a line");
    for (size_t c = 0; rc == 0 && c < s.cols; c++)
        p += sprintf(p, "%s%s", c ? " " : "", c == 0 && lags ? "lag" : s.name[c]);
    rc = rc ? rc : put_head(o, frame_meta(r), &s, line, s.type);
    if (rc == 0 && s.type == FRAME_CORR && meta_get(frame_meta(r), "data.integral"))
        warn_coarse(&s, o->warn);
    size_t one = series_group(&s);
    int decimals = table_decimals(s.v, one, s.cols);
    for (size_t i = 0; rc == 0 && i < s.rows; i++) {
        if (i && i % one == 0)
            table_gap(t);
        for (size_t c = 0; c < s.cols; c++)
            if (s.count[c] || (c == 0 && lags))
                table_u64(t, s.count[c] ? s.count[c][i] : i % one);
            else if (c == 0)
                table_axis(t, s.v[i * s.cols], decimals);
            else
                table_f64(t, s.v[i * s.cols + c]);
        table_row(t);
    }
    free(line);
    series_free(&s);
    return rc;
}

static void put_value(struct table *t, const struct series_steps *s, const void *data, size_t k)
{
    if (s->dtype == FRAME_F32)
        table_f32(t, ((const float *)data)[k]);
    else
        table_f64(t, ((const double *)data)[k]);
}

/* Returns the column names of steps, which the caller frees, or NULL if out of memory. */
static char *step_legend(const struct series_table *o, const struct series_steps *s)
{
    const struct meta *m = frame_meta(s->r);
    bool posn = s->type == FRAME_POSN || s->type == FRAME_END, pair = s->type == FRAME_PAIR;
    const char *list = meta_get(m, pair ? "data.component" : "data.columns");
    struct scalar scalar[SCALARS_MAX];
    struct err e;
    char *text = NULL, word[SERIES_NAME];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs(posn ? "step t_ps atom x_A y_A z_A" : pair ? "step t_ps i j" : "step t_ps", f);
    fputs(o->velocities ? " vx_A/ps vy_A/ps vz_A/ps" : "", f);
    for (size_t c = 0; !posn && c < s->ncols; c++) {
        if (!list || series_word(list, c, word, sizeof word) != 1)
            snprintf(word, sizeof word, "%s%zu", pair ? "" : "column_", c);
        fputs(pair ? " beta_" : " ", f);
        fputs(word, f);
    }
    for (int c = 0, n = posn ? scalars_read(m, scalar, &e) : 0; c < n; c++) {
        fputs(" ", f);
        fputs(scalar[c].name, f);
    }
    if (!(ferror(f) | fclose(f)))
        return text;
    free(text);
    return NULL;
}

/* Writes one step as a row per atom or pair, or as one row of a series. */
static void put_step(struct series_table *o, const struct series_steps *s, int decimals)
{
    struct table *t = &o->table;
    bool posn = s->type == FRAME_POSN, pair = s->type == FRAME_PAIR;
    size_t nrows = posn ? s->natoms : s->nvalues / (s->ncols ? s->ncols : 1), i = 0, j = 1;
    for (size_t row = 0; row < nrows; row++) {
        table_u64(t, s->index);
        table_axis(t, s->time, decimals);
        if (s->type != FRAME_SERI)
            table_u64(t, posn ? row : i);
        if (pair)
            table_u64(t, j);
        for (size_t c = 0; c < s->ncols; c++)
            put_value(t, s, s->data, posn ? 3 * row + c : c * nrows + row);
        for (size_t c = 0; c < 3 && o->velocities; c++)
            if (s->velocities)
                put_value(t, s, s->velocities, 3 * row + c);
            else
                table_f64(t, NAN);
        for (size_t c = 0; c < s->nscalars; c++)
            put_value(t, s, s->scalars, s->nscalars * row + c);
        table_row(t);
        if (++j == s->natoms)
            j = ++i + 1;
    }
}

static int put_steps(struct series_table *o, struct frame_reader *r, const struct frame *first)
{
    struct series_steps s = {.r = r, .first = *first};
    int got = series_steps_next(&s, &o->err), rc = 0, decimals = -1;
    if (got >= 0) {
        const struct meta *m = frame_meta(r);
        double axis[2] = {s.time, s.time};
        o->velocities = s.type == FRAME_POSN && s.velocities;
        char *legend = step_legend(o, &s);
        rc = legend ? put_head(o, m, NULL, legend, s.type == FRAME_END ? FRAME_POSN : s.type)
                    : err_memory(&o->err, "a line");
        free(legend);
        if (meta_get_f64(m, "sys.dt_ps", &axis[1], 1) == 1 && !isnan(s.time))
            decimals = table_decimals(axis, 2, 1);
    }
    for (bool warned = false; rc == 0 && got > 0; got = series_steps_next(&s, &o->err)) {
        if (s.velocities && !o->velocities && !warned)
            o->warn("%s: the velocities from step %llu on are not printed, because the first step, "
                    "which determines the columns of the table, has no velocities",
                    frame_name(r), (unsigned long long)s.index);
        warned |= s.velocities != NULL;
        put_step(o, &s, decimals);
        o->progress(frame_wire_bytes(r), frame_file_bytes(r), "bytes");
    }
    if (rc == 0 && got == 0 && s.left_out && strcmp(s.left_out, "VELO") == 0)
        o->warn("%s: the velocities are not written, because the stream stores them after the "
                "positions of all steps, as in a restart file",
                frame_name(r));
    series_steps_free(&s);
    return rc ? rc : got;
}

/* Begins another table. Only the formats text and json allow several. */
static int begin_table(struct series_table *o, const struct frame_reader *r, int tables)
{
    if (tables == 0)
        return 0;
    if (o->table.format == TABLE_TSV || o->table.format == TABLE_CSV)
        return err_in(&o->err, ERR_BAD, frame_name(r), 0,
                      "expected one table for %s, found several segments (use --format text or "
                      "json, which can contain several tables)",
                      table_formats[o->table.format]);
    table_flush(&o->table);
    if (o->table.format == TABLE_TEXT)
        o->table.put(o->table.ctx, "\n\n", 2);
    return 0;
}

int series_table_put(struct series_table *o, struct frame_reader *r)
{
    struct frame f;
    int got, tables = 0, rc = 0;
    while (rc == 0 && (got = frame_next(r, &f)) > 0) {
        bool steps = frame_is_per_step(&f.desc), sums = frame_is_sums(&f.desc);
        if (f.desc.type == FRAME_META) {
            const char *changed = meta_get(frame_meta(r), "data.changed");
            rc = begin_table(o, r, tables++);
            if (rc == 0 && changed && !o->meta_only)
                o->warn("%s: %.500s", frame_name(r), changed);
            size_t n;
            char *text = o->meta_only ? meta_text(frame_meta(r), &n, NULL) : NULL;
            if (text)
                o->table.put(o->table.ctx, text, n);
            free(text);
        } else if (!o->meta_only && (steps || sums)) {
            rc = steps ? put_steps(o, r, &f) : put_series(o, r, &f);
            if (rc == 0)
                table_end(&o->table);
            o->rows += o->table.rows;
        }
    }
    table_flush(&o->table);
    if (rc == 0 && got < 0)
        o->err = *frame_error(r);
    return rc < 0 || got < 0 ? -1 : 0;
}
