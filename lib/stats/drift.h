/* SPDX-License-Identifier: MIT */
/*
 * drift.h: detects a sample that changed during the run: a mean that differs before and after some
 * time by more than its errors allow. Such a run froze, melted, evaporated or was not yet in
 * equilibrium. Standard errors hold only for stationary samples; in a changing sample they are too
 * small or unknown.
 *
 * A number is a ratio of sums over blocks in the order of time (blocks.h). The blocks are combined
 * into DRIFT_PIECES pieces of equal length, and the run is cut in two at every boundary between
 * pieces from one eighth to seven eighths. One of the cuts compares the two halves. The cut nearest
 * to a sudden change leaves hardly any of the change inside a part. Let m be the mean of each part,
 * d_i the deviation of a piece from its part as a fraction of the whole, and r the correlation of
 * neighbouring d_i, corrected for the two means. Then
 *     t = (m_after - m_before) / (se sqrt(n / n_before + n / n_after)),  n is the amount counted,
 *     se² = sum d_i² P/(P - 2) (1 + 2 max(0, r)),  P = DRIFT_PIECES,
 * follows Student's distribution with P - 2 degrees of freedom. The test uses a few long pieces,
 * not the blocks of errors.h, so that a correlation time up to the length of a piece gives no false
 * alarm and enough degrees of freedom remain. The reported chance is the probability of the least
 * likely cut times the number of cuts (Bonferroni). The chance is an upper limit because
 * neighbouring cuts share most pieces.
 *
 * Measured for argon: 2 alarms in 2,400 stationary series of 100 ps. Of 64 runs that froze, U
 * detected 58, but only 3 of the 7 that froze in the last eighth of the run. A sample that froze
 * before the run, or will freeze after it, is stationary.
 */
#ifndef MBF_DRIFT_H
#define MBF_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRIFT_PIECES 16   /* with fewer blocks there is no test */
#define DRIFT_CHANCE 1e-3 /* below this probability, a sample has changed */

struct drift {
    double part;          /* fraction of the amount counted that lies before the cut */
    double before, after; /* means before and after the cut */
    double t;             /* difference of the means in standard errors; NaN: unknown */
    double chance;        /* probability of this t at any cut; 1: unknown */
};

/* Tests the sums y and the amounts counted n, both [blocks]; n may have any unit proportional to
 * the length of a block. */
void drift_find(struct drift *d, size_t blocks, const double *y, const double *n);
/* Writes the warning if the sample changed: `what` ("U per atom, meV,") is lower or higher by how
 * much and in which part. Returns false and sets text to "" if there is nothing to report. */
bool drift_say(const struct drift *d, const char *what, char *text, size_t size);

/* Test the sums of one run from a CORR or HIST segment (series.h) with META m. CORR: G2(0) averaged
 * over all components or S(q) at its maximum if the axis is q; other functions are not tested.
 * HIST: the sum of r^-6 over all pairs per step, which is proportional to G2(0) of an isotropic
 * fluid; steps[b * stride] belongs to block b. */
bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size);
bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text,
                size_t size);

#ifdef __cplusplus
}
#endif
#endif
