/* SPDX-License-Identifier: MIT */
/* waves_tile.h: one block of atoms against all wave vectors: from waves_sum.c to waves_simd.c. */
#ifndef MBF_WAVES_TILE_H
#define MBF_WAVES_TILE_H

#include "base/simd.h"
#include "waves/waves.h"

/* The powers of an axis' phase that the waves ask for, ascending, and those they are made of. */
struct waves_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* [highest + 1]: the place of a power in that; not defined for others */
    size_t n;
};

struct waves_tile {
    size_t atoms;                /* 1..WAVES_PIECE */
    double (*s)[WAVES_PIECE];    /* [3] fractional coordinates */
    double (*e[3])[WAVES_PIECE]; /* room for [p[a].n][2]: powers of the phases, re and im */
    double (*xy)[WAVES_PIECE];   /* room for [4] */
    double (*by)[WAVES_PIECE];   /* [kinds - 1] weights of the atoms; kind 0 has none */
    size_t kinds;
    const struct waves *w;
    const struct waves_powers *p; /* [3] */
    double *rho;                  /* [kinds][w->n][2], overwritten */
};

SIMD_DECLARE(void, waves_tile, (const struct waves_tile *t));

#endif
