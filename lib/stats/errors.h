/* SPDX-License-Identifier: MIT */
/* errors.h: estimates the standard error of a number, or of any linear transform of numbers, from
 * deviations in consecutive blocks. If the blocks are independent, the squares of their deviations
 * dev_b (blocks.h) add up to the squared error.
 *
 * The variance of a sum of consecutive blocks is the spectral power of their deviations d_b at
 * frequency 0. The power at frequency 0 cannot be measured, because the mean of the run was
 * subtracted, and is therefore extrapolated from the cosine transform of each run of B blocks,
 *     z_j = sqrt(2/B) sum_b d_b cos(pi j (2 b + 1) / 2B),   j = 1..B-1.
 * Whittle's likelihood is sum_j log(S h_j) + z_j²/(S h_j) (Arkiv foer Matematik 2 (1953) 423).
 * Several models of the power h_j are used, each with the scale S that fits best.
 *   - If blocks are uncorrelated, h is 1.
 *   - In the model of edges, a product of values at the times t and t + k belongs to the block of
 *     t. Neighbouring blocks are then coupled, with d_b = x_b + u_(b+1) - u_b. In the sum over
 *     blocks, the edges u cancel except for half of the first edge and half of the last edge. The
 *     ratio <u²>/<x²> of this model is between 10^-2 and 10^4.5.
 *   - In the model with a correlation time m, a fraction 0.05 to 1 of the variance has the
 *     correlations exp(-x), where x is |b - b'| / m, with m between half a block and half of the
 *     run. In two models of smooth functions of time, the correlations are (1 + y) exp(-y) with y =
 *     2 x, and (1 + z + z²/3) exp(-z) with z = 8 x / 3. The powers of the cosines are exact.
 *   - In the model with a slope, a part of the power varies as 1/f or 1/sqrt(f). In this model, the
 *     value at half of the first frequency is used as the power at frequency 0.
 * The cosines of all runs are used together. For several runs, the sum over each run also gives
 * information about the power at frequency 0. All models together, weighted by their priors and
 * likelihoods, give a mixture of normal distributions. The error se is half the width of the
 * interval that contains 68.27 % of the mixture, times the corresponding factor of Student's
 * distribution for B - 1 degrees of freedom. The error is therefore large if a run contains little
 * information about its correlation time. Heidelberger and Welch (Comm ACM 24 (1981) 233)
 * extrapolate the power by a polynomial. The script tests/analyses/calibrate measures how accurate
 * these errors are.
 *
 * Neighbouring rows of a column share the likelihoods of the models (errors_column). The error of a
 * row is then the scatter of this row times a factor that varies smoothly along the column. If the
 * samples are products or squared differences of normal variables, their correlations can be
 * computed from the column itself (Isserlis, Biometrika 12 (1918) 134, and Zwanzig and Ailawadi,
 * Phys Rev 182 (1969) 280). A second set of models also includes these correlations, summed up to
 * six correlation times.
 *
 * The number n of independent samples is the number of blocks, divided by twice the correlation
 * time in blocks. For n, the correlation time is the geometric mean over the models without the
 * correlations from the column, which make n too large in short runs. The error is NaN if n is
 * below ERRORS_INDEPENDENT and below a quarter of the number of blocks. At n = 2.5, the correlation
 * time is a fifth of the run. Because values from few samples are skewed and look less correlated
 * than they are, se² is multiplied by 1 + (1 - n/B) (2/n + 450/n^4). A column of time lags has
 * errors up to some lag, and any other column has errors in all rows or in none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

#define ERRORS_FEW 3           /* fewest blocks */
#define ERRORS_INDEPENDENT 2.5 /* fewest independent samples */
#define ERRORS_POOL 8          /* most rows per likelihood */

