/* SPDX-License-Identifier: MIT */
/* shell.h: computes the geometric factor of g(r), that is, the number of pairs of an ideal gas with
 * a distance in a spherical shell.
 *
 * Two atoms are placed uniformly in the cell. Along a periodic axis of edge L, the minimum-image
 * difference is uniform in [-L/2, L/2]. Along a non-periodic axis, the difference d has the
 * triangular density (1 - |d|/L)/L on [-L, L]. The probability of a distance below r is the
 * integral of the product of the three densities over the part of the ball of radius r that is
 * inside the box. For a periodic box, this probability is the volume of that part divided by the
 * volume of the box. Nakano's lecture calls this ratio the "geometric factor" for distances beyond
 * L/2. All integrals have closed expressions, evaluated in long double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Returns the probability that two atoms in an orthorhombic box are closer than r, in Å. */
long double shell_below(const struct box *b, double r);

/* Returns true if shell_expected supports the cell, that is, if the cell is orthorhombic, or
 * triclinic and periodic along at least two axes. */
bool shell_known(const struct box *b);

/* Sets p[bins] to the probabilities that a distance is in bin k of [0, rmax). For orthorhombic
 * cells, with any periodic axes, p is exact for any rmax. The relative error is below 1e-12 for
 * probabilities above 1e-6. For smaller probabilities, the absolute error is below 1e-18. For
 * triclinic cells, p is the volume of the shell divided by the volume of the cell. For these cells,
 * p is valid up to half the smallest periodic width. Along a non-periodic axis of any tilt, the
 * difference d across the width w of the cell has the triangular density (1 - |d|/w)/w. If
 * shell_known returns false, p is NaN. */
void shell_expected(const struct box *b, size_t bins, double rmax, double *p);

/* Works like shell_expected, but for atoms in a plane parallel to the two periodic axes. Only the
 * area of the cell in this plane matters. For triclinic cells, p is valid up to half the smallest
 * width of the periodic axes. */
void shell_plane(const struct box *b, size_t bins, double rmax, double *p);

/* Sets p[bins] to 4 pi r² dr divided by the cell volume, with r at the middle of each bin, as in
 * Nakano's lecture. The faces of the cell are ignored. Without a cell, p is NaN. */
void shell_lecture(const struct box *b, size_t bins, double rmax, double *p);
