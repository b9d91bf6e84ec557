/* SPDX-License-Identifier: MIT */
/*
 * g4_result.h: the last steps of both engines of g4.h. Turns the sub-blocks of time origins
 * (stats/blocks.h), with rows [lags][ncomp][G4_NFUNCTIONS], into the result, or names the atoms
 * that made it invalid.
 */
#ifndef MBF_G4_RESULT_H
#define MBF_G4_RESULT_H

#include "g4/g4.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets up the blocks. Unless a number is requested, stats_blocks_init_levels chooses blocks of at
 * least G4_BLOCK_LEAST origins and at least half the number of lags (at least the number of lags
 * from G4_BLOCK_LAGS lags on). Shorter blocks would cost more than a few per cent, because products
 * extend beyond the end of their block. All methods and engines use the same blocks. */
#define G4_BLOCK_LEAST 32
#define G4_BLOCK_LAGS 192
void g4_blocks_init(struct stats_blocks *b, const struct g4_params *p, size_t lags);
/* Number of blocks for the given number of origins, all of which must have been reached. */
size_t g4_blocks_want(const struct stats_blocks *b, const struct g4_params *p, uint64_t origins);

/* Groups the sums into the wanted blocks, counts origins and applies the identity (except for
 * method direct). The actual number of lags must be > 0; the number of steps is that of all steps
 * seen. Moves the sums from b to r, which the caller frees with g4_result_free. Returns 0, or -1
 * and sets e: more blocks than origins, more lags than steps, fewer steps than origins + lags - 1,
 * or out of memory. */
int g4_result_make(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                   struct g4_result *r, struct err *e) FRAME_MUST;

/* Is every number finite? */
int g4_finite(const double *v, size_t n);
int g4_result_finite(const struct g4_result *r);

/* Describes how beta of a run is computed from positions. */
struct pairs;
void g4_pairs(const struct g4_params *p, struct pairs *q);

/* Explains sums that are not finite. The arguments are n steps as for g4_push, starting with frame
 * `frame`. Sets e (ERR_BAD) to name the first frame in which two atoms coincide (beta overflows at
 * distances below 1e-6 Å), or to state that the sums overflowed without such a pair (also with n 0,
 * or for PAIR input, which traj.h has checked). Examines all pairs with p->threads threads. Returns
 * -1. */
int g4_blame(const struct g4_params *p, uint64_t frame, size_t n, const void *data,
             const struct box *box, struct err *e);

#ifdef __cplusplus
}
#endif
#endif
