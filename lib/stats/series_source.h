/* SPDX-License-Identifier: MIT */
/* series_source.h: where a segment is read from and where its complaints go, for what reads arrays
 * of known shapes out of a stream. Not for tools. */
#ifndef MBF_SERIES_SOURCE_H
#define MBF_SERIES_SOURCE_H

#include "stats/errors.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct series_source {
    struct frame_reader *r;
    struct err *e;
};

/* Fill e ("FILE: ..."); returns -1. */
int series_refuse(struct series_source *in, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The next array, or END, into f: 1, 0 at the clean end of the stream, -1. META and unknown frames
 * are passed over. */
int series_next(struct series_source *in, struct frame *f) FRAME_MUST;
/* The first array of the next segment into f, of this type; what: a name of all of it. 1, 0 at the
 * clean end of the stream, -1. */
int series_first_array(struct series_source *in, struct frame *f, enum frame_type type,
                       const char *what) FRAME_MUST;
/* Next array of the segment into f; what: its name in messages. 0 or -1. */
int series_next_array(struct series_source *in, struct frame *f, const char *what) FRAME_MUST;
/* The end of the segment, after its arrays. 0 or -1. */
int series_end(struct series_source *in) FRAME_MUST;
/* A copy of f's data that the caller frees; NULL: refused. */
void *series_take(struct series_source *in, const struct frame *f);
/* Refuse an array that is not of this type, dtype and number of dimensions. 0 or -1. */
int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what) FRAME_MUST;

/* How blocks make errors in this segment, from data.errors and data.runs; errors_free before and in any case.
 * 0 or -1. */
int series_take_errors(struct series_source *in, size_t blocks, struct errors *e) FRAME_MUST;

/* A HIST segment as it is (series.h), its first array in f. 0, or -1; series_hist_free in any case. */
struct series_hist {
    size_t blocks, pairs, bins;
    double rmax;      /* Å */
    uint64_t *counts; /* [blocks][pairs][bins] */
    double *expected; /* the same; NaN: no cell */
    double *steps;    /* [blocks] */
    struct errors errors;
};
int series_hist_read(struct series_source *in, struct frame *f, struct series_hist *h) FRAME_MUST;
void series_hist_free(struct series_hist *h);

#ifdef __cplusplus
}
#endif
#endif
