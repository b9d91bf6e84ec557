/* SPDX-License-Identifier: MIT */
/* blocks.h: divides consecutive samples (time origins or steps) into blocks, stores the sums of the
 * blocks in limited memory for a stream of unknown length, and computes standard errors from these
 * sums.
 *
 * Sums are stored for sub-blocks of s consecutive samples, where s is the smallest power of two for
 * which a given number of sub-blocks is sufficient. When s doubles, neighbouring sub-blocks are
 * merged. At the end of the run, the n sub-blocks are grouped into B contiguous blocks, with
 * boundaries at round(k n / B) for k = 0..B. The boundaries depend only on the number of samples
 * and on B.
 *
 * To use the module, call stats_blocks_init(&b, stats_blocks_max(B), row, 0). For every sample i,
 * call stats_blocks_reach(&b, i + 1), and add to the array stats_blocks_at(&b, i). At the end, call
 * stats_blocks_group(&b, samples, B). The sums of block k then begin at b.v + k * row.
 *
 * Standard errors are computed for a ratio m = sum_b y_b / sum_b n_b over the blocks b, where y_b
 * is a sum over n_b samples, or the number of pairs counted where n_b pairs are expected. Thus
 * blocks are weighted by their numbers of samples or pairs. The linearised deviation of block b is
 *     dev_b = sqrt(B/(B-1)) (y_b - m n_b) / sum_b n_b.
 * The squared error se² of m is the sum of dev_b² over the blocks. If all n_b are equal, se is the
 * usual standard error of the mean of B block means. For the ratio estimator, see Cochran, Sampling
 * Techniques, 3rd ed., 1977, chapter 6 and eq 2.39. Only blocks with n_b != 0 are counted in B. If
 * B is below 2, the error is NaN. A linear transform F of several ratios has se² = sum_b (F
 * dev_b)², which includes the correlations between the ratios. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define STATS_BLOCKS_MAX 128                  /* by default */
#define STATS_BLOCKS_BYTES ((size_t)64 << 20) /* by default */

struct stats_blocks {
    size_t max;         /* limit of n, at least 1 */
    size_t row;         /* doubles per sub-block */
    size_t ints;        /* integers per sub-block */
    uint64_t s;         /* samples per sub-block */
    size_t n, capacity; /* in use; allocated */
    double *v;          /* [capacity][row], sums */
    uint64_t *c;        /* [capacity][ints] or NULL */
};

/* Returns 64 times `want`, but 1 if `want` is 0 or 1, and SIZE_MAX on overflow. With this number of
 * sub-blocks, the lengths of `want` blocks differ by at most 1/64. */
size_t stats_blocks_max(size_t want);
/* Returns the bytes of `max` sub-blocks with `row` doubles each, or SIZE_MAX on overflow. */
size_t stats_blocks_bytes(size_t max, size_t row);

/* Allocates no memory. The caller may change b->row before calling stats_blocks_reach. */
void stats_blocks_init(struct stats_blocks *b, size_t max, size_t row, size_t ints);
/* Initialises the default blocks, from which errors.h estimates errors. Each block has at least
 * `min` samples, rounded up to a power of two. There are as many blocks as possible, but at most
 * STATS_BLOCKS_MAX, and their sums need at most STATS_BLOCKS_BYTES of memory. Block k contains the
 * samples [k s, (k + 1) s). The blocks depend only on the number of samples, `row`, `ints` and
 * `min`. At the end, the caller calls stats_blocks_group(b, samples, stats_blocks_taken(b,
 * samples)).
 *
 * The sums of the default blocks are reproducible to the last bit, even if sub-blocks are merged
 * while samples are added. The bits of a sum depend on the length s after stats_blocks_reach is
 * called for a sample or for the chunk of steps that contains the sample. Chunks begin at multiples
 * of their length, and sub-blocks are added in pairs. The bits of the sums of a block therefore
 * depend only on the data, the position of the block and the number of samples. A part of a
 * trajectory that begins at a block boundary thus gives the same bits as the whole trajectory. */
void stats_blocks_init_levels(struct stats_blocks *b, uint64_t min, size_t row, size_t ints);
/* Initialises blocks of steps. The lengths of the `want` blocks differ by at most 1/64, or by at
 * most 1/4 if there are many blocks. If `want` is 0, the number of blocks is chosen
 * automatically. */
