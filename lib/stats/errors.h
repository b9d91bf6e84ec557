/* SPDX-License-Identifier: MIT */
/*
 * errors.h: the standard error of a number, or of any linear transform of numbers, from its
 * deviations in consecutive blocks (blocks.h: dev_b, whose squares add up to the squared error of
 * independent blocks).
 *
 * Blocks that are short against the memory of a sample give errors that are too small. So
 * neighbours are merged level by level (Flyvbjerg, Petersen, J. Chem. Phys. 91 (1989) 461): B, B/2,
 * B/4, ... blocks. At a level of B_k blocks with P_k pairs of neighbours, d_i the deviations,
 *     r_k = sum d_i d_i+1 / sum d_i²,   M_k = sum over levels l >= k with three blocks or more of
 *           (r_l + P_l / B_l (B_l - 1))² B_l² / P_l
 * and the first level whose M_k is below the 95 % quantile of chi-square, one degree of freedom a
 * level, is taken (Jonsson, Phys. Rev. E 98 (2018) 043304). A correlation of neighbours that this
 * test cannot see is still there on average, so what is left of it is added where positive:
 *     se² = sum d_i² (1 + 2 max(0, r_k + P_k / B_k (B_k - 1)))
 * and where the finest blocks seem to remember, the next level's is taken if it is larger: of levels
 * that pass by chance the first is more often too small.
 *
 * Neighbours that give back. A product of two times t and t + k lies in the block of t, so that the
 * wing of a spectrum is carried from block to block: d_b = x_b + u_b+1 - u_b with edges u that
 * cancel in the sum and are, at twice the intensity's width from the centre, most of d. Merging
 * halves them a level; the cosines of a run of B blocks, z_j = sqrt(2/B) sum_b d_b cos(pi j (2 b +
 * 1) / 2B), leave 4 sin²(pi j / 2B) + 4/B cos²(pi j / 2B) of <u²>, which is little where j is. So
 * where r_0 < -1/sqrt(P_0) on ERRORS_EDGES pairs of neighbours, se² is that of x and of half the
 * two edges at the ends of each run (of which between none and both are in its sum): its mean over
 * ratios <u²>/<x²> by their likelihood (Whittle, flat in the logarithm, 10^-2 to 10^4.5, and 0).
 * tests/calibrate measures what all this is worth. From <u²> of some ten <x²> on, and on few blocks,
 * no more than a few cosines tell x, and the error itself is known to half at best.
 *
 * There is no error (NaN) where the chosen level has fewer than ERRORS_BLOCKS blocks, or where the
 * whole sample is worth fewer than ERRORS_INDEPENDENT independent finest blocks: a run cannot know
 * of a memory as long as itself.
 */
#ifndef MBF_ERRORS_H
#define MBF_ERRORS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERRORS_BLOCKS 8       /* of a level that is believed, at least */
#define ERRORS_INDEPENDENT 10 /* finest blocks over (se² / se² of the finest level), at least */
#define ERRORS_EDGES 16       /* pairs of neighbours that can tell what their edges carry */

/* How blocks hang together, and room for the levels. */
struct errors {
    int levels;         /* 0: blocks are what they are, no merging (--blocks) */
    size_t blocks;      /* finest */
    size_t nruns, *run; /* blocks of each run, whose blocks follow each other */
    size_t *left;       /* scratch: [nruns] */
    double *d, *n;      /* scratch: [blocks] */
    double *expected;   /* of edges, by ratio; NULL: no levels */
};

struct error {
    double se;  /* NaN: not known */
    double dof; /* degrees of freedom of se, for Student's t; 0: not known */
};

/*
 * runs: blocks of each run ("79 40"), NULL: all blocks are one run. 0, or -1: out of memory, or the
 * runs do not add up to the blocks. errors_free in any case.
 */
int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
    __attribute__((warn_unused_result));
void errors_free(struct errors *e);

/* Deviations dev[b * stride]; n [blocks]: what each block holds, 0: nothing; NULL: all hold. */
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
