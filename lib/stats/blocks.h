/* SPDX-License-Identifier: MIT */
/* blocks.h: divides consecutive samples (time origins or steps) into blocks. The module finds the
 * block boundaries, stores the sums of blocks in limited memory for a stream of unknown length, and
 * computes standard errors from these sums. The module does not depend on any analysis.
 *
 * Sums are stored for sub-blocks of s consecutive samples. The length s is the smallest power of
 * two for which a given number of sub-blocks suffices. When s doubles, neighbouring sub-blocks
 * merge. At the end, the n sub-blocks are grouped into B contiguous blocks with boundaries at
 * round(k n / B), k = 0..B. The boundaries depend only on the number of samples and on B. Example:
 *
 *     stats_blocks_init(&b, stats_blocks_max(B), row, 0);
 *     for every sample i:  stats_blocks_reach(&b, i + 1);  stats_blocks_at(&b, i)[...] += ...;
 *     stats_blocks_group(&b, samples, B);                  sums of block k: b.v + k * row.
 *
 * Standard errors are computed for a ratio m = sum_b y_b / sum_b n_b over blocks b. Here, y_b is a
 * sum over n_b samples, or a number of counted pairs for n_b expected pairs. Unequal blocks are
 * thus weighted by their numbers of samples or pairs. The linearised deviations and the squared
 * error are
 *     dev_b = sqrt(B/(B-1)) (y_b - m n_b) / sum_b n_b and   se² = sum_b dev_b².
 * If all n_b are equal, se is the usual standard error of the mean of B block means. The method
 * is the ratio estimator (Cochran, Sampling Techniques, 3rd ed., 1977, chapter 6 and eq 2.39). Only
 * blocks with n_b != 0 are counted in B. If B < 2, the error is NaN. Any linear transform F of
 * these ratios has se² = sum_b (F dev_b)², which includes the correlations between the ratios. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define STATS_BLOCKS_MAX 128                  /* largest number of default blocks */
#define STATS_BLOCKS_BYTES ((size_t)64 << 20) /* largest memory of the default blocks in bytes */

struct stats_blocks {
    size_t max;         /* largest number of sub-blocks, at least 1 */
    size_t row;         /* doubles per sub-block */
    size_t ints;        /* integers per sub-block */
    uint64_t s;         /* samples per sub-block */
    size_t n, capacity; /* number of sub-blocks in use, and number allocated */
    double *v;          /* sums [capacity][row], which are 0 until a sample is added */
    uint64_t *c;        /* [capacity][ints], or NULL */
};

/* Returns the number of sub-blocks to keep for `want` requested blocks. The result is 64 times
 * `want`, but 1 if `want` is 0 or 1, and SIZE_MAX on overflow. The lengths of the blocks then
 * differ by at most 1/64. */
size_t stats_blocks_max(size_t want);
/* Returns the number of bytes of `max` sub-blocks of `row` doubles, or SIZE_MAX on overflow. */
size_t stats_blocks_bytes(size_t max, size_t row);

/* Initialises b without allocating memory. The caller may change b->row until stats_blocks_reach is
 * called. */
void stats_blocks_init(struct stats_blocks *b, size_t max, size_t row, size_t ints);
/* Initialises the default blocks, from which errors.h estimates errors. Each block has at least
 * `min` samples, rounded up to a power of two. The number of blocks is as large as possible, but at
 * most STATS_BLOCKS_MAX. In addition, their sums must fit into STATS_BLOCKS_BYTES of memory. Block
 * k contains samples [k s, (k + 1) s). The blocks depend only on the number of samples, `row`,
 * `ints` and `min`. At the end, call stats_blocks_group(b, samples, stats_blocks_taken(b,
 * samples)).
 *
 * The sums of the default blocks are reproducible to the last bit. A sample is added to a piece
 * whose length is the value of s when this sample, or the chunk of the engine that contains it, is
 * reached. Chunks begin at multiples of their length, and the pieces of a block are summed in
 * pairs. The bits of the sums of a block therefore depend only on the data, the position of the
 * block and the number of samples. A part of a trajectory that begins at a block boundary gives the
 * same bits as the whole trajectory. */
