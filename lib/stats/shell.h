/* SPDX-License-Identifier: MIT */
/*
 * shell.h: the number of pairs of an ideal gas whose distance lies in a spherical shell, which is
 * the geometric factor of g(r).
 *
 * Two atoms are placed uniformly in the cell. Along a periodic axis of edge L, the difference of
 * the minimum image is uniform in [-L/2, L/2]. Along a non-periodic axis, the plain difference has
 * the triangular density (1 - |d|/L)/L on [-L, L]. The probability of a distance below r is the
 * integral of the product of the three densities over the ball, cut by the faces. For a periodic
 * box, the probability is the common volume of ball and box divided by the volume of the box (in
 * the lecture, the "geometric factor" beyond L/2). All integrals are closed forms in long double.
 */
#ifndef MBF_SHELL_H
#define MBF_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Returns the probability that two independent atoms in an orthorhombic box b (edges in Å) are
 * closer than r, Å. */
long double shell_below(const struct box *b, double r);

/* Returns true if shell_expected is defined for the cell: orthorhombic, or oblique and periodic
 * along at least two axes. */
bool shell_known(const struct box *b);

/* Sets p[bins] to the probabilities of a distance in bin k of [0, rmax). Orthorhombic cells,
 * periodic or not along each axis: exact for any rmax (relative error below 1e-12 if the bin has
 * more than 1e-6 of the whole, else 1e-18 absolute). Triclinic cells, up to half the smallest width
 * of the periodic axes: shell volume over cell volume. If one axis is not periodic, the difference
 * d across the cell's width w has the triangular density (1 - |d|/w)/w, whatever the tilt. If
 * shell_known is false, p is NaN. */
void shell_expected(const struct box *b, size_t bins, double rmax, double *p);

/* Sets p[bins] as in the lecture: volume of the mid-point shell, 4 pi r² dr, over the cell volume,
 * without faces. Without a cell, p is NaN. */
void shell_lecture(const struct box *b, size_t bins, double rmax, double *p);

#endif
