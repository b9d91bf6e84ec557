/* SPDX-License-Identifier: MIT */
/* near_grid.h: sorts points into the cells of a grid, so that the points near a cell are in a few
 * short ranges of the sorted points. The grid is used by near.h and by pair kernels of engines,
 * with positions in the units of the engine.
 *
 * The grid divides the fractional coordinates of a cell of any shape, or multiples of these
 * coordinates. Two points closer than the cutoff are at most `reach` cells apart along each axis.
 * The ranges may include pairs beyond the cutoff, but never omit a pair within the cutoff. For the
 * method, with linked lists instead of sorted arrays, see Allen and Tildesley, Computer Simulation
 * of Liquids, section 5.3.2. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

/* sorted points [from, to) */
struct near_range {
    size_t from, to;
};

/* All members must first be zero. The caller sets `pbc`, `low` and `high`, and then calls
 * near_grid_fit or near_grid_choose, or sets n and `reach`. */
struct near_grid {
    /* Along each axis, there are n cells, and partners are at most `reach` cells apart. */
    int n[3], reach[3];
    int pbc[3]; /* periodic axes */
    /* Along a periodic axis, the limits of the grid are the limits of the cell. */
    double low[3], high[3];
    /* Offsets along each axis begin at -reach if `own_first` is false. If `own_first` is true,
     * offsets along an axis with at most 2 reach + 1 cells begin at 0, and the part of a row that
     * is not wrapped precedes the wrapped part. */
    bool own_first;
    /* If `cutoff` is above 0, rows of cells that are beyond the cutoff are omitted, which requires
     * orthogonal axes. */
    double cutoff, edge[3]; /* edges of a grid cell, like the cutoff */

    size_t npoints;
    size_t *start;   /* [cells + 1] */
    uint32_t *order; /* [npoints] by cell, index */
    uint32_t *cell;  /* [npoints] */
    double scale[3]; /* cells per unit */
    size_t cells_room, points_room;
};

#define NEAR_SLACK 1.00001 /* widens cells, because positions are rounded */
#define NEAR_MAX_REACH 3   /* in near_grid_choose */
/* for NEAR_MAX_REACH: 7 x 7 rows of two ranges */
#define NEAR_RANGES 98

/* Sets n, `reach` and `edge` so that grid cells are at least cutoff/across wide, with at most `max`
 * cells per axis. The widths of the simulation cell are wide[3], in the unit of the cutoff. Along a
 * non-periodic axis, the width is the distance from `low` to `high`. */
void near_grid_fit(struct near_grid *g, const double wide[3], double cutoff, int across,
                   double max);
/* Sets n, `reach` and `edge` to the choice with the lowest cost, with up to NEAR_MAX_REACH cells
 * per cutoff and at most 2 npoints + 64 cells. If the flag `ortho` is set, also sets `cutoff`.
 * Returns the cost, which is approximately the number of pairs of points to examine, each pair
 * counted once. */
double near_grid_choose(struct near_grid *g, const double wide[3], double cutoff, bool ortho,
                        size_t npoints);
/* Sets `scale` for near_grid_cell, as near_grid_reserve also does. */
void near_grid_scale(struct near_grid *g);

/* Allocates memory for npoints points and all cells. The caller then sets cell[i] for each point i
 * and calls near_grid_sort. Returns 0, or -1 if memory runs out. */
int near_grid_reserve(struct near_grid *g, size_t npoints) MUST_USE;
void near_grid_sort(struct near_grid *g);
void near_grid_free(struct near_grid *g);

/* Finds the ranges of sorted points in a cell and in its neighbour cells, each range once. If the
 * flag `forward` is set, only points after the points of the cell are included, so that each pair
 * of different cells occurs once. Returns the number of ranges, none of which is empty. The array r
 * must have room for near_grid_rows ranges. */
size_t near_grid_ranges(const struct near_grid *g, size_t cell, bool forward, struct near_range *r);
/* Returns the largest number of ranges for any cell. */
size_t near_grid_rows(const struct near_grid *g);

/* Sets `reach` and `edge` for another cutoff with the same grid cells, and replaces a nonzero
 * `cutoff`. If the cutoff is a whole number of cells, rounding does not add a cell. */
HD void near_grid_reach(struct near_grid *g, const double wide[3], double cutoff)
{
    for (int a = 0; a < 3; a++) {
        g->edge[a] = wide[a] / g->n[a];
        g->reach[a] = (int)fmin(ceil(cutoff / g->edge[a] * (1.0 - 1e-12)), (double)g->n[a]);
    }
    g->cutoff = g->cutoff > 0.0 ? cutoff : 0.0;
}

