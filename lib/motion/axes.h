/* SPDX-License-Identifier: MIT */
/*
 * axes.h: an axis u of each molecule, which is a bond A-B or the normal of a plane A-B-C, as points
 * whose time correlations add up to P1(u.u') and P2(u.u').
 *
 * With n molecules, the points [3 n][3] of a step are: point k < n is the unit vector u of molecule
 * k. The points n + 2 k and n + 2 k + 1 are sqrt(3) xy, sqrt(3) yz, sqrt(3) zx,
 * sqrt(3)/2 (x² - y²), (3 z² - 1)/2 and 0. The products of these components add up to
 * P2(u.u') = (3 (u.u')² - 1)/2.
 */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "select/molecules.h"
#include "select/pair_names.h"

struct axes {
    size_t n, atoms; /* molecules; atoms per axis, 2 or 3 */
    uint32_t *atom;  /* [n][3] */
};

/* Finds the atoms of the axis "A-B" or "A-B-C" in each molecule: for each name, the first atom with
 * this name that is not used yet. Returns 0, or -1 and sets e. Call axes_close in both cases. */
int axes_open(struct axes *x, const char *axis, const struct molecules *m,
              const struct pair_names *names, struct err *e) MUST_USE;
/* Computes the points of a step with positions [natoms][3]. The vectors between atoms are minimum
 * images. Returns 1 + the first molecule whose axis has length 0, or 0. */
size_t axes_put(const struct axes *x, const void *step, bool f64, const struct box *box,
                double *points);
void axes_close(struct axes *x); /* zeros are allowed */
