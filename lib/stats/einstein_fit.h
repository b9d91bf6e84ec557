/* SPDX-License-Identifier: MIT */
/*
 * einstein_fit.h: the slope of a mean square displacement, with the covariances of a walk's lags.
 *
 *     msd(t) = a + b t,   D = b / 2d in d dimensions,   t in a window [from, to]
 *
 * fitted to at most EINSTEIN_LAGS lags of the window, evenly in the logarithm, by generalised least
 * squares. Lags of one run are all made of the same steps, and covary as those of a walk without a
 * memory, sum_t (steps in common)² (J. T. Bullerjahn, S. von Buelow, G. Hummer, J. Chem. Phys. 153
 * (2020) 024116, have them for a walk with noise). Covariances that a run's blocks find are noisy,
 * and go with the values: with those D is low by a tenth of its error, and scatters by 4 % more.
 *
 * The slope is a weighted sum of lags; its error is what errors.h makes of the same sum of the
 * blocks' deviations, for any motion. Blocks of origins share steps, up to the longest lag: how
 * many is known, and told to it (errors_share). Ordinary least squares takes lags for independent,
 * and states an error many times too small.
 *
 * Where no window is given: the first t at which, within 1.5 errors, a parabola through [t, 4t] is no
 * better than the line, and the slope of [t, 4t] is that of [2t, 8t], [4t, 16t], and so on; the
 * window is then [4t, 16t], or, where lags end before 16t, from a quarter of the last one on, but not
 * from before 2t. What errors are then worth: einstein(1).
 *
 * A box with periodic images slows D down (I.-C. Yeh, G. Hummer, J. Phys. Chem. B 108 (2004) 15873):
 * D(infinite) = D + 2.837297 kT / (6 pi eta L), a cubic cell of edge L.
 */
#ifndef MBF_EINSTEIN_FIT_H
#define MBF_EINSTEIN_FIT_H

#include "stats/series.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EINSTEIN_LAGS 6

struct einstein {
    double from, to;         /* in: ps, NaN: chosen; out: the first and last lag used */
    double slope, se, start; /* b and its error, a */
    size_t lags;
};

/* Column col of a CORR series with errors: 0, or -1 with e: no blocks, no three lags in the window, no
 * window where it is straight. */
int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e)
    __attribute__((warn_unused_result));
/* Dimensions of a column by its name: msd_x has 1, others 3. */
int einstein_dimensions(const char *name);
/* What to add to D, Å²/ps: T in K, eta in Pa s, L in Å. */
double einstein_images(double temperature, double viscosity, double edge);

#ifdef __cplusplus
}
#endif
#endif
