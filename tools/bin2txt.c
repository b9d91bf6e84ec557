/* SPDX-License-Identifier: MIT */
/* bin2txt: any frame stream -> text columns whose numbers read back exactly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "stats/series.h"

static bool meta_only;
static const struct cli_opt options[] = {{0, "meta", NULL, CLI_FLAG, &meta_only, 0, 0, NULL, NULL,
                                          "print the META text of each segment, nothing else"},
                                         {0}};
static const struct cli_tool tool = {
    "bin2txt",
    "[FILE]",
    "Print any frame stream as text columns for gnuplot, awk, numpy and datamash.",
    options,
    "  g4-cpu --tmax 6 argon.mbf | bin2txt -o cf.txt\n"
    "  bin2txt cf.mbf | awk '!/^#/ { print $1, $3 }'\n"
    "  bin2txt --meta cf.mbf\n",
    0,
    1,
    false,
    NULL};

struct out {
    struct cli_text *text;
    struct err err;
    uint64_t rows;
    size_t used;
    char buf[1 << 16]; /* rows that are on their way to text */
};

/* A value on its line, whatever is in it. */
static void put_words(struct out *o, const char *s)
{
    for (; *s; s++)
        cli_text_write(o->text, *s == '\n' || *s == '\r' ? " " : s, 1);
}

/* Legend, then "## key value": how the segment came about, what was fed in, and all that describes
 * the data. */
static void put_head(struct out *o, const struct meta *m, const char *legend, const char *kind)
{
    const char *key, *value;
    cli_text_printf(o->text, "# %s\n## origin ", legend);
    for (int n = 1; n <= 64; n++) {
        char name[32];
        snprintf(name, sizeof name, "prov.%d.tool", n);
        const char *t = meta_get(m, name);
        snprintf(name, sizeof name, "prov.%d.args", n);
        const char *a = meta_get(m, name);
        if (t) {
            cli_text_printf(o->text, "%s%s%s", n > 1 ? " | " : "", t, a && *a ? " " : "");
            put_words(o, a ? a : "");
        }
    }
    cli_text_printf(o->text, "\n## input %s\n", kind);
    for (size_t i = 0; meta_at(m, i, &key, &value); i++)
        if ((strncmp(key, "data.", 5) == 0 && strcmp(key, "data.columns") != 0) ||
            strncmp(key, "sys.", 4) == 0 || strncmp(key, "x.", 2) == 0) {
            cli_text_printf(o->text, "## %s ", strncmp(key, "data.", 5) == 0 ? key + 5 : key);
            put_words(o, value);
            cli_text_write(o->text, "\n", 1);
        }
}

static int put_series(struct out *o, struct frame_reader *r, const struct frame *first)
{
    struct series s;
    if (series_read_from(r, first, &s, &o->err) != 1)
        return -1;
    char *line = malloc(s.cols * (SERIES_NAME + 1) + 1), *p = line;
    if (line == NULL) {
        series_free(&s);
        return err_memory(&o->err, "a line");
    }
    for (size_t c = 0; c < s.cols; c++)
        p += sprintf(p, "%s%s", c ? " " : "", s.name[c]);
    put_head(o, frame_meta(r), line,
             s.type == FRAME_CORR   ? "CORR"
             : s.type == FRAME_HIST ? "HIST"
                                    : "SPEC");
    for (size_t i = 0; i < s.rows; i++, o->rows++) {
        p = line;
        for (size_t c = 0; c < s.cols; c++) {
            p += s.count[c] ? decimal_put_u64(p, s.count[c][i])
                            : decimal_put_f64(p, s.v[i * s.cols + c], 0);
            *p++ = c + 1 < s.cols ? ' ' : '\n';
        }
        cli_text_write(o->text, line, (size_t)(p - line));
    }
    free(line);
    series_free(&s);
    return 0;
}

static char *put_value(char *p, const struct series_steps *s, size_t k)
{
    *p++ = ' ';
    return p + (s->dtype == FRAME_F32 ? decimal_put_f32(p, ((const float *)s->data)[k], 0)
                                      : decimal_put_f64(p, ((const double *)s->data)[k], 0));
}

static void flush_rows(struct out *o)
{
    cli_text_write(o->text, o->buf, o->used);
    o->used = 0;
}

