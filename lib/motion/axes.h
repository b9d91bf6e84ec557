/* SPDX-License-Identifier: MIT */
/* axes.h: computes an axis u of each molecule, and the points whose correlations give C_1 and C_2.
 * The products of the points of two steps add up to P1(u.u') = u.u' and P2(u.u') = (3 (u.u')² -
 * 1)/2. The axis is a bond A-B, the normal of a plane A-B-C or the dipole moment of charges.
 *
 * P2(u.u') is the sum of products of the five components of Q: sqrt(3) xy, sqrt(3) yz, sqrt(3) zx,
 * sqrt(3)/2 (x² - y²) and (3 z² - 1)/2. The points of a step begin with the sum M_1 of all u and,
 * in two points, the sum M_2 of all Q. The vectors u of all axes follow, and then the components of
 * Q of all axes, three in each point. The points with Q need not be stored, because Q follows from
 * u. Unused components are 0. */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "select/dipole.h"
#include "select/molecules.h"
#include "select/pair_names.h"

#define AXES_KINDS 4 /* M_1, M_2, u, Q */
#define AXES_FIRST 3 /* points before u */
#define AXES_RANK2 5 /* components of Q */

struct axes {
    size_t n, atoms;     /* axes; atoms per axis (2, 3), 0: dipole */
    uint32_t (*atom)[4]; /* [n]: atoms, and molecule in [3] */
    const struct molecules *molecules;
    struct dipole charge; /* for dipole moments */
};

/* Finds the axis "A-B", "A-B-C" or "dipole" of each molecule. Each name stands for the first atom
 * of that name that is not yet used. Molecules with only one atom, or without one of the named
 * atoms, have no axis. The molecules must exist as long as the axes. Returns 0, or -1 with an error
 * message in e if no molecule has an axis, or if charges are missing. Call axes_close afterwards,
 * even after an error. */
int axes_open(struct axes *x, const char *axis, const struct molecules *m,
              const struct pair_names *names, const struct meta *meta, struct err *e) MUST_USE;
/* Computes the points of a step, without the components of Q unless `all` is set. The points and
 * the positions [natoms][3] have the same number type. Vectors between atoms are minimum images.
 * Returns 0, or 1 plus the index of the first axis that has no direction. */
size_t axes_put(const struct axes *x, const void *step, const void *scalars, bool f64,
                const struct box *box, void *points, bool all);
/* Sets e to a message that explains why axis k has no direction, and returns -1. */
int axes_fail(const struct axes *x, size_t k, const void *step, const void *scalars, bool f64,
              const struct box *box, struct err *e);
void axes_close(struct axes *x); /* x may be all zero */

/* Component c of Q is computed from the coordinates axes_first[c] and axes_second[c] of u. */
static const unsigned char axes_first[] = {0, 1, 2, 0, 2}, axes_second[] = {1, 2, 0, 1, 2};
static inline double axes_rank2(size_t c, double a, double b)
{
    return c < 3    ? 1.7320508075688772 * a * b
           : c == 3 ? 0.8660254037844386 * (a - b) * (a + b)
                    : 1.5 * a * a - 0.5;
}
/* Returns the number of points that hold the components of Q of n axes. */
static inline size_t axes_points(size_t n)
{
    return (AXES_RANK2 * n + 2) / 3;
}
