/* SPDX-License-Identifier: MIT */
/* text_scalars.h: reads scalars of the atoms, such as charges, from columns of text rows. Private
 * to lib/formats. The reader of a format selects the columns that contain scalars. Columns that
 * contain no requested scalars are skipped. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "stream/scalars.h"

struct text_scalars {
    const struct scalar *scalar; /* [n], for messages */
    int n;
    int column[SCALARS_MAX]; /* columns, counted from 0 */
};

/* Reads the scalars in the text s[0..len) of a row into row `row` of the array to[][n], which has
 * the type f32 or f64. The words of the text are separated by blanks. The word "nan" stands for an
 * undefined scalar. If x->n is 0, the function does nothing. Returns 0 on success, or -1 with a
 * message in *e that names the column. */
int text_scalars_row(const struct text_scalars *x, const char *s, size_t len, size_t row, bool f64,
                     void *to, struct err *e) MUST_USE;
/* Reads n complete lines at s into the array to[][x->n], beginning with row `first`. Returns n. If
 * a row has an error, sets *e and returns the number of rows before this row. */
size_t text_scalars_rows(const struct text_scalars *x, const char *s, size_t n, size_t first,
                         bool f64, void *to, struct err *e) MUST_USE;
