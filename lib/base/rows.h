/* SPDX-License-Identifier: MIT */
/*
 * rows.h: lines of text, an atom each, to numbers; the hot loop of xyz2bin and of LAMMPS' dumps.
 *
 * Lines of at most 64 bytes with ordinary numbers are read as vectors (rows_simd.c, three levels,
 * same bits: those of base/decimal.h); at whatever it does not like it stops, and who called reads
 * that line with care and words the error.
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

#define ROWS_PAD 128     /* bytes behind a text that may be read (their value does not matter) */
#define ROWS_NAME_MAX 15 /* longest element or type name */

/* Columns of an atom line, from 0; -1: there is none. */
struct rows_layout {
    int pos;  /* of x; y and z follow */
    int name; /* element or type */
    int id;   /* atom number to sort by */
};

/* Atom lines of one frame, or some of them. */
struct rows {
    const char *text, *end; /* whole lines, each with its newline; end + ROWS_PAD is readable */
    size_t nrows;
    struct rows_layout layout;
    int columns;            /* that each line must have; 0: as many as are wanted, or more */
    int least;              /* or at least so many; 0: no other number */
    const uint64_t *names8; /* [nrows] first eight bytes of each expected name, zero padded; NULL:
                               not compared */
    const char (*names)[ROWS_NAME_MAX + 1]; /* [nrows] the whole names, for who reads with care; or
                                               NULL */
    uint64_t *told8; /* out, [nrows] as names8, of names that are no longer; NULL: not wanted */
    bool *changed;   /* set if a name differs from the earlier entry of told8; NULL: not compared */
    void *pos;       /* out, [nrows][3], f32 or f64, as they stand */
    int64_t *ids;    /* out, [nrows], with layout.id >= 0 */
};

/* Does a line with `found` columns have what struct rows asks for? */
static inline int rows_columns(int found, int columns, int least)
{
    return columns == 0 || found == columns || (least && found >= least);
}

/* Rows done (nrows, or fewer: *stop is the line that needs care, or the end of the text). */
SIMD_DECLARE(size_t, rows_f32, (const struct rows *r, const char **stop));
SIMD_DECLARE(size_t, rows_f64, (const struct rows *r, const char **stop));

/* Skip up to *lines lines of [p, end): returns behind the last newline taken, *lines is what is
 * left to skip. */
SIMD_DECLARE(const char *, rows_skip_lines, (const char *p, const char *end, size_t *lines));

/* Offset of the first byte of p[0..n) that no text has: below a blank, but tab, newline and carriage
 * return; n: there is none. */
SIMD_DECLARE(size_t, rows_control, (const char *p, size_t n));

#ifdef __cplusplus
}
#endif
#endif
