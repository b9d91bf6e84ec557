/* SPDX-License-Identifier: MIT */
/* zero.h: extrapolates the spectrum of a stationary series to frequency zero. The result gives a
 * transport coefficient (Green and Kubo) without the need to choose the upper limit of an integral.
 *
 * A run of n steps gives sine coefficients, which have the spectrum S at f = j/2n:
 *     y_j = sqrt(2/n) sum_t x_t sin(pi j (t + 1/2)/n),   j = 1..n-1.
 * The mean of y_j² over `comps` columns is S(f) times a random number that has a gamma distribution
 * of shape comps/2 and mean 1. The sines are zero at both ends of a run, so that no power leaks to
 * low frequencies. Many short runs therefore give the same S(0) as one long run, and the derivative
 * of a bounded quantity gives 0. If Fourier coefficients were used, the result for a run of 10
 * correlation times would be 10 % too low.
 *
 * S(0) = sum_t C(t), with the sum over all positive and negative t, is extrapolated with families
 * of functions. With x = (2 sin pi f)², the families are a constant, exp(a + b x), exp(a + b x +
 * c x²), a + b x, a/(1 + c x) (one exponential), a/(1 + c sqrt x) (a long tail) and (a + b x)/(1
 * + c x + d x²) (two exponentials, or a damped oscillation). Each family is fitted to all
 * frequencies below a cut-off by maximum likelihood (Whittle, Arkiv foer Matematik 2 (1953) 423),
 * for cut-offs that differ by factors of 1.25. The result is the weighted mean over all families
 * and cut-offs. The weights are exp(-Q), with
 *     Q = h + 0.11 D - 0.27 m + 0.02 sum_k D_k + 3.1 log(1 + 30 r²).
 * D is the deviance of the m bins (each a factor of 1.25 wide) below the cut-off, and h is a
 * constant of the family. D_k is the deviance of a single bin that combines the first k bins, for
 * k up to the larger of m/2 + 1 and m - 3. The relative error r is the error of the fit divided
 * by the largest of S(0) and the values of S at both ends of the bins. Fits with r > 0.5 are not
 * used. The term with m penalises unused bins in the same way as information criteria of Akaike's
 * kind (Jay and Neil, Phys Rev D 103 (2021) 114502). The sum of D_k detects a slow process that
 * raises S only at the lowest frequencies. The last term of Q prevents a fit of a narrow peak to
 * noise at the lowest frequencies.
 *
 * A fit to few frequencies is more often too low than too high, because slow, weak processes are
 * not resolved and because a low fit has a small error. Each fitted value s with variance v is
 * therefore increased by 2 v s/(s² + v). The squared error of the result is 0.74 times the
 * weighted mean of the variances v plus 0.6 times the scatter between the fits. The constants
 * were fitted to simulated random processes and to one half of the processes in
 * mbf-validation(7), so that (value - truth) / se has the expected distribution. STACIE (Toraman
 * and others, J Chem Inf Model 65 (2025) 10445) also weights cut-offs, but by the agreement of
 * the fits below and above each cut-off. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define ZERO_MIN 64 /* smallest number of steps of a run */
/* Smallest frequency at which S may fall to half of S(0), in units of 1/T of the longest run. A
 * lower frequency means a correlation time above a sixteenth of the run, and slower processes
 * would be missed. */
#define ZERO_KNEE 2.5

/* One run, whose values y_1², y_2², ... are in the array power[steps - 1]. Different runs are
 * independent of each other. */
struct zero_run {
    const double *power;
    size_t steps;
    double comps; /* number of independent columns */
    /* Whether a constant was subtracted from each column, so that y_1 is 0. The error of this
     * constant adds S(1/2n)/j² to y_j² for odd j. */
    bool centred;
};

struct zero {
    double value, se; /* S(0) and its error */
    double last;      /* mean of S over the highest 6 % of the frequencies */
    /* Correlation time in steps, 1/(2 pi f), where f is the frequency at which S differs from S(0)
     * by a factor of 2. */
    double time;
    /* If `enough` is not 0, the longest run is too short to resolve the fall of S, so that `value`
     * and `se` cannot be trusted. If the run is too short, `enough` is the number of steps that a
     * run needs. */
    double enough;
};

/* If a run has fewer than ZERO_MIN steps, all series are constant, no family can be fitted, or
 * memory runs out, returns -1 with an error message in e. Otherwise, returns 0. */
int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z,
                   struct err *e) MUST_USE;
