/* SPDX-License-Identifier: MIT */
/* g4_rounds.h: schedules the pairs of atom blocks like the matches of a tournament, in which each
 * block has one match per round. The matches of a round therefore add values to different
 * accumulators and to the A_i of different atoms. A match waits only for the earlier matches of its
 * two blocks and of its accumulator, so the order of every sum is fixed. */
#pragma once

#include "base/pool.h"

struct g4_rounds {
    size_t blocks, places; /* places <= (blocks + 1)/2 */
    /* Adds the products of the pair of blocks bi <= bj to the accumulator `place`. */
    void (*match)(void *ctx, size_t bi, size_t bj, size_t place, int thread);
    void *ctx;
    unsigned *turn; /* scratch */
};

/* Returns the number of accumulators for `blocks` blocks of atoms, which is at most `max`. */
size_t g4_rounds_places(size_t blocks, size_t max);
void g4_rounds_run(struct pool *pool, struct g4_rounds *r);
