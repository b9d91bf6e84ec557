/* SPDX-License-Identifier: MIT */
#include "io/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { AXIS_DIGITS = 13, SLACK = 4 * DECIMAL_TEXT };
#define AXIS_NOISE (4 * 1.1102230246251565e-16) /* relative, two units in the last place */

const char *const table_formats[] = {"text", "tsv", "csv", "json", NULL};

int table_init(struct table *t)
{
    t->hash = XXH3_createState();
    return t->hash ? 0 : -1;
}

void table_free(struct table *t)
{
    XXH3_freeState(t->hash);
    t->hash = NULL;
}

/* Adds to the hash the bytes that were written to rows since the last call. */
static void hash_rows(struct table *t)
{
    if (t->in_rows && t->format == TABLE_TEXT)
        XXH3_64bits_update(t->hash, t->buf + t->hashed, t->used - t->hashed);
    t->hashed = t->used;
}

void table_flush(struct table *t)
{
    hash_rows(t);
    t->put(t->ctx, t->buf, t->used);
    t->used = t->hashed = 0;
}

static void add(struct table *t, const char *s, size_t n)
{
    if (n > sizeof t->buf - t->used)
        table_flush(t);
    if (n > sizeof t->buf) {
        t->put(t->ctx, s, n);
        return;
    }
    memcpy(t->buf + t->used, s, n);
    t->used += n;
}

static void adds(struct table *t, const char *s)
{
    add(t, s, strlen(s));
}

/* Writes a value as one line, whatever characters it contains. */
static void add_words(struct table *t, const char *s)
{
    for (; *s; s++)
        add(t, *s == '\n' || *s == '\r' ? " " : s, 1);
}

static void add_json(struct table *t, const char *s, size_t n)
{
    char code[8];
    adds(t, "\"");
    for (; n > 0; s++, n--) {
        if (*s == '"' || *s == '\\')
            adds(t, "\\");
        if ((unsigned char)*s >= ' ')
            add(t, s, 1);
        else
            add(t, code, (size_t)sprintf(code, "\\u%04x", *s));
    }
    adds(t, "\"");
}

/* ---- head */

void table_begin(struct table *t, const char *legend)
{
    t->rows = t->columns = t->listed = t->last_len = 0;
    XXH3_64bits_reset(t->hash);
    if (t->format == TABLE_TEXT) {
        adds(t, "# ");
        adds(t, legend);
        adds(t, "\n");
    } else if (t->format == TABLE_JSON) {
        adds(t, "{\"meta\": {");
    }
}

void table_key(struct table *t, const char *key, const char *value)
{
    if (t->format == TABLE_TEXT) {
        adds(t, "## ");
        adds(t, key);
        adds(t, " ");
        add_words(t, value);
        adds(t, "\n");
    } else if (t->format == TABLE_JSON) {
        adds(t, t->listed++ ? ",\n  " : "\n  ");
        add_json(t, key, strlen(key));
        adds(t, ": ");
        add_json(t, value, strlen(value));
    }
}

static void add_name(struct table *t, const char *s, size_t n)
{
    if (t->format == TABLE_JSON) {
        add_json(t, s, n);
    } else if (t->format == TABLE_CSV && (memchr(s, ',', n) || memchr(s, '"', n))) {
        adds(t, "\"");
        for (size_t k = 0; k < n; k++)
            add(t, s[k] == '"' ? "\"\"" : s + k, s[k] == '"' ? 2 : 1);
        adds(t, "\"");
    } else {
        add(t, s, n);
    }
}

void table_columns(struct table *t, const char *legend)
{
    static const char *const between[] = {"", "\t", ",", ", "};
    if (t->format == TABLE_JSON)
        adds(t, "},\n \"columns\": [");
    for (size_t n; t->format != TABLE_TEXT && *legend; legend += n + (legend[n] == ' ')) {
        n = strcspn(legend, " ");
        adds(t, t->columns++ ? between[t->format] : "");
        add_name(t, legend, n);
    }
    if (t->format == TABLE_JSON)
        adds(t, "],\n \"data\": [");
    else if (t->format != TABLE_TEXT)
        adds(t, "\n");
    hash_rows(t);
    t->in_rows = 1;
}

/* ---- rows */

