/* SPDX-License-Identifier: MIT */
/*
 * rdf_cells.h: the CPU engine's cells: atoms of one set sorted so that partners within rmax lie in
 * a few short rows.
 *
 * Only a filter: it may offer pairs beyond rmax, it never misses one below it (cells are 1e-5 wider
 * than needed, far more than rounding). Private to rdf_cpu.c.
 */
#ifndef MBF_RDF_CELLS_H
#define MBF_RDF_CELLS_H

#include "rdf/hist.h"

/* Grid over a frame: n[a] cells along vector a, reaching `reach` cells far. */
struct rdf_grid {
    int n[3], reach;
    size_t ncells;
};

/*
 * Choose the grid for so many atoms: 1, or 0 when the cell is too small, rmax too large or an axis
 * is not periodic in a way that cells cannot take. *cost: pairs it will look at, for all pairs of
 * natoms among themselves.
 */
int rdf_grid_choose(struct rdf_grid *g, const struct hist_frame *f, size_t natoms, double *cost);

/* Cell of an atom at r (bin widths). */
size_t rdf_grid_cell(const struct rdf_grid *g, const struct hist_frame *f, const double r[3]);

/*
 * Ranges of sorted atoms (from, to pairs in range[2 * RDF_MAX_ROWS]) in reach of cell c;
 * start[ncells + 1] is where each cell begins. forward: only cells after c, so that each pair of
 * cells is met once. Returns the number of ranges.
 */
#define RDF_MAX_ROWS 128
int rdf_grid_rows(const struct rdf_grid *g, const struct hist_frame *f, const size_t *start,
                  size_t c, int forward, size_t *range);

#endif
