/* SPDX-License-Identifier: MIT */
/* series_reading.h: what series.c, series_corr.c and series_hist.c share while a segment is read.
 * Not for tools. */
#ifndef MBF_SERIES_READING_H
#define MBF_SERIES_READING_H

#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a segment comes from and where its complaints go. */
struct series_source {
    struct frame_reader *r;
    int *status;
    char *err;
    size_t errlen;
};

/* Fill err ("FILE: ...") and status; returns -1. */
int series_refuse(struct series_source *in, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The reader's own error, as it stands; returns -1. */
int series_refuse_reader(struct series_source *in);
/* Next array of the segment into f; what: its name in messages. 0 or -1. */
int series_next_array(struct series_source *in, struct frame *f, const char *what) FRAME_MUST;
/* A copy of f's data that the caller frees; NULL: refused. */
void *series_take(struct series_source *in, const struct frame *f);
/* Refuse an array that is not of this type, dtype and number of dimensions. 0 or -1. */
int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what) FRAME_MUST;

/*
 * Column col, row: m = sum y_b / sum n_b over the blocks, its error in s->se[col] and its
 * deviations (see series.h).
 */
void series_ratio(struct series *s, size_t row, size_t col, size_t blocks, const double *y,
                  const double *n);

/* Read a segment whose first array is f. 0 or -1. */
int series_read_corr(struct series_source *in, struct frame *f, struct series *s) FRAME_MUST;
int series_read_hist(struct series_source *in, struct frame *f, struct series *s) FRAME_MUST;
int series_read_spec(struct series_source *in, struct frame *f, struct series *s) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
