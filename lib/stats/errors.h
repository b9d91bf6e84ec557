/* SPDX-License-Identifier: MIT */
/*
 * errors.h: estimates the standard error of a number, or of any linear transform of numbers, from
 * deviations in consecutive blocks. If blocks are independent, the squares of the deviations dev_b
 * (blocks.h) add up to the squared error.
 *
 * The variance of a sum of consecutive blocks is the power of the blocks' deviations at frequency
 * 0. The power at frequency 0 cannot be taken directly from a run, because the mean of the run was
 * subtracted. The power is extrapolated from the cosine transform of each run of B blocks,
 *     z_j = sqrt(2/B) sum_b d_b cos(pi j (2 b + 1) / 2B),   j = 1..B-1.
 * Whittle's likelihood is sum_j log(S h_j) + z_j²/(S h_j) (Arkiv foer Matematik 2 (1953) 423).
 * There are several models of the power h, each with its best-fitting scale S:
 *   - Uncorrelated blocks have h = 1.
 *   - In the model of edges, the product of the values at the times t and t + k belongs to the
 *     block of t. Neighbouring blocks are then coupled, with d_b = x_b + u_b+1 - u_b. In the sum
 *     over blocks, all edges u cancel except for half of the first and half of the last edge. The
 *     ratio <u²>/<x²> ranges from 10^-2 to 10^4.5.
 *   - In the model with a correlation time m, a fraction of the variance, 0.05 to 1, has the
 *     correlations exp(-|b - b'| / m). The time m ranges from half a block to half of the run. The
 *     power of the cosines is computed exactly.
 *   - In the model with a slope, a part of the power varies as 1/f or 1/sqrt(f). The power of the
 *     sum is then the power at half of the first frequency.
 * The cosines of all runs are used together. If there are several runs, the sums of the runs add
 * information about the power at frequency 0. All models together, weighted by their priors and
 * likelihoods, give a mixture of normal distributions. The error se is half of the interval that
 * contains 68.27 % of the mixture, times the same interval of Student's distribution for B - 1
 * degrees of freedom. The error is therefore large if a run contains little information about its
 * correlation time. Heidelberger and Welch (Comm ACM 24 (1981) 233) also extrapolate the power, by
 * a polynomial. The script tests/analyses/calibrate measures the accuracy of these errors.
 *
 * Neighbouring rows of a column share one set of likelihoods (errors_column), so that the error of
 * a row is its own scatter times a factor that varies smoothly. If the samples are products or
 * squared differences of normal variables, the correlations of the samples follow from the column
 * itself (Isserlis, Biometrika 12 (1918) 134; Zwanzig and Ailawadi, Phys Rev 182 (1969) 280). A
 * second set of models includes these correlations in addition. The known correlations are summed
 * up to six correlation times. Correlation functions that are estimated from few samples decay too
 * fast, so se² is multiplied by 1 + 2/n for n independent samples.
 *
 * The number n is the number of blocks divided by the geometric mean of twice the correlation times
 * of the models, in blocks. The correlations from the column itself are ignored, because they make
 * n too large in short runs. The error is NaN if n is below the smaller of ERRORS_INDEPENDENT and a
 * quarter of the number of blocks; n = 3 corresponds to a correlation time of a sixth of the run. A
 * column of time lags has errors up to a certain lag. Any other column has errors in all rows or in
 * no row.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define ERRORS_FEW 3         /* smallest number of blocks */
#define ERRORS_INDEPENDENT 3 /* smallest number of independent samples */
#define ERRORS_POOL 8        /* largest number of rows that are pooled */

/* Describes how blocks are correlated. Blocks of one run are consecutive. */
struct errors {
    int levels;                 /* 0: independent blocks */
    size_t blocks;              /* number of all blocks */
    size_t nruns, *run;         /* blocks of each run */
    size_t *used;               /* scratch: [nruns] */
    struct errors_cache *cache; /* tables kept for reuse */
    const double *shared;       /* see errors_share */
    size_t nshared;
    double part;  /* prior probability of models with the shared correlations */
    bool overlap; /* whether the shared correlations come from overlapping samples and not from a
                   * correlation time */
};

struct error {
    double se;          /* NaN: unknown */
    double dof;         /* 2/var(log se²), or 0 if unknown */
    double independent; /* number of independent samples in the run */
    bool known;         /* the run is long enough */
};

/* Numbers with the same correlations between blocks. The deviations of number k are dev[k * next +
 * b * stride]. */
struct errors_rows {
    const double *dev;
    size_t count, next, stride; /* count: 1..ERRORS_POOL */
};

/* Which correlations between samples follow from the values of a column themselves. */
enum errors_kind {
    ERRORS_PLAIN,   /* none */
    ERRORS_PRODUCT, /* the samples are products x(s) x(s + t) of normal variables, and the value is
                     * C(t) */
    ERRORS_SQUARE   /* the samples are squares of x(s + t) - x(s), with normal variables x, and the
                     * value is M(t) */
};

/* A column of numbers whose neighbours are similar. The deviations of row k are dev[k * next + b *
 * stride]. */
struct errors_column {
    const double *dev;
    size_t rows, next, stride;
    bool lags; /* whether the rows are time lags, starting from 0 */
    enum errors_kind kind;
    const double *value; /* value[k * next] is the value of row k; needed unless kind is
                          * ERRORS_PLAIN */
    double block;        /* lags per block */
};

/* Initialises e. The list runs gives the number of blocks of each run, such as "79 40", or is NULL
 * for one run. Returns 0, or -1 if memory runs out or the numbers of blocks do not add up. Call
 * errors_free afterwards, also after an error. */
int errors_init(struct errors *e, int levels, size_t blocks, const char *runs) MUST_USE;
/* Initialises e with the runs and blocks of `other`. Returns 0, or -1 if memory runs out. */
int errors_like(struct errors *e, const struct errors *other) MUST_USE;
void errors_free(struct errors *e);
/* Returns whether memory ran out in errors_of, whose error is then NaN. */
bool errors_failed(const struct errors *e);
/* Sets the correlation c[k - 1] between blocks at distance k = 1..n. These known correlations arise
 * because samples extend over several blocks. The models add further correlations to these. The
 * array c is not copied and must remain valid. If n is 0, the known correlations are removed. */
void errors_share(struct errors *e, const double *c, size_t n);
/* Returns the error computed from the deviations dev[b * stride]. The array n[blocks] gives the
 * number of samples or pairs in each block, or is NULL if no block is empty. Only one thread at a
 * time may use e. */
struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n);

/* Returns the error of each of these numbers for deviations whose sum of squares is 1. The error
 * uses the correlations of all the numbers. The sum of squares must not be 0 for any number. */
struct error errors_pooled(const struct errors *e, const struct errors_rows *v);
/* Returns the sum of squares of the deviations dev[b * stride]. */
double errors_square(const struct errors *e, const double *dev, size_t stride);

/* Computes the errors of a column into out[rows]. Returns 0, or -1 if memory runs out. */
int errors_column(const struct errors *e, const struct errors_column *c,
                  struct error *out) MUST_USE;

/* Returns the probability of a larger |t| in Student's distribution, or in the normal distribution
 * if dof is INFINITY. */
double errors_tail(double t, double dof);
/* Returns the value of |t| that is exceeded with the probability p. */
double errors_quantile(double p, double dof);
/* Returns the degrees of freedom of a sum or difference of two numbers (Welch, Satterthwaite). If a
 * dof is 0, it is treated as INFINITY. */
double errors_dof(double se_a, double dof_a, double se_b, double dof_b);

C_LINKAGE_END
