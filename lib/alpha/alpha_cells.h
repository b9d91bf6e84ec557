/* SPDX-License-Identifier: MIT */
/* alpha_cells.h: sorts sites into grid cells about half as wide as the range of interaction, so
 * that the neighbours of a cell lie in a few ranges of sites. */
#pragma once

#include <stdint.h>

#include "alpha/alpha_field.h"

#define ALPHA_CELLS_RANGES 64 /* most ranges per cell: 5 x 5 columns, two each */

struct alpha_cells {
    size_t n, capacity;
    int cells[3], reach[3]; /* along each axis */
    size_t *start;          /* [cells + 1] */
    uint32_t *order;        /* [n] sites by cell */
    size_t pairs, ranges;   /* maxima per site */
};

/* Sorts n sites by their fractional coordinates at[3][stride], which must lie between 0 and 1.
 * Returns 0, or -1 if out of memory. */
int alpha_cells_sort(struct alpha_cells *c, size_t n, size_t stride, const double *at,
                     const struct box *b, double reach);
/* Finds the ranges of sorted sites in and near cell k. Returns the number of ranges. */
size_t alpha_cells_short_range(const struct alpha_cells *c, size_t k,
                               struct alpha_range r[ALPHA_CELLS_RANGES]);
size_t alpha_cells_count(const struct alpha_cells *c);
void alpha_cells_free(struct alpha_cells *c);
