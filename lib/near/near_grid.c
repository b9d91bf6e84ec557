/* SPDX-License-Identifier: MIT */
#include "near/near_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAD 8         /* loops may read beyond the last point */
#define ROW_COST 20.0 /* of a range, in pairs */

/* ---- shape */

#define ROUND 1e-12 /* a cutoff of a whole number of cells does not need one more */

void near_grid_reach(struct near_grid *g, const double wide[3], double cutoff)
{
    for (int a = 0; a < 3; a++) {
        g->edge[a] = wide[a] / g->n[a];
        g->reach[a] = (int)fmin(ceil(cutoff / g->edge[a] * (1.0 - ROUND)), g->n[a]);
    }
    g->cutoff = g->cutoff > 0.0 ? cutoff : 0.0;
}

void near_grid_fit(struct near_grid *g, const double wide[3], double cutoff, int across, double max)
{
    for (int a = 0; a < 3; a++)
        g->n[a] = (int)fmax(1.0, fmin(floor(across * wide[a] / cutoff), max));
    near_grid_reach(g, wide, cutoff);
}

/* Cost of a search: pairs of points, and rows of cells. */
static double grid_cost(const struct near_grid *g, double npoints)
{
    double near = npoints, rows = 1.0, cells = (double)near_grid_cells(g);
    for (int a = 0; a < 3; a++) {
        double side = fmin(2.0 * g->reach[a] + 1.0, g->n[a]);
        near *= side / g->n[a];
        rows *= a < 2 ? side : 1.0;
    }
    return 0.5 * cells * ((npoints / cells + 1.0) * near + ROW_COST * rows);
}

double near_grid_choose(struct near_grid *g, const double wide[3], double cutoff, bool ortho,
                        size_t npoints)
{
    g->cutoff = ortho;
    double min = HUGE_VAL, n = (double)npoints;
    struct near_grid t = *g;
    for (int across = 1; across <= NEAR_MAX_REACH; across++) {
        near_grid_fit(&t, wide, cutoff * NEAR_SLACK, across, 2000.0);
        double shrink = cbrt((2.0 * n + 64.0) / (double)near_grid_cells(&t));
        for (int a = 0; a < 3 && shrink < 1.0; a++)
            t.n[a] = (int)fmax(1.0, floor(t.n[a] * shrink));
        near_grid_reach(&t, wide, cutoff * NEAR_SLACK);
        double cost = grid_cost(&t, n);
        if (cost < min) {
            min = cost;
            *g = t;
        }
    }
    return min;
}

