/* SPDX-License-Identifier: MIT */
/*
 * errors.h: the standard error of a number, or of any linear transform of numbers, from its
 * deviations in consecutive blocks (blocks.h: dev_b, whose squares add up to the squared error if
 * blocks are independent).
 *
 * The variance of a sum of consecutive blocks is the power of the blocks' deviations at frequency
 * 0. A run does not show this power, because its mean was subtracted. The power is extrapolated
 * from the cosine transform of each run of B blocks,
 *     z_j = sqrt(2/B) sum_b d_b cos(pi j (2 b + 1) / 2B),   j = 1..B-1,
 * with Whittle's likelihood, sum_j log(S h_j) + z_j²/(S h_j) (Whittle, Arkiv foer Matematik 2
 * (1953) 423), for several models of the power h, each with its best-fitting scale S:
 *   - uncorrelated blocks: h = 1;
 *   - edges: the product of two times t and t + k belongs to the block of t, which couples
 *     neighbouring blocks: d_b = x_b + u_b+1 - u_b. The edges u cancel in the sum except for half
 *     of the two at its ends. <u²>/<x²> ranges from 10^-2 to 10^4.5;
 *   - a correlation time m, from half a block to half of the run: a part of the variance, 0.05 to
 *     1, has the correlations exp(-|b - b'| / m). The power of the cosines is exact;
 *   - a slope: a part of the power varies as 1/f or 1/sqrt(f), and for the sum as at half of the
 *     first frequency.
 * Several runs contribute their cosines, and their sums add information about the power of sums.
 * The error se is half of the interval that contains 68.27 % of a mixture of normal distributions
 * with the errors of all models, weighted by prior and likelihood, times Student's factor 1 + 1/2n,
 * n = B - 1. The error is therefore large if a run contains little information about its
 * correlation time, and unknown if the run contains none. Heidelberger and Welch (Comm ACM 24
 * (1981) 233) also extrapolate the power, by a polynomial. tests/analyses/calibrate measures the
 * accuracy.
 *
 * The error is NaN with fewer than ERRORS_BLOCKS blocks, or if fewer than ERRORS_EVENTS blocks
 * contain all the variation, counted as (sum d²)² / sum d^4. The error is also NaN if the sample is
 * worth fewer than ERRORS_INDEPENDENT independent blocks, B sum d² / se², because a run cannot
 * detect a correlation time as long as itself.
 */
#ifndef MBF_ERRORS_H
#define MBF_ERRORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERRORS_BLOCKS 24      /* blocks, at least */
#define ERRORS_INDEPENDENT 16 /* independent blocks, at least */
#define ERRORS_EVENTS 2       /* blocks that vary, at least */

/* Correlations between blocks. */
struct errors {
    int levels;                   /* 0: treat blocks as independent (--blocks) */
    size_t blocks;                /* number of all blocks */
    size_t nruns, *run;           /* blocks of each run; blocks of one run are consecutive */
    size_t *used;                 /* scratch: [nruns] */
    struct errors_models **cache; /* tables of the previous number, kept for the next */
    const double *shared;         /* [nshared], set by errors_share */
    size_t nshared;
};

struct error {
    double se;  /* NaN: unknown */
    double dof; /* degrees of freedom of se: 2 over the variance of log se²; 0: unknown */
};

/* Initialises e. The list runs gives the blocks of each run ("79 40"); runs is NULL if all blocks
 * belong to one run. Returns 0, or -1 if memory runs out or the runs do not add up to the blocks.
 * Call errors_free in every case. */
int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
    __attribute__((warn_unused_result));
/* Initialises e with the runs and blocks of other. Returns 0, or -1 if memory runs out. */
int errors_like(struct errors *e, const struct errors *other) __attribute__((warn_unused_result));
void errors_free(struct errors *e);
/* Sets known correlations c[k - 1] (kept, not copied) of blocks k = 1..n apart, which arise because
 * samples extend over several blocks. The correlations of the models are added. A call with n = 0
 * removes the known correlations. */
void errors_share(struct errors *e, const double *c, size_t n);
/* Computes the correlations between blocks for the squared displacement of a random walk at a lag
 * of `lag` block lengths: two time origins correlate as the square of the number of steps in
 * common. Fills c[n] and returns n, at most `most`. */
size_t errors_walk(double lag, double *c, size_t most);

/* Returns the error from deviations dev[b * stride]. The array n [blocks] gives the content of each
 * block, 0 if empty; n is NULL if no block is empty. Only one thread may use e at a time. */
struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n);

/* Probability of a larger |t| in Student's distribution; dof INFINITY: in a normal distribution. */
double errors_tail(double t, double dof);
/* Inverse of errors_tail: the |t| that is exceeded with probability p. */
double errors_quantile(double p, double dof);
/* Degrees of freedom of a sum or difference of two numbers (Welch, Satterthwaite); dof 0 counts as
 * INFINITY. */
double errors_dof(double se_a, double dof_a, double se_b, double dof_b);

#ifdef __cplusplus
}
#endif
#endif