void stats_blocks_init_levels(struct stats_blocks *b, uint64_t min, size_t row, size_t ints);
/* Initialises blocks for counts of steps. The lengths of the `want` blocks differ by at most 1/64,
 * or by at most 1/4 if there are many blocks. If `want` is 0, the default blocks are used. */
void stats_blocks_init_steps(struct stats_blocks *b, size_t want, size_t row, size_t ints);
/* Chooses s without allocating memory. Call this function before any sample is added. */
void stats_blocks_settle(struct stats_blocks *b, uint64_t samples);
/* Returns the number of sub-blocks for a number of samples that was reached or settled before. */
size_t stats_blocks_taken(const struct stats_blocks *b, uint64_t samples);
void stats_blocks_free(struct stats_blocks *b);

/* Returns true if sub-blocks merge when the given number of samples is reached. Sums added before
 * and after a merge are rounded differently. */
int stats_blocks_merges(const struct stats_blocks *b, uint64_t samples);
/* Chooses s, merges sub-blocks and allocates memory, so that at least this number of samples can be
 * added. Returns 0, or -1 if memory runs out. */
int stats_blocks_reach(struct stats_blocks *b, uint64_t samples) MUST_USE;

/* These functions return the index of the sub-block that contains a sample, the array [row] of this
 * sub-block, and the first sample after this sub-block. Call stats_blocks_reach(b, sample + 1)
 * first. */
size_t stats_blocks_index(const struct stats_blocks *b, uint64_t sample);
double *stats_blocks_at(struct stats_blocks *b, uint64_t sample);
uint64_t stats_blocks_end(const struct stats_blocks *b, uint64_t sample);

/* Returns the first sample of block k, 0 <= k <= want, if the samples are grouped into `want`
 * blocks. If k equals `want`, returns the number of samples. All samples must have been reached. */
uint64_t stats_blocks_bound(const struct stats_blocks *b, uint64_t samples, size_t want, size_t k);
/* Fills counts[blocks][lags] with the number of time origins in each block at each lag, for a run
 * of `steps` steps. The boundaries are bound[blocks + 1]. */
void stats_blocks_origins(const uint64_t *bound, size_t blocks, uint64_t steps, size_t lags,
                          uint64_t *counts);
/* Groups the sub-blocks in place into `want` blocks, with 1 <= want <= samples, after all samples
 * have been added. The arrays v[want][row] and c[want][ints] then hold the blocks. The caller may
 * take v and c, and then sets b->v and b->c to NULL. Returns 0, or -1 if memory runs out or `want`
 * exceeds the number of sub-blocks. */
int stats_blocks_group(struct stats_blocks *b, uint64_t samples, size_t want) MUST_USE;

/* Part k of a run that is divided into n parts (--shard, 1 <= k <= n). The run has `total` samples
 * and `want` blocks. If `want` is 0, it has as many blocks as sub-blocks. The part consists of
 * blocks [from, to), which contain samples [first, last). If there are more parts than blocks, some
 * parts are empty. Blocks [from, to) have the same bits whether a run adds all samples or only
 * samples [first, last). The run must reach all sample numbers up to `last`, and the number `total`
 * at the end. */
struct stats_share {
    uint64_t total, first, last;
    size_t want, from, to;
};
/* Computes a part. Call this function before any sample is added. */
void stats_blocks_share(const struct stats_blocks *b, uint64_t total, size_t want, uint64_t k,
                        uint64_t n, struct stats_share *s);
/* Groups the blocks and keeps only the blocks of the part. All samples of the part must have been
 * added. Returns 0, or -1 if memory runs out. */
int stats_blocks_take(struct stats_blocks *b, const struct stats_share *s) MUST_USE;

/* Returns the factor sqrt(B/(B-1)) of the deviations, or NaN for fewer than two blocks. */
double stats_spread(size_t blocks);
/* Returns the ratio m of all blocks, or NaN if nothing was counted. Sets *se to the standard error
 * of m, and dev[b * stride] to dev_b. Both pointers may be NULL. */
double stats_ratio(size_t blocks, const double *y, const double *n, double *se, double *dev,
                   size_t stride);

C_LINKAGE_END
