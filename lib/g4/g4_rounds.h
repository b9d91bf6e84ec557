/* SPDX-License-Identifier: MIT */
/*
 * g4_rounds.h: all pairs of atom blocks, like a tournament: in a round every block plays once, so
 * that what runs side by side adds to different A and to different accumulators. A match waits for
 * the earlier matches of both players and of its place, so every sum has a fixed order whoever does
 * the work, and no thread waits for a whole round.
 */
#ifndef MBF_G4_ROUNDS_H
#define MBF_G4_ROUNDS_H

#include "base/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct g4_rounds {
    size_t blocks, places; /* places: accumulators, at most (blocks + 1) / 2 */
    /* Blocks bi <= bj, adding to accumulator `place`. */
    void (*match)(void *ctx, size_t bi, size_t bj, size_t place, int thread);
    void *ctx;
    unsigned *turn; /* [blocks + 1 + places] scratch */
};

/* Accumulators for so many blocks, if at most `most` are wanted. */
size_t g4_rounds_places(size_t blocks, size_t most);
void g4_rounds_run(struct pool *pool, struct g4_rounds *r);

#ifdef __cplusplus
}
#endif
#endif
