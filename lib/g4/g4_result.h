/* SPDX-License-Identifier: MIT */
/*
 * g4_result.h: what both engines of g4.h do at the end: from the sub-blocks of time origins
 * (stats/blocks.h), rows [lags][ncomp][G4_NFUNCTIONS], to the result, or to the atoms that spoiled
 * it, in the same words.
 */
#ifndef MBF_G4_RESULT_H
#define MBF_G4_RESULT_H

#include "g4/g4.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Without a wanted number, blocks are as stats_blocks_init_levels makes them, of at least
 * G4_BLOCK_LEAST origins and half as many as there are lags, or as many from G4_BLOCK_LAGS on:
 * shorter ones would cost more than a few per cent, since products reach beyond the end of their
 * block. The same for every method and engine.
 */
#define G4_BLOCK_LEAST 32
#define G4_BLOCK_LAGS 192
void g4_blocks_init(struct stats_blocks *b, const struct g4_params *p, size_t lags);
/* Blocks that so many origins, all reached, are grouped into. */
size_t g4_blocks_want(const struct stats_blocks *b, const struct g4_params *p, uint64_t origins);

/*
 * Group into the wanted blocks, count, and apply the identity (not for method direct). lags: > 0,
 * the real number; steps: all that came. Fills r (owned by the caller: g4_result_free), which takes
 * the sums from b. 0, or -1 with e: more blocks than origins, more lags than steps, fewer steps than
 * origins + lags - 1, out of memory.
 */
int g4_result_make(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                   struct g4_result *r, struct err *e) FRAME_MUST;

/* Is every number finite? */
int g4_finite(const double *v, size_t n);
int g4_result_finite(const struct g4_result *r);

/* How beta of a run is made of positions. */
struct pairs;
void g4_pairs(const struct g4_params *p, struct pairs *q);

/*
 * Sums over n steps, given as to g4_push, frame `frame` and those behind it, are not finite: e
 * (ERR_BAD) names the first frame in which two atoms are at the same place (beta overflows where
 * they are nearer than 1e-6 Å), or says that no pair is to blame (n 0; or pairs as input, which
 * traj.h has checked): the sums passed the range. Looks at all pairs, on p->threads. Returns -1.
 */
int g4_blame(const struct g4_params *p, uint64_t frame, size_t n, const void *data,
             const struct box *box, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