size_t near_grid_cells(const struct near_grid *g)
{
    return (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
}

size_t near_grid_cell(const struct near_grid *g, const double s[3])
{
    size_t cell = 0;
    for (int a = 0; a < 3; a++) {
        double at = (s[a] - g->low[a]) * g->scale[a];
        int i = at > 0.0 ? at < g->n[a] ? (int)at : g->n[a] - 1 : 0;
        cell = cell * (size_t)g->n[a] + (size_t)i;
    }
    return cell;
}

/* ---- sorting */

int near_grid_reserve(struct near_grid *g, size_t npoints)
{
    size_t cells = near_grid_cells(g) + 2;
    if (cells > g->cells_room) {
        free(g->start);
        g->start = malloc(cells * sizeof *g->start);
        g->cells_room = g->start ? cells : 0;
    }
    if (npoints > g->points_room) {
        free(g->order);
        free(g->cell);
        g->order = calloc(npoints + PAD, sizeof *g->order);
        g->cell = malloc(npoints * sizeof *g->cell);
        g->points_room = g->order && g->cell ? npoints : 0;
    }
    g->npoints = npoints;
    for (int a = 0; a < 3; a++)
        g->scale[a] = g->n[a] / (g->high[a] - g->low[a]);
    return g->start && g->points_room >= npoints ? 0 : -1;
}

void near_grid_sort(struct near_grid *g)
{
    size_t cells = near_grid_cells(g);
    memset(g->start, 0, (cells + 2) * sizeof *g->start);
    for (size_t i = 0; i < g->npoints; i++)
        g->start[g->cell[i] + 2]++;
    for (size_t c = 0; c < cells; c++)
        g->start[c + 2] += g->start[c + 1];
    for (size_t i = 0; i < g->npoints; i++)
        g->order[g->start[g->cell[i] + 1]++] = (uint32_t)i;
}

void near_grid_free(struct near_grid *g)
{
    free(g->start);
    free(g->order);
    free(g->cell);
    memset(g, 0, sizeof *g);
}

/* ---- ranges */

/* Offsets from..to of the neighbours along an axis: each cell once, none outside. */
static void offsets(const struct near_grid *g, int axis, int at, int reach, int *from, int *to)
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

/* Shortest distance between two cells an offset apart along an axis. */
static double gap(const struct near_grid *g, int axis, int offset)
{
    int n = g->n[axis], d = abs(offset);
    if (g->pbc[axis] && 2 * d > n)
        d = n - d;
    return d > 1 ? (d - 1) * g->edge[axis] : 0.0;
}

/* Number of cells along the last axis that can hold a partner in a row that is dx, dy away; -1:
 * none. */
static int row_reach(const struct near_grid *g, double dx, double dy)
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

static int wrap(int i, int n)
{
    return i < 0 ? i + n : i < n ? i : i - n;
}

/* Appends points from..to-1, without those before `first`. */
static size_t append(size_t from, size_t to, size_t first, struct near_range *r, size_t n)
{
    r[n] = (struct near_range){from > first ? from : first, to};
    return n + (r[n].from < to);
}

/* Appends the cells z + from .. z + to of the row that begins at `start`, wrapped. */
static size_t add_row(const struct near_grid *g, const size_t *start, int from, int to,
                      size_t first, struct near_range *r, size_t n)
{
    int cells = g->n[2], last = to < cells ? to : cells - 1;
    if (g->own_first && to - from + 1 == cells)
        return append(start[0], start[cells], first, r, n);
    if (from < 0 && !g->own_first)
        n = append(start[from + cells], start[cells], first, r, n);
    if (last >= 0)
        n = append(start[from > 0 ? from : 0], start[last + 1], first, r, n);
    if (from < 0 && g->own_first)
        n = append(start[from + cells], start[cells], first, r, n);
    if (to >= cells)
        n = append(start[0], start[to - cells + 1], first, r, n);
    return n;
}

size_t near_grid_ranges(const struct near_grid *g, size_t cell, bool forward, struct near_range *r)
{
    const size_t nz = (size_t)g->n[2], ny = (size_t)g->n[1], own = cell / nz;
    int at[3] = {(int)(own / ny), (int)(own % ny), (int)(cell % nz)}, from[3], to[3];
    size_t n = 0, first = forward ? g->start[cell + 1] : 0;
    offsets(g, 0, at[0], g->reach[0], &from[0], &to[0]);
    offsets(g, 1, at[1], g->reach[1], &from[1], &to[1]);
    for (int i = from[0]; i <= to[0]; i++) {
        double dx = gap(g, 0, i);
        size_t x = (size_t)wrap(at[0] + i, g->n[0]) * ny;
        for (int j = from[1]; j <= to[1]; j++) {
            size_t row = x + (size_t)wrap(at[1] + j, g->n[1]);
            int reach = forward && row < own ? -1 : row_reach(g, dx, gap(g, 1, j));
            if (reach < 0)
                continue;
            offsets(g, 2, at[2], reach, &from[2], &to[2]);
            n = add_row(g, g->start + row * nz, at[2] + from[2], at[2] + to[2], first, r, n);
        }
    }
    return n;
}

size_t near_grid_rows(const struct near_grid *g)
{
    size_t rows = 2;
    for (int a = 0; a < 2; a++)
        rows *= 2 * g->reach[a] + 1 < g->n[a] ? 2 * (size_t)g->reach[a] + 1 : (size_t)g->n[a];
    return rows;
}