/* Describes how blocks are correlated. The blocks of one run are consecutive. */
struct errors {
    int levels;         /* 0: independent blocks; 1: correlated blocks */
    size_t blocks;      /* of all runs */
    size_t nruns, *run; /* [nruns], blocks per run */
    size_t *used;       /* scratch: [nruns] */
    struct errors_cache *cache;
    const double *shared; /* set by errors_share */
    size_t nshared;
    double part;  /* prior of `shared` */
    bool overlap; /* Whether `shared` is due to overlapping samples, not to a correlation time. */
};

struct error {
    double se;          /* NaN: unknown */
    double dof;         /* 2/var(log se²), or 0 */
    double independent; /* independent samples */
    bool known;         /* run is long enough */
};

/* Several numbers with the same correlations between blocks. The deviation of number k in block b
 * is dev[k * next + b * stride]. */
struct errors_rows {
    const double *dev;
    size_t count, next, stride; /* count: 1..ERRORS_POOL */
};

/* The kind of samples in a column, which determines the correlations between the samples. */
enum errors_kind {
    ERRORS_PLAIN,   /* of unknown kind */
    ERRORS_PRODUCT, /* Samples x(s) x(s + t) of a normal variable x have the mean C(t). */
    ERRORS_SQUARE   /* Samples (x(s + t) - x(s))² of a normal variable x have the mean M(t). */
};

/* A column of numbers in which neighbouring rows are similar. The deviation of row k in block b is
 * dev[k * next + b * stride]. */
struct errors_column {
    const double *dev;
    size_t rows, next, stride;
    bool lags; /* rows are time lags, from 0 */
    enum errors_kind kind;
    const double *value; /* The value of row k is value[k * next], not needed for ERRORS_PLAIN. */
    double block;        /* lags per block */
};

/* Initialises e. The text `runs` lists the number of blocks of each run, such as "79 40", or is
 * NULL for a single run. Returns 0, or -1 if memory runs out or the sum of the numbers in `runs` is
 * not `blocks`. Call errors_free afterwards, even after an error. */
int errors_init(struct errors *e, int levels, size_t blocks, const char *runs) MUST_USE;
/* Initialises e with the runs and blocks of `other`. Returns 0, or -1 if memory runs out. */
int errors_like(struct errors *e, const struct errors *other) MUST_USE;
void errors_free(struct errors *e);
/* Returns true if memory ran out in errors_of, which then returned NaN as the error. */
bool errors_failed(const struct errors *e);
/* Sets the correlations c[k - 1] between blocks at the distances k = 1..n that arise because
 * samples extend over several blocks. The array c is not copied and must stay valid. If n is 0, the
 * correlations of an earlier call are removed. */
void errors_share(struct errors *e, const double *c, size_t n);
/* Returns the error of a number with the deviations dev[b * stride]. The array n[blocks] contains
 * the number of samples or pairs in each block, or is NULL if no block is empty. Only one thread at
 * a time may use e. */
struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n);

/* Returns the error that each of the numbers v would have if the sum of its squared deviations were
 * 1. The correlations are estimated from all numbers v together. The sum of the squared deviations
 * of a number must not be 0. */
struct error errors_pooled(const struct errors *e, const struct errors_rows *v);
/* Returns the sum of the squared deviations dev[b * stride]. */
double errors_square(const struct errors *e, const double *dev, size_t stride);

/* Stores the errors of a column in out[rows]. Returns 0, or -1 if memory runs out. */
int errors_column(const struct errors *e, const struct errors_column *c,
                  struct error *out) MUST_USE;

/* Returns the probability of a larger |t| in Student's distribution with `dof` degrees of freedom.
 * If `dof` is INFINITY, Student's distribution is the normal distribution. */
double errors_tail(double t, double dof);
/* Returns the value of |t| that Student's distribution exceeds with the probability p. */
double errors_quantile(double p, double dof);
/* Returns the number of degrees of freedom of a sum or difference of two numbers (Welch,
 * Satterthwaite). An argument dof_a or dof_b of 0 is treated as INFINITY. */
double errors_dof(double se_a, double dof_a, double se_b, double dof_b);

C_LINKAGE_END
