/* SPDX-License-Identifier: MIT */
/*
 * table.h: rows of numbers as text, one table per segment, in one of four formats.
 *
 *   text  "# name name ...", "## key value" lines, rows separated by blanks, "## end ROWS HASH"
 *   tsv   one line of names, rows separated by tabs, nothing else; NaN for undefined values
 *   csv   as tsv, with commas, and names in quotes if they need them
 *   json  {"meta": {...}, "columns": [...], "data": [[...], ...]}, null for undefined values
 *
 * HASH is XXH3 (64 bits, 16 hexadecimal digits) of the bytes of all rows including their newlines.
 * A table without this line, or with another number of rows, is incomplete.
 */
#ifndef MBF_TABLE_H
#define MBF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum table_format { TABLE_TEXT, TABLE_TSV, TABLE_CSV, TABLE_JSON };
extern const char *const table_formats[]; /* names of the formats, ending with NULL */
#define TABLE_END "## end "               /* followed by ROWS HASH */

struct table {
    enum table_format format;
    int digits; /* significant digits of a value, 1 to 17; 0: as many as read back exactly */
    void (*put)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t rows;
    size_t columns, listed; /* columns so far; columns written of the list in the head */
    void *hash;
    int in_row, in_rows;
    double last; /* last axis value and its text, which all atoms of a step share */
    size_t last_len;
    char last_text[DECIMAL_TEXT];
    size_t used, hashed; /* bytes of buf in use, and hashed */
    char buf[1 << 16];
};

/* Initialises a table whose format, digits, put and ctx are set. Returns 0, or -1 if out of
 * memory. */
int table_init(struct table *t) __attribute__((warn_unused_result));
void table_free(struct table *t);

/* Write the head: table_begin, table_key for each key (written by text and json), and table_columns
 * with the names separated by blanks. table_begin also takes the legend, because text writes it
 * first. */
void table_begin(struct table *t, const char *legend);
void table_key(struct table *t, const char *key, const char *value);
void table_columns(struct table *t, const char *legend);

/* Write a value of the row; table_row ends the row. An axis value has at most `decimals` digits
 * after the point (see table_decimals; negative: as any value). */
void table_u64(struct table *t, uint64_t v);
void table_f64(struct table *t, double v);
void table_f32(struct table *t, float v);
void table_axis(struct table *t, double v, int decimals);
void table_row(struct table *t);
/* Marks the start of another value of a second axis, between rows. Text has an empty line there, as
 * gnuplot requires for a map. */
void table_gap(struct table *t);

void table_end(struct table *t);   /* ends a complete table */
void table_flush(struct table *t); /* writes what is buffered */

/* Returns the number of digits after the point for an axis v[0], v[stride], ... of n values: the
 * fewest that give each value to within two units in its last place, the noise of k * dt (3 times
 * 0.025 is 0.07500000000000001). Returns -1 if up to 13 significant digits do not suffice; the
 * digits are then not noise. */
int table_decimals(const double *v, size_t n, size_t stride);

#ifdef __cplusplus
}
#endif
#endif
