/* SPDX-License-Identifier: MIT */
/*
 * last_row.h: is a last line without its newline whole, or was the file cut in it?
 *
 * It is whole where it has as many words as each row before it (of a thousand), and either a blank
 * behind the last one, or each word as many characters behind its decimal point as the same word of every row
 * before, with a point in the last one, or ends where each of the rows before ends, the last column
 * of which is justified: its words end there, however long they are. A cut
 * within the last number of a table whose columns have fixed decimals, or a fixed width, leaves it
 * shorter; where both vary (%g) nothing tells, and it is not whole. So a cut passes only if what
 * could vary did not in any row, and the last has more.
 */
#ifndef MBF_LAST_ROW_H
#define MBF_LAST_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LAST_ROW_ENOUGH = 1000, /* rows that are looked at */
    LAST_ROW_WIDTH = 2 /* rows of one width, at least, that make a width: of one it is chance */
};

/* What the rows so far look like; starts as zeros. */
struct last_row {
    uint64_t rows, look;         /* look: a hash of the places of the points */
    size_t words, width, blanks; /* width: characters; blanks: before the last word */
    bool ragged, varies, uneven; /* they differ: in words, in look, in width */
    bool justified;              /* in blanks */
};

#define LAST_ROW_TAKEN                                                                             \
    "the last line has no newline, and is taken as whole: it is as wide as those before it"
/* The error of one that may be cut, with a remedy that works for a plain file, a compressed file or
 * a pipe. */
const char *last_row_torn(const struct input *in);

/* A row s[0..n) without its newline; words are apart by blanks, tabs or commas. */
void last_row_add(struct last_row *r, const char *s, size_t n);
/* Is s[0..n), behind those rows, whole? false where there were none. */
bool last_row_whole(const struct last_row *r, const char *s, size_t n);

#ifdef __cplusplus
}
#endif
#endif
