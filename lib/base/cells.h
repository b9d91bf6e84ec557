/* SPDX-License-Identifier: MIT */
/*
 * cells.h: linked cells on the host, in double precision: finds every pair of atoms closer than a
 * given distance once. Boxes are orthorhombic, periodic along all axes or none. Used for starting
 * configurations and checks; the MD engines have their own lists. Source: Allen and Tildesley,
 * Computer Simulation of Liquids, 5.3.2, with sorted arrays instead of chains.
 */
#ifndef MBF_CELLS_H
#define MBF_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cells {
    size_t natoms;
    double box[3];
    int periodic;
    int n[3];      /* number of cells along each axis */
    size_t *start; /* [n0 n1 n2 + 1]: index in atom[] of the first atom of each cell */
    size_t *atom;  /* [natoms]: atoms in ascending order within each cell */
};

/* Sorts r[natoms][3] (Å; any image if periodic) into cells at least `width` wide, with at most as
 * many cells as atoms. Every r must be finite. Without periodicity, atoms outside the box belong to
 * its outermost cells. The pool helps with the work; it may be NULL. Returns 0, or -1 if out of
 * memory. */
int cells_build(struct cells *c, size_t natoms, const double *r, const double box[3], int periodic,
                double width, struct pool *pool);
void cells_free(struct cells *c);

/* Calls pair(ctx, i, j, d, r2) for every pair with squared distance < rc2 and i < j, where d = r_i
 * - r_j (minimum image), in a fixed order, atom i by atom i. rc2 must not exceed the squared width
 * of cells_build, nor a quarter of the squared smallest edge if periodic. A non-zero return value
 * of pair stops the loop and is returned. `from` and `to` give the range of i. */
typedef int (*cells_pair)(void *ctx, size_t i, size_t j, const double d[3], double r2);
int cells_each(const struct cells *c, const double *r, double rc2, size_t from, size_t to,
               cells_pair pair, void *ctx);

#ifdef __cplusplus
}
#endif
#endif
