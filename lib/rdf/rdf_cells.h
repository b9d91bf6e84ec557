/* SPDX-License-Identifier: MIT */
/*
 * rdf_cells.h: cells of the CPU engine: the atoms of one set are sorted so that partners within
 * rmax lie in a few short rows.
 *
 * Cells are only a filter, which may offer pairs beyond rmax but never misses one below it, because
 * cells are 1e-5 wider than needed, far more than rounding. Private to rdf_cpu.c.
 */
#ifndef MBF_RDF_CELLS_H
#define MBF_RDF_CELLS_H

#include "rdf/hist.h"

/* Grid over a frame: n[a] cells along vector a, with neighbours up to `reach` cells away. */
struct rdf_grid {
    int n[3], reach;
    size_t ncells;
};

/* Chooses the grid for natoms atoms. Returns 1, or 0 if the cell is too small, rmax too large, or a
 * non-periodic axis does not permit cells. Sets *cost to the number of pairs to examine for all
 * pairs of natoms atoms. */
int rdf_grid_choose(struct rdf_grid *g, const struct hist_frame *f, size_t natoms, double *cost);

/* Cell of an atom at r (bin widths). */
size_t rdf_grid_cell(const struct rdf_grid *g, const struct hist_frame *f, const double r[3]);

/* Finds the ranges of sorted atoms within reach of cell c, as from, to pairs in range[2 *
 * RDF_MAX_ROWS]; start[ncells + 1] is the start of each cell. With `forward`, only cells after c,
 * so that each pair of cells occurs once. Returns the number of ranges. */
#define RDF_MAX_ROWS 128
int rdf_grid_rows(const struct rdf_grid *g, const struct hist_frame *f, const size_t *start,
                  size_t c, int forward, size_t *range);

#endif
