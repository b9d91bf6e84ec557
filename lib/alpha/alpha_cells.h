/* SPDX-License-Identifier: MIT */
/* alpha_cells.h: sites sorted into cells of about half the range, in any periodic cell, so that the
 * neighbours of a cell lie in a few ranges. Private to lib/alpha. */
#ifndef MBF_ALPHA_CELLS_H
#define MBF_ALPHA_CELLS_H

#include <stdint.h>

#include "alpha/alpha_field.h"

#define ALPHA_CELLS_RANGES 64 /* most ranges per cell: 5 x 5 columns, two each */

struct alpha_cells {
    size_t n, room;
    int cells[3], reach[3]; /* along each axis: number of cells; cells in range to either side */
    size_t *start;          /* [cells + 1] */
    uint32_t *order;        /* [n]: sites by cell, in ascending order within a cell */
    size_t pairs, ranges;   /* largest numbers for any site */
};

/* Sorts n sites at fractions at[3][stride] from 0 to 1. Returns 0, or -1 if out of memory. */
int alpha_cells_sort(struct alpha_cells *c, size_t n, size_t stride, const double *at,
                     const struct box *b, double reach);
/* Finds the ranges of the sorted sites near cell k, including its own. Returns their number. */
size_t alpha_cells_near(const struct alpha_cells *c, size_t k,
                        struct alpha_range r[ALPHA_CELLS_RANGES]);
size_t alpha_cells_count(const struct alpha_cells *c);
void alpha_cells_free(struct alpha_cells *c);

#endif
