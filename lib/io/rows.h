/* SPDX-License-Identifier: MIT */
/* rows.h: converts lines of text, one per atom, to numbers. The module rows.h contains the inner
 * loop of the readers of XYZ files and LAMMPS text dumps. Lines of at most 64 bytes with ordinary
 * numbers are read as vectors (rows_simd.c). All three SIMD levels give the same bits as
 * io/decimal.h. The loop stops at a line that has a different form. The caller then parses this
 * line word by word and reports errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#define ROWS_PAD 128     /* Number of bytes after a text that must be readable. */
#define ROWS_NAME_MAX 15 /* Largest length of the name of an element or type. */

/* Numbers of the columns in a line of an atom, counted from 0, or -1 for a column that does not
 * exist. */
struct rows_layout {
    int pos;  /* column of the coordinate x, which y and z follow */
    int name; /* element or type */
    int id;   /* atom id to sort by */
};

/* Some or all of the lines of atoms of a frame. */
struct rows {
    const char *text, *end; /* Complete lines. ROWS_PAD bytes after `end` may be read. */
    size_t nrows;
    struct rows_layout layout;
    int columns;            /* Required number of columns, or 0 if only the columns of the layout
                             * are required. */
    int min;                /* If the member `min` is not 0, the number of columns may be `min` or
                             * more. */
    const uint64_t *names8; /* The first eight bytes of each expected name, padded with zeros, or
                             * NULL if names are not compared. */
    const char (*names)[ROWS_NAME_MAX + 1]; /* The full names, for the parser that works word by
                                             * word, or NULL. */
    uint64_t *names_found; /* Array that receives the names found in the rows, in the form of
                            * names8, or NULL. */
    bool *changed;         /* Set to true if a name differs from the previous entry of names_found.
                            * NULL is allowed. */
    void *pos;             /* Array that receives the positions [nrows][3], of type f32 or f64. */
    int64_t *ids;          /* Array that receives the ids [nrows], used if layout.id >= 0. */
};

/* Returns whether a line may have `found` columns. If `columns` is 0, any number of columns is
 * allowed. If `columns` is above 0, it is the exact number. If `min` is above 0, `min` or more
 * columns are also allowed. */
static inline int rows_columns(int found, int columns, int min)
{
    return columns == 0 || found == columns || (min && found >= min);
}

/* The following functions return the number of rows that were converted. If fewer than nrows rows
 * are converted, *stop is the line that must be parsed word by word. If all rows are converted,
 * *stop is the end of the text. */
SIMD_DECLARE(size_t, rows_f32, (const struct rows *r, const char **stop));
SIMD_DECLARE(size_t, rows_f64, (const struct rows *r, const char **stop));

/* Skips up to *lines lines of the text [p, end). Sets *lines to the number of lines that remain to
 * be skipped. Returns a pointer to the byte after the last line that was skipped. */
SIMD_DECLARE(const char *, rows_skip_lines, (const char *p, const char *end, size_t *lines));

/* Returns the index of the first control byte in p[0..n), or n if there is no such byte. Tabs,
 * newlines and carriage returns do not count as control bytes. */
SIMD_DECLARE(size_t, rows_control, (const char *p, size_t n));
