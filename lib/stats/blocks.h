/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: blocks of consecutive samples (time origins, steps): their boundaries, their sums in
 * bounded memory for a stream of unknown length, and standard errors from them. The module is
 * independent of any analysis.
 *
 * Sums are kept for sub-blocks of s consecutive samples. s is the smallest power of two for which a
 * given number of sub-blocks is enough; neighbours merge when s doubles. At the end, the n
 * sub-blocks are grouped into B contiguous blocks with boundaries at round(k n / B), k = 0..B. The
 * boundaries therefore depend only on the number of samples and on B.
 *
 *     stats_blocks_init(&b, stats_blocks_most(B), row, 0);
 *     for every sample i:  stats_blocks_reach(&b, i + 1);  stats_blocks_at(&b, i)[...] += ...;
 *     stats_blocks_group(&b, samples, B);                  sums of block k: b.v + k * row
 *
 * Standard errors. A number is a ratio m = sum_b y_b / sum_b n_b over blocks b, where y_b is a sum
 * or a number of counted pairs, and n_b a number of samples or expected pairs. Unequal blocks are
 * thus weighted by the number of samples or pairs in each block. The linearised deviations
 *     dev_b = sqrt(B/(B-1)) (y_b - m n_b) / sum_b n_b,      se² = sum_b dev_b²
 * (ratio estimator, Cochran, Sampling Techniques, 3rd ed., 1977, eq. 2.39 and chapter 6) give the
 * usual standard error of the mean of B block means if all n_b are equal. B counts the blocks with
 * n_b != 0; if B < 2, the error is NaN. Any linear transform F of these ratios has se² = sum_b (F
 * dev_b)², which includes the correlations between the ratios.
 */
#ifndef MBF_BLOCKS_H
#define MBF_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STATS_BLOCKS_MOST 128                 /* default blocks for errors.h, at most */
#define STATS_BLOCKS_BYTES ((size_t)64 << 20) /* memory of the default blocks, at most */

struct stats_blocks {
    size_t most;    /* sub-blocks, at most, >= 1; 1: all samples in one */
    size_t row;     /* doubles per sub-block; may be changed before the first reach */
    size_t ints;    /* integers per sub-block, for counts; 0: none */
    uint64_t s;     /* samples per sub-block */
    size_t n, room; /* sub-blocks in use and allocated */
    double *v;      /* [room][row], 0 where nothing was added yet */
    uint64_t *c;    /* [room][ints], likewise; NULL: ints is 0 */
};

/* Returns the number of sub-blocks to keep for B requested blocks: 64 B, or 1 if B is 0 or 1, or
 * SIZE_MAX on overflow. The lengths of the blocks then differ by at most 1/64. */
size_t stats_blocks_most(size_t want);
/* Returns the bytes of `most` sub-blocks of `row` doubles, or SIZE_MAX on overflow. */
size_t stats_blocks_bytes(size_t most, size_t row);

/* Initialises b without allocating memory. */
void stats_blocks_init(struct stats_blocks *b, size_t most, size_t row, size_t ints);
/*
 * Initialises the default blocks, from which errors.h estimates errors. There are as many blocks as
 * fit with at least `least` samples each (rounded up to a power of two), at most STATS_BLOCKS_MOST,
 * and fewer if the sums would exceed STATS_BLOCKS_BYTES. Block k contains samples [k s, (k + 1) s),
 * so blocks depend only on the number of samples, row, ints and least. At the end, call
 * stats_blocks_group(b, samples, stats_blocks_taken(b, samples)).
 *
 * The default blocks are canonical. While s doubles, sample i is added to a piece of the length s
 * in force when the samples reached so far end at i + 1, or at the end of the engine's chunk that
 * holds it. Chunks begin at multiples of their length, and the pieces of a block are added in
 * pairs. The bits of a block's sums therefore depend only on the data, the position of the block
 * and the number of samples. A part of a trajectory that begins with a block gives the same bits as
 * the whole.
 */
void stats_blocks_init_levels(struct stats_blocks *b, uint64_t least, size_t row, size_t ints);
/* Initialises blocks for counts of steps: want blocks that differ in length by at most 1/64 (1/4 if
 * there are many), or the default blocks if want is 0. */
void stats_blocks_init_steps(struct stats_blocks *b, size_t want, size_t row, size_t ints);
/* Chooses s for the given number of samples before any sample was added, without allocating
 * memory. */
void stats_blocks_settle(struct stats_blocks *b, uint64_t samples);
/* Returns the number of sub-blocks of these samples, after stats_blocks_reach or
 * stats_blocks_settle. */
size_t stats_blocks_taken(const struct stats_blocks *b, uint64_t samples);
void stats_blocks_free(struct stats_blocks *b);

/* Returns true if sub-blocks merge when the given number of samples is reached. Sums added before
 * and after a merge are rounded differently. */
int stats_blocks_merges(const struct stats_blocks *b, uint64_t samples);
/* Prepares for at least the given number of samples: chooses s, merges and allocates memory.
 * Returns 0, or -1 if memory runs out. */
int stats_blocks_reach(struct stats_blocks *b, uint64_t samples)
    __attribute__((warn_unused_result));

/* Return the index of the sub-block that contains a sample (below the number reached), its doubles
 * [row], and the first sample after the sub-block. */
size_t stats_blocks_index(const struct stats_blocks *b, uint64_t sample);
double *stats_blocks_at(struct stats_blocks *b, uint64_t sample);
uint64_t stats_blocks_end(const struct stats_blocks *b, uint64_t sample);

/* Returns the first sample of block k, 0 <= k <= want, if the samples are grouped into want blocks;
 * for k = want, the number of samples. s must be final: all samples were reached. */
uint64_t stats_blocks_bound(const struct stats_blocks *b, uint64_t samples, size_t want, size_t k);
/* Groups the sub-blocks in place into want blocks (1..samples) after all samples were added. v
 * [want][row] and c [want][ints] then hold the blocks; the caller may take v and c (and set them to
 * NULL). Returns 0, or -1 if memory runs out or want exceeds the number of sub-blocks. */
int stats_blocks_group(struct stats_blocks *b, uint64_t samples, size_t want)
    __attribute__((warn_unused_result));

/* Part k of n (1 <= k <= n, --shard) of `total` samples: blocks [from, to) of `want` (0: every
 * sub-block is a block), samples [first, last); empty if there are more parts than blocks. A block
 * depends only on the number of samples before it and in total. A run that adds only samples
 * [first, last), but reaches all sample numbers up to last and `total` at the end, therefore has
 * the same bits in blocks [from, to) as a run that adds all samples. */
struct stats_share {
    uint64_t total, first, last;
    size_t want, from, to;
};
/* Computes a part before any sample was added. */
void stats_blocks_share(const struct stats_blocks *b, uint64_t total, size_t want, uint64_t k,
                        uint64_t n, struct stats_share *s);
/* Groups the blocks after all samples of the part were added, and keeps only the blocks of the
 * part. Returns 0, or -1 if memory runs out. */
int stats_blocks_take(struct stats_blocks *b, const struct stats_share *s)
    __attribute__((warn_unused_result));

/* Returns sqrt(B/(B-1)), the factor of a deviation above, or NaN for fewer than two blocks. */
double stats_spread(size_t blocks);
/* Returns the ratio m of all blocks, or NaN if nothing was counted. Sets *se to the standard error
 * of m unless se is NULL, and dev[b * stride] to dev_b unless dev is NULL. */
double stats_ratio(size_t blocks, const double *y, const double *n, double *se, double *dev,
                   size_t stride);

#ifdef __cplusplus
}
#endif
#endif
