/* SPDX-License-Identifier: MIT */
/* rows.h: converts lines of text, one per atom, to numbers, for the readers of XYZ files and LAMMPS
 * text dumps. Lines of at most 64 bytes with ordinary numbers are read as vectors (rows_simd.c).
 * All three SIMD levels give the same bits as io/decimal.h. The conversion stops at a line that has
 * a different form, which the caller then parses word by word. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#define ROWS_PAD 128     /* readable bytes after a text */
#define ROWS_NAME_MAX 15 /* longest name */

/* Columns in a line of an atom are counted from 0, or are -1 if absent. */
struct rows_layout {
    int pos;  /* x, before y and z */
    int name; /* element or type */
    int id;   /* atom id to sort by */
};

struct rows {
    /* Whole lines from `text` to `end`. The ROWS_PAD bytes after `end` may also be read. */
    const char *text, *end;
    size_t nrows;
    struct rows_layout layout;
    int columns;                            /* 0: those of the layout */
    int min;                                /* unless 0, `min` or more columns are allowed */
    const uint64_t *names8;                 /* first 8 bytes, zero-padded; NULL: any name */
    const char (*names)[ROWS_NAME_MAX + 1]; /* in full, or NULL */
    uint64_t *names_found;                  /* like names8, or NULL */
    /* Unless NULL, *changed becomes true if a name differs from the entry of names_found. */
    bool *changed;
    void *pos;    /* [nrows][3], f32 or f64 */
    int64_t *ids; /* used if layout.id >= 0 */
};

/* Returns whether a line may have `found` columns: any number if `columns` is 0, and otherwise
 * exactly `columns`, or at least `min` if `min` is above 0. */
static inline int rows_columns(int found, int columns, int min)
{
    return columns == 0 || found == columns || (min && found >= min);
}

/* Return the number of rows that were converted. With fewer than nrows rows, *stop is the line that
 * must be parsed word by word, and otherwise the end of the text. */
SIMD_DECLARE(size_t, rows_f32, (const struct rows *r, const char **stop));
SIMD_DECLARE(size_t, rows_f64, (const struct rows *r, const char **stop));

/* Skips up to *lines lines of the text [p, end), sets *lines to the number of lines that remain to
 * be skipped, and returns the byte after the last skipped line. */
SIMD_DECLARE(const char *, rows_skip_lines, (const char *p, const char *end, size_t *lines));

/* Returns the index of the first control byte in p[0..n), except tabs, newlines and carriage
 * returns, or n if there is no control byte. */
SIMD_DECLARE(size_t, rows_control, (const char *p, size_t n));
