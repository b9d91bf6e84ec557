/* SPDX-License-Identifier: MIT */
/* waves_tile.h: the interface between waves_sum.c and waves_simd.c: one block of atoms and all wave
 * vectors. */
#ifndef MBF_WAVES_TILE_H
#define MBF_WAVES_TILE_H

#include "base/simd.h"
#include "waves/waves.h"

/* The powers of the phase of one axis that the waves need, ascending, and the powers they are built
 * from. */
struct waves_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* [highest + 1]: index of a power in `power`; undefined for other powers */
    size_t n;
};

struct waves_tile {
    size_t atoms;                /* 1..WAVES_PIECE */
    double (*s)[WAVES_PIECE];    /* [3] fractional coordinates */
    double (*e[3])[WAVES_PIECE]; /* scratch for [p[a].n][2]: powers of the phases, real and
                                  * imaginary */
    double (*xy)[WAVES_PIECE];   /* scratch for [4] */
    double (*by)[WAVES_PIECE];   /* [kinds - 1] weights of the atoms; kind 0 has none */
    size_t kinds;
    const struct waves *w;
    const struct waves_powers *p; /* [3] */
    double *rho;                  /* [kinds][w->n][2], overwritten */
};

SIMD_DECLARE(void, waves_tile, (const struct waves_tile *t));

#endif
