/* SPDX-License-Identifier: MIT */
/* g4_rounds.h: schedules the pairs of atom blocks like the matches of a tournament. Each block
 * takes part in one match per round. The matches of one round therefore add values to different
 * accumulators and to the A_i of different atoms. A match waits only for the earlier matches of its
 * two blocks and of its accumulator, so the order of every sum is fixed. */
#pragma once

#include "base/pool.h"

struct g4_rounds {
    size_t blocks, places; /* places <= (blocks + 1)/2 */
    /* Processes the pair of blocks bi <= bj, and adds the products to the accumulator with the
     * number `place`. */
    void (*match)(void *ctx, size_t bi, size_t bj, size_t place, int thread);
    void *ctx;
    unsigned *turn; /* scratch */
};

/* Returns the number of accumulators, at most `max`, for this number of blocks. */
size_t g4_rounds_places(size_t blocks, size_t max);
void g4_rounds_run(struct pool *pool, struct g4_rounds *r);
