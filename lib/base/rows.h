/* SPDX-License-Identifier: MIT */
/*
 * rows.h: converts lines of text, one per atom, to numbers; the innermost loop of xyz2bin and of
 * the LAMMPS dump reader.
 *
 * Lines of at most 64 bytes with ordinary numbers are read as vectors (rows_simd.c, three levels
 * with the same bits as base/decimal.h). The loop stops at any other line, and the caller then
 * parses that line carefully and writes the error message.
 */
#ifndef MBF_ROWS_H
#define MBF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROWS_PAD 128     /* readable bytes required after a text (their value is ignored) */
#define ROWS_NAME_MAX 15 /* longest element or type name */

/* Columns of an atom line, counted from 0; -1: none. */
struct rows_layout {
    int pos;  /* column of x; y and z follow */
    int name; /* column of the element or type */
    int id;   /* column of the atom number to sort by */
};

/* All or some of the atom lines of one frame. */
struct rows {
    const char *text, *end; /* whole lines with their newlines; end + ROWS_PAD is readable */
    size_t nrows;
    struct rows_layout layout;
    int columns;            /* required number of columns; 0: as many as needed, or more */
    int least;              /* or a smallest number of columns; 0: no alternative */
    const uint64_t *names8; /* [nrows] first eight bytes of each expected name, zero padded;
                               NULL: do not compare */
    const char (*names)[ROWS_NAME_MAX + 1]; /* [nrows] full names, for the careful parser; or
                                               NULL */
    uint64_t *told8; /* out, [nrows] names as in names8, if no longer; NULL: not wanted */
    bool *changed;   /* set if a name differs from the earlier entry of told8; NULL: not compared */
    void *pos;       /* out, [nrows][3], f32 or f64, unchanged */
    int64_t *ids;    /* out, [nrows], if layout.id >= 0 */
};

/* Returns true if a line with `found` columns has the number that struct rows requires. */
static inline int rows_columns(int found, int columns, int least)
{
    return columns == 0 || found == columns || (least && found >= least);
}

/* Return the number of rows done. If that is less than nrows, *stop is the line that needs care;
 * otherwise it is the end of the text. */
SIMD_DECLARE(size_t, rows_f32, (const struct rows *r, const char **stop));
SIMD_DECLARE(size_t, rows_f64, (const struct rows *r, const char **stop));

/* Skips up to *lines lines of [p, end). Returns the byte after the last newline and sets *lines to
 * the number of lines that remain. */
SIMD_DECLARE(const char *, rows_skip_lines, (const char *p, const char *end, size_t *lines));

/* Returns the offset of the first non-text byte in p[0..n), that is, below a blank and not a tab,
 * newline or carriage return; n if there is none. */
SIMD_DECLARE(size_t, rows_control, (const char *p, size_t n));

#ifdef __cplusplus
}
#endif
#endif
