/* SPDX-License-Identifier: MIT */
/* sq_tile.h: one block of atoms against all wave vectors: from sq_cpu.c to sq_simd.c. */
#ifndef MBF_SQ_TILE_H
#define MBF_SQ_TILE_H

#include "base/simd.h"
#include "sq/sq_engine.h"

struct sq_tile {
    size_t atoms;             /* 1..SQ_BLOCK */
    double (*s)[SQ_BLOCK];    /* [3] fractional coordinates */
    double (*e[3])[SQ_BLOCK]; /* room for [highest + 1][2]: powers of the phases, re and im */
    double (*xy)[SQ_BLOCK];   /* room for [2] */
    const struct waves *w;
    double *rho; /* [w->n][2], overwritten */
};

SIMD_DECLARE(void, sq_tile, (const struct sq_tile *t));

#endif
