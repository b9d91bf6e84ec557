/* SPDX-License-Identifier: MIT */
/* cells.h: linked cells, which find every pair of atoms closer than a given distance once. The code
 * runs on the host in double precision. The box is orthorhombic and periodic along all axes or
 * along no axis. Linked cells serve starting configurations and checks; the MD engines have their
 * own neighbour lists. The method follows Allen and Tildesley, Computer Simulation of Liquids,
 * section 5.3.2, with sorted arrays instead of linked lists. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

struct cells {
    size_t natoms;
    double box[3];
    int periodic;
    int n[3];      /* cells along each axis */
    size_t *start; /* Index in atom[] of the first atom of each cell, n0 n1 n2 + 1 entries. */
    size_t *atom;  /* The natoms atoms, sorted by cell and then by index. */
};

/* Sorts the positions r[natoms][3] (Å) into cells at least `width` wide. Positions must be finite;
 * in a periodic box they may be unwrapped. The number of cells does not exceed the number of atoms.
 * Without periodicity, atoms outside the box belong to its outermost cells. The pool, which may be
 * NULL, shares the work. Returns 0, or -1 if out of memory. */
int cells_build(struct cells *c, size_t natoms, const double *r, const double box[3], int periodic,
                double width, struct pool *pool);
void cells_free(struct cells *c);

/* Calls pair(ctx, i, j, d, r2) for every pair with i < j and squared distance r2 < rc2. The vector
 * d is the minimum image of r_i - r_j. Pairs come in a fixed order, one atom i after the other. The
 * squared cut-off rc2 must not exceed the squared width of cells_build. In a periodic box, rc2 must
 * not exceed a quarter of the squared shortest edge either. If pair returns a non-zero value, the
 * loop stops and returns that value. `from` and `to` give the range of i. */
typedef int (*cells_pair)(void *ctx, size_t i, size_t j, const double d[3], double r2);
int cells_each(const struct cells *c, const double *r, double rc2, size_t from, size_t to,
               cells_pair pair, void *ctx);
