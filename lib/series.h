/* SPDX-License-Identifier: MIT */
/*
 * series.h: from the sums in CORR, HIST and SPEC segments to columns of numbers. Normalisation happens here, once.
 *
 * CORR segment: array 1 u64 [B, L] origins a block and lag; array 2 f64 [B, L, C, 4] sums of G, G2, G3, G4 over
 *   those origins, C components (data.component). Average over origins = sum of sums / sum of counts; over components,
 *   plain mean, unless data.average is "apart". Standard error from the B block means (weights: their counts), where
 *   B >= 2. Lag k is at k * sys.dt_ps.
 * HIST segment: array 1 u64 [B, Q, n] pairs counted a block, species pair (data.pairs: "A-B ...") and bin; array 2 f64
 *   [B, Q, n] pairs expected of an ideal gas of the same number and volume, summed over steps; array 3 f64 [B] number of
 *   steps. g = count / expected. data.rmax, data.bins give the axis, bin centres (k + 1/2) * rmax / bins.
 * SPEC segment: one array f64 [rows, columns], names in data.columns (space separated, as the text legend shows them,
 *   NAME_se is the standard error of NAME); column 0 is the axis.
 */
#ifndef MBF_SERIES_H
#define MBF_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SERIES_NAME 32

struct series {
    enum frame_type type;       /* FRAME_CORR, FRAME_HIST, FRAME_SPEC */
    size_t rows, cols;
    char (*name)[SERIES_NAME];  /* [cols] legend names, "t_ps", "origins", "G", ..., "G_se" */
    double *v;                  /* [rows][cols]; NaN: not defined */
    uint64_t **count;           /* [cols]: exact integers of an integer column ([rows]), else NULL */
    int *se;                    /* [cols]: column that holds the standard error of this one, or -1 */
};

/*
 * Read the next segment of r (META already seen or not) and normalise it. Returns 1, 0 at the end of the stream,
 * -1 with err and *status. The META is frame_meta(r) until the next call. series_free releases what s holds.
 */
int series_read(struct frame_reader *r, struct series *s, int *status, char *err, size_t errlen) FRAME_MUST;
void series_free(struct series *s);
int series_column(const struct series *s, const char *name); /* index or -1 */

/* Write a CORR segment's two arrays, or a SPEC segment's one. 0 or -1 (frame_writer_error). */
int series_put_corr(struct frame_writer *w, size_t blocks, size_t lags, size_t ncomp, const uint64_t *counts,
                    const double *sums) FRAME_MUST;
int series_put_spec(struct frame_writer *w, size_t rows, size_t cols, const double *v) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
