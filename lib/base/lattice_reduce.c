/* SPDX-License-Identifier: MIT */
#include "base/lattice_reduce.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Does one round of the reduction. Returns whether any vector became shorter. */
static int shorten(const int pbc[3], double h[3][3])
{
    int changed = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (i == j || !pbc[i] || !pbc[j])
                continue;
            double n = nearbyint(dot(h[i], h[j]) / dot(h[j], h[j])), v[3];
            for (int k = 0; k < 3; k++)
                v[k] = h[i][k] - n * h[j][k];
            if (!(dot(v, v) < dot(h[i], h[i]) * (1.0 - 1e-12)))
                continue;
            for (int k = 0; k < 3; k++)
                h[i][k] = v[k];
            changed = 1;
        }
    return changed;
}

/* Makes non-periodic vectors perpendicular to the other vectors. */
static void raise(const int pbc[3], double h[3][3])
{
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        if (pbc[k] || (!pbc[a] && !pbc[b]))
            continue;
        if (pbc[a] && pbc[b]) {
            box_cross(h[a], h[b], h[k]);
            continue;
        }
        int one = pbc[a] ? a : b, other = pbc[a] ? b : a; /* two non-periodic vectors, both
                                                             perpendicular to one */
        double part = dot(h[other], h[one]) / dot(h[one], h[one]);
        for (int i = 0; i < 3; i++)
            h[other][i] -= part * h[one][i];
        box_cross(h[a], h[b], h[k]);
        return;
    }
}

void lattice_reduce(const struct box *b, struct box *to)
{
    double h[3][3], cell[9];
    *to = *b;
    if (b->ortho || !(b->pbc[0] || b->pbc[1] || b->pbc[2]))
        return;
    for (int k = 0; k < 9; k++)
        h[k / 3][k % 3] = b->h[k / 3][k % 3];
    for (int rounds = 0; rounds < 1000 && shorten(b->pbc, h); rounds++)
        ;
    raise(b->pbc, h);
    for (int k = 0; k < 9; k++)
        cell[k] = h[k / 3][k % 3];
    if (box_init(to, cell, b->pbc) != 0) /* never fails because handedness is preserved */
        *to = *b;
}
