/* SPDX-License-Identifier: MIT */
/* table.h: writes rows of numbers as text in one of four formats, with one table per segment.
 *
 * The `text` format has a line "# name name ...", lines "## key value", rows with blanks between
 * the values, and a line "## end ROWS HASH". The `tsv` format has a line of names, rows with tabs
 * between the values, and NaN for undefined values. The `csv` format has commas instead of tabs,
 * and quotes names if necessary. The `json` format has {"meta": {...}, "columns": [...], "data":
 * [[...], ...]}, and null for undefined values.
 *
 * HASH is the 64-bit XXH3 hash of all rows, with their newlines, in 16 hexadecimal digits. A table
 * in the `text` format is incomplete unless its end line states the number of its rows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "io/decimal.h"

enum table_format { TABLE_TEXT, TABLE_TSV, TABLE_CSV, TABLE_JSON };
extern const char *const table_formats[]; /* NULL-terminated */
#define TABLE_END "## end "               /* followed by ROWS HASH */

struct table {
    enum table_format format;
    int digits; /* 1 to 17, 0: shortest */
    void (*put)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t rows;
    size_t columns, listed; /* in the row, in the head */
    void *hash;
    int in_row, in_rows;
    /* The text of the last axis value is kept, because all atoms of a step have the same axis
     * value. */
    double last;
    size_t last_len;
    char last_text[DECIMAL_TEXT];
    size_t used, hashed; /* bytes */
    char buf[1 << 16];
};

/* Initialises a table whose members `format`, `digits`, `put` and `ctx` the caller has set. Returns
 * 0, or -1 if memory runs out. */
int table_init(struct table *t) MUST_USE;
void table_free(struct table *t);

/* Write the head of a table: call table_begin, then table_key for each key, and then table_columns.
 * Only the formats `text` and `json` contain the keys. The legend lists the column names, separated
 * by blanks. In the `text` format, the legend is already written by table_begin. */
void table_begin(struct table *t, const char *legend);
void table_key(struct table *t, const char *key, const char *value);
void table_columns(struct table *t, const char *legend);

/* Each of these functions writes one value of a row, except table_row, which ends the row. The
 * function table_axis writes at most `decimals` digits after the decimal point. If `decimals` is
 * negative, table_axis writes v like table_f64. */
void table_u64(struct table *t, uint64_t v);
void table_f64(struct table *t, double v);
void table_f32(struct table *t, float v);
void table_axis(struct table *t, double v, int decimals);
void table_row(struct table *t);
/* Marks where the next value of a second axis begins. In the `text` format, the mark is an empty
 * line, as gnuplot requires for a map. */
void table_gap(struct table *t);

void table_end(struct table *t);   /* ends a complete table */
void table_flush(struct table *t); /* writes the buffer */

/* Returns the smallest number of decimals that restores each of n axis values v[0], v[stride], v[2
 * stride] and so on to within two units in the last place of an f64 number. Rounding to this number
 * of decimals removes rounding errors of k * dt, such as 0.07500000000000001 for 3 times 0.025.
 * Returns -1 if 13 significant digits are not sufficient, because further digits are then more than
 * a rounding error. */
int table_decimals(const double *v, size_t n, size_t stride);
