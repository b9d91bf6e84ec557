/* SPDX-License-Identifier: MIT */
/* table.h: writes rows of numbers as text, with one table per segment, in one of four formats.
 *
 * The `text` format has a line "# name name ...", lines "## key value", rows with blanks between
 * the values, and a line "## end ROWS HASH". The `tsv` format has a line of names, rows with tabs
 * between the values, and NaN for undefined values. The `csv` format has commas instead of tabs,
 * and quotes names if necessary. The `json` format has {"meta": {...}, "columns": [...], "data":
 * [[...], ...]}, and null for undefined values.
 *
 * HASH is the 64-bit XXH3 hash of all rows, with their newlines, in 16 hexadecimal digits. A table
 * in the `text` format is incomplete if its end line is missing or states another number of
 * rows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "io/decimal.h"

enum table_format { TABLE_TEXT, TABLE_TSV, TABLE_CSV, TABLE_JSON };
extern const char *const table_formats[]; /* NULL-terminated names */
#define TABLE_END "## end "               /* followed by ROWS HASH */

struct table {
    enum table_format format;
    int digits; /* Number of significant digits (1 to 17), or 0 for the smallest number of digits
                 * that restores the exact value. */
    void (*put)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t rows;
    size_t columns, listed; /* Number of columns that have been written in this row, or of names in
                             * the head. */
    void *hash;
    int in_row, in_rows;
    double last; /* The last axis value. The member last_text keeps its text, because all atoms of a
                  * step have the same axis value. */
    size_t last_len;
    char last_text[DECIMAL_TEXT];
    size_t used, hashed; /* Number of bytes of buf that are in use, and number of bytes in the hash
                          * so far. */
    char buf[1 << 16];
};

/* Initialises a table. The caller sets the members `format`, `digits`, `put` and `ctx` before this
 * call. Returns 0, or -1 if memory runs out. */
int table_init(struct table *t) MUST_USE;
void table_free(struct table *t);

/* The following functions write the head of a table. The caller calls table_begin, then table_key
 * for each key, and then table_columns. Only the formats `text` and `json` contain the keys. The
 * legend is the list of column names, separated by blanks. The legend is also an argument of
 * table_begin, because the `text` format begins with it. */
void table_begin(struct table *t, const char *legend);
void table_key(struct table *t, const char *key, const char *value);
void table_columns(struct table *t, const char *legend);

/* The function table_row ends a row. Each of the other functions below writes one value of a row.
 * An axis value has at most `decimals` digits after the decimal point (table_decimals). If
 * `decimals` is negative, an axis value is written like any other value. */
void table_u64(struct table *t, uint64_t v);
void table_f64(struct table *t, double v);
void table_f32(struct table *t, float v);
void table_axis(struct table *t, double v, int decimals);
void table_row(struct table *t);
/* Marks, between two rows, that the next value of a second axis begins. In the `text` format, this
 * mark is an empty line, as gnuplot requires for a map. */
void table_gap(struct table *t);

void table_end(struct table *t);   /* ends a complete table */
void table_flush(struct table *t); /* writes the bytes in the buffer */

/* Returns the number of decimals for n axis values v[0], v[stride], v[2 stride] and so on. The
 * result is the smallest number of decimals that restores each f64 value to within two units in its
 * last place. Rounding to these decimals removes rounding errors of k * dt, such as
 * 0.07500000000000001 for 3 times 0.025. If 13 significant digits are not sufficient, returns -1,
 * because further digits are then more than a rounding error. */
int table_decimals(const double *v, size_t n, size_t stride);
