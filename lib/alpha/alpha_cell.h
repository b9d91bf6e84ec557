/* SPDX-License-Identifier: MIT */
/* alpha_cell.h: shared code of the CPU and GPU engines for pairs, cells and damping, and for the
 * error message of dipoles that do not converge. */
#pragma once

#include <math.h>

#include "alpha/alpha.h"
#include "base/hd.h"
#include "pair/pairs.h"

C_LINKAGE_BEGIN

#define ALPHA_ITERATIONS 1000

struct alpha_cell {
    double trace;             /* a third of the trace of T, equal for all pairs */
    double own[ALPHA_TENSOR]; /* sum of T over the images of a site */
    struct box box;           /* reduced cell (ewald_reduce), or no cell without images */
};

/* Stores in *to the parameters of T_xz, T_xy, T_yz, (T_xx - T_yy)/2 and T_zz, the components of the
 * traceless part of T. Returns 0, or -1 and sets *e. */
int alpha_pairs(const struct alpha_params *p, struct pairs *to, struct err *e) MUST_USE;
/* Prepares the cell b of a time step for lattice sums. Returns 0, or -1 and sets *e if the cell
 * cannot be reduced, is too long or too flat, or has other periodic axes than the parameters. */
int alpha_cell_make(const struct alpha_params *p, const struct box *b, struct alpha_cell *c,
                    struct err *e) MUST_USE;
static inline double alpha_edge(const struct box *b, int k)
{
    const double *h = b->h[k];
    return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
}
/* Returns the distance, in units of (a_i a_j)^(1/6), beyond which damping changes T by a fraction
 * below `error`, or 0 without damping. */
#define ALPHA_DAMPED 1e-13
double alpha_reach_to(const struct alpha_params *p, double error);
/* Calls alpha_reach_to with an error that is negligible for M or Pi. */
static inline double alpha_reach(const struct alpha_params *p)
{
    double error = p->dipole && p->order == ALPHA_ALL ? 0.01 * p->tolerance : 0.0;
    return alpha_reach_to(p, fmax(error, ALPHA_DAMPED));
}
/* Sets *e to an error that reports a polarization catastrophe in time step `frame` if `found` is
 * set, and otherwise dipoles that did not converge. Returns -1. */
int alpha_catastrophe(size_t n, const double *pos, const struct box *box, uint64_t frame,
                      bool found, struct err *e);

/* Returns the size of a site for damping, the cube root of a third of the trace of alpha = s². */
HD double alpha_size(const double *s)
{
    return cbrt((s[0] * s[0] + s[3] * s[3] + s[5] * s[5] +
                 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4])) /
                3.0);
}

/* Computes the damping factors 1 - l3 and 1 - l5 (alpha.h) at u. */
HD void alpha_undamped(int thole, double a, double u, double *l3, double *l5)
{
    double x = thole == ALPHA_CUBIC ? a * u * u * u : a * u, e = exp(-x);
    *l3 = thole == ALPHA_CUBIC ? e : (1.0 + x + 0.5 * x * x) * e;
    *l5 = *l3 + (thole == ALPHA_CUBIC ? x : x * x * x / 6.0) * e;
}

/* Corrects the tensor t for the damping of one image at the difference vector d. If d is longer
 * than reach * size, t is unchanged and the result is false. */
HD bool alpha_damp(int thole, double a, const double d[3], double reach, double size, double *t)
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2), l3, l5;
    if (r > reach * size)
        return false;
    alpha_undamped(thole, a, r / size, &l3, &l5);
    double g3 = l3 / (r2 * r), g5 = 3.0 * l5 / (r2 * r2 * r);
    for (int p = 0, k = 0; p < 3; p++)
        for (int q = p; q < 3; q++, k++)
            t[k] -= g5 * d[p] * d[q] - (p == q ? g3 : 0.0);
    return true;
}

/* Sets the first and last multiples of each cell vector at which an image of the vector `at` can be
 * shorter than `far`. Returns false if no image can be shorter than `far`. */
HD bool alpha_images(const struct box *b, const double at[3], double far, int first[3], int last[3])
{
    bool any = true;
    for (int k = 0; k < 3; k++) {
        double f = b->pbc[k] ? box_fraction(b, at, k) : 0.0, wide = 1e-9; /* rounding */
        if (b->pbc[k])
            wide += far * sqrt((b->inv[0][k] * b->inv[0][k] + b->inv[1][k] * b->inv[1][k]) +
                               b->inv[2][k] * b->inv[2][k]);
        first[k] = (int)ceil(-f - wide);
        last[k] = (int)floor(wide - f);
        any &= first[k] <= last[k];
    }
    return any;
}

/* Corrects the tensor t for the damping of all images of the minimum image `at`. Set `same` if the
 * images are those of the site itself. */
HD bool alpha_damp_images(int thole, double a, const struct box *b, const double at[3], bool same,
                          double reach, double size, double *t)
{
    bool any = false;
    int first[3], last[3];
    if (!alpha_images(b, at, reach * size, first, last))
        return false;
    for (int x = first[0]; x <= last[0]; x++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int z = first[2]; z <= last[2]; z++) {
                double d[3];
                for (int c = 0; c < 3; c++)
                    d[c] = at[c] + x * b->h[0][c] + y * b->h[1][c] + z * b->h[2][c];
                if (!same || x || y || z)
                    any |= alpha_damp(thole, a, d, reach, size, t);
            }
    return any;
}

C_LINKAGE_END
