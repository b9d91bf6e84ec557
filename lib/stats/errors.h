/* SPDX-License-Identifier: MIT */
/*
 * errors.h: the standard error of a number, or of any linear transform of numbers, from its
 * deviations in consecutive blocks (blocks.h: dev_b, whose squares add up to the squared error of
 * independent blocks).
 *
 * The variance of a sum of consecutive blocks is the power of their deviations at frequency 0, which
 * a run does not show: a mean was taken off. It is extrapolated from the cosines of each run of B
 * blocks,
 *     z_j = sqrt(2/B) sum_b d_b cos(pi j (2 b + 1) / 2B),   j = 1..B-1,
 * by Whittle's likelihood, sum_j log(S h_j) + z_j²/(S h_j) (P. Whittle, Arkiv foer Matematik 2 (1953)
 * 423), of models of their power h, each with the S that fits it best:
 *   - no memory: h = 1;
 *   - edges: a product of two times t and t + k lies in the block of t, so that the wing of a
 *     spectrum is carried from block to block: d_b = x_b + u_b+1 - u_b. The edges u cancel in the
 *     sum but for half of the two at its ends. <u²>/<x²> from 10^-2 to 10^4.5;
 *   - a memory m, from half a block to half of the run: a part of the variance, 0.05 to 1, has the
 *     correlations exp(-|b - b'| / m); the power of its cosines is exact;
 *   - a slope: a part of the power goes as 1/f or 1/sqrt(f), and the sum's as at half of the first
 *     frequency.
 * Several runs add their cosines, and their sums to what tells of the power of sums. se is half of
 * the interval that holds 68.27 % of normal distributions of the errors of all models, weighted by
 * prior and likelihood; times 1 + 1/2n, n = B - 1, which is Student's factor. So where a run tells
 * little of its memory se is wide, and where it tells nothing there is none. Heidelberger
 * and Welch (Comm. ACM 24 (1981) 233) extrapolate the power, too, by a polynomial.
 * tests/analyses/calibrate measures what this is worth.
 *
 * There is no error (NaN) with fewer than ERRORS_BLOCKS blocks; where the sample is worth fewer than
 * ERRORS_INDEPENDENT independent ones, B sum d² / se²: a run cannot know of a memory as long as
 * itself; and where less than ERRORS_EVENTS blocks have all that varies, as (sum d²)² / sum d^4 counts them.
 */
#ifndef MBF_ERRORS_H
#define MBF_ERRORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERRORS_BLOCKS 24      /* at least */
#define ERRORS_INDEPENDENT 16 /* of these, at least */
#define ERRORS_EVENTS 2       /* blocks that vary, at least */

/* How blocks hang together. */
struct errors {
    int levels;                   /* 0: blocks are what they are, without a memory (--blocks) */
    size_t blocks;                /* all */
    size_t nruns, *run;           /* blocks of each run, whose blocks follow each other */
    size_t *used;                 /* scratch: [nruns] */
    struct errors_models **cache; /* tables of the number before, for the next one */
    const double *shared;         /* [nshared]: errors_share */
    size_t nshared;
};

struct error {
    double se;  /* NaN: not known */
    double dof; /* degrees of freedom of se: 2 over the variance of log se²; 0: not known */
};

/*
 * runs: blocks of each run ("79 40"), NULL: all blocks are one run. 0, or -1: out of memory, or the
 * runs do not add up to the blocks. errors_free in any case.
 */
int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
    __attribute__((warn_unused_result));
/* Blocks that hang together like those of another. The same. */
int errors_like(struct errors *e, const struct errors *other) __attribute__((warn_unused_result));
void errors_free(struct errors *e);
/*
 * Samples reach over several blocks, so that blocks k = 1..n apart have the correlations c[k - 1]
 * (kept, not copied) though nothing remembers; what models say comes on top. n 0: no longer.
 */
void errors_share(struct errors *e, const double *c, size_t n);
/*
 * Those of blocks of what a walk without a memory goes in `lag` block lengths, squared: two origins
 * correlate as the square of the steps that they have in common. Into c[n], n <= most, which is
 * returned.
 */
size_t errors_walk(double lag, double *c, size_t most);

/* Deviations dev[b * stride]; n [blocks]: what each block holds, 0: nothing; NULL: all hold. One
 * thread at a time. */
struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n);

/* Probability that |t| of Student's distribution is larger; dof INFINITY: of a normal one. */
double errors_tail(double t, double dof);
/* The reverse: |t| that is passed with probability p. */
double errors_quantile(double p, double dof);
/* Degrees of freedom of a sum or difference of two (Welch, Satterthwaite). dof 0: as if INFINITY. */
double errors_dof(double se_a, double dof_a, double se_b, double dof_b);

#ifdef __cplusplus
}
#endif
#endif
