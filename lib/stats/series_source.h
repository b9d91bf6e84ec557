/* SPDX-License-Identifier: MIT */
/* series_source.h: reads arrays of known shapes from a segment, and sets error messages. This
 * header is internal to lib/stats and the analyses and is not used by tools. */
#pragma once

#include "stats/errors.h"
#include "stream/frame.h"

struct series_source {
    struct frame_reader *r;
    struct err *e;
};

/* Sets e to a message that begins with the file name, and returns -1. */
#define series_refuse(in, status, ...) err_in((in)->e, status, frame_name((in)->r), 0, __VA_ARGS__)
/* Reads the next array or END into f, skipping META and unknown frames. Returns 1 for a frame, 0 at
 * the clean end of the stream, or -1 on failure. */
int series_next(struct series_source *in, struct frame *f) FRAME_MUST;
/* Reads the first array of the next segment into f and checks its type. Messages state that `what`
 * was expected. Returns 1 for an array, 0 at the clean end of the stream, or -1 on failure. */
int series_first_array(struct series_source *in, struct frame *f, enum frame_type type,
                       const char *what) FRAME_MUST;
/* Reads the next array of the segment into f. Messages call this array `what`. Returns 0 or -1. */
int series_next_array(struct series_source *in, struct frame *f, const char *what) FRAME_MUST;
/* Reads END after the arrays of a segment. Returns 0 or -1. */
int series_end(struct series_source *in) FRAME_MUST;
/* Returns a copy of the data of f, which the caller frees, or NULL with an error message in e. */
void *series_take(struct series_source *in, const struct frame *f);
/* Checks the array type, data type and number of dimensions of an array. Returns 0 or -1. */
int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what) FRAME_MUST;

/* Returns the number of atoms of the species `name`, from sys.natoms and sys.species, or 0 if there
 * is no such species. If `name` is NULL, all atoms must be of one species, and their number is
 * returned. */
double series_atoms(const struct meta *m, const char *name, size_t len);

/* Frees e, and then sets e from data.errors and data.runs of this segment. Call errors_free
 * afterwards, also after an error. Returns 0 or -1. */
int series_take_errors(struct series_source *in, size_t blocks, struct errors *e) FRAME_MUST;

/* Reads a HIST segment without conversion (series.h). The frame f holds the first array of the
 * segment. Returns 0 or -1. Call series_hist_free afterwards, also after an error. */
struct series_hist {
    size_t blocks, pairs, bins;
    size_t lags;      /* time lags of van Hove functions, or 0 for g(r) */
    double rmax;      /* Å */
    uint64_t *counts; /* [blocks][pairs][bins] */
    double *expected; /* [blocks][pairs][bins], or NaN for no cell */
    double *steps;    /* [blocks], or [blocks][lags] */
    struct errors errors;
};
int series_hist_read(struct series_source *in, struct frame *f, struct series_hist *h) FRAME_MUST;
void series_hist_free(struct series_hist *h);