HD size_t near_grid_cells(const struct near_grid *g)
{
    return (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
}

/* Returns the index of the cell of a point with the coordinates s, after near_grid_scale. Along
 * periodic axes, the coordinates must be from `low` to `high`. A point outside the grid is assigned
 * to the outermost cell. The index of a cell varies fastest along the last axis. */
HD size_t near_grid_cell(const struct near_grid *g, const double s[3])
{
    size_t cell = 0;
    for (int a = 0; a < 3; a++) {
        double at = (s[a] - g->low[a]) * g->scale[a];
        int i = at > 0.0 ? at < g->n[a] ? (int)at : g->n[a] - 1 : 0;
        cell = cell * (size_t)g->n[a] + (size_t)i;
    }
    return cell;
}

/* Finds the first and last offset of neighbour cells along an axis, so that no cell occurs twice or
 * is outside the grid. */
HD void near_grid_offsets(const struct near_grid *g, int axis, int at, int reach, int *from,
                          int *to)
{
    int n = g->n[axis];
    *from = -reach;
    *to = reach;
    if (g->pbc[axis] && 2 * reach + 1 >= n) {
        *from = g->own_first ? 0 : -(reach % n);
        *to = *from + n - 1;
    } else if (!g->pbc[axis]) {
        *from = at < reach ? -at : -reach;
        *to = at + reach < n ? reach : n - 1 - at;
    }
}

/* Returns the shortest distance between two cells that are `offset` cells apart along an axis. */
HD double near_grid_gap(const struct near_grid *g, int axis, int offset)
{
    int n = g->n[axis], d = offset < 0 ? -offset : offset;
    if (g->pbc[axis] && 2 * d > n)
        d = n - d;
    return d > 1 ? (d - 1) * g->edge[axis] : 0.0;
}

/* Returns the largest offset along the last axis at which a row of cells at the distances dx and dy
 * can contain a partner, or -1 if the row cannot contain a partner. */
HD int near_grid_row_reach(const struct near_grid *g, double dx, double dy)
{
    int reach = g->reach[2];
    double left = g->cutoff * g->cutoff - dx * dx - dy * dy, z = g->edge[2];
    if (!(g->cutoff > 0.0))
        return reach;
    if (left < 0.0)
        return -1;
    while (reach > 1 && (reach - 1) * z * ((reach - 1) * z) > left)
        reach--;
    return reach;
}

HD int near_grid_wrap(int i, int n)
{
    return i < 0 ? i + n : i < n ? i : i - n;
}

/* Appends the points [from, to), without points before `first`, to the n ranges in r, unless there
 * are no points, and returns the number of ranges. */
HD size_t near_grid_append(size_t from, size_t to, size_t first, struct near_range *r, size_t n)
{
    r[n].from = from > first ? from : first;
    r[n].to = to;
    return n + (r[n].from < to);
}

/* Stores the position of a cell in the grid in `at`, and the first and last offsets of the rows
 * around the cell in `from` and `to`. */
HD void near_grid_around(const struct near_grid *g, size_t cell, int at[3], int from[2], int to[2])
{
    at[2] = (int)(cell % (size_t)g->n[2]);
    at[1] = (int)(cell / (size_t)g->n[2] % (size_t)g->n[1]);
    at[0] = (int)(cell / (size_t)g->n[2] / (size_t)g->n[1]);
    for (int a = 0; a < 2; a++)
        near_grid_offsets(g, a, at[a], g->reach[a], &from[a], &to[a]);
}

/* Finds the ranges of near_grid_ranges in a single row of cells, and returns the number of ranges,
 * which is at most two. The row is at the distances dx and dy from the cell `at` along the first
 * two axes (near_grid_gap). Points before the point `first` are omitted. */
HD size_t near_grid_row(const struct near_grid *g, const int at[3], size_t row, double dx,
                        double dy, size_t first, struct near_range r[2])
{
    int from, to, cells = g->n[2], reach = near_grid_row_reach(g, dx, dy);
    const size_t *start = g->start + row * (size_t)cells;
    size_t n = 0;
    if (reach < 0)
        return 0;
    near_grid_offsets(g, 2, at[2], reach, &from, &to);
    from += at[2];
    to += at[2];
    if (g->own_first && to - from + 1 == cells)
        return near_grid_append(start[0], start[cells], first, r, n);
    if (from < 0 && !g->own_first)
        n = near_grid_append(start[from + cells], start[cells], first, r, n);
    if (to >= 0)
        n = near_grid_append(start[from > 0 ? from : 0], start[to < cells ? to + 1 : cells], first,
                             r, n);
    if (from < 0 && g->own_first)
        n = near_grid_append(start[from + cells], start[cells], first, r, n);
    if (to >= cells)
        n = near_grid_append(start[0], start[to - cells + 1], first, r, n);
    return n;
}

C_LINKAGE_END
