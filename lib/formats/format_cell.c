/* SPDX-License-Identifier: MIT */
#include "formats/format_cell.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/box.h"

static bool is_zero(const double v[3])
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

/* Sets c to the unit vector along a x b. */
static void normal(const double a[3], const double b[3], double c[3])
{
    double s = 0.0;
    box_cross(a, b, c);
    for (int k = 0; k < 3; k++)
        s += c[k] * c[k];
    for (int k = 0; k < 3 && s > 0.0; k++)
        c[k] = c[k] / sqrt(s) + 0.0; /* no -0 */
}

/* Replaces zero vectors along non-periodic axes. */
static int complete(double h[3][3], const int pbc[3])
{
    int zero[3], n = 0, last = 0;
    for (int k = 0; k < 3; k++) {
        zero[k] = is_zero(h[k]) && !pbc[k];
        n += zero[k];
        last = zero[k] ? k : last;
    }
    if (n == 0 || n == 3)
        return 0;
    if (n == 2) { /* for the first normal, use the axis least parallel to the vector */
        int one = !zero[0] ? 0 : !zero[1] ? 1 : 2, min = 0;
        for (int k = 1; k < 3; k++)
            min = fabs(h[one][k]) < fabs(h[one][min]) ? k : min;
        double axis[3] = {min == 0, min == 1, min == 2};
        last = (one + 2) % 3;
        normal(h[one], axis, h[(one + 1) % 3]);
    }
    normal(h[(last + 1) % 3], h[(last + 2) % 3], h[last]);
    return FORMAT_CELL_COMPLETED;
}

/* Returns whether each vector lies along a different axis. Sets axis[k] to the axis of vector k. */
static bool along_axes(double h[3][3], int axis[3])
{
    int seen[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int n = 0;
        for (int a = 0; a < 3; a++)
            if (h[k][a] != 0.0) {
                axis[k] = a;
                n++;
            }
        if (n != 1 || seen[axis[k]]++)
            return false;
    }
    return true;
}

int format_cell(double cell[9], int pbc[3])
{
    double h[3][3];
    int axis[3], p[3] = {pbc[0], pbc[1], pbc[2]};
    memcpy(h, cell, sizeof h);
    int changed = complete(h, pbc);
    if (along_axes(h, axis)) {
        double edge[9] = {0};
        for (int k = 0; k < 3; k++) {
            edge[4 * axis[k]] = fabs(h[k][axis[k]]);
            pbc[axis[k]] = p[k];
        }
        for (int k = 0; k < 9; k++)
            changed |= edge[k] != h[k / 3][k % 3] ? FORMAT_CELL_REORDERED : 0;
        memcpy(cell, edge, sizeof edge);
        return changed;
    }
    struct box b;
    memcpy(b.h, h, sizeof h);
    if (box_volume(&b) < 0.0) {
        int k = h[2][2] < 0.0 ? 2 : h[1][1] < 0.0 ? 1 : h[0][0] < 0.0 ? 0 : 2;
        for (int a = 0; a < 3; a++)
            h[k][a] = 0.0 - h[k][a];
        changed |= FORMAT_CELL_NEGATED;
    }
    memcpy(cell, h, sizeof h);
    return changed;
}

const char *format_cell_changed(int changed)
{
    return changed & FORMAT_CELL_REORDERED
               ? "the cell vectors lie along the axes, but in another order or direction than x, y "
                 "and z: they were reordered and turned, which leaves the lattice unchanged"
           : changed & FORMAT_CELL_NEGATED   ? "the cell vectors are left-handed: one vector was "
                                               "negated, which leaves the lattice unchanged"
           : changed & FORMAT_CELL_COMPLETED ? "the cell has no vector along a non-periodic axis: "
                                               "a normal vector of length 1 A is used instead"
                                             : NULL;
}

int format_cell_edges(const double edge[3], const double angle[3], double cell[9])
{
    double full[3];
    for (int k = 0; k < 3; k++)
        full[k] = edge[k] == 0.0 ? 1.0 : edge[k];
    if (box_from_edges(full, angle, cell) != 0)
        return -1;
    for (int k = 0; k < 9; k++)
        cell[k] = edge[k / 3] == 0.0 ? 0.0 : cell[k];
    return 0;
}
