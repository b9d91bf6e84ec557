/* SPDX-License-Identifier: MIT */
/*
 * xyz_rows.h: atom lines of XYZ to numbers: base/rows.h where they are ordinary, and with care, and
 * words for what is wrong, where they are not.
 */
#ifndef MBF_XYZ_ROWS_H
#define MBF_XYZ_ROWS_H

#include <stdbool.h>

#include "base/rows.h"
#include "formats/text_rows.h"
#include "formats/xyz_header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One atom line s[0..len) without its newline, read the careful way. */
struct xyz_row {
    double pos64[3];
    float pos32[3];
    int64_t id;
    const char *name; /* into s; name_len 0 without a name column */
    size_t name_len;
    int columns;
};
/* f64: which of pos64 and pos32 to fill. Return 0, or -1 with the column (from 1) and what was
 * expected and found. */
int xyz_row(const char *s, size_t len, const struct rows_layout *layout, bool f64,
            struct xyz_row *row, struct err *e) __attribute__((warn_unused_result));

/* Where nothing declares how many columns rows have, and the first has so many: struct rows.least.
 * A number that is wanted is never the last word of some rows only, where it may be cut. */
int xyz_row_least(int columns, const struct rows_layout *layout);

/* Rows of r, fast where they are ordinary and with care where not, up to one that is wrong: no atom
 * line, or not the name that was expected (r->names with r->names8). */
text_rows_read xyz_rows;

/* First eight bytes of a name, zero padded, as rows.names8 has them. */
uint64_t xyz_name8(const char *name, size_t len);

#ifdef __cplusplus
}
#endif
#endif
