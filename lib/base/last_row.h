/* SPDX-License-Identifier: MIT */
/*
 * last_row.h: decides whether a last line without a newline is complete or was cut.
 *
 * A line can be complete only if it has as many words as each earlier row (up to a thousand). In
 * addition, one of three conditions must hold. A blank follows the last word. Or every word has as
 * many characters after its decimal point as the same word in every earlier row, and the last word
 * has a point. Or the line ends in the same column as every earlier row, and the last column is
 * right-justified, so that its words end there whatever their length. A cut within the last number
 * of a table with fixed decimals or fixed width makes the line shorter. If both vary (%g), nothing
 * can be inferred and the line counts as cut. A cut is therefore missed only if nothing varied in
 * any row and the last row has more characters.
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
    LAST_ROW_ENOUGH = 1000, /* number of rows examined */
    LAST_ROW_WIDTH = 2      /* smallest number of rows of one width that is not chance */
};

/* Summary of the rows so far; must start as zeros. */
struct last_row {
    uint64_t rows, look;         /* look: hash of the positions of the decimal points */
    size_t words, width, blanks; /* width: characters per row; blanks: blanks before the last
                                    word */
    bool ragged, varies, uneven; /* rows differ in words, in look, in width */
    bool justified;              /* rows differ in blanks */
};

#define LAST_ROW_TAKEN                                                                             \
    "the last line has no newline, but is accepted because it is as wide as the earlier lines"
/* Returns the error message for a line that may be cut, with a remedy that works for the input: a
 * plain file, a compressed file or a pipe. */
const char *last_row_torn(const struct input *in);

/* Adds a row s[0..n) without its newline; words are separated by blanks, tabs or commas. */
void last_row_add(struct last_row *r, const char *s, size_t n);
/* Returns true if s[0..n), after the rows added so far, is complete; false if there were none. */
bool last_row_whole(const struct last_row *r, const char *s, size_t n);

#ifdef __cplusplus
}
#endif
#endif
