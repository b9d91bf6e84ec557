/* SPDX-License-Identifier: MIT */
/*
 * zero.h: extrapolates the spectrum of a stationary series to frequency zero, from its periodogram.
 * The result is a transport coefficient (Green and Kubo) without an integral cut off by eye.
 *
 *     The periodogram is I(k) = |sum_t (x_t - mean) exp(-2 pi i k t / n)|² / n, k = 1..(n-1)/2.
 *
 * The mean of I(k) over `comps` independent columns is S(k/n) times a gamma variate. The variate
 * has shape `comps` and mean 1, and is independent for each k. The limit S(0) = sum_t C(t), over
 * all t of either sign, is not contained in a run. S(0) is extrapolated as follows:
 *   - Neighbouring frequencies are averaged in bins that grow with frequency (6 %). The logarithm
 *     of I is made unbiased, with the variance psi'(shape).
 *   - In the model, log S is a smooth function of x = asinh(f/f0), where f = sin(pi k/n). The
 *     function is an integrated random walk of strength lambda per unit of x, with slope 0 at x = 0
 *     because S is even. Below f0, log S is thus smooth in f, and far above f0 it is smooth in log
 *     f. Above a frequency c, log S may bend freely, so that molecular vibrations there carry no
 *     information about S(0).
 *   - Results are summed over 12 values of f0, 9 values of lambda and 9 values of c. The values of
 *     f0 range from the resolution of the run to its last frequency, and lambda ranges from 0.01 to
 *     30. Each model is weighted by its likelihood, from a Kalman filter that runs from the highest
 *     frequency to 0. The prior is uniform except for the factor f0^-0.75 lambda^-0.6.
 * The value is the mean of the posterior distribution. The error se is half of the interval that
 * contains 68.27 % of the distribution, times 0.87. The factor 0.87 was measured, because the
 * mixture of models gives intervals that are too wide. The priors and the factor were chosen from
 * pulls, (value - truth) / se. The pulls came from processes with known S(0) (test_zero) and from
 * parts of a run of a liquid argon model. The error grows with the value. Where the error is large,
 * the pulls are therefore skewed (mean -0.2 at 10 %), but the values are not. Weaker weights for
 * errors (likelihoods to the power of 1/4) and errors of the logarithm of a value remove a fifth of
 * the skew. A prior of f0^-1.1 removes two thirds of the skew, but gives values that are 1.5 % high
 * and scatter by a fifth more.
 *
 * Cepstral analysis (Ercole, Marcolongo and Baroni, Sci Rep 7 (2017) 15835) also extrapolates S(0),
 * with a number of coefficients chosen by a criterion. STACIE (Toraman and others, J Chem Inf Model
 * 65 (2025) 10445) also extrapolates S(0), with a cut-off chosen by a criterion. The script
 * tests/analyses/calibrate measures the accuracy.
 *
 * The error is NaN if it would exceed ZERO_WORST of the value, because a run cannot detect a
 * correlation time as long as itself.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

#define ZERO_WORST 0.25 /* relative error of the mean of 16 values of a periodogram */
#define ZERO_MIN 64     /* steps of a run, at least */

/* One run, with the values I(1), I(2), ... in power[(steps - 1) / 2]. All runs are independent. */
struct zero_run {
    const double *power;
    size_t steps;
    double comps; /* independent columns */
};

struct zero {
    double value, se; /* S(0) and its error; NaN: unknown */
    double last;      /* mean of S over the highest 6 % of the frequencies */
    /* Cut-off in steps at which the sum of C(t) has se² = 4 steps/(n comps) value². */
    double steps;
};

/* Returns 0, or -1 and sets e if a run has fewer than ZERO_MIN steps, a series is constant, or
 * memory runs out. */
int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z, struct err *e)
    __attribute__((warn_unused_result));
