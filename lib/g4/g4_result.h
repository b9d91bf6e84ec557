/* SPDX-License-Identifier: MIT */
/* g4_result.h: computes the result of a run from the sums of the engines of g4.h. The sums of each
 * sub-block of time origins (stats/blocks.h) have the shape [lags][ncomp][G4_NFUNCTIONS]. If the
 * sums are not finite, an error message names two atoms that coincide, or reports that the sums
 * overflowed. */
#pragma once

#include "g4/g4.h"
#include "stats/blocks.h"

C_LINKAGE_BEGIN

/* Sets up blocks of time origins, which are the same for all engines. Unless the user requests a
 * number of blocks, a block has at least G4_BLOCK_MIN time origins, and at least half as many time
 * origins as lags (stats_blocks_init_levels). With G4_BLOCK_LAGS lags or more, a block has at least
 * as many time origins as lags. Shorter blocks would increase the time by more than a few per cent,
 * because products extend beyond the end of a block. */
#define G4_BLOCK_MIN 32
#define G4_BLOCK_LAGS 192
void g4_blocks_init(struct stats_blocks *b, const struct g4_params *p, size_t lags);
/* Returns the number of blocks for a given number of time origins, all of which must have been
 * processed. */
size_t g4_blocks_want(const struct stats_blocks *b, const struct g4_params *p, uint64_t origins);

/* Moves the sums of each block from b to r, and counts the time origins. With the method `direct`,
 * b already contains G3 and G4. With any other method, this function computes G3 and G4 from the
 * sums of S S', G2 and A_i A'_i (identity.h). The number of time lags must be above 0, and `steps`
 * is the number of all steps. The caller frees r with g4_result_free. Returns 0, or -1 with an
 * error message in e if memory runs out or there are too few steps. */
int g4_result_make(struct stats_blocks *b, const struct g4_params *p, size_t lags, uint64_t steps,
                   struct g4_result *r, struct err *e) FRAME_MUST;

/* Return whether all numbers are finite. */
int g4_finite(const double *v, size_t n);
int g4_result_finite(const struct g4_result *r);

/* Sets *q to the parameters with which the run p computes beta from positions. */
struct pairs;
void g4_pairs(const struct g4_params *p, struct pairs *q);

/* Sets e (ERR_BAD) to a message that explains why sums are not finite, and returns -1. The n steps
 * are passed as in g4_push, and the first step has the frame number `frame`. If two atoms coincide,
 * the message names the first frame in which two atoms coincide. At a distance below 1e-6 Å, the
 * pair anisotropy beta overflows. If no atoms coincide, the input is PAIR, or n is 0, the message
 * reports that the sums overflowed. All pairs are examined, with p->threads threads. */
int g4_report_nonfinite(const struct g4_params *p, uint64_t frame, size_t n, const void *data,
                        const struct box *box, struct err *e);

C_LINKAGE_END
