/* SPDX-License-Identifier: MIT */
/* near_step.h: sets up the grid for the search for neighbours of the atoms of one step, for near.c
 * on the host and cuda/near on the device. Host and device choose the same grid, examine the same
 * candidates in the same order and report the same errors. */
#pragma once

#include "base/box.h"
#include "base/err.h"
#include "near/near_grid.h"

C_LINKAGE_BEGIN

struct near_step {
    struct box box;
    double inv[3][3];      /* from Å to fractions; without a cell, 1 */
    struct near_grid grid; /* arrays: the caller's */
    double wide[3];        /* of the grid, Å */
    double cutoff, half;   /* half: box_half_width */
    size_t n;              /* atoms */
};

/* Sets all members of the step except the arrays of the grid, with the arguments and errors of
 * near_sort or, unless `cells` is NULL, of near_sort_cells. Returns 0 on success, or -1 with the
 * status ERR_BAD in e. */
int near_step_set(struct near_step *s, size_t n, const double *r, const struct box *b,
                  double cutoff, const int cells[3], struct err *e) MUST_USE;
/* Sets e to ERR_BAD and returns -1. The message reports that atom i has only `found` of k
 * neighbours closer than s->half, or that there are at most k atoms. */
int near_step_few(const struct near_step *s, size_t i, size_t k, size_t found, struct err *e);

/* Computes the fractional coordinates f, wrapped along periodic axes, of the position r in Å. */
HD void near_step_fraction(const struct near_step *s, const double r[3], double f[3])
{
    for (int k = 0; k < 3; k++) {
        f[k] = r[0] * s->inv[0][k] + r[1] * s->inv[1][k] + r[2] * s->inv[2][k];
        if (s->box.pbc[k])
            f[k] -= floor(f[k]);
    }
}

/* Returns the grid cell of the position r in Å. */
HD size_t near_step_cell(const struct near_step *s, const double r[3])
{
    double f[3];
    near_step_fraction(s, r, f);
    return near_grid_cell(&s->grid, f);
}

/* Increases the radius (in Å) of a search that found too few neighbours, and `reach` of its grid g.
 * Returns false if the radius is already s->half. */
HD bool near_step_grow(const struct near_step *s, struct near_grid *g, double *radius)
{
    if (*radius >= s->half)
        return false;
    *radius = fmin(1.5 * *radius, s->half);
    near_grid_reach(g, s->wide, *radius * NEAR_SLACK);
    return true;
}

C_LINKAGE_END
