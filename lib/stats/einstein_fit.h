/* SPDX-License-Identifier: MIT */
/*
 * einstein_fit.h: fits diffusion coefficients to mean square displacements. D = b / 2d in d
 * dimensions, where b is the slope of msd(t) at long times.
 *
 * All fits are generalised least squares with the covariances of a random walk. A step of a walk
 * contributes to all lags, and the covariance of two lags is the sum over pairs of origins of the
 * squared number of common steps, times 2 b² / (d N) for N atoms. See Bullerjahn, von Buelow and
 * Hummer, J Chem Phys 153 (2020) 024116; kinisi (McCluskey, Coles and Morgan, J Chem Theory Comput
 * 21 (2025) 79) uses the same kind of fit. The lags of the fits are a factor 1.25 apart, up to a
 * quarter of the run.
 *
 * A given window is fitted by a line a + b t. Otherwise there are two fits for each first lag s: a
 * line, and a line with a transient c exp(-t / s). The slope is the weighted mean over all fits.
 * The weights are exp(-Q/2), where
 *     Q = R + 2 m + 4 (with a transient) + 6 log V,
 * R is the squared residual over the covariances, m the number of lags left out below s, and V the
 * variance of the slope. Q is an information criterion for data that are left out (Jay and Neil,
 * Phys Rev D 103 (2021) 114502), in which the last term prefers fits with small errors. The
 * constants were chosen on the first half of the systems in mbf-validation(7).
 *
 * The error of the slope has two estimates, and the larger is stated. The first is the scatter
 * between blocks of the same weighted sum of lags (errors.h); correlations of blocks from common
 * steps are passed to errors_share. The second adds the variance of a random walk and the excess
 * scatter between atoms, which contains lasting differences of mobility and jumps. The scatter
 * between the fits is added to the squared error.
 *
 * Periodic images slow diffusion down (Yeh and Hummer, J Phys Chem B 108 (2004) 15873). For a cubic
 * cell of edge L, D(infinite) = D + 2.837297 kT / (6 pi eta L).
 */
#pragma once

#include "stats/series.h"

#define EINSTEIN_SCALES 6 /* distances of the scatter between atoms, at most */

/* Returns distance number k at which the scatter between atoms is measured, in steps. */
static inline double einstein_scale(size_t k)
{
    return (double)(4u << (2 * k));
}

struct einstein {
    double from, to;   /* window, ps; NaN on input: automatic */
    double dimensions; /* d, from the caller */
    double points;     /* N, from the caller */
    /* Squared relative error of the msd at each distance that exceeds the error for a random walk,
     * from the scatter between atoms. Unknown if scales is 0. See einstein_atoms. */
    double scatter[EINSTEIN_SCALES];
    size_t scales;
    double slope, se, start; /* b, error of b, and a */
    size_t lags;
};

/* Fits column col of a CORR series. Returns 0, or -1 and sets e with fewer than three lags in the
 * window, or if no window has a constant slope: the curvature exceeds four of its errors. The error
 * se is NaN if it is unknown. */
int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e)
    __attribute__((warn_unused_result));
/* Sets points and scales, and adds `part` of the scatter, from the list data.scatter (motion.h) for
 * the column `name` of runs that have this number of steps in all. Changes nothing if the list is
 * NULL or does not describe the column or all of the steps. */
void einstein_atoms(struct einstein *f, const char *list, const char *name, double steps,
                    double part);
/* Returns the number of dimensions of a column, which is 1 for an axis, such as msd_x, else 3. */
int einstein_dimensions(const char *name);
/* Returns the finite-size correction of D, Å²/ps, for T in K, eta in Pa s and L in Å. */
double einstein_images(double temperature, double viscosity, double edge);
