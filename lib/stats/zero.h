/* SPDX-License-Identifier: MIT */
/*
 * zero.h: the spectrum of a stationary series at frequency zero, from its periodogram: what a
 * transport coefficient is (Green and Kubo), without an integral that is cut off by eye.
 *
 *     I(k) = |sum_t (x_t - mean) exp(-2 pi i k t / n)|² / n,  k = 1..(n-1)/2,
 *
 * the mean over `comps` independent columns, is S(k/n) times a gamma variate of shape `comps` and
 * mean 1, independent of those of other k. S(0) = sum_t C(t) over all t, of either sign, is a limit
 * that a run does not show, and is extrapolated:
 *   - neighbours are taken together, the more the higher their frequency (6 %), and log I is made
 *     unbiased, with the variance psi'(shape);
 *   - a model says that log S is a smooth function of x = asinh(f/f0), f = sin(pi k/n): an
 *     integrated random walk of strength lambda a unit of x, whose slope is 0 at x = 0, as S is
 *     even. Below f0 that is a smooth function of f, far above of log f. Above a frequency c it may
 *     bend as it likes, so that what lies there (the vibrations of molecules) says nothing of S(0);
 *   - f0 (12 of them, from what the run resolves to its last frequency), lambda (9, 0.01 to 30) and
 *     c (9) are not chosen but summed over, each with its likelihood (a Kalman filter from the
 *     highest frequency to 0) and a prior that is the same for all, but f0^-0.75 lambda^-0.6.
 * The value is the mean of their posterior distributions, and se half of the interval that holds
 * 68.27 % of them, times 0.87, which is measured: where the data leave open how far S is flat, both
 * know it. Priors and that factor were chosen by pulls, (value - truth) / se, of planted processes
 * (test_zero) and of parts of a run of liquid argon's model; an error grows with its value, so that
 * in a run's parts pulls are lopsided where the error is large (mean -0.2 at 10 %), and values are
 * not. Weaker weights for errors (likelihoods to the power of 1/4) and errors of a value's logarithm
 * take a fifth of that away; a prior of f0^-1.1 takes two thirds, but its values are 1.5 % high and
 * scatter by a fifth more.
 *
 * Cepstral analysis (L. Ercole, A. Marcolongo, S. Baroni, Sci. Rep. 7 (2017) 15835) and STACIE (G.
 * Toraman and others, J. Chem. Inf. Model. 65 (2025) 10445) do the same with a number of
 * coefficients, or a cut-off, that a criterion chooses. tests/analyses/calibrate measures what
 * this is worth.
 *
 * Of the value there is no error (NaN) where it would be worse than ZERO_WORST of the value: a run
 * cannot know of a memory as long as itself.
 */
#ifndef MBF_ZERO_H
#define MBF_ZERO_H

#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZERO_WORST 0.25 /* the mean of 16 values of a periodogram has this error */
#define ZERO_LEAST 64   /* steps of a run */

/* A run: power[(steps - 1) / 2], I(1) on. Runs are independent of each other. */
struct zero_run {
    const double *power;
    size_t steps;
    double comps; /* independent columns, alike */
};

struct zero {
    double value, se; /* S(0); se NaN: not known */
    double last;      /* S at the highest frequency, a mean over its last 6 % */
    double
        steps; /* sum_t C(t) over |t| <= so many steps has this se (4 steps/(n comps) of value²) */
};

/* 0, or -1 with e: memory, fewer than ZERO_LEAST steps in a run, a series that is constant. */
int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z, struct err *e)
    __attribute__((warn_unused_result));

#ifdef __cplusplus
}
#endif
#endif
