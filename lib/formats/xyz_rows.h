/* SPDX-License-Identifier: MIT */
/* xyz_rows.h: converts the lines of atoms in XYZ files to numbers. Lines that have the usual form
 * are read with SIMD (io/rows.h). Other lines are parsed word by word, with a message for each kind
 * of error. */
#pragma once

#include <stdbool.h>

#include "formats/text_rows.h"
#include "formats/xyz_header.h"
#include "io/rows.h"

struct xyz_row {
    double pos64[3];
    float pos32[3];
    int64_t id;
    const char *name; /* in the line; name_len is 0 if there is none */
    size_t name_len;
    int columns;
};
/* Parses the line s[0..len), without its newline, into pos64 (f64) or pos32 (f32). Returns 0, or -1
 * with a message in *e that names the column, counted from 1. */
int xyz_row(const char *s, size_t len, const struct rows_layout *layout, bool f64,
            struct xyz_row *row, struct err *e) MUST_USE;

/* Returns the smallest number of columns of a row (struct rows.min) in a file whose first row has
 * `columns` columns. If the first row has columns that are not read, every row must have at least
 * one more column than is read, so that a truncated last number is never read. */
int xyz_row_min(int columns, const struct rows_layout *layout);

/* Reads all rows of r. Stops at a line that does not describe an atom or does not have the expected
 * name (r->names and r->names8). */
text_rows_read xyz_rows;
