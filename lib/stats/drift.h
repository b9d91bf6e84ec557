/* SPDX-License-Identifier: MIT */
/* drift.h: detects a sample that changed during the run, so that the means before and after some
 * time differ by more than their errors can explain. For example, the sample froze, melted,
 * evaporated or was not yet in equilibrium. Standard errors are valid only for stationary samples.
 *
 * The test is applied to a ratio of sums over blocks (blocks.h), with the blocks in temporal order.
 * The blocks are combined into DRIFT_PIECES pieces of equal length. For mean squares, the test uses
 * cube roots, which are almost normal (Wilson and Hilferty, PNAS 17 (1931) 684). Two kinds of cuts
 * are tried.
 *   - To find any change, the run is cut at every boundary from one eighth to seven eighths. The
 *     difference is compared with the scatter d_i of the pieces from the mean of their part.
 *   - To find a bad start, the run is cut after 1 to 4 pieces. The difference is compared only with
 *     the scatter of the pieces after the cut.
 * Let d_i be these deviations as fractions of the whole, let K be the number of deviations, and let
 * f = K - 2 or K - 1 be the number of degrees of freedom. Let r be the correlation of neighbouring
 * pieces, plus (K - f)/K because means were fitted, plus DRIFT_R_ERROR because the correlation is
 * uncertain. With P = DRIFT_PIECES,
 *     se² = sum d_i² P/f (1 + r)/(1 - r) and t = (m_after - m_before) / (se sqrt(n/n_b + n/n_a)),
 * where t follows Student's distribution with f degrees of freedom. If r is at least 1, the run is
 * too short for this test. The reported chance is the probability of the least likely cut, times
 * the number of cuts and the number of kinds of cuts (Bonferroni).
 *
 * The page mbf-validation(7) lists the rates of false warnings and of detected changes. Freezing
 * before or after the run is not detected. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/meta.h"

#define DRIFT_PIECES 16   /* blocks needed for a test */
#define DRIFT_CHANCE 1e-3 /* probability below which a sample is reported as changed */
#define DRIFT_R_ERROR 0.1 /* amount added to r to allow for its error */

struct drift {
    double part;          /* fraction of the samples before the cut */
    double before, after; /* means before and after the cut */
    double t;             /* difference in units of its error, or NaN if unknown */
    double chance;        /* probability that such a difference occurs by chance, or 1 if unknown */
};

/* Tests the ratios of the sums y[blocks] to the amounts n[blocks], which may be in any unit. If
 * `square` is set, the ratios are mean squares. */
void drift_find(struct drift *d, size_t blocks, const double *y, const double *n, bool square);
/* If the sample changed, writes a warning to `text` and returns true. The warning states how much
 * the quantity `what`, for example the energy, changed and in which part of the run it is lower or
 * higher. If the sample did not change, returns false and sets `text` to "". */
bool drift_print(const struct drift *d, const char *what, char *text, size_t size);

/* These functions test the sums of one run from a CORR or HIST segment (series.h) with META m. If
 * CORR has a time axis, the tested quantity is, at lag 0, G2 averaged over all components, the
 * VACF, the correlation from acf(1) that changed most, or F(q,t) at the q where F is largest. A
 * mean square displacement is 0 at lag 0, so it is tested at lag 1. With the axis q, S(q) is tested
 * at its maximum. With the axis l, q_l of the last order is tested. For HIST, the sum of r^-6 over
 * all pairs per step is tested. In an isotropic fluid, this sum is proportional to G2(0). The
 * number of steps in block b is steps[b * stride]. Van Hove functions are not tested. */
bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size);
bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text,
                size_t size);