/* One step, a row for each atom or pair, or one row for a series. */
static void put_step(struct out *o, const struct series_steps *s)
{
    enum { ROW = (SERIES_COMPONENTS + 5) * DECIMAL_TEXT };
    bool posn = s->type == FRAME_POSN, pair = s->type == FRAME_PAIR;
    size_t nrows = posn ? s->natoms : s->nvalues / (s->ncols ? s->ncols : 1), i = 0, j = 1;
    char head[3 * DECIMAL_TEXT];
    size_t n = decimal_put_u64(head, s->index);
    head[n++] = ' ';
    n += decimal_put_f64(head + n, s->time, 0);
    if (s->type != FRAME_SERI)
        head[n++] = ' ';
    for (size_t row = 0; row < nrows; row++, o->rows++) {
        if (sizeof o->buf - o->used < ROW)
            flush_rows(o);
        char *p = o->buf + o->used;
        memcpy(p, head, sizeof head); /* of fixed length: quicker than n bytes */
        p += n;
        if (s->type != FRAME_SERI)
            p += decimal_put_u64(p, posn ? row : i);
        if (pair) {
            *p++ = ' ';
            p += decimal_put_u64(p, j);
        }
        for (size_t c = 0; c < s->ncols; c++)
            p = put_value(p, s, posn ? 3 * row + c : c * nrows + row);
        *p++ = '\n';
        o->used = (size_t)(p - o->buf);
        if (++j == s->natoms)
            j = ++i + 1;
    }
    flush_rows(o);
}

static int put_steps(struct out *o, struct frame_reader *r, const struct frame *first)
{
    struct series_steps s = {.r = r, .first = *first};
    int got = series_steps_next(&s, &o->err);
    if (got >= 0) {
        const struct meta *m = frame_meta(r);
        bool posn = s.type == FRAME_POSN || s.type == FRAME_END, pair = s.type == FRAME_PAIR;
        const char *list = meta_get(m, pair ? "data.component" : "data.columns");
        char legend[64 + SERIES_COMPONENTS * (SERIES_NAME + 1)], word[SERIES_NAME];
        strcpy(legend, posn ? "step t_ps atom x_A y_A z_A" : pair ? "step t_ps i j" : "step t_ps");
        for (size_t c = 0; !posn && c < s.ncols; c++) {
            bool named = list && series_word(list, c, word, sizeof word) == 1;
            sprintf(legend + strlen(legend), " %s%s", pair ? "beta_" : "", named ? word : "");
        }
        put_head(o, m, legend, posn ? "POSN" : pair ? "PAIR" : "SERI");
    }
    for (; got > 0; got = series_steps_next(&s, &o->err))
        put_step(o, &s);
    series_steps_free(&s);
    return got;
}

/* All segments, blank lines between them. 0 or -1. */
static int put_stream(struct out *o, struct frame_reader *r)
{
    struct frame f;
    int got, segments = 0, rc = 0;
    while (rc == 0 && (got = frame_next(r, &f)) > 0) {
        if (f.desc.type == FRAME_META) {
            if (segments++)
                cli_text_write(o->text, "\n\n", 2);
            size_t n;
            char *text = meta_only ? meta_text(frame_meta(r), &n, NULL) : NULL;
            if (text)
                cli_text_write(o->text, text, n);
            free(text);
        } else if (!meta_only && (frame_counts_steps(&f.desc) || f.desc.type == FRAME_CELL ||
                                  f.desc.type == FRAME_TIME)) {
            rc = put_steps(o, r, &f);
        } else if (!meta_only && f.desc.type >= FRAME_CORR && f.desc.type <= FRAME_SPEC) {
            rc = put_series(o, r, &f);
        }
    }
    if (rc == 0 && got < 0)
        o->err = *frame_error(r);
    return rc < 0 || got < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    static struct cli_common c;
    static struct out o;
    cli_parse(&tool, argc, argv, &c);
    struct frame_reader *r = cli_open(&c, cli_input(&c));
    o.text = cli_text_open(&c);
    if (put_stream(&o, r) != 0)
        cli_error("%s", o.err.text);
    cli_summary(o.rows, frame_wire_bytes(r), NULL);
    frame_close_reader(r);
    return cli_text_close(o.text, o.err.status);
}
