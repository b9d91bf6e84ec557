/* SPDX-License-Identifier: MIT */
/* text_rows.h: reads rows of text, one atom per row, with SIMD (io/rows.h). Private to lib/formats.
 * If several threads read a file, each thread parses all lines that look like rows in its block of
 * text, before the frame of these rows is known. */
#pragma once

#include "formats/bytes.h"
#include "io/rows.h"

struct text_rows;

struct text_rows_kind {
    int f64;   /* 0: f32 */
    int names; /* compare names */
    /* If `heads` is set, a line with only an integer begins a frame, and the next line is not a
     * row. */
    int heads;
    int columns, min; /* as in struct rows */
    struct rows_layout layout;
};

/* Returns the number of rows of r that were read, and sets *stop to the end of the last row. */
typedef size_t text_rows_read(const struct rows *r, bool f64, const char **stop);
text_rows_read text_rows_fast; /* rows of the usual form */

/* Creates a reader of the rows in the input b, which must exist as long as the reader. If most rows
 * will be skipped, set the flag `alone`, so that blocks are not parsed in advance. Returns NULL if
 * memory runs out. */
struct text_rows *text_rows_new(struct bytes *b, text_rows_read *read, bool alone);
void text_rows_free(struct text_rows *r);
/* Continues with another file, which the caller has already opened in the input b. */
void text_rows_reopen(struct text_rows *r);

struct text_rows_to {
    size_t n;
    const uint64_t *names8; /* or NULL: any names */
    const char (*names)[ROWS_NAME_MAX + 1];
    uint64_t *names_found; /* or NULL */
    /* The caller sets `pos` to an array or to NULL, and the reader sets `pos` to the address of the
     * rows. */
    void *pos;
    int64_t *ids;  /* used if layout.id >= 0 */
    bool *changed; /* as in struct rows */
};

/* Lets the threads that read blocks of text also parse rows of the kind k. */
void text_rows_share(struct text_rows *r, const struct text_rows_kind *k);
/* Reads the rows in the buffer that have the usual form, and returns the number of rows. Returns 0
 * if the next row has another form or is incomplete. */
size_t text_rows(struct text_rows *r, const struct text_rows_kind *k, struct text_rows_to *to);
/* Skips at most n lines of text in the buffer, and returns the number of skipped lines, or 0 if the
 * next line is incomplete or not text. */
size_t text_rows_skip(struct text_rows *r, size_t n);
