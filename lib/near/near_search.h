/* SPDX-License-Identifier: MIT */
/* near_search.h: the inner loops of near.c, which compute the distances of candidates and sort the
 * candidates. */
#pragma once

#include "base/simd.h"
#include "near/near_grid.h"

/* number of candidates that are processed together. Arrays end with this number of spare
 * elements */
#define NEAR_LANES 4

/* Input and output of a search. Coordinates are stored by axis, in the order of the grid. */
struct near_search {
    const double *at[3];
    const uint32_t *order; /* indices of the atoms */
    int ortho;
    double h[3][3], inv[3][3]; /* the cell as in struct box, but inv is 0 along non-periodic axes */
    double r[3], cutoff2;      /* the point in Å, and the squared cutoff in Å² */
    uint32_t skip;             /* atom to omit, or UINT32_MAX to omit no atom */
    /* The difference, the squared distance and the atom of each candidate, and the numbers of the
     * candidates in range. */
    double *d[3], *r2;
    uint32_t *j, *hit;
};

/* Computes the candidates in the ranges, and the list `hit` of candidates within the cutoff.
 * Returns the number of hits. */
SIMD_DECLARE(size_t, near_search,
             (const struct near_search *s, const struct near_range *range, size_t ranges));
/* Computes the rank (the number of smaller keys) of each of n keys. Equal keys are ranked in the
 * order of their indices. The function makes n² comparisons. */
SIMD_DECLARE(void, near_rank, (size_t n, const double *key, uint32_t *rank));
