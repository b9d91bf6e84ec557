/* SPDX-License-Identifier: MIT */
/*
 * zero.h: extrapolates the spectrum of a stationary series to frequency zero, from its periodogram.
 * The result is a transport coefficient (Green and Kubo) without an integral cut off by eye.
 *
 *     I(k) = |sum_t (x_t - mean) exp(-2 pi i k t / n)|² / n,  k = 1..(n-1)/2.
 *
 * The mean of I(k) over `comps` independent columns is S(k/n) times a gamma variate of shape
 * `comps` and mean 1, independent for each k. S(0) = sum_t C(t) over all t, of either sign, is a
 * limit that a run does not contain. S(0) is extrapolated as follows:
 *   - Neighbouring frequencies are averaged in bins that grow with frequency (6 %), and log I is
 *     made unbiased, with the variance psi'(shape).
 *   - In the model, log S is a smooth function of x = asinh(f/f0), f = sin(pi k/n): an integrated
 *     random walk of strength lambda per unit of x, with slope 0 at x = 0 because S is even. Below
 *     f0, log S is thus smooth in f, far above f0 in log f. Above a frequency c, log S may
 *     bend freely, so that molecular vibrations there carry no information about S(0).
 *   - f0 (12 values, from the resolution of the run to its last frequency), lambda (9 values, 0.01
 *     to 30) and c (9 values) are not chosen but summed over. Each model has its likelihood (from
 *     a Kalman filter that runs from the highest frequency to 0) and the same prior, except for
 *     the factor f0^-0.75 lambda^-0.6.
 * The value is the mean of the posterior distribution, and se is half of the interval that contains
 * 68.27 % of the distribution, times 0.87. The factor 0.87 was measured, because the mixture of
 * models gives intervals that are too wide. The priors and the factor were chosen from pulls,
 * (value - truth) / se, of processes with known S(0) (test_zero) and of parts of a run of a liquid
 * argon model. The error grows with the value, so the pulls, but not the values, are skewed where
 * the error is large (mean -0.2 at 10 %). Weaker weights for errors (likelihoods to the power of
 * 1/4) and errors of the logarithm of a value remove a fifth of the skew. A prior of f0^-1.1
 * removes two thirds of the skew, but gives values that are 1.5 % high and scatter by a fifth more.
 *
 * Cepstral analysis (Ercole, Marcolongo and Baroni, Sci Rep 7 (2017) 15835) and STACIE (Toraman and
 * others, J Chem Inf Model 65 (2025) 10445) also extrapolate S(0), with a number of coefficients,
 * or a cut-off, chosen by a criterion. tests/analyses/calibrate measures the accuracy.
 *
 * The error is NaN if it would exceed ZERO_WORST of the value, because a run cannot detect a
 * correlation time as long as itself.
 */
#ifndef MBF_ZERO_H
#define MBF_ZERO_H

#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZERO_WORST 0.25 /* relative error of the mean of 16 values of a periodogram */
#define ZERO_LEAST 64   /* steps of a run, at least */

/* A run: power[(steps - 1) / 2] holds I(1) and so on. Runs are independent of each other. */
struct zero_run {
    const double *power;
    size_t steps;
    double comps; /* equivalent independent columns */
};

struct zero {
    double value, se; /* S(0) and its error; NaN: unknown */
    double last;      /* S at the highest frequency, a mean over its last 6 % */
    double
        steps; /* sum_t C(t) over |t| <= `steps` has the error se (4 steps/(n comps) of value²) */
};

/* Returns 0, or -1 and sets e: no memory, fewer than ZERO_LEAST steps in a run, or a constant
 * series. */
int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
