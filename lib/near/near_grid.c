/* SPDX-License-Identifier: MIT */
#include "near/near_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAD 8         /* loops may read beyond the last point */
#define ROW_COST 20.0 /* cost of a range in pairs */

/* ---- shape */

void near_grid_fit(struct near_grid *g, const double wide[3], double cutoff, int across, double max)
{
    for (int a = 0; a < 3; a++)
        g->n[a] = (int)fmax(1.0, fmin(floor(across * wide[a] / cutoff), max));
    near_grid_reach(g, wide, cutoff);
}

/* Returns the cost of a search, from the pairs of points and the rows of cells. */
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

/* ---- sorting */

void near_grid_scale(struct near_grid *g)
{
    for (int a = 0; a < 3; a++)
        g->scale[a] = g->n[a] / (g->high[a] - g->low[a]);
}

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
    near_grid_scale(g);
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

size_t near_grid_ranges(const struct near_grid *g, size_t cell, bool forward, struct near_range *r)
{
    int at[3], from[2], to[2];
    size_t n = 0, own = forward ? cell / (size_t)g->n[2] : 0,
           first = forward ? g->start[cell + 1] : 0;
    near_grid_around(g, cell, at, from, to);
    for (int i = from[0]; i <= to[0]; i++) {
        double dx = near_grid_gap(g, 0, i);
        size_t x = (size_t)near_grid_wrap(at[0] + i, g->n[0]) * (size_t)g->n[1];
        for (int j = from[1]; j <= to[1]; j++) {
            size_t row = x + (size_t)near_grid_wrap(at[1] + j, g->n[1]);
            if (row >= own)
                n += near_grid_row(g, at, row, dx, near_grid_gap(g, 1, j), first, r + n);
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
