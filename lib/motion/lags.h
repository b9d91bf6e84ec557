/* SPDX-License-Identifier: MIT */
/*
 * lags.h: products x(t) x(t + k), or squared differences, of many series, summed over time origins
 * at all lags, for each block of origins, by FFT.
 *
 *     product   S2_b(k) = sum_series sum_{t in b} x(t) x(t + k)
 *     square    sum_series sum_{t in b} (x(t + k) - x(t))² = S1_b(k) - 2 S2_b(k),
 *               S1_b(k) = sum_series sum_{t in b} x(t)² + x(t + k)²          (t + k < steps)
 * (V. Calandrini, E. Pellegrini, P. Calligari, K. Hinsen, G. R. Kneller, Collection SFN 12 (2011)
 * 201.) Each series is cut at the block boundaries, and each piece is padded with as many zeros and
 * transformed once. The sums of a block are the cross-correlations of its piece with itself and
 * with later pieces. The cross-correlations are added over all series as spectra and transformed
 * back at the end. Separate sums for B blocks therefore cost the transforms of one long correlation
 * plus B/2 products per frequency.
 *
 * Two real series are transformed as one complex series. Sums over series are taken in order for
 * any number of threads, so the bits are the same. The sums of a block depend only on the pieces
 * that it reaches. Part K of N of a run (--shard) therefore gives the bits of the whole run.
 *
 * Rounding: absolute errors are about 1e-16 log2(steps) times the sum of x². For squared
 * differences at short lags the relative error is 1e-16 x²/(difference)², so measure x from a point
 * near its start.
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

/* Chooses blocks for errors.h (stats_blocks_init_levels). A block has at least a 64th of the lags,
 * because it costs a product with every piece in reach. row is the number of doubles per lag; want
 * is the number of blocks requested, 0 if none was. */
void lags_blocks(struct stats_blocks *b, size_t want, size_t lags, size_t row);

struct lags_setup {
    enum lags_kind kind;
    size_t lags;     /* 1..steps */
    uint64_t steps;  /* of the whole run */
    size_t from, to; /* range of the wanted blocks */
    /* [blocks of the whole run + 1]: block boundaries; must outlive the run */
    const uint64_t *bound;
    size_t pairs;      /* complex series in the largest group */
    struct pool *pool; /* must outlive the run */
    uint64_t max_mem;  /* memory limit, bytes; 0: no limit */
};

/* Returns the boundaries of all blocks of `samples` steps, settled or reached, as an array of want
 * + 1 that the caller frees, or NULL if memory runs out. */
uint64_t *lags_bounds(const struct stats_blocks *b, uint64_t samples, size_t want);
/* Returns the end of the steps [from, end) that blocks [from, to) need. */
uint64_t lags_end(const uint64_t *bound, size_t blocks, size_t to, size_t lags);

struct lags;
/* Returns NULL and sets e on failure. */
struct lags *lags_open(const struct lags_setup *s, struct err *e);
/* Returns the number of bytes that lags_open will allocate. */
double lags_bytes(const struct lags_setup *s);

/* Writes steps [from, to) of complex series `pair` of the group to z[to - from]. Called on any
 * thread, and on several at the same time. */
typedef void lags_fill(void *ctx, size_t pair, uint64_t from, uint64_t to, double (*z)[2]);

/* Computes the sums of one group of series, multiplied by `scale`. Block b and lag k go to sums[((b
 * - from) * lags + k) * stride]. */
void lags_group(struct lags *l, size_t pairs, lags_fill *fill, void *ctx, double scale,
                double *sums, size_t stride);
/* The same sums for several groups, in the order of the series: call begin, add for each group,
 * then put. */
void lags_begin(struct lags *l);
void lags_add(struct lags *l, size_t pairs, lags_fill *fill, void *ctx);
void lags_put(struct lags *l, double scale, double *sums, size_t stride);

/* Fills counts[to - from][lags] of the wanted blocks. */
void lags_counts(const struct lags_setup *s, uint64_t *counts);
void lags_close(struct lags *l);

#ifdef __cplusplus
}
#endif
#endif