void stats_blocks_init_steps(struct stats_blocks *b, size_t want, size_t row, size_t ints);
/* Chooses the length s of the sub-blocks for this number of samples without allocating memory,
 * before any sample is added. */
void stats_blocks_settle(struct stats_blocks *b, uint64_t samples);
/* Returns the number of sub-blocks that contain `samples` samples. Call stats_blocks_reach or
 * stats_blocks_settle with the same number of samples first. */
size_t stats_blocks_taken(const struct stats_blocks *b, uint64_t samples);
void stats_blocks_free(struct stats_blocks *b);

/* Returns true if stats_blocks_reach(b, samples) will merge sub-blocks. Samples that are added
 * before a merge are rounded differently from samples that are added after the merge. */
int stats_blocks_merges(const struct stats_blocks *b, uint64_t samples);
/* Makes room for this number of samples: doubles s and merges sub-blocks if necessary, and
 * allocates memory. Returns 0, or -1 if memory runs out. */
int stats_blocks_reach(struct stats_blocks *b, uint64_t samples) MUST_USE;

/* The functions stats_blocks_index, stats_blocks_at and stats_blocks_end return the index of the
 * sub-block that contains a sample, its array [row], and the first sample after this sub-block.
 * Call stats_blocks_reach(b, sample + 1) first. */
size_t stats_blocks_index(const struct stats_blocks *b, uint64_t sample);
double *stats_blocks_at(struct stats_blocks *b, uint64_t sample);
uint64_t stats_blocks_end(const struct stats_blocks *b, uint64_t sample);

/* Returns the first sample of block k < want, if the samples are grouped into `want` blocks, or the
 * number of samples if k equals `want`. The caller must have passed the number `samples` of all
 * samples to stats_blocks_reach or stats_blocks_settle. */
uint64_t stats_blocks_bound(const struct stats_blocks *b, uint64_t samples, size_t want, size_t k);
/* Fills counts[blocks][lags] with the number of time origins in each block at each lag, for a run
 * of `steps` steps with the block boundaries bound[blocks + 1]. */
void stats_blocks_origins(const uint64_t *bound, size_t blocks, uint64_t steps, size_t lags,
                          uint64_t *counts);
/* Groups the sub-blocks in place into `want` blocks, with 1 <= want <= samples, after all samples
 * have been added. The arrays b->v[want][row] and b->c[want][ints] then contain the blocks. A
 * caller that takes these arrays must set b->v and b->c to NULL. Returns 0, or -1 if memory runs
 * out or `want` exceeds the number of sub-blocks. */
int stats_blocks_group(struct stats_blocks *b, uint64_t samples, size_t want) MUST_USE;

/* Part k of a run that is divided into n parts (--shard, 1 <= k <= n). The run has `total` samples
 * and `want` blocks, or as many blocks as sub-blocks if `want` is 0. The part consists of the
 * blocks [from, to), which contain the samples [first, last). If there are more parts than blocks,
 * some parts are empty. The sums of the blocks [from, to) have the same bits whether a run adds all
 * samples or only the samples [first, last). The caller must call stats_blocks_reach for all
 * samples up to `last`, and for `total` samples at the end. */
struct stats_share {
    uint64_t total, first, last;
    size_t want, from, to;
};
/* Finds the blocks and samples of part k of n, before any sample is added. */
void stats_blocks_share(const struct stats_blocks *b, uint64_t total, size_t want, uint64_t k,
                        uint64_t n, struct stats_share *s);
/* Keeps only the blocks of s, after its samples were added. Returns 0, or -1 if memory runs out. */
int stats_blocks_take(struct stats_blocks *b, const struct stats_share *s) MUST_USE;

/* Returns sqrt(B/(B-1)), the factor in the definition of dev_b, where B is the number of blocks.
 * Returns NaN for fewer than two blocks. */
double stats_spread(size_t blocks);
/* Returns the ratio m, or NaN if the sum of n_b is 0. Sets *se to the standard error of m, and
 * dev[b * stride] to dev_b, unless the pointer se or dev is NULL. */
double stats_ratio(size_t blocks, const double *y, const double *n, double *se, double *dev,
                   size_t stride);

C_LINKAGE_END
