/* SPDX-License-Identifier: MIT */
/*
 * g4_blocks.h: from the sub-blocks of time origins (blocks.h) that both engines of g4.h fill, rows
 * [lags][ncomp][G4_NFUNCTIONS], to the result.
 */
#ifndef MBF_G4_BLOCKS_H
#define MBF_G4_BLOCKS_H

#include "g4/g4.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Group into the wanted blocks and count. p: origins, blocks, ncomp; lags: > 0, the real number;
 * steps: all that came. Fills r (owned by the caller: g4_result_free), which takes the sums from b.
 * 0, or -1 with err and *status: more blocks than origins, more lags than steps, fewer steps than
 * origins + lags - 1, out of memory.
 */
int g4_blocks_result(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                     struct g4_result *r, int *status, char *err, size_t errlen) FRAME_MUST;

/* For engines that use the identity: every {S S', G2, sum A_i A_i', -} in r becomes {G, G2, G3,
 * G4}. */
void g4_identity(struct g4_result *r);

#ifdef __cplusplus
}
#endif
#endif
