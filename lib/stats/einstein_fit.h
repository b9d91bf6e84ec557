/* SPDX-License-Identifier: MIT */
/* einstein_fit.h: fits diffusion coefficients to mean square displacements. In d dimensions, D is b
 * / 2d, where b is the slope of msd(t) at long times.
 *
 * All fits are generalised least squares with the covariances of a random walk. Each step of a
 * random walk contributes to all lags. For N atoms, the covariance of two lags is 2 b² / (d N)
 * times the sum over pairs of time origins of the squared number of common steps. For the
 * covariances of a random walk, see Bullerjahn, von Buelow and Hummer, J Chem Phys 153 (2020)
 * 024116. The program kinisi (McCluskey, Coles and Morgan, J Chem Theory Comput 21 (2025) 79) uses
 * the same kind of fit. Consecutive lags of a fit differ by a factor of 1.25. If the user gives no
 * window, the last lag is at most a quarter of the run.
 *
 * If the steps are at uneven times, rows whose lags differ by less than a factor of 1.25 are
 * averaged to one lag, and the covariances of a random walk are computed from the times of all
 * pairs of steps.
 *
 * In a window that the user gives, a line a + b t is fitted. Without a given window, each lag s in
 * turn is the first lag of two fits, one with a line and one with a line plus a transient c exp(-t
 * / s). The slope is the weighted mean over all these fits. The weights are exp(-Q/2), with
 *     Q = R + 2 m + 6 log V,
 * plus 4 for a fit with a transient. R is the squared residual weighted by the inverse covariances,
 * V is the variance of the slope, and m is the number of lags below s, which are not fitted. Q is
 * an information criterion for fits that do not use all data (Jay and Neil, Phys Rev D 103 (2021)
 * 114502). The term 6 log V favours fits with small errors. The constants in Q were chosen with the
 * first six systems in the table of mbf-validation(7).
 *
 * The error of the slope is estimated in two ways. The first estimate is the scatter between blocks
 * of the same weighted sum of lags (errors.h). Blocks that have steps in common are correlated,
 * which errors_share takes into account. The second estimate is the variance for a random walk,
 * plus the additional scatter between atoms, which is caused by jumps and lasting differences of
 * mobility. The first estimate is used if it exceeds the second estimate by more than a quarter, or
 * if the second estimate is unknown. At uneven times, the excess scatter is unknown and taken as 0.
 * The first estimate is then not used if there are fewer than four steps per block, because the
 * blocks contain different lags. The squared scatter between the fits is added to the squared error
 * of the slope.
 *
 * Interactions with periodic images slow down diffusion (Yeh and Hummer, J Phys Chem B 108 (2004)
 * 15873). For a cubic cell of edge L, D(infinite) = D + 2.837297 kT / (6 pi eta L). */
#pragma once

#include "stats/series.h"

#define EINSTEIN_SCALES 6 /* largest number of intervals for the scatter between atoms */

/* Returns the number of steps in interval k >= 0. For each of these intervals, the scatter between
 * atoms is measured. */
static inline double einstein_scale(size_t k)
{
    return (double)(4u << (2 * k));
}

struct einstein {
    double from, to;    /* limits of the fit window in ps, or NaN on input to choose them
                         * automatically */
    double dimensions;  /* number of dimensions d, which the caller sets */
    double points;      /* number of points N, which the caller sets */
    const double *time; /* times of the steps in ps if they are uneven, or NULL */
    size_t steps;       /* number of these times */
    /* For each interval, the squared relative error of the msd that results from the scatter
     * between atoms, minus its value for a random walk (einstein_atoms). The errors from the
     * scatter are unknown if `scales` is 0. */
    double scatter[EINSTEIN_SCALES];
    size_t scales;
    double slope, se, start; /* slope b with its standard error, and intercept a */
    size_t lags;
};

/* Reads the times of the steps from data.times, in the form of uneven_times. Returns their number
 * and sets *time, which the caller frees. Returns 0 if the key is absent or invalid, or if memory
 * runs out. */
size_t einstein_times(const struct meta *m, double **time);
/* Fits the column with the index `col` of a CORR series. Returns 0. If the error of the slope is
 * unknown, f->se is NaN. If the window has fewer than three lags, or if the slope in the automatic
 * window is not constant, returns -1 with an error message in e. The slope is not constant if the
 * curvature exceeds four of its standard errors. */
int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e) MUST_USE;
/* Sets f->points and f->scales for the column `name` from the list data.scatter (motion.h). Adds
 * the scatter in this list, times the factor `part`, to f->scatter. The runs in the list must have
 * `steps` steps in total. If the list is NULL, if the column is missing in one of its runs, or if
 * its runs have another number of steps in total, the function does nothing. */
void einstein_atoms(struct einstein *f, const char *list, const char *name, double steps,
                    double part);
/* Returns the number of dimensions of a column, which is 1 for a column along one axis, such as
 * msd_x, and otherwise 3. */
int einstein_dimensions(const char *name);
/* Returns the finite-size correction of D in Å²/ps, for T in K, eta in Pa s and L in Å. */
double einstein_images(double temperature, double viscosity, double edge);
