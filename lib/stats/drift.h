/* SPDX-License-Identifier: MIT */
/* drift.h: detects that a sample changed during a run, for example by freezing, melting,
 * evaporation or equilibration. The means before and after some time then differ by more than their
 * errors can explain. Standard errors are valid only for stationary samples.
 *
 * The test is applied to a ratio of sums over blocks (blocks.h), with the blocks in temporal order.
 * The blocks are combined into DRIFT_PIECES pieces of about equal length. If the ratio is a mean
 * square, the test uses its cube root, which is almost normal (Wilson and Hilferty, PNAS 17 (1931)
 * 684).
 * The run is cut into two parts in two ways.
 *   - To find any change, the run is cut at every boundary between one eighth and seven eighths of
 *     its length. The difference between the means of both parts is compared with the scatter d_i
 *     of the pieces around the mean of their part.
 *   - To find a bad start, the run is cut after 1 to 4 pieces. The difference between the means of
 *     both parts is compared only with the scatter of the pieces after the cut.
 * The deviation d_i of piece i is its difference from the mean of its part, times n_i/n, where n_i
 * is the denominator of the ratio for piece i, and n is the sum of all n_i. For K deviations, the
 * number f of degrees of freedom is K - 2 for any change, and K - 1 for a bad start. The squared
 * error is se² = sum d_i² P/f (1 + r)/(1 - r), with P = DRIFT_PIECES. The number r is the
 * correlation of neighbouring pieces, plus (K - f)/K because means were fitted, plus DRIFT_R_ERROR
 * because the correlation is uncertain. If the sums of the n_i before and after the cut are n_b and
 * n_a, the mean after the cut minus the mean before the cut, divided by
 *     se sqrt(n/n_b + n/n_a),
 * follows Student's distribution with f degrees of freedom. If r is at least 1, the run is too
 * short for the drift test. The chance that is reported is the probability of the least likely cut,
 * times the number of cuts and the number of kinds of cuts (Bonferroni).
 *
 * Several rows, such as S(q) at all q, are tested together with the mean T² of the t² of the rows.
 * The rows share one r, which is the mean over the rows. Let c be the matrix of products d_i d_j of
 * two pieces, each divided by the sum of d_i² of its row, averaged over the R rows. The sum of
 * c_ij² is 1 if all rows fluctuate together, and on average 1/R + 1/f if they are independent. The
 * number of independent rows is therefore estimated as R1 = 1/(sum c_ij² - 1/2f), which is
 * cautious, and at most R. With f1 = R1 (f - 4)/(f - 1), the ratio T² (f - 2)/f roughly follows the
 * F distribution with f1 and f sqrt(f1) degrees of freedom. The terms 1/2f and sqrt(f1) were chosen
 * so that rows with a common fluctuation also give few false warnings. If a quantity is tested
 * together with others and also alone, the chance of each test is doubled.
 *
 * The page mbf-validation(7) lists the rates of false warnings and of detected changes. A sample
 * that froze before the run is not detected. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/meta.h"

#define DRIFT_PIECES 16   /* also the fewest blocks for a test */
#define DRIFT_CHANCE 1e-3 /* limit for a warning */
#define DRIFT_R_ERROR 0.1

struct drift {
    double part;          /* fraction before the cut */
    double before, after; /* means */
    double t;             /* Student's t, or NaN */
    double chance;        /* probability, 1 if unknown */
    size_t row, rows;     /* row with the largest |t|, of `rows` rows that vary, tested together */
};

/* Tests the ratio of sums y[blocks] to n[blocks], in any unit. If n is NULL, each n[b] is 1. Set
 * `square` for a mean square. */
void drift_find(struct drift *d, size_t blocks, const double *y, const double *n, bool square);
/* Tests the means of the columns of a time series v[columns][steps], together and one at a time,
 * and sets d->row to the column that changed most. If `use` is not NULL, only columns c with use[c]
 * are tested. The chance takes the number of tests into account. */
void drift_means(struct drift *d, size_t steps, size_t columns, const double *v, const bool *use);
/* If the sample changed, returns true and writes a warning to `text`. The warning states by how
 * much the quantity `what`, such as the energy, is lower or higher in a part of the run. If the
 * sample did not change, returns false and makes `text` empty. */
bool drift_print(const struct drift *d, const char *what, char *text, size_t size);

/* The functions drift_corr and drift_hist test the sums of a run in a CORR or HIST segment
 * (series.h) with META m. In a CORR segment with a time axis, all components and functions are
 * tested together at lag 0, and some also alone: G2 averaged over all components, F(q,t) at the q
 * where F is largest, or each function of another program. Mean square displacements are 0 at lag
 * 0, and reorientation functions are 1, so these functions are tested at lag 1. If the axis is q,
 * S(q) is tested at all q together, and alone where it is largest. If the axis is l, q_l is tested
 * for all l together, and alone for the last l. In a HIST segment, the sum of r^-12 over all pairs
 * per step is tested, to which the repulsion of atoms is roughly proportional, and the numbers of
 * pairs in groups of bins are tested together. A group without a pair in one of the pieces is
 * omitted. The number of steps in block b is steps[b * stride]. Van Hove functions are not tested.
 */
bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size);
bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text,
                size_t size);
