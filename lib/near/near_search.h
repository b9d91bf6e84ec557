/* SPDX-License-Identifier: MIT */
/* near_search.h: declares the inner loops of near.c, which compute distances to possible neighbours
 * (candidates) and sort the candidates. */
#pragma once

#include "base/simd.h"
#include "near/near_grid.h"

/* Candidates are processed in groups of NEAR_LANES, and each array has NEAR_LANES unused elements
 * at its end for an incomplete last group. */
#define NEAR_LANES 4

/* Coordinates are stored by axis, in the order of the grid. */
struct near_search {
    const double *at[3];
    const uint32_t *order; /* atom of each point */
    int ortho;
    double h[3][3], inv[3][3]; /* inv: 0 if not periodic */
    double r[3], cutoff2;      /* Å, Å² */
    uint32_t skip;             /* atom, or UINT32_MAX */
    /* Candidate k is atom j[k], with the difference d and the squared distance r2. The candidates
     * in range are listed in `hit`. */
    double *d[3], *r2;
    uint32_t *j, *hit;
};

/* Computes the candidates in the ranges, lists the candidates within the cutoff in `hit`, and
 * returns the number of candidates within the cutoff. */
SIMD_DECLARE(size_t, near_search,
             (const struct near_search *s, const struct near_range *range, size_t ranges));
/* Computes the rank (the number of smaller keys) of each of n keys, with n² comparisons. The ranks
 * of equal keys are in the order of their indices. */
SIMD_DECLARE(void, near_rank, (size_t n, const double *key, uint32_t *rank));
