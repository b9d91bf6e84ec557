/* SPDX-License-Identifier: MIT */
/* acf.h: computes correlation functions of time series at all time lags by FFT, with standard
 * errors.
 *
 * The correlation function of columns a and b is C_ab(k) = < a(t) b(t + k) >_t, averaged over t =
 * 0..T-1-k, for k = 0..L-1.
 *
 * The T time origins t are divided into B contiguous blocks with the boundaries of stats/blocks.h.
 * The sums of a block use values b(t + k) after the end of the block, so that no product is lost.
 * The result is a CORR segment (series.h) of sums and counts, from which readers compute averages,
 * so that frame-merge can combine runs.
 *
 * A block of n time origins needs one cyclic correlation of length m >= n + L - 1 per pair of
 * columns, in double precision. Results do not depend on timings, on the number of threads or on
 * the number of pairs, because FFTW plans use FFTW_ESTIMATE. */
#pragma once

#include "stats/analysis.h"

#define ACF_MAX_PAIRS 64 /* per CORR segment */

/* Options of acf(1). The time origins are divided into the blocks of struct analysis_options. */
struct acf_choice {
    uint64_t lags;     /* number of lags, or 0: `tmax` */
    double tmax;       /* largest lag in ps, or NaN to compute all lags */
    const char *pairs; /* as for acf_pairs() */
    /* Name of the mean over all pairs, or NULL to write one function per pair. */
    const char *average;
    /* Tensor invariants (acf_invariant.h) to compute instead of `pairs`, or NULL. */
    const char *invariant;
    int subtract; /* one of acf_means */
    /* Quanta by whose multiples columns may jump: one number "A" for all columns, a list "A,B,..."
     * with one number per column, or NULL. A value is shifted by the multiple of its quantum that
     * brings it nearest to the previous value of the column. */
    const char *modulo;
    bool derivative;  /* Time derivatives (differences of successive values) are correlated. */
    bool integral;    /* Running integrals are also computed. */
    double scale;     /* factor of all functions, or NaN for 1 */
    const char *unit; /* unit of the functions, or NULL for the square of the input unit */
    double response;  /* temperature in K of the response -(1/kT) dC/dt, or NaN */
};
extern const char *const acf_means[]; /* "keep", "subtract", NULL */
/* The analysis of acf(1), which reads all segments of its input. All segments must have the same
 * `sys.*` keys and columns, and consecutive steps. */
extern const struct analysis acf_analysis;

struct acf_series {
    size_t steps, columns;
    double *v;        /* [columns][steps] */
    char (*name)[48]; /* [columns] names from the key data.columns */
    double dt_ps;     /* NaN: unknown */
};

/* Returns the n column names in data.columns, which the caller frees, or NULL and sets *e. */
char (*acf_names(const struct meta *m, size_t *n, struct err *e))[48];
/* Reserves memory for `need` steps, which must exceed *capacity. Until acf_pack is called, v has
 * the shape [columns][*capacity]. Returns 0, or -1 and sets *e. The text `what` names the columns
 * in error messages. */
int acf_grow(struct acf_series *s, size_t *capacity, size_t need, uint64_t max_mem,
             const char *what, struct err *e) FRAME_MUST;
void acf_pack(struct acf_series *s, size_t capacity);
/* Subtracts the mean of v[n] from each value. */
void acf_centre(double *v, size_t n);

struct acf_pair {
    size_t a, b; /* columns */
};

/* Parses a list of pairs of columns, such as "A-B,C". A single name, or each column if the list is
 * NULL, is paired with itself. A column name may contain '-' if the list remains unambiguous.
 * Returns the number of pairs written to pair[max], or -1 and sets *e for an unknown column, an
 * ambiguous or repeated pair, or too many pairs. */
int acf_pairs(const struct acf_series *s, const char *list, struct acf_pair *pair, size_t max,
              struct err *e) FRAME_MUST;

struct acf_params {
    size_t lags;   /* 1..steps */
    size_t blocks; /* 1..steps */
    uint64_t min;  /* Fewest time origins per block, from acf_blocks(), or 0 for nearly equal
                    * blocks. */
    const struct acf_pair *pair;
    size_t npairs;
    size_t row;   /* results per lag, or 0 for one result per pair */
    int subtract; /* The mean of each column is subtracted. */
    int threads;
    /* Memory limit in bytes, not counting the series and the result, or 0 for no limit. */
    uint64_t max_mem;
};

/* Divides the time origins into blocks for p->lags lags (stats_blocks_init_levels), and sets
 * p->blocks and p->min. A block has at least one time origin per 24 lags, because each block needs
 * transforms of its origins and of all lags. */
void acf_blocks(const struct acf_series *s, struct acf_params *p);

/* Fills the arrays counts[blocks][lags] and sums[blocks][lags][npairs] of the caller. If
 * p->subtract is set, the values in s change. Returns 0, or -1 and sets *e if memory runs out. */
int acf_compute(struct acf_series *s, const struct acf_params *p, uint64_t *counts, double *sums,
                struct err *e) FRAME_MUST;
