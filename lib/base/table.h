/* SPDX-License-Identifier: MIT */
/*
 * table.h: rows of numbers as text, one table a segment.
 *
 *   text  "# name name ...", "## key value" lines, rows apart by blanks, "## end ROWS HASH"
 *   tsv   one line of names, rows apart by tabs; nothing else; NaN for what is not defined
 *   csv   the same with commas, names in quotes where they need them
 *   json  {"meta": {...}, "columns": [...], "data": [[...], ...]}, null for what is not defined
 *
 * HASH is XXH3 (64 bits, 16 hexadecimal digits) of the bytes of all rows, their newlines included:
 * who reads a table that lacks the line, or has another number of rows, has not got all of it.
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
extern const char *const table_formats[]; /* their names, and NULL */
#define TABLE_END "## end "               /* and ROWS HASH */

struct table {
    enum table_format format;
    int digits; /* of a value, 1 to 17; 0: as many as read back exactly */
    void (*put)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t rows;
    size_t columns, listed; /* columns so far; those written of the list of a head */
    void *hash;
    int in_row, in_rows;
    double last; /* axis value, and its text: the same for all atoms of a step */
    size_t last_len;
    char last_text[DECIMAL_TEXT];
    size_t used, hashed; /* of buf */
    char buf[1 << 16];
};

/* Fill format, digits, put and ctx, zero the rest. 0, or -1: out of memory. */
int table_init(struct table *t) __attribute__((warn_unused_result));
void table_free(struct table *t);

/* The head: table_begin, table_key for each key (text and json write them), table_columns with the
 * names apart by blanks. Text wants its legend first, so table_begin has it, too. */
void table_begin(struct table *t, const char *legend);
void table_key(struct table *t, const char *key, const char *value);
void table_columns(struct table *t, const char *legend);

/* A value of the row; table_row ends it. An axis value has at most `decimals` digits behind the
 * point (see table_decimals; negative: as any value). */
void table_u64(struct table *t, uint64_t v);
void table_f64(struct table *t, double v);
void table_f32(struct table *t, float v);
void table_axis(struct table *t, double v, int decimals);
void table_row(struct table *t);
/* Between rows: another value of a second axis begins. Text has an empty line there, as gnuplot
 * wants it of a map. */
void table_gap(struct table *t);

void table_end(struct table *t);   /* of the table, which is whole */
void table_flush(struct table *t); /* what is buffered goes out */

/*
 * Digits behind the point that an axis v[0], v[stride], ... of n values needs: the fewest that give
 * each of them to within two units in its last place, the noise of k * dt (0.075, where the product
 * of 3 and 0.025 is 0.07500000000000001). -1: none up to 13 digits in all; then they are no noise.
 */
int table_decimals(const double *v, size_t n, size_t stride);

#ifdef __cplusplus
}
#endif
#endif
