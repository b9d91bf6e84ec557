/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: blocks of consecutive samples (time origins, steps): their boundaries, their sums in
 * bounded memory while a stream of unknown length runs, and standard errors from them. Knows no
 * analysis.
 *
 * Sums are kept for sub-blocks of s consecutive samples. s is the smallest power of two that needs
 * no more than a given number of sub-blocks; neighbours merge when it doubles. At the end the n
 * sub-blocks are grouped into B contiguous blocks with boundaries at round(k n / B), k = 0..B. So
 * the boundaries follow from the number of samples and B alone.
 *
 *     stats_blocks_init(&b, stats_blocks_most(B), row, 0);
 *     for every sample i:  stats_blocks_reach(&b, i + 1);  stats_blocks_at(&b, i)[...] += ...;
 *     stats_blocks_group(&b, samples, B);                  sums of block k: b.v + k * row
 *
 * Standard errors. A number is a ratio m = sum_b y_b / sum_b n_b over blocks b (y: sums, or pairs
 * counted; n: samples, or pairs expected), so unequal blocks weigh by what they hold. Its
 * linearised deviations
 *     dev_b = sqrt(B/(B-1)) (y_b - m n_b) / sum_b n_b,      se² = sum_b dev_b²
 * (ratio estimator, Cochran, Sampling Techniques, 3rd ed., 1977, eq. 2.39 and chapter 6) give the
 * usual standard error of the mean of B block means when all n_b are equal. B counts the blocks
 * with n_b != 0; fewer than two: NaN. Any linear transform F of such numbers has se² =
 * sum_b (F dev_b)², correlations between them included.
 */
#ifndef MBF_BLOCKS_H
#define MBF_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STATS_BLOCKS_MOST 128                 /* blocks for errors.h */
#define STATS_BLOCKS_BYTES ((size_t)64 << 20) /* that they may take */

struct stats_blocks {
    size_t most;    /* sub-blocks kept at most, >= 1; 1: all samples in one */
    size_t row;     /* doubles of one sub-block; may be changed before the first reach */
    size_t ints;    /* integers of one sub-block, for what is counted; 0: none */
    uint64_t s;     /* samples of one sub-block */
    size_t n, room; /* sub-blocks in use and allocated */
    double *v;      /* [room][row], 0 where nothing was added yet */
    uint64_t *c;    /* [room][ints], the same; NULL: ints is 0 */
};

/* Sub-blocks to keep for B wanted blocks, so that their lengths differ by 1/64 at most: 64 B, or 1
 * where B is 0 or 1; SIZE_MAX when that overflows. */
size_t stats_blocks_most(size_t want);
/* Bytes that so many sub-blocks of so many doubles take; SIZE_MAX when that overflows. */
size_t stats_blocks_bytes(size_t most, size_t row);

/* Allocates nothing. */
void stats_blocks_init(struct stats_blocks *b, size_t most, size_t row, size_t ints);
/*
 * The blocks from which errors.h finds its level, by default: as many as fit of at least `least`
 * samples each (a power of two is taken), at most STATS_BLOCKS_MOST, and fewer where the sums would
 * pass STATS_BLOCKS_BYTES. So they follow from the number of samples, row, ints and least alone:
 * block k is samples [k s, (k + 1) s). At the end: stats_blocks_group(b, samples,
 * stats_blocks_taken(b, samples)).
 *
 * They are canonical. While s doubles, sample i is added to a piece of the length s that is in
 * force when the samples reached so far end at i + 1, or at the end of the engine's chunk that holds
 * it (chunks begin at multiples of their length, whatever came before); pieces of a block are added
 * two by two. So the bits of a block's sums follow from the data, the position of the block and the
 * number of samples, and a part of a trajectory that begins with a block gives those of the whole.
 */
void stats_blocks_init_levels(struct stats_blocks *b, uint64_t least, size_t row, size_t ints);
/* For counts of steps: want blocks that differ in length by 1/64 at most (1/4 where they are many);
 * 0: those of levels. */
void stats_blocks_init_steps(struct stats_blocks *b, size_t want, size_t row, size_t ints);
/* Nothing was added yet: choose s for so many samples, without allocating. */
void stats_blocks_settle(struct stats_blocks *b, uint64_t samples);
/* Sub-blocks that so many samples take, once they were reached, or settled for. */
size_t stats_blocks_taken(const struct stats_blocks *b, uint64_t samples);
void stats_blocks_free(struct stats_blocks *b);

/* Will sub-blocks merge when so many samples are reached? What is added before or after is rounded
 * differently. */
int stats_blocks_merges(const struct stats_blocks *b, uint64_t samples);
/* There are at least so many samples: choose s, merge, make room. 0, or -1: out of memory. */
int stats_blocks_reach(struct stats_blocks *b, uint64_t samples)
    __attribute__((warn_unused_result));

/* Index of the sub-block that holds a sample, its doubles [row] (the sample must be < reached), and
 * its last + 1 sample. */
size_t stats_blocks_index(const struct stats_blocks *b, uint64_t sample);
double *stats_blocks_at(struct stats_blocks *b, uint64_t sample);
uint64_t stats_blocks_end(const struct stats_blocks *b, uint64_t sample);

/* First sample of block k, 0 <= k <= want, when so many samples are grouped into want blocks; of
 * block `want`: samples. s must be final: all samples were reached. */
uint64_t stats_blocks_bound(const struct stats_blocks *b, uint64_t samples, size_t want, size_t k);
/*
 * All samples are in: group the sub-blocks into want blocks (1..samples), in place. v [want][row]
 * and c [want][ints] are the blocks then, which the caller may take (and set to NULL). 0, or -1:
 * out of memory.
 */
int stats_blocks_group(struct stats_blocks *b, uint64_t samples, size_t want)
    __attribute__((warn_unused_result));

/*
 * Share k of n (1 <= k <= n) of `total` samples: blocks [from, to) of `want` (0: every sub-block is
 * one), samples [first, last); none where there are more shares than blocks. Blocks are a function
 * of the number of samples before them and of all, so that who adds only samples [first, last), but
 * reaches all up to their numbers and `total` at the end, has the same bits in blocks [from, to) as
 * who adds all.
 */
struct stats_share {
    uint64_t total, first, last;
    size_t want, from, to;
};
/* Nothing was added yet. */
void stats_blocks_share(const struct stats_blocks *b, uint64_t total, size_t want, uint64_t k,
                        uint64_t n, struct stats_share *s);
/* All samples of the share are in: group, and keep its blocks alone. 0, or -1: out of memory. */
int stats_blocks_take(struct stats_blocks *b, const struct stats_share *s)
    __attribute__((warn_unused_result));

/* sqrt(B/(B-1)); NaN for fewer than two blocks: the factor of a deviation, above. */
double stats_spread(size_t blocks);
/*
 * m of so many blocks; NaN: nothing counted. se, where not NULL: its standard error. dev, where not
 * NULL: dev_b goes to dev[b * stride].
 */
double stats_ratio(size_t blocks, const double *y, const double *n, double *se, double *dev,
                   size_t stride);

#ifdef __cplusplus
}
#endif
#endif
