/* SPDX-License-Identifier: MIT */
/* waves_tile.h: declares the functions of waves_simd.c, which process one group of atoms and all
 * wave vectors. */
#pragma once

#include "base/simd.h"
#include "waves/waves.h"

/* Powers of the phase along one axis, in ascending order. The list contains the powers that occur
 * in the waves, and the powers from which these are computed. */
struct waves_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* index of each power in the array power[], [highest + 1], undefined for powers
                     * that are not in power[] */
    size_t n;
};

struct waves_tile {
    size_t atoms;                /* 1..WAVES_PIECE */
    double (*s)[WAVES_PIECE];    /* fractional coordinates [3] of the atoms */
    double (*e[3])[WAVES_PIECE]; /* scratch memory [p[a].n][2] for powers, as real and imaginary
                                  * parts */
    double (*xy)[WAVES_PIECE];   /* scratch for [4] */
    double (*by)[WAVES_PIECE];   /* weights, [kinds - 1] */
    size_t kinds;
    const struct waves *w;
    const struct waves_powers *p; /* [3] */
    double *rho;                  /* sums [kinds][w->n][2], which are overwritten */
};

SIMD_DECLARE(void, waves_tile, (const struct waves_tile *t));
