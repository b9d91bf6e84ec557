/* SPDX-License-Identifier: MIT */
/*
 * shell.h: how many pairs of an ideal gas have their distance in a spherical shell: the geometric
 * factor of g(r).
 *
 * Two atoms, each placed uniformly in the cell: along a periodic axis of edge L the difference of
 * the nearest image is uniform in [-L/2, L/2]; along an axis that is not periodic the plain
 * difference has the triangular density (1 - |d|/L)/L on [-L, L]. The probability of a distance
 * below r is the integral of the product of the three densities over the ball, cut by the faces.
 * For a periodic box it is the volume of ball and box in common over the volume of the box, the
 * lecture's "geometric factor" beyond L/2. Closed forms, in long double.
 */
#ifndef MBF_SHELL_H
#define MBF_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/box.h"

/* Probability that two independent atoms in an orthorhombic box b (edges Å) are nearer than r, Å.
 */
long double shell_below(const struct box *b, double r);

/* Does shell_expected know it? Not: no cell, or an oblique one, periodic along fewer than two axes. */
bool shell_known(const struct box *b);

/*
 * p[bins]: probability of a distance in bin k of [0, rmax). Orthorhombic cells, periodic or not
 * along each axis: exact to any rmax (relative error below 1e-12 where the bin has more than 1e-6
 * of the whole, else 1e-18 absolute). Triclinic cells, up to half the smallest width of the periodic
 * axes: shell volume over cell volume; where one axis is not periodic, with the triangular density of
 * the difference across, d of the cell's width w along it: (1 - |d|/w)/w, whatever the tilt. Where
 * shell_known says no: NaN.
 */
void shell_expected(const struct box *b, size_t bins, double rmax, double *p);

/* The lecture's: mid-point shell 4 pi r² dr over the volume of the cell, no faces. No cell: NaN. */
void shell_lecture(const struct box *b, size_t bins, double rmax, double *p);

#endif
