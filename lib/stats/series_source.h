/* SPDX-License-Identifier: MIT */
/* series_source.h: reads arrays of known shapes from a segment. Only lib/stats and the analyses use
 * this header. Unless a comment states otherwise, functions of type int return 0, or -1 with an
 * error message in in->e. */
#pragma once

#include "stats/errors.h"
#include "stream/frame.h"

struct series_source {
    struct frame_reader *r;
    struct err *e;
};

/* Returns -1, and sets e to a message that begins with the name of the file. */
#define series_refuse(in, status, ...) err_in((in)->e, status, frame_name((in)->r), 0, __VA_ARGS__)
/* Reads the next array or END into f, and skips META and unknown frames. Returns 1 after reading a
 * frame, 0 at the proper end of the stream, or -1. */
int series_next(struct series_source *in, struct frame *f) FRAME_MUST;
/* Reads the first array of the next segment into f, and checks its type. Error messages state that
 * `what` was expected. Returns 1 after reading an array, 0 at the proper end of the stream, or
 * -1. */
int series_first_array(struct series_source *in, struct frame *f, enum frame_type type,
                       const char *what) FRAME_MUST;
/* Reads the next array of the segment, which error messages call `what`, into f. */
int series_next_array(struct series_source *in, struct frame *f, const char *what) FRAME_MUST;
/* Reads the END after the arrays of a segment. */
int series_end(struct series_source *in) FRAME_MUST;
/* Returns a copy of the data of f, which the caller frees, or NULL with an error message in e. */
void *series_take(struct series_source *in, const struct frame *f);
int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what) FRAME_MUST;

/* Returns the number of atoms of the species `name`, from sys.natoms and sys.species, or 0 for an
 * unknown species. If `name` is NULL, returns the number of all atoms, which must be of one
 * species. */
double series_atoms(const struct meta *m, const char *name, size_t len);

/* Frees e, and then initialises e from data.errors and data.runs of the segment. Call errors_free
 * afterwards, even after an error. */
int series_take_errors(struct series_source *in, size_t blocks, struct errors *e) FRAME_MUST;

/* A HIST segment without conversion (series.h). Call series_hist_read with the first array of the
 * segment in f, and series_hist_free afterwards, even after an error. */
struct series_hist {
    size_t blocks, pairs, bins;
    size_t lags;      /* of van Hove functions; 0: g(r) */
    double rmax;      /* Å */
    uint64_t *counts; /* [blocks][pairs][bins] */
    double *expected; /* [blocks][pairs][bins]; NaN: no cell */
    double *steps;    /* [blocks] or [blocks][lags] */
    struct errors errors;
};
int series_hist_read(struct series_source *in, struct frame *f, struct series_hist *h) FRAME_MUST;
void series_hist_free(struct series_hist *h);
