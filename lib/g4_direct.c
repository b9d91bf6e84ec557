/* SPDX-License-Identifier: MIT */
#include "g4_engine.h"
size_t g4_direct_bytes(const struct g4 *g) { (void)g; return 0; }
int g4_direct_pass(struct g4 *g, size_t n) { (void)n; return g4_fail(g, 2, "direct: not yet"); }
size_t g4_fft_bytes(const struct g4 *g, uint64_t s) { (void)g; (void)s; return 0; }
int g4_fft_finish(struct g4 *g, size_t n) { (void)n; return g4_fail(g, 2, "fft: not yet"); }
int g4_find_bad(struct g4 *g, int comp, size_t at)
{
    struct g4_tile t;
    double half[2 * G4_HALF];
    for (size_t i = 0; i < g->natoms; i++)
        for (size_t bj = i / G4_LANES; bj < g->nblocks; bj++) {
            g4_tile_set(g, comp, i, bj, at, 1, &t);
            t.half[0] = half;
            t.half[1] = half + G4_HALF;
            SIMD_PICK(g4_tile_fill)(&t);
            for (size_t l = 0; l < G4_LANES; l++)
                if (!__builtin_isfinite(half[l]))
                    return g4_fail(g, 2, "frame %llu: atoms %zu and %zu (from 0) %s", (unsigned long long)(g->base + at),
                                   i, bj * G4_LANES + l,
                                   g->p.input == FRAME_POSN ? "are at the same place" : "have a pair value that is not finite");
        }
    return g4_fail(g, 2, "frame %llu: a sum is not finite", (unsigned long long)(g->base + at));
}
