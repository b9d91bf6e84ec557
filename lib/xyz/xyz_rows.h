/* SPDX-License-Identifier: MIT */
/*
 * xyz_rows.h: atom lines to numbers; the hot loop of xyz2bin.
 *
 * Lines of at most 64 bytes with ordinary numbers take the vector path (xyz_simd.c, three levels,
 * same bits); whatever it does not like, xyz_row takes one line at a time and words the error.
 */
#ifndef MBF_XYZ_ROWS_H
#define MBF_XYZ_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "xyz/xyz_header.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XYZ_PAD 128     /* bytes behind a text that may be read (their value does not matter) */
#define XYZ_NAME_MAX 15 /* longest element or type name */

/* Atom lines of one frame, or some of them. */
struct xyz_rows {
    const char *text, *end; /* whole lines, each with its newline; end + XYZ_PAD is readable */
    size_t nrows;
    struct xyz_layout layout;
    const uint64_t *names8; /* [nrows] first eight bytes of each expected name, zero padded; NULL:
                               not compared */
    const char (*names)[XYZ_NAME_MAX + 1]; /* [nrows] the whole names, for xyz_rows_read; or NULL */
    void *pos;                             /* out, [nrows][3], Å, f32 or f64 */
    int64_t *ids;                          /* out, [nrows], with layout.id >= 0 */
};

/* Rows done (nrows, or fewer: *stop is the line that needs xyz_row). */
SIMD_DECLARE(size_t, xyz_rows_f32, (const struct xyz_rows *r, const char **stop));
SIMD_DECLARE(size_t, xyz_rows_f64, (const struct xyz_rows *r, const char **stop));

/* Skip up to *lines lines of [p, end): returns behind the last newline taken, *lines is what is
 * left to skip. */
SIMD_DECLARE(const char *, xyz_skip_lines, (const char *p, const char *end, size_t *lines));

/* Offset of the first byte of p[0..n) that no text has: below a blank, but tab, newline and carriage
 * return; n: there is none. */
SIMD_DECLARE(size_t, xyz_control, (const char *p, size_t n));

/* One atom line s[0..len) without its newline, read the careful way. */
struct xyz_row {
    double pos64[3];
    float pos32[3];
    int64_t id;
    const char *name; /* into s; name_len 0 without a name column */
    size_t name_len;
};
/* f64: which of pos64 and pos32 to fill. Return 0, or -1 with the column (from 1) and what was
 * expected and found. */
int xyz_row(const char *s, size_t len, const struct xyz_layout *layout, bool f64,
            struct xyz_row *row, struct err *e) __attribute__((warn_unused_result));

/* All rows of r, fast where they are ordinary and with care where not. Returns nrows, or the first
 * row that is wrong: no atom line, or not the name that was expected. */
size_t xyz_rows_read(const struct xyz_rows *r, bool f64);

/* First eight bytes of a name, zero padded, as xyz_rows.names8 has them. */
uint64_t xyz_name8(const char *name, size_t len);

#ifdef __cplusplus
}
#endif
#endif
