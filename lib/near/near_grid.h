/* SPDX-License-Identifier: MIT */
/* near_grid.h: sorts points into the cells of a grid, so that the partners of a cell lie in a few
 * short ranges of sorted points. near.h finds neighbours with it. Engines with their own pair
 * kernels use the grid directly, with positions in their own units.
 *
 * The grid divides the fractional coordinates of a cell of any shape, or coordinates proportional
 * to them. Two points closer than the
 * cutoff are at most `reach` cells apart along each axis. The ranges may include pairs beyond the
 * cutoff but never miss a pair below it. The method follows Allen and Tildesley, Computer
 * Simulation of Liquids, section 5.3.2, with sorted arrays instead of linked lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorted points from..to-1 */
struct near_range {
    size_t from, to;
};

/* Start with zeros. The caller sets n, reach, pbc, low and high, or calls near_grid_fit or
 * near_grid_choose after setting pbc, low and high. */
struct near_grid {
    int n[3], reach[3];     /* cells along each axis; number of cells to the farthest partner */
    int pbc[3];             /* 1: periodic along the axis */
    double low[3], high[3]; /* ends of the grid; along periodic axes those of the cell */
    /* Order of the ranges. false: by offset, from -reach on. true: along an axis with at most
     * 2 reach + 1 cells from the own cell on, and in a row first what is not wrapped. */
    bool own_first;
    /* If cutoff > 0, rows of cells beyond it are omitted; only for orthogonal axes. */
    double cutoff, edge[3]; /* edges of a grid cell, in the unit of the cutoff */

    size_t npoints;
    size_t *start;   /* [cells + 1] first sorted point of each cell */
    uint32_t *order; /* [npoints] sorted points: by cell, then by index */
    uint32_t *cell;  /* [npoints] cell of each point */
    double scale[3]; /* cells per unit of the coordinates */
    size_t cells_room, points_room;
};

#define NEAR_SLACK 1.00001 /* cells are wider by this factor; covers the rounding of positions */
#define NEAR_MAX_REACH 3   /* of the cells that near_grid_choose chooses */
#define NEAR_RANGES 98     /* most ranges with this reach: 7 x 7 rows, each in two parts */

/* Sets n, reach and edge for cells at least cutoff/across wide, with at most `max` cells per axis.
 * The cell has the perpendicular widths wide[3], in the unit of the cutoff; along a non-periodic
 * axis the width is that from low to high. */
void near_grid_fit(struct near_grid *g, const double wide[3], double cutoff, int across,
                   double max);
/* Sets reach and edge, and the cutoff if it is above 0, for another cutoff with the same cells. */
void near_grid_reach(struct near_grid *g, const double wide[3], double cutoff);
/* Sets n, reach and edge for the search with the lowest cost among up to NEAR_MAX_REACH cells per
 * cutoff. The number of cells is at most 2 npoints + 64. If `ortho` is set, sets the cutoff also.
 * Returns the cost: the approximate number of pairs of points to be examined, each pair once. */
double near_grid_choose(struct near_grid *g, const double wide[3], double cutoff, bool ortho,
                        size_t npoints);
/* Returns the number of cells. */
size_t near_grid_cells(const struct near_grid *g);
/* Returns the cell of a point with coordinates s, which along periodic axes must be from low to
 * high. A point outside the grid belongs to the outermost cell. The last axis runs fastest. Call
 * near_grid_reserve before. */
size_t near_grid_cell(const struct near_grid *g, const double s[3]);

/* Makes room for npoints points and all cells. The caller then sets cell[i] of each point i and
 * calls near_grid_sort. Returns 0, or -1 if out of memory. */
int near_grid_reserve(struct near_grid *g, size_t npoints) __attribute__((warn_unused_result));
/* Sets start and order. */
void near_grid_sort(struct near_grid *g);
/* Frees the arrays. */
void near_grid_free(struct near_grid *g);

/* Finds the ranges of sorted points in a cell and in its neighbours, each once. If `forward` is
 * set, only points after the cell are included, so that each pair of different cells occurs once.
 * Returns the number of ranges, none of which is empty; r must have room for near_grid_rows. */
size_t near_grid_ranges(const struct near_grid *g, size_t cell, bool forward, struct near_range *r);
/* Returns the largest number of ranges of a cell. */
size_t near_grid_rows(const struct near_grid *g);
