/* SPDX-License-Identifier: MIT */
/*
 * einstein_fit.h: fits mean square displacements with the covariances of a random walk.
 *
 *     The line is msd(t) = a + b t in a window [from, to], and D = b / 2d in d dimensions.
 *
 * The line is fitted by generalised least squares to at most EINSTEIN_LAGS lags of the window,
 * evenly spaced in log t. Lags of one run come from the same steps. The covariances of lags are
 * those of an uncorrelated random walk, sum_t (steps in common)². For a walk with noise, see
 * Bullerjahn, von Buelow and Hummer, J Chem Phys 153 (2020) 024116. Covariances estimated from the
 * blocks of a run are noisy and correlated with the values. With such estimates, D is low by a
 * tenth of its error and scatters by 4 % more.
 *
 * The slope is a weighted sum of lags. The error of the slope is computed by errors.h from the same
 * weighted sum of the blocks' deviations, for any motion. Blocks of time origins share steps up to
 * the longest lag. The resulting correlations are passed to errors_share. Ordinary least squares
 * assumes independent lags, and its error is many times too small.
 *
 * Without a given window, a time t is sought beyond which the slope is constant. At t, a parabola
 * through [t, 4t] is no better than the line, within 1.5 errors. The slope of [t, 4t] also equals
 * the slopes of [2t, 8t], [4t, 16t] and so on, within 1.5 errors. The first such t gives the window
 * [4t, 16t]. If the lags end before 16t, the window begins at a quarter of the last lag, but not
 * before 2t. The page einstein(1) states how accurate the errors are.
 *
 * Periodic images slow diffusion down (Yeh and Hummer, J Phys Chem B 108 (2004) 15873). For a cubic
 * cell of edge L, D(infinite) = D + 2.837297 kT / (6 pi eta L).
 */
#pragma once

#include "stats/series.h"

#define EINSTEIN_LAGS 6

struct einstein {
    double from, to;         /* window, ps; NaN on input: automatic */
    double slope, se, start; /* b, error of b, and a */
    size_t lags;
};

/* Fits column col of a CORR series with errors. Returns 0, or -1 and sets e without blocks, with
 * fewer than three lags in the window, or if no window has a constant slope. */
int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e)
    __attribute__((warn_unused_result));
/* Returns the number of dimensions of a column, which is 1 for an axis, such as msd_x, else 3. */
int einstein_dimensions(const char *name);
/* Returns the finite-size correction of D, Å²/ps, for T in K, eta in Pa s and L in Å. */
double einstein_images(double temperature, double viscosity, double edge);
