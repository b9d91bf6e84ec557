/* SPDX-License-Identifier: MIT */
/*
 * lags.h: sums over origins of products x(t) x(t + k), or of squared differences, of many series at
 * all lags, block by block of origins, by FFT.
 *
 *     product   S2_b(k) = sum_series sum_{t in b} x(t) x(t + k)
 *     square    sum_series sum_{t in b} (x(t + k) - x(t))² = S1_b(k) - 2 S2_b(k),
 *               S1_b(k) = sum_series sum_{t in b} x(t)² + x(t + k)²          (t + k < steps)
 * (V. Calandrini, E. Pellegrini, P. Calligari, K. Hinsen, G. R. Kneller, Collection SFN 12 (2011)
 * 201.) Each series is cut at the blocks' boundaries, and each piece transformed once, with as many
 * zeros behind it; a block's sums are the cross-correlations of its piece with itself and those
 * behind it, which are added up over all series as spectra and transformed back at the end. So the
 * sums of each of B blocks cost, besides the transforms of one long correlation, B/2 products a
 * frequency.
 *
 * Two series travel as one complex one. Sums over series are in their order, whatever the number of
 * threads: the same bits. What a block has depends on the pieces that it reaches alone, so that a
 * share that reads those has the bits of the whole.
 *
 * Rounding: absolute errors are some 1e-16 log2(steps) of the sum of x². Of squares at short lags
 * that is a part 1e-16 x²/(difference)²: take x from a place near where it begins.
 */
#ifndef MBF_LAGS_H
#define MBF_LAGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lags_kind { LAGS_PRODUCT, LAGS_SQUARE };

/* Blocks for errors.h (stats_blocks_init_levels): of at least a 64th of the lags, as each block costs
 * a product with every piece within their reach. row: doubles of a lag. want: asked for; 0: none. */
void lags_blocks(struct stats_blocks *b, size_t want, size_t lags, size_t row);

struct lags_setup {
    enum lags_kind kind;
    size_t lags;           /* 1..steps */
    uint64_t steps;        /* of the whole */
    size_t from, to;       /* blocks that are wanted */
    const uint64_t *bound; /* [blocks of the whole + 1]: where they begin; outlives the run */
    size_t pairs;          /* complex series of the largest group */
    struct pool *pool;     /* outlives the run */
    uint64_t max_mem;      /* bytes; 0: no limit */
};

/* Boundaries of all blocks of so many samples, settled or reached: [want + 1], to be freed; NULL: no
 * memory. */
uint64_t *lags_bounds(const struct stats_blocks *b, uint64_t samples, size_t want);
/* Steps [from, end) are needed for blocks [from, to); returns the end. */
uint64_t lags_end(const uint64_t *bound, size_t blocks, size_t to, size_t lags);

struct lags;
/* NULL with e. */
struct lags *lags_open(const struct lags_setup *s, struct err *e);
/* Bytes that lags_open will take. */
double lags_bytes(const struct lags_setup *s);

/* Steps [from, to) of complex series `pair` of the group: z[to - from]; on any thread, several at a
 * time. */
typedef void lags_fill(void *ctx, size_t pair, uint64_t from, uint64_t to, double (*z)[2]);

/*
 * The sums of one group of series: block b and lag k go to sums[((b - from) * lags + k) * stride],
 * times `scale`.
 */
void lags_group(struct lags *l, size_t pairs, lags_fill *fill, void *ctx, double scale,
                double *sums, size_t stride);
/* More of it, some at a time, in the order of the series: begin, add..., put. */
void lags_begin(struct lags *l);
void lags_add(struct lags *l, size_t pairs, lags_fill *fill, void *ctx);
void lags_put(struct lags *l, double scale, double *sums, size_t stride);

/* counts[to - from][lags] of such blocks. */
void lags_counts(const struct lags_setup *s, uint64_t *counts);
void lags_close(struct lags *l);

#ifdef __cplusplus
}
#endif
#endif
