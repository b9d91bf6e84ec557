/* SPDX-License-Identifier: MIT */
/* final_line.h: decides whether a last line without a newline is complete or was truncated.
 *
 * A last line is taken to be complete only if it has as many words as each of the first 1000 rows,
 * and if one of the following three conditions holds.
 * - A blank follows the last word of the line.
 * - The last word has a decimal point, and every word has the same number of decimals as in all
 *   earlier rows.
 * - The line is as wide as every earlier row, and the last column is right-justified.
 * If a table has a fixed number of decimals or a fixed width, a truncated last number is shorter
 * than the numbers of earlier rows. If both the decimals and the width vary, as with the format %g,
 * the line is always taken to be truncated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/input.h"

enum { FINAL_LINE_ENOUGH = 1000 }; /* rows examined */

/* Set to zeros before the first row. */
struct final_line {
    uint64_t rows, look;         /* look: hash of decimals */
    size_t words, width, blanks; /* blanks: before the last word */
    /* Rows differ in the number of words (ragged), in the positions of decimal points (varies) or
     * in width (uneven). */
    bool ragged, varies, uneven;
    bool justified; /* `blanks` differ */
};

#define FINAL_LINE_TAKEN                                                                           \
    "the last line has no newline, but is accepted because it is as wide as the earlier lines"
/* Returns the error message for a line that may be truncated, with a remedy for a plain file, a
 * compressed file or a pipe. */
const char *final_line_torn(const struct input *in);

/* Adds the row s[0..n), without its newline, to the summary r. Words are separated by blanks, tabs
 * or commas. */
void final_line_add(struct final_line *r, const char *s, size_t n);
/* Returns true if s[0..n), the line after all rows in r, is complete, or false if r contains no
 * rows. */
bool final_line_whole(const struct final_line *r, const char *s, size_t n);
