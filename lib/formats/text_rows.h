/* SPDX-License-Identifier: MIT */
/* text_rows.h: reads rows of text, one atom per row, with SIMD (io/rows.h). Private to lib/formats.
 * If there are several threads, the thread that reads a block of text also parses all lines of the
 * block that look like rows, before it is known to which frame they belong. */
#pragma once

#include "formats/bytes.h"
#include "io/rows.h"

struct text_rows;

/* The layout of the rows, and the data that are read from them. */
struct text_rows_kind {
    int f64;          /* whether the numbers are stored as f64 instead of f32 */
    int names;        /* whether the names in the rows are compared */
    int heads;        /* Whether a line with an integer begins a frame, so that the line after it is
                       * not a row. */
    int columns, min; /* as in struct rows */
    struct rows_layout layout;
};

/* Reads the rows of r. Returns the number of rows, and sets *stop to the end of the last row. */
typedef size_t text_rows_read(const struct rows *r, bool f64, const char **stop);
text_rows_read text_rows_fast; /* Reads rows that have the usual form. */

/* Creates a reader of the rows of the input b, which must exist as long as the reader. Set the flag
 * `alone` if most rows will be skipped. With the flag `alone`, blocks are not parsed in advance.
 * Returns NULL if memory runs out. */
struct text_rows *text_rows_new(struct bytes *b, text_rows_read *read, bool alone);
void text_rows_free(struct text_rows *r);
/* Continues with another file, which the caller has already opened in the input b. */
void text_rows_reopen(struct text_rows *r);

/* The destination of at most n rows. */
struct text_rows_to {
    size_t n;
    const uint64_t *names8; /* Names that the rows must have, as in struct rows, or NULL if any
                             * names are accepted. */
    const char (*names)[ROWS_NAME_MAX + 1];
    uint64_t *names_found; /* Array that receives the names in the rows, or NULL. */
    void *pos;     /* On entry, the destination of the rows, or NULL to let the reader choose. On
                    * return, the address of the rows. */
    int64_t *ids;  /* Array that receives the ids, used if layout.id >= 0. */
    bool *changed; /* as in struct rows */
};

/* Starts to search shared blocks for rows of this kind. */
void text_rows_share(struct text_rows *r, const struct text_rows_kind *k);
/* Reads the rows in the buffer that have the usual form, and returns the number of these rows.
 * Returns 0 if the next row has another form or is incomplete. */
size_t text_rows(struct text_rows *r, const struct text_rows_kind *k, struct text_rows_to *to);
/* Skips at most n lines of text in the buffer, and returns the number of lines that were skipped.
 * If the next line is incomplete or not text, returns 0. */
size_t text_rows_skip(struct text_rows *r, size_t n);
