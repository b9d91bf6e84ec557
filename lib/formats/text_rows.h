/* SPDX-License-Identifier: MIT */
/*
 * text_rows.h: private to lib/formats. Rows of text, an atom each, as vectors (base/rows.h); with
 * several threads, whatever looks like rows in a block of text, by the thread that has read it,
 * before anybody knows which frame they are of.
 */
#ifndef MBF_TEXT_ROWS_H
#define MBF_TEXT_ROWS_H

#include "base/rows.h"
#include "formats/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct text_rows;

/* What is wanted of rows. */
struct text_rows_kind {
    int f64;   /* numbers as f64, else f32 */
    int names; /* they are compared */
    int heads; /* a line of a whole number heads a frame, and the one behind it is no row */
    int columns, least; /* of struct rows */
    struct rows_layout layout;
};

/* Rows of r: how many; *stop: behind them. */
typedef size_t text_rows_read(const struct rows *r, bool f64, const char **stop);
text_rows_read text_rows_fast; /* those that are ordinary */

/* b must outlive it; alone: most rows are passed over, and blocks are not worth looking through.
 * NULL: no memory. */
struct text_rows *text_rows_new(struct bytes *b, text_rows_read *read, bool alone);
void text_rows_free(struct text_rows *r);
/* b is another file now. */
void text_rows_reopen(struct text_rows *r);

/* Rows where they go, n at most. */
struct text_rows_to {
    size_t n;
    const uint64_t *names8; /* that they must have, of struct rows; NULL: any */
    const char (*names)[ROWS_NAME_MAX + 1];
    uint64_t *told8; /* where those that they have go; NULL: nowhere */
    void *pos;       /* NULL: anywhere, for the moment; at the end where they are */
    int64_t *ids;    /* with layout.id >= 0 */
};

/* From now on blocks that are read by turns are looked through for such rows. */
void text_rows_share(struct text_rows *r, const struct text_rows_kind *k);
/* Take rows, as many as are there and may be read so. Returns how many; 0: the next one needs care,
 * or more bytes. */
size_t text_rows(struct text_rows *r, const struct text_rows_kind *k, struct text_rows_to *to);
/* Pass over lines, n at most, as many as are there and text. Returns how many; 0: as above. */
size_t text_rows_skip(struct text_rows *r, size_t n);

#ifdef __cplusplus
}
#endif
#endif
