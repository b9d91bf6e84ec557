/* SPDX-License-Identifier: MIT */
/* waves_tile.h: one block of atoms and all wave vectors, from waves_sum.c to waves_simd.c. */
#ifndef MBF_WAVES_TILE_H
#define MBF_WAVES_TILE_H

#include "base/simd.h"
#include "waves/waves.h"

/* Powers of the phase of one axis that the waves need, and those they are built from, ascending. */
struct waves_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* [highest + 1]: index of a power in `power`; undefined for other powers */
    size_t n;
};

struct waves_tile {
    size_t atoms;                /* 1..WAVES_PIECE */
    double (*s)[WAVES_PIECE];    /* [3] fractional coordinates */
    double (*e[3])[WAVES_PIECE]; /* scratch for [p[a].n][2]: powers of the phases, re and im */
    double (*xy)[WAVES_PIECE];   /* scratch for [4] */
    double (*by)[WAVES_PIECE];   /* [kinds - 1] weights of the atoms; kind 0 has none */
    size_t kinds;
    const struct waves *w;
    const struct waves_powers *p; /* [3] */
    double *rho;                  /* [kinds][w->n][2], overwritten */
};

SIMD_DECLARE(void, waves_tile, (const struct waves_tile *t));

#endif
