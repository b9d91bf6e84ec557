/* SPDX-License-Identifier: MIT */
/* shell.h: computes the geometric factor of g(r), which is the number of pairs of an ideal gas
 * whose distance is in a spherical shell.
 *
 * For the geometric factor, two atoms are placed at random, with a uniform density in the cell.
 * Along a periodic axis of edge L, the minimum-image difference is uniform in [-L/2, L/2]. Along a
 * non-periodic axis, the difference d has the triangular density (1 - |d|/L)/L on [-L, L]. The
 * probability of a distance below r is the integral of the product of the three densities over the
 * part of the ball of radius r that is inside the box. In a periodic box, the probability of a
 * distance below r is the volume of the part of the ball inside the box, divided by the volume of
 * the box. Nakano's lecture calls the ratio of these volumes the "geometric factor" for distances
 * beyond L/2. All integrals have closed expressions, which are evaluated in long double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Returns the probability that two atoms in an orthorhombic box are closer than r (in Å). */
long double shell_below(const struct box *b, double r);

/* Returns true if shell_expected supports the cell. The cell must be orthorhombic, or triclinic and
 * periodic along at least two axes. */
bool shell_known(const struct box *b);

/* Sets p[bins] to the probability of a distance in each bin k of [0, rmax). In orthorhombic cells,
 * with any periodic axes, p is exact for any rmax. The relative error of p is below 1e-12 for
 * probabilities above 1e-6. For smaller probabilities, the absolute error of p is below 1e-18. In
 * triclinic cells, p is the volume of the shell divided by the volume of the cell. For triclinic
 * cells, p is valid up to half the smallest periodic width. Along a non-periodic axis of any tilt,
 * the difference d across the width w of the cell has the triangular density (1 - |d|/w)/w. If
 * shell_known returns false for the cell, p is NaN. */
void shell_expected(const struct box *b, size_t bins, double rmax, double *p);

/* Works like shell_expected, but for atoms in a plane parallel to the two periodic axes. Only the
 * area of the cell in the plane of the atoms matters. In triclinic cells, the probability is valid
 * up to half the smallest width of the periodic axes. */
void shell_plane(const struct box *b, size_t bins, double rmax, double *p);

/* Sets p[bins] to 4 pi r² dr divided by the volume of the cell, with r at the middle of each bin,
 * as in Nakano's lecture. The effect of the faces of the cell is ignored. If there is no cell, p is
 * NaN. */
void shell_lecture(const struct box *b, size_t bins, double rmax, double *p);
