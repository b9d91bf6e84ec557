/* SPDX-License-Identifier: MIT */
/*
 * g4_rounds.h: schedules all pairs of atom blocks like a tournament. Each block plays once per
 * round, so concurrent matches add to different A and to different accumulators. A match waits for
 * the earlier matches of both blocks and of its accumulator. Every sum therefore has a fixed order
 * regardless of which thread does the work, and no thread waits for a whole round.
 */
#ifndef MBF_G4_ROUNDS_H
#define MBF_G4_ROUNDS_H

#include "base/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct g4_rounds {
    size_t blocks, places; /* places: number of accumulators, at most (blocks + 1) / 2 */
    /* Processes blocks bi <= bj and adds to accumulator `place`. */
    void (*match)(void *ctx, size_t bi, size_t bj, size_t place, int thread);
    void *ctx;
    unsigned *turn; /* [blocks + 1 + places] scratch */
};

/* Returns the number of accumulators for the given number of blocks, at most `most`. */
size_t g4_rounds_places(size_t blocks, size_t most);
void g4_rounds_run(struct pool *pool, struct g4_rounds *r);

#ifdef __cplusplus
}
#endif
#endif
