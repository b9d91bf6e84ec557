/* SPDX-License-Identifier: MIT */
/* final_line.h: decides whether a last line without a newline is complete or was truncated.
 *
 * A last line can be complete only if it has as many words as each of the first 1000 rows. In
 * addition, one of the following three conditions must hold.
 *
 * - A blank follows the last word of the line.
 * - The last word has a decimal point, and every word has the same number of decimals as in all
 *   earlier rows.
 * - The line is as wide as every earlier row, and the last column is right-justified.
 *
 * If a table has a fixed number of decimals or a fixed width, a truncated last number is shorter
 * than the numbers of earlier rows. If both the decimals and the width vary, as with the format %g,
 * the line is always taken to be truncated. A last line without a newline is therefore accepted
 * only if all earlier rows have the same form and the complete row would have been wider than what
 * is present. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/input.h"

enum { FINAL_LINE_ENOUGH = 1000 }; /* number of rows examined */

/* Summary of all rows so far. Initialise to zeros. */
struct final_line {
    uint64_t rows, look;         /* The member `look` is a hash of the positions of the decimal
                                  * points. */
    size_t words, width, blanks; /* The member `blanks` is the number of blanks before the last
                                  * word. */
    bool ragged, varies, uneven; /* Whether the rows differ in the number of words (ragged), in the
                                  * hash `look` (varies) or in width (uneven). */
    bool justified;              /* whether the rows differ in the number `blanks` */
};

#define FINAL_LINE_TAKEN                                                                           \
    "the last line has no newline, but is accepted because it is as wide as the earlier lines"
/* Returns the error message for a line that may be truncated. The remedy in the message depends on
 * whether the input is a plain file, a compressed file or a pipe. */
const char *final_line_torn(const struct input *in);

/* Includes the row s[0..n), without its newline, in the summary r. The words of a row are separated
 * by blanks, tabs or commas. */
void final_line_add(struct final_line *r, const char *s, size_t n);
/* Returns true if s[0..n), the line after all rows in the summary r, is complete. If the summary r
 * contains no rows, returns false. */
bool final_line_whole(const struct final_line *r, const char *s, size_t n);
