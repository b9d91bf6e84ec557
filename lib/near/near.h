/* SPDX-License-Identifier: MIT */
/* near.h: finds the neighbours of atoms or of points, either all neighbours within a cutoff or the
 * k nearest. The cell may have any shape and any periodic axes, or there may be no cell. The
 * positions may be unwrapped. All distances are distances of minimum images (box_image), in double
 * precision. The results do not depend on the number of threads.
 *
 * At each step, call near_sort(near, n, r, &box, cutoff, pool, &e). For each atom i, then call
 * near_within(near, i, NEAR_BY_INDEX, &list), from any thread. Functions that take a const struct
 * near may run in several threads at the same time, each with its own list. Searches are fastest in
 * the order of near_order, which keeps positions in the cache. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "base/err.h"
#include "base/pool.h"
#include "near/near_grid.h"

C_LINKAGE_BEGIN

struct near; /* keep for all steps, to reuse its memory */

/* For a neighbour j of an atom i, or of a point, d is the minimum image of r_j - r_i in Å, and r2
 * is |d|². */
struct near_pair {
    uint32_t j;
    double d[3], r2;
};

/* The caller owns the list, which must be zeroed before the first search. Each search replaces the
 * contents of the list, and enlarges the list if necessary. */
struct near_list {
    struct near_pair *pair;
    size_t n;                /* neighbours in pair[] */
    size_t capacity, ranges; /* allocated */
    struct near_range *range;
    void *scratch;
};

/* Neighbours are sorted by grid cell (which takes no extra time), by index, or by distance and, at
 * equal distances, by index. */
enum near_by { NEAR_BY_CELL, NEAR_BY_INDEX, NEAR_BY_DISTANCE };

/* NULL: no memory */
struct near *near_new(void);
void near_free(struct near *s); /* s may be NULL */

/* Sorts n atoms, whose positions r[n][3] are in Å, into the cells of a grid, and copies the
 * positions. All positions must be finite. Distances lose accuracy if a position is more than 1e6
 * cell lengths from the origin. The cutoff in Å must be above 0, and must not exceed half the
 * smallest width of the cell along its periodic axes (box_half_width). If no axis is periodic, the
 * cutoff may be HUGE_VAL. The threads of the pool, which may be NULL, share the work. Returns 0 on
 * success, or -1 with the status ERR_BAD in e if the cutoff is refused, or ERR_MEMORY if memory
 * runs out. After an error, no search may be made until near_sort succeeds. */
int near_sort(struct near *s, size_t n, const double *r, const struct box *b, double cutoff,
              struct pool *pool, struct err *e) MUST_USE;

/* Sorts atoms like near_sort, but into a given number of grid cells along each axis of the cell.
 * The cell must exist and must contain the atoms along its non-periodic axes. The order
 * NEAR_BY_CELL depends on the number of grid cells, so use near_sort_cells if results depend on the
 * order. In an orthorhombic cell, the cutoff may exceed half the smallest width, but only the
 * minimum image of each atom is then found. */
int near_sort_cells(struct near *s, size_t n, const double *r, const struct box *b, double cutoff,
                    const int cells[3], struct pool *pool, struct err *e) MUST_USE;

/* Finds the neighbours of atom i that are closer than the cutoff, without atom i itself. Returns 0,
 * or -1 if memory runs out. */
int near_within(const struct near *s, size_t i, enum near_by by, struct near_list *to) MUST_USE;

/* Finds the k nearest neighbours of atom i, even beyond the cutoff, in the order of their distances
 * and, at equal distances, of their indices. The search is fastest if the cutoff includes only a
 * few more than k neighbours. Returns 0 on success. Returns -1 with the status ERR_BAD in e if
 * fewer than k neighbours are closer than half the smallest width of the cell (box_half_width), or
 * ERR_MEMORY if memory runs out. */
int near_nearest(const struct near *s, size_t i, size_t k, struct near_list *to,
                 struct err *e) MUST_USE;

/* Returns a cutoff in Å for near_sort, within which an atom has a few more than k neighbours. The
 * estimate assumes that n atoms with the positions r[n][3] fill the cell b or, without a cell,
 * their bounding box. */
double near_reach(size_t n, const double *r, const struct box *b, size_t k);

/* Calls visit(ctx, i, list, e) once for each atom i, with the k nearest neighbours of atom i or, if
 * k is 0, the neighbours within the cutoff in the order NEAR_BY_CELL. The threads of the pool share
 * the atoms. Returns 0 on success. If a search fails, or if visit() returns -1 with an error
 * message in e, returns -1 with the error of the first atom that failed, in the order of
 * near_order. */
typedef int (*near_visit)(void *ctx, size_t i, const struct near_list *list, struct err *e);
int near_each(const struct near *s, size_t k, struct pool *pool, near_visit visit, void *ctx,
              struct err *e) MUST_USE;

void near_list_free(struct near_list *l);

/* Returns the atoms in the order of the grid cells, so that order[k] is the index of sorted atom k.
 * The array belongs to s and is valid until the next call of near_sort. */
const uint32_t *near_order(const struct near *s);

C_LINKAGE_END
