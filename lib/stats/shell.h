/* SPDX-License-Identifier: MIT */
/* shell.h: computes the probability that the distance between two atoms of an ideal gas is in a
 * spherical shell. The probability normalises g(r).
 *
 * Two atoms of an ideal gas have independent, uniformly distributed positions in the cell. Along a
 * periodic axis of edge L, the minimum-image difference of two positions is uniform in [-L/2, L/2].
 * Along a non-periodic axis of edge L, the difference d has the triangular density (1 - |d|/L)/L on
 * [-L, L]. The probability of a distance below r is the integral of the product of the three
 * densities over the part of the ball of radius r that is inside the box. In a periodic box, the
 * probability of a distance below r is the volume of the part of the ball inside the box, divided
 * by the volume of the box. Nakano's lecture calls the ratio of these volumes the "geometric
 * factor" for distances beyond L/2. All integrals have closed expressions, which are evaluated in
 * long double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Returns the probability that two atoms in an orthorhombic cell are closer than r in Å. */
long double shell_below(const struct box *b, double r);

/* Returns true if the cell is orthorhombic, or triclinic and periodic along at least two axes. */
bool shell_known(const struct box *b);

/* Sets p[bins] to the probability of a distance in each of the equal bins from 0 to rmax. In
 * orthorhombic cells, with any periodic axes, p is valid for any rmax. The relative error of p is
 * below 1e-12 for probabilities above 1e-6. For smaller probabilities, the absolute error of p is
 * below 1e-18. In triclinic cells, p is the volume of the shell divided by the volume of the cell,
 * and is valid up to half the smallest periodic width. Along a non-periodic axis of any tilt, the
 * difference d across the width w of the cell has the triangular density (1 - |d|/w)/w. If
 * shell_known returns false for the cell, p is NaN. */
void shell_expected(const struct box *b, size_t bins, double rmax, double *p);

/* Works like shell_expected, but for atoms in a plane parallel to the two periodic axes, so that
 * only the area of the cell in this plane matters. In triclinic cells, p is valid up to half the
 * smallest width of the periodic axes. */
void shell_plane(const struct box *b, size_t bins, double rmax, double *p);

/* Sets p[bins] to 4 pi r² dr divided by the volume of the cell, with r at the middle of each bin,
 * as in Nakano's lecture. The effect of the faces of the cell is ignored. Without a cell, p is
 * NaN. */
void shell_lecture(const struct box *b, size_t bins, double rmax, double *p);
