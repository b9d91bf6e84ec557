/* SPDX-License-Identifier: MIT */
/* text_scalars.h: reads scalars of the atoms, such as charges, from selected columns of text rows.
 * Private to lib/formats. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "stream/scalars.h"

struct text_scalars {
    const struct scalar *scalar; /* [n] */
    int n;
    int column[SCALARS_MAX]; /* from 0 */
};

/* Reads the scalars in s[0..len), a row of words separated by blanks, into row `row` of to[][n],
 * which contains f32 or f64 numbers. The word "nan" marks an undefined scalar. Returns 0, or -1
 * with a message in *e that names the column. */
int text_scalars_row(const struct text_scalars *x, const char *s, size_t len, size_t row, bool f64,
                     void *to, struct err *e) MUST_USE;
/* Reads n complete lines at s into to[][x->n], beginning with row `first`, and returns n. If a row
 * has an error, sets *e and returns the number of rows before the error. */
size_t text_scalars_rows(const struct text_scalars *x, const char *s, size_t n, size_t first,
                         bool f64, void *to, struct err *e) MUST_USE;
