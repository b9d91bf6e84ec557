/* SPDX-License-Identifier: MIT */
/* rows.h: converts lines of text, one per atom, to numbers. This is the inner loop of the readers
 * of XYZ files and LAMMPS text dumps. Lines of at most 64 bytes with ordinary numbers are read as
 * vectors (rows_simd.c). All three SIMD levels give the same bits as io/decimal.h. The loop stops
 * at a line in a different form. The caller then parses that line word by word and reports
 * errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#define ROWS_PAD 128     /* Number of bytes after a text that must be readable. */
#define ROWS_NAME_MAX 15 /* Largest length of the name of an element or type. */

/* Column numbers in an atom line, counted from 0, or -1 for an absent column. */
struct rows_layout {
    int pos;  /* column of x, followed by y and z */
    int name; /* element or type */
    int id;   /* atom id to sort by */
};

/* The atom lines of one frame, or a part of these lines. */
struct rows {
    const char *text, *end; /* Complete lines. ROWS_PAD bytes after `end` are readable. */
    size_t nrows;
    struct rows_layout layout;
    int columns;            /* Required number of columns, or 0 if only the columns of the layout
                             * are required. */
    int min;                /* If this is not 0, the number of columns may be `min` or more. */
    const uint64_t *names8; /* The first eight bytes of each expected name, zero-padded, or NULL to
                             * skip the comparison. */
    const char (*names)[ROWS_NAME_MAX + 1]; /* Full names, for the parser that works word by word,
                                             * or NULL. */
    uint64_t *names_found; /* Array that receives the names in the rows, in the form of names8, or
                            * NULL. */
    bool *changed;         /* Set if a name differs from the previous entry of names_found. NULL is
                            * allowed. */
    void *pos;             /* Array that receives the positions [nrows][3], of type f32 or f64. */
    int64_t *ids;          /* Array that receives the ids [nrows] if layout.id >= 0. */
};

/* Returns whether a line may have `found` columns. If `columns` is 0, any number is allowed. A
 * positive `columns` is the exact number. A positive `min` also allows `min` or more columns. */
static inline int rows_columns(int found, int columns, int min)
{
    return columns == 0 || found == columns || (min && found >= min);
}

/* These functions return the number of rows that were converted. If fewer than nrows rows are
 * converted, *stop is the line that must be parsed word by word. If all rows are converted, *stop
 * is the end of the text. */
SIMD_DECLARE(size_t, rows_f32, (const struct rows *r, const char **stop));
SIMD_DECLARE(size_t, rows_f64, (const struct rows *r, const char **stop));

/* Skips up to *lines lines of the text [p, end). Sets *lines to the number of lines still to skip.
 * Returns the byte after the last skipped line. */
SIMD_DECLARE(const char *, rows_skip_lines, (const char *p, const char *end, size_t *lines));

/* Returns the offset of the first control byte in p[0..n), or n if there is no such byte. Tabs,
 * newlines and carriage returns are allowed. */
SIMD_DECLARE(size_t, rows_control, (const char *p, size_t n));
