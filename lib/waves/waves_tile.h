/* SPDX-License-Identifier: MIT */
/* waves_tile.h: declares the functions that sum all waves over a group of atoms. */
#pragma once

#include "base/simd.h"
#include "waves/waves.h"

/* Powers of the phase factor exp(2 pi i s) along an axis, in ascending order: all powers that occur
 * in the waves, and the powers from which these powers are computed. The index of a power k in
 * power[] is at[k]. */
struct waves_powers {
    int32_t *power; /* [n] */
    int32_t *at;    /* [highest + 1] */
    size_t n;
};

struct waves_tile {
    size_t atoms;                /* 1..WAVES_PIECE */
    double (*s)[WAVES_PIECE];    /* [3], fractional */
    double (*e[3])[WAVES_PIECE]; /* scratch, [p[a].n][2] */
    double (*xy)[WAVES_PIECE];   /* scratch for [4] */
    double (*by)[WAVES_PIECE];   /* weights, [kinds - 1] */
    size_t kinds;
    const struct waves *w;
    const struct waves_powers *p; /* [3] */
    double *rho;                  /* [kinds][w->n][2] */
};

SIMD_DECLARE(void, waves_tile, (const struct waves_tile *t));
