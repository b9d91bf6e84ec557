/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_cells.h"

#include <stdlib.h>

#define SLACK 1.00001 /* covers the rounding of positions and cell indices */

/* Widths of the frame along its three vectors in bin widths; returns 0 for an unsupported shape. */
static int widths(const struct hist_frame *f, double w[3])
{
    for (int a = 0; a < 3; a++) {
        if (!f->ortho && !f->box.pbc[a])
            return 0;
        w[a] = f->ortho ? f->len[a] : box_width(&f->box, a) * f->scale;
        if (!(w[a] > 0.0))
            return 0;
    }
    return 1;
}

/* Makes cells with `reach` cells per rmax. Returns 1, or 0 if a periodic axis has too few. */
static int grid_for(struct rdf_grid *g, const struct hist_frame *f, const double w[3], int reach,
                    size_t natoms)
{
    double n[3], all = 1.0, limit = 2.0 * (double)natoms + 64.0;
    for (int a = 0; a < 3; a++) {
        n[a] = floor(w[a] * reach / (f->bins * SLACK));
        n[a] = n[a] < 1.0 ? 1.0 : n[a];
        all *= n[a];
    }
    double shrink = all > limit ? cbrt(limit / all) : 1.0;
    g->reach = reach;
    g->ncells = 1;
    for (int a = 0; a < 3; a++) {
        n[a] = floor(n[a] * shrink);
        n[a] = n[a] < 1.0 ? 1.0 : n[a] > 2000.0 ? 2000.0 : n[a];
        if (f->box.pbc[a] && n[a] < 2 * reach + 1)
            return 0;
        g->n[a] = (int)n[a];
        g->ncells *= (size_t)g->n[a];
    }
    return 1;
}

int rdf_grid_choose(struct rdf_grid *g, const struct hist_frame *f, size_t natoms, double *cost)
{
    double w[3], n = (double)natoms;
    int found = 0;
    if (!widths(f, w))
        return 0;
    for (int reach = 1; reach <= 3; reach++) {
        struct rdf_grid t;
        if (!grid_for(&t, f, w, reach, natoms))
            continue;
        double near = n, k = n / (double)t.ncells, rows = 1.0;
        for (int a = 0; a < 3; a++) {
            double part = (2.0 * reach + 1.0) / t.n[a];
            near *= part < 1.0 ? part : 1.0;
            rows *= a ? (2.0 * reach + 1.0) : 1.0;
        }
        double c = 0.5 * (double)t.ncells * ((k + 1.0) * near + 20.0 * rows);
        if (!found || c < *cost) {
            *g = t;
            *cost = c;
            found = 1;
        }
    }
    return found;
}

size_t rdf_grid_cell(const struct rdf_grid *g, const struct hist_frame *f, const double r[3])
{
    size_t c = 0;
    for (int a = 2; a >= 0; a--) {
        double s = f->ortho ? r[a] / f->len[a]
                            : r[0] * f->hinv[0][a] + r[1] * f->hinv[1][a] + r[2] * f->hinv[2][a];
        double k = s * g->n[a];
        size_t i = k >= 0.0 ? k < g->n[a] ? (size_t)k : (size_t)g->n[a] - 1 : 0;
        c = c * (size_t)g->n[a] + i;
    }
    return c;
}

/* Index i + d along axis a, wrapped; -1: outside a non-periodic axis. */
static long step(const struct rdf_grid *g, const struct hist_frame *f, int a, long i, long d)
{
    long n = g->n[a], k = i + d;
    if (k >= 0 && k < n)
        return k;
    return f->box.pbc[a] ? (k + n) % n : -1;
}

/* Number of cells along x that can hold a partner in a row dy, dz away; -1: none. */
static long row_reach(const struct rdf_grid *g, const struct hist_frame *f, long dy, long dz)
{
    if (!f->ortho)
        return g->reach;
    double far = (double)f->bins * SLACK,
           y = (double)(labs(dy) > 1 ? labs(dy) - 1 : 0) * f->len[1] / g->n[1];
    double z = (double)(labs(dz) > 1 ? labs(dz) - 1 : 0) * f->len[2] / g->n[2],
           left = far * far - y * y - z * z;
    if (left < 0.0)
        return -1;
    long reach = (long)(sqrt(left) / (f->len[0] / g->n[0])) + 1;
    return reach < g->reach ? reach : g->reach;
}

/* Appends cells [x0, x1] of a row, wrapped along x. */
static int add_cells(const struct rdf_grid *g, const struct hist_frame *f, const size_t *start,
                     size_t row, long x0, long x1, size_t *range, int n)
{
    long nx = g->n[0], parts[2][2] = {{x0, x1}, {0, -1}};
    if (x0 < 0) {
        parts[0][0] = 0;
        if (f->box.pbc[0]) {
            parts[1][0] = x0 + nx;
            parts[1][1] = nx - 1;
        }
    } else if (x1 >= nx) {
        parts[0][1] = nx - 1;
        if (f->box.pbc[0])
            parts[1][1] = x1 - nx;
    }
    for (int k = 0; k < 2; k++) {
        if (parts[k][1] >= nx)
            parts[k][1] = nx - 1;
        if (parts[k][0] > parts[k][1])
            continue;
        size_t from = start[row + (size_t)parts[k][0]], to = start[row + (size_t)parts[k][1] + 1];
        if (from < to) {
            range[2 * n] = from;
            range[2 * n + 1] = to;
            n++;
        }
    }
    return n;
}

int rdf_grid_rows(const struct rdf_grid *g, const struct hist_frame *f, const size_t *start,
                  size_t c, int forward, size_t *range)
{
    long nx = g->n[0], ny = g->n[1], x = (long)(c % (size_t)nx),
         y = (long)(c / (size_t)nx % (size_t)ny);
    long z = (long)(c / (size_t)(nx * ny)), r = g->reach;
    int n = 0;
    for (long dz = forward ? 0 : -r; dz <= r; dz++)
        for (long dy = forward && dz == 0 ? 0 : -r; dy <= r; dy++) {
            long yy = step(g, f, 1, y, dy), zz = step(g, f, 2, z, dz), m = row_reach(g, f, dy, dz);
            if (yy < 0 || zz < 0 || m < 0)
                continue;
            long first = forward && dz == 0 && dy == 0 ? 1 : -m;
            if (first <= m)
                n = add_cells(g, f, start, (size_t)((zz * ny + yy) * nx), x + first, x + m, range,
                              n);
        }
    return n;
}
