/* SPDX-License-Identifier: MIT */
/*
 * g4_blocks.h: blocks of time origins in bounded memory, when the number of steps is not known
 * beforehand.
 *
 * Both engines of g4.h keep their sums here, so that their blocks have the same boundaries. Sums
 * are kept for sub-blocks of s consecutive origins; s is the smallest power of two that needs no
 * more than 64 sub-blocks a wanted block, and neighbours merge when it doubles. At the end the n
 * sub-blocks are grouped into B contiguous blocks with boundaries at round(k n / B). So the
 * boundaries follow from the number of origins and B alone.
 */
#ifndef MBF_G4_BLOCKS_H
#define MBF_G4_BLOCKS_H

#include "g4/g4.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_SUBBLOCKS 64 /* sub-blocks kept at most for each wanted block */

struct g4_blocks {
    size_t want;    /* blocks wanted, >= 1 */
    size_t row;     /* doubles of one sub-block: lags * ncomp * G4_NFUNCTIONS */
    uint64_t s;     /* origins of one sub-block */
    size_t n, room; /* sub-blocks in use and allocated */
    double *v;      /* [room][row], zero where nothing was added yet */
};

void g4_blocks_init(struct g4_blocks *b, size_t want, size_t row);
void g4_blocks_free(struct g4_blocks *b);

/* Bytes that the sub-blocks may come to take, SIZE_MAX when that overflows. */
size_t g4_blocks_bytes(size_t want, size_t row);

/* Will sub-blocks merge when so many origins are reached? What is added before or after is rounded
 * differently. */
int g4_blocks_merges(const struct g4_blocks *b, uint64_t origins);
/* There are at least so many origins: choose s, merge, make room. 0, or -1: out of memory. */
int g4_blocks_reach(struct g4_blocks *b, uint64_t origins) FRAME_MUST;

/* Sums [lags][ncomp][G4_NFUNCTIONS] of the sub-block that holds origin (< reached), and its first
 * and last + 1 origin. */
double *g4_blocks_at(struct g4_blocks *b, uint64_t origin);
uint64_t g4_blocks_begin(const struct g4_blocks *b, uint64_t origin);
uint64_t g4_blocks_end(const struct g4_blocks *b, uint64_t origin);

/*
 * Group into the wanted blocks and count. p: lags (> 0 here, the real number), origins, ncomp;
 * steps: all that came. Fills r (owned by the caller: g4_result_free). 0, or -1 with err and
 * *status: more blocks than origins, more lags than steps, fewer steps than origins + lags - 1, out
 * of memory.
 */
int g4_blocks_result(const struct g4_blocks *b, const struct g4_params *p, size_t lags,
                     uint64_t steps, struct g4_result *r, int *status, char *err,
                     size_t errlen) FRAME_MUST;

/* For engines that use the identity: every {S S', G2, sum A_i A_i', -} in r becomes {G, G2, G3,
 * G4}. */
void g4_identity(struct g4_result *r);

#ifdef __cplusplus
}
#endif
#endif
