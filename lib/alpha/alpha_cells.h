/* SPDX-License-Identifier: MIT */
/* alpha_cells.h: sites sorted into cells of about half a reach, in any periodic cell, so that those
 * near one lie in a few ranges. Private to lib/alpha. */
#ifndef MBF_ALPHA_CELLS_H
#define MBF_ALPHA_CELLS_H

#include <stdint.h>

#include "alpha/alpha_field.h"

#define ALPHA_CELLS_RANGES 64 /* at most, of a cell: 5 x 5 columns, two each */

struct alpha_cells {
    size_t n, room;
    int cells[3], reach[3]; /* along each axis: in all, and to either side */
    size_t *start;          /* [cells + 1] */
    uint32_t *order;        /* [n]: sites, cell after cell, in ascending order within one */
    size_t pairs, ranges;   /* most of a site's */
};

/* n sites at fractions at[3][stride] of 0 to 1. 0, or -1: out of memory. */
int alpha_cells_sort(struct alpha_cells *c, size_t n, size_t stride, const double *at,
                     const struct box *b, double reach);
/* Ranges of the sorted sites near cell k, its own among them; returns how many. */
size_t alpha_cells_near(const struct alpha_cells *c, size_t k,
                        struct alpha_range r[ALPHA_CELLS_RANGES]);
size_t alpha_cells_count(const struct alpha_cells *c);
void alpha_cells_free(struct alpha_cells *c);

#endif
