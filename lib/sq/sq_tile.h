/* SPDX-License-Identifier: MIT */
/* sq_tile.h: one block of atoms against all wave vectors: from sq_cpu.c to sq_simd.c. */
#ifndef MBF_SQ_TILE_H
#define MBF_SQ_TILE_H

#include "base/simd.h"
#include "sq/sq_engine.h"

/* The powers of an axis' phase that the waves ask for, ascending, and those they are made of. */
struct sq_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* [highest + 1]: the place of a power in that; not defined for others */
    size_t n;
};

struct sq_tile {
    size_t atoms;             /* 1..SQ_BLOCK */
    double (*s)[SQ_BLOCK];    /* [3] fractional coordinates */
    double (*e[3])[SQ_BLOCK]; /* room for [p[a].n][2]: powers of the phases, re and im */
    double (*xy)[SQ_BLOCK];   /* room for [2] */
    const struct waves *w;
    const struct sq_powers *p; /* [3] */
    double *rho;               /* [w->n][2], overwritten */
};

SIMD_DECLARE(void, sq_tile, (const struct sq_tile *t));

#endif
