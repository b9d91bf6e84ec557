/* SPDX-License-Identifier: MIT */
/* series_source.h: reads arrays of known shapes from a segment, and sets error messages. Only
 * lib/stats and the analyses use this header, not the tools. */
#pragma once

#include "stats/errors.h"
#include "stream/frame.h"

struct series_source {
    struct frame_reader *r;
    struct err *e;
};

/* Sets e to a message that begins with the name of the file, and returns -1. */
#define series_refuse(in, status, ...) err_in((in)->e, status, frame_name((in)->r), 0, __VA_ARGS__)
/* Reads the next array or END into f, and skips META and unknown frames. Returns 1 if there is a
 * frame, 0 at the proper end of the stream, or -1 on failure. */
int series_next(struct series_source *in, struct frame *f) FRAME_MUST;
/* Reads the first array of the next segment into f, and checks its type. Error messages report that
 * `what` was expected. Returns 1 if there is an array, 0 at the proper end of the stream, or -1 on
 * failure. */
int series_first_array(struct series_source *in, struct frame *f, enum frame_type type,
                       const char *what) FRAME_MUST;
/* Reads the next array of the segment into f. In error messages, this array is called `what`.
 * Returns 0 or -1. */
int series_next_array(struct series_source *in, struct frame *f, const char *what) FRAME_MUST;
/* Reads the END after the arrays of a segment. Returns 0 or -1. */
int series_end(struct series_source *in) FRAME_MUST;
/* Returns a copy of the data of f, or NULL with an error message in e. The caller frees the
 * copy. */
void *series_take(struct series_source *in, const struct frame *f);
/* Checks the array type, the data type and the number of dimensions of an array. Returns 0 or
 * -1. */
int series_expect(struct series_source *in, const struct frame *f, enum frame_type type,
                  enum frame_dtype dtype, int ndim, const char *what) FRAME_MUST;

/* Returns the number of atoms of the species `name`, from sys.natoms and sys.species, or 0 if there
 * is no such species. If `name` is NULL, all atoms must be of one species, and the number of atoms
 * is returned. */
double series_atoms(const struct meta *m, const char *name, size_t len);

/* Frees e, and then initialises e from data.errors and data.runs of this segment. Call errors_free
 * afterwards, even after an error. Returns 0 or -1. */
int series_take_errors(struct series_source *in, size_t blocks, struct errors *e) FRAME_MUST;

/* Reads a HIST segment without conversion (series.h). The frame f must hold the first array of the
 * segment. Returns 0 or -1. Call series_hist_free afterwards, even after an error. */
struct series_hist {
    size_t blocks, pairs, bins;
    size_t lags;      /* number of time lags of van Hove functions, or 0 for g(r) */
    double rmax;      /* Å */
    uint64_t *counts; /* [blocks][pairs][bins] */
    double *expected; /* expected counts [blocks][pairs][bins], or NaN if there is no cell */
    double *steps;    /* numbers of steps, [blocks] or [blocks][lags] */
    struct errors errors;
};
int series_hist_read(struct series_source *in, struct frame *f, struct series_hist *h) FRAME_MUST;
void series_hist_free(struct series_hist *h);
