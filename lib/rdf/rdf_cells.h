/* SPDX-License-Identifier: MIT */
/* rdf_cells.h: sorts the atoms of one set into grid cells, so that partners within rmax lie in a
 * few short ranges of atoms.
 *
 * The grid may include pairs beyond rmax but never misses a pair below rmax. For this purpose, grid
 * cells are wider than needed by 1e-5, far more than rounding errors. Used only by rdf_cpu.c. */
#pragma once

#include "rdf/hist.h"

/* A grid with n[a] cells along cell vector a. Neighbours are up to `reach` cells away. */
struct rdf_grid {
    int n[3], reach;
    size_t ncells;
};

/* Chooses the grid for natoms atoms. Returns 1, or 0 if the cell is too small, rmax is too large,
 * or a non-periodic axis does not permit a grid. Sets *cost to the number of pairs of atoms that
 * must be examined. */
int rdf_grid_choose(struct rdf_grid *g, const struct hist_frame *f, size_t natoms, double *cost);

/* Returns the grid cell of an atom at position r, in bin widths. */
size_t rdf_grid_cell(const struct rdf_grid *g, const struct hist_frame *f, const double r[3]);

/* Finds the ranges of sorted atoms within reach of cell c and returns their number. Each range is
 * stored as first atom and end in range[2 * RDF_MAX_ROWS]. The array start[ncells + 1] holds the
 * first atom of each cell. If `forward` is set, only cells after c are included, so that each pair
 * of cells occurs once. */
#define RDF_MAX_ROWS 128
int rdf_grid_rows(const struct rdf_grid *g, const struct hist_frame *f, const size_t *start,
                  size_t c, int forward, size_t *range);
