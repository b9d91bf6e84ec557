/* SPDX-License-Identifier: MIT */
/*
 * cells.h: linked cells on the host, in double: every pair of atoms nearer than a distance, once.
 * Orthorhombic boxes, periodic on all axes or on none. For starting configurations and checks; the
 * engines have their own. Source: Allen & Tildesley, Computer Simulation of Liquids, 5.3.2; the
 * lists are sorted arrays instead of chains.
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
    int n[3];      /* cells along each axis */
    size_t *start; /* [n0 n1 n2 + 1]: first entry of each cell in atom[] */
    size_t *atom;  /* [natoms]: in ascending order within a cell */
};

/*
 * Sort r[natoms][3] (Å; periodic: any image) into cells at least `width` wide, and no more of them
 * than atoms. Every r must be finite; without periodicity atoms outside the box count to its
 * outermost cells. pool: helps; NULL: none. 0, or -1: out of memory.
 */
int cells_build(struct cells *c, size_t natoms, const double *r, const double box[3], int periodic,
                double width, struct pool *pool);
void cells_free(struct cells *c);

/*
 * Call pair(ctx, i, j, d, r2) for every pair with squared distance < rc2, i < j, d = r_i - r_j
 * (minimum image), in a fixed order, atom i by atom i. rc2 must not exceed width² of cells_build
 * (nor a quarter of the smallest edge squared when periodic). pair returns 0 to go on; anything
 * else stops and is returned. from, to: range of i.
 */
typedef int (*cells_pair)(void *ctx, size_t i, size_t j, const double d[3], double r2);
int cells_each(const struct cells *c, const double *r, double rc2, size_t from, size_t to,
               cells_pair pair, void *ctx);

#ifdef __cplusplus
}
#endif
#endif
