/* SPDX-License-Identifier: MIT */
/*
 * drift.h: detects a sample that changed during the run. In such a run, the means before and after
 * some time differ by more than their errors allow. The sample froze, melted, evaporated or was not
 * yet in equilibrium. Standard errors hold only for stationary samples.
 *
 * A number is a ratio of sums over blocks in the order of time (blocks.h). The blocks are combined
 * into DRIFT_PIECES pieces of equal length. For mean squares, the test uses cube roots, which
 * are almost normal (Wilson and Hilferty, PNAS 17, 684, 1931). Two kinds of cuts are tried:
 *     any change:    at every boundary from one eighth to seven eighths of the run, against the
 *                    scatter d_i of the pieces from the mean of their part;
 *     a bad start:   after 1 to 4 pieces, against the scatter of the pieces after the cut only.
 * Let d_i be these deviations as fractions of the whole, K their number, f = K - 2 or K - 1 their
 * degrees of freedom, and r the correlation of neighbours plus (K - f)/K for the fitted means plus
 * DRIFT_R_ERROR, for its own error. With P = DRIFT_PIECES,
 *     se² = sum d_i² P/f (1 + r)/(1 - r),   t = (m_after - m_before) / (se sqrt(n/n_b + n/n_a)),
 * which follows Student's distribution with f degrees of freedom. If r is 1 or more, the run is too
 * short for a test. The chance is the probability of the least likely cut times the number of cuts
 * and kinds (Bonferroni).
 *
 * The rates of false warnings, and of changes that are found, are in mbf-validation(7). A sample
 * that froze before the run, or will freeze after it, is stationary.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/meta.h"

#define DRIFT_PIECES 16   /* blocks needed for a test */
#define DRIFT_CHANCE 1e-3 /* probability below which a sample has changed */
#define DRIFT_R_ERROR 0.1 /* allowance for the error of r */

struct drift {
    double part;          /* fraction of the samples before the cut */
    double before, after; /* means before, after */
    double t;             /* in errors; NaN: unknown */
    double chance;        /* 1: unknown */
};

/* Tests the ratios of the sums y[blocks] to the amounts n[blocks], whose unit is arbitrary. With
 * `square`, the ratios are mean squares. */
void drift_find(struct drift *d, size_t blocks, const double *y, const double *n, bool square);
/* If the sample changed, writes a warning that states by how much and in which part `what` ("U per
 * atom, meV,") is lower or higher. Otherwise returns false and sets text to "". */
bool drift_print(const struct drift *d, const char *what, char *text, size_t size);

/* These functions test the sums of one run from a CORR or HIST segment (series.h) with META m. For
 * CORR with a time axis, the test uses lag 0: G2(0) averaged over all components, the VACF, the
 * correlations of acf (the one that changed most), and F(q,0) where it is largest. For a MSD, which
 * is 0 at lag 0, it uses lag 1. With the axis q it uses S(q) at its maximum, and with the axis l,
 * q_l of the last order. For HIST, the test uses the sum of r^-6 over all pairs per step. In an
 * isotropic fluid, this sum is proportional to G2(0). Block b has steps[b * stride] steps. */
bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size);
bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text,
                size_t size);