/* Returns memory for a number, after writing the text that separates two numbers. */
static char *next(struct table *t)
{
    static const char between[] = {' ', '\t', ',', ','};
    if (sizeof t->buf - t->used < SLACK)
        table_flush(t);
    char *p = t->buf + t->used;
    if (t->in_row) {
        *p++ = between[t->format];
    } else if (t->format == TABLE_JSON) {
        p += sprintf(p, t->rows ? ",\n  [" : "\n  [");
    }
    t->in_row = 1;
    return p;
}

static void took(struct table *t, char *start, size_t n)
{
    t->used = (size_t)(start + n - t->buf);
}

/* Writes nan and inf as the format spells them. */
static size_t undefined(const struct table *t, char *p, double v)
{
    if (t->format == TABLE_TEXT)
        return decimal_put_f64(p, v, 0);
    return (size_t)sprintf(p, "%s",
                           t->format == TABLE_JSON ? "null"
                           : isnan(v)              ? "NaN"
                           : v < 0                 ? "-Inf"
                                                   : "Inf");
}

void table_u64(struct table *t, uint64_t v)
{
    char *p = next(t);
    took(t, p, decimal_put_u64(p, v));
}

void table_f64(struct table *t, double v)
{
    char *p = next(t);
    took(t, p, isfinite(v) ? decimal_put_f64(p, v, t->digits) : undefined(t, p, v));
}

void table_f32(struct table *t, float v)
{
    char *p = next(t);
    took(t, p, isfinite(v) ? decimal_put_f32(p, v, t->digits) : undefined(t, p, v));
}

/* Writes v with `decimals` decimals to p, without trailing zeros. Returns the length, or 0 if the
 * text is not exactly v. */
static size_t fixed(char *p, double v, int decimals)
{
    double back;
    if (!(fabs(v) < 1e13) || decimals > AXIS_DIGITS)
        return 0;
    size_t n = (size_t)snprintf(p, DECIMAL_TEXT, "%.*f", decimals, v);
    while (decimals > 0 && p[n - 1] == '0')
        n--;
    n -= p[n - 1] == '.';
    if (n == 2 && p[0] == '-' && p[1] == '0')
        n = (size_t)(p[0] = '0', 1);
    return decimal_get_f64(p, n, DECIMAL_OURS, &back) == 0 && fabs(back - v) <= AXIS_NOISE * fabs(v)
               ? n
               : 0;
}

void table_axis(struct table *t, double v, int decimals)
{
    char *p = next(t);
    if (t->last_len == 0 || memcmp(&t->last, &v, sizeof v) != 0) {
        size_t n = decimals >= 0 && t->digits == 0 ? fixed(t->last_text, v, decimals) : 0;
        t->last = v;
        t->last_len = n             ? n
                      : isfinite(v) ? decimal_put_f64(t->last_text, v, t->digits)
                                    : undefined(t, t->last_text, v);
    }
    memcpy(p, t->last_text, sizeof t->last_text); /* a copy of fixed length is faster than one of
                                                   * last_len bytes */
    took(t, p, t->last_len);
}

void table_row(struct table *t)
{
    adds(t, t->format == TABLE_JSON ? "]" : "\n");
    t->in_row = 0;
    t->rows++;
}

void table_gap(struct table *t)
{
    if (t->format != TABLE_TEXT)
        return;
    hash_rows(t);
    t->in_rows = 0; /* this is not a row and not in the hash of the rows */
    adds(t, "\n");
    hash_rows(t);
    t->in_rows = 1;
}

void table_end(struct table *t)
{
    char line[80];
    hash_rows(t);
    t->in_rows = 0;
    if (t->format == TABLE_TEXT)
        add(t, line,
            (size_t)sprintf(line, TABLE_END "%llu %016llx\n", (unsigned long long)t->rows,
                            (unsigned long long)XXH3_64bits_digest(t->hash)));
    else if (t->format == TABLE_JSON)
        adds(t, t->rows ? "\n ]}\n" : "]}\n");
}

int table_decimals(const double *v, size_t n, size_t stride)
{
    char text[DECIMAL_TEXT];
    double max = 1.0;
    for (size_t k = 0; k < n; k++)
        max = fmax(max, fabs(v[k * stride]));
    if (isinf(max))
        return -1;
    int capacity = AXIS_DIGITS - (int)floor(log10(max)) - 1;
    for (int d = 0; d <= capacity; d++) {
        size_t k = 0;
        while (k < n && fixed(text, v[k * stride], d))
            k++;
        if (k == n)
            return d;
    }
    return -1;
}
