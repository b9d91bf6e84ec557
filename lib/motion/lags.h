/* SPDX-License-Identifier: MIT */
/* lags.h: sums products x(t) x(t + k), or squared differences, over many time series, for all lags
 * k and each block of time origins, by FFT.
 *
 * The following sums run over all series x and over the times t in block b with t + k < steps:
 *     S1_b(k) = sum of (x(t)² + x(t + k)²),
 *     S2_b(k) = sum of x(t) x(t + k).
 * With LAGS_PRODUCT, the result of block b is S2_b(k). With LAGS_SQUARE, the result is the sum of
 * (x(t + k) - x(t))², computed as S1_b(k) - 2 S2_b(k). For the method, see Calandrini, Pellegrini,
 * Calligari, Hinsen and Kneller, Collection SFN 12 (2011) 201.
 *
 * Each series is divided into pieces at the boundaries of the blocks, padded with zeros to twice
 * their length, and transformed once. The sums of a block are correlations of the piece of the
 * block with itself and with later pieces. The correlations of the pieces are added over all series
 * as spectra, and are transformed back at the end. Separate sums for B blocks therefore need no
 * more transforms than one long correlation, but B/2 products per frequency.
 *
 * Two series are transformed as one complex series, whose spectrum gives both spectra. Series are
 * added in the same order for any number of threads, so results are identical. The sums of a block
 * depend only on the pieces within the longest lag of the block, and are therefore the same bit for
 * bit in a part of a run (--shard) and in the whole run.
 *
 * The absolute rounding error of the sums is about 1e-16 log2(steps) times the sum of x². For
 * squared differences at short lags, the relative rounding error is 1e-16 x²/(difference)². The
 * caller therefore subtracts from each series its value near the start. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "stats/blocks.h"

enum lags_kind { LAGS_PRODUCT, LAGS_SQUARE };

/* Chooses blocks of time origins with stats_blocks_init_levels. A block has at least one time
 * origin per 64 lags, because a block needs a product with every piece within the longest lag.
 * There are `row` doubles per lag, and `want` blocks, or a default number of blocks if `want` is
 * 0. */
void lags_blocks(struct stats_blocks *b, size_t want, size_t lags, size_t row);

struct lags_setup {
    enum lags_kind kind;
    size_t lags;           /* from 1 to `steps` */
    uint64_t steps;        /* of the whole run */
    size_t from, to;       /* blocks to compute */
    const uint64_t *bound; /* [all blocks + 1], must outlive the run */
    size_t series;         /* in the largest group */
    struct pool *pool;     /* must outlive the run */
    uint64_t max_mem;      /* bytes; 0: no limit */
};

/* Returns the want + 1 boundaries of all blocks of `samples` steps, which the caller frees, or NULL
 * if memory runs out. Call stats_blocks_settle or stats_blocks_reach for `samples` steps first. */
uint64_t *lags_bounds(const struct stats_blocks *b, uint64_t samples, size_t want);
/* Returns the number of leading steps that the blocks 0 to `to` - 1 need. */
uint64_t lags_end(const uint64_t *bound, size_t blocks, size_t to, size_t lags);

struct lags;
/* On failure, returns NULL with an error message in e. */
struct lags *lags_open(const struct lags_setup *s, struct err *e);
double lags_bytes(const struct lags_setup *s);

/* Writes steps [from, to) of series k of the group to x[to - from]. Several threads may call
 * lags_fill at the same time. */
typedef void lags_fill(void *ctx, size_t k, uint64_t from, uint64_t to, double *x);

/* Compute the sums of groups of series, times `scale`: call lags_begin, then lags_add for each
 * group in the order of the series, and then lags_put. The sum of block b and lag k is stored in
 * sums[((b - from) * lags + k) * stride]. */
void lags_begin(struct lags *l);
void lags_add(struct lags *l, size_t series, lags_fill *fill, void *ctx);
void lags_put(struct lags *l, double scale, double *sums, size_t stride);

void lags_close(struct lags *l);
