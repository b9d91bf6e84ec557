/* SPDX-License-Identifier: MIT */
/* ewald_remainder.h: computes the sum over the images that ewald.h does not add one by one, on a
 * grid of points in the cell, to which ewald_fit.c fits a polynomial. */
#pragma once

#include "pair/ewald.h"

/* Rows of h are the vectors of a lattice, and rows of g are 2 pi times the reciprocal vectors. */
struct ewald_lattice {
    double h[3][3], g[3][3], volume;
};
void ewald_lattice(const double h[3][3], struct ewald_lattice *l);

static inline double ewald_dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

struct ewald_remainder {
    struct ewald_lattice l; /* scaled to the volume 1 */
    int layers[3];
    double alpha;
    int n;                      /* points per axis */
    double f[EWALD_DEGREE + 1]; /* fractional coordinates */
    double *q;                  /* [5][n][n][n] */
};
/* Computes q, which the caller frees, from the other members. Returns 0, or -1 if memory runs
 * out. */
int ewald_remainder_fill(struct ewald_remainder *t);
