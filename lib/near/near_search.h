/* SPDX-License-Identifier: MIT */
/* near_search.h: declares the inner loops of near.c, which compute the distances of candidates and
 * sort the candidates. */
#pragma once

#include "base/simd.h"
#include "near/near_grid.h"

/* Number of candidates that are processed together. Because the last candidates may be fewer, each
 * array has this number of unused elements at its end. */
#define NEAR_LANES 4

/* Input and output of a search for neighbours. Coordinates are stored by axis, in the order of the
 * grid. */
struct near_search {
    const double *at[3];
    const uint32_t *order; /* indices of the atoms */
    int ortho;
    double h[3][3], inv[3][3]; /* cell as in struct box, except that inv is 0 along non-periodic
                                * axes */
    double r[3], cutoff2;      /* position of the point in Å, and squared cutoff in Å² */
    uint32_t skip;             /* atom that is omitted, or UINT32_MAX if no atom is omitted */
    /* The difference, the squared distance and the atom of each candidate, and the indices of the
     * candidates in range. */
    double *d[3], *r2;
    uint32_t *j, *hit;
};

/* Computes the candidates in the ranges, and the list `hit` of the candidates within the cutoff.
 * Returns the number of candidates within the cutoff. */
SIMD_DECLARE(size_t, near_search,
             (const struct near_search *s, const struct near_range *range, size_t ranges));
/* Computes the rank (the number of smaller keys) of each of n keys. The ranks of equal keys are in
 * the order of their indices. Ranking n keys takes n² comparisons. */
SIMD_DECLARE(void, near_rank, (size_t n, const double *key, uint32_t *rank));
