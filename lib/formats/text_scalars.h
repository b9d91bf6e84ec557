/* SPDX-License-Identifier: MIT */
/* text_scalars.h: reads scalars of the atoms, such as charges, from columns of text rows. Private
 * to lib/formats. The reader of a format selects the columns. Other columns are skipped. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "stream/scalars.h"

struct text_scalars {
    const struct scalar *scalar; /* [n], for messages */
    int n;
    int column[SCALARS_MAX]; /* columns, counted from 0 */
};

/* Reads the scalars of a text row s[0..len) into row `row` of the array to[][n] of f32 or f64
 * numbers. Blanks separate the words of the text. The word "nan" means an undefined scalar. If x->n
 * is 0, does nothing. Returns 0 on success, or -1 with a message in *e that names the column. */
int text_scalars_row(const struct text_scalars *x, const char *s, size_t len, size_t row, bool f64,
                     void *to, struct err *e) MUST_USE;
/* Reads n complete lines at s into the array to[][x->n], from row `first` on. Returns n. If a row
 * has an error, sets *e and returns the number of rows before this row. */
size_t text_scalars_rows(const struct text_scalars *x, const char *s, size_t n, size_t first,
                         bool f64, void *to, struct err *e) MUST_USE;
