/* SPDX-License-Identifier: MIT */
/* acf.h: computes correlation functions of time series by FFT at all time lags, with errors.
 *
 * The function of the columns a and b is C_ab(k) = < a(t) b(t + k) >_t, averaged over t = 0..T-1-k,
 * for k = 0..L-1.
 *
 * The time origins t are divided into B contiguous blocks with the boundaries of stats/blocks.h.
 * The sums of a block use values b(t + k) beyond the end of the block, so no product of the run is
 * lost. The result is a CORR segment (series.h) of sums and counts. Averages are taken when the
 * segment is read, so that frame-merge can combine runs.
 *
 * Each block needs one cyclic correlation per pair, in double precision. For a block of n time
 * origins, the length m of this correlation is at least n + L - 1. FFTW plans use FFTW_ESTIMATE, so
 * that results do not depend on timings, on the number of threads, or on the number of pairs. */
#pragma once

#include "stats/analysis.h"

#define ACF_MAX_PAIRS 64 /* largest number of functions in a CORR segment */

/* Options of acf(1). The blocks of analysis_options divide the time origins. */
struct acf_choice {
    uint64_t lags;     /* number of lags, or 0 to use the member `tmax` */
    double tmax;       /* largest lag in ps, or NaN to compute all lags */
    const char *pairs; /* list of pairs of columns, in the syntax of acf_pairs() */
    /* Name of the mean over all pairs, or NULL to write one function per pair. */
    const char *average;
    /* Tensor invariants to compute in place of pairs (acf_invariant.h), or NULL for pairs. */
    const char *invariant;
    int subtract; /* whether to subtract the mean of each column (acf_means) */
    /* Quantum by whose multiples a column may jump: one number "A" for all columns, or a list
     * "A,B,..." with one number per column. Each value is shifted by the multiple of the quantum
     * that brings it nearest to the previous value. NULL means no quanta. */
    const char *modulo;
    bool derivative;  /* whether to correlate the time derivatives, computed from differences of
                       * successive values */
    bool integral;    /* whether to compute also the running integral of each function */
    double scale;     /* factor by which all functions are multiplied, or NaN for 1 */
    const char *unit; /* unit of the functions, or NULL for the square of the input unit */
    double response;  /* temperature in K for the response -(1/kT) dC/dt, or NaN for no response */
};
extern const char *const acf_means[]; /* "keep", "subtract", NULL */
/* Describes the analysis of all segments of an input. All segments must have the same `sys.*` keys
 * and the same columns, and their steps must be consecutive. */
extern const struct analysis acf_analysis;

/* A whole time series. */
struct acf_series {
    size_t steps, columns;
    double *v;        /* [columns][steps] */
    char (*name)[48]; /* names of the columns [columns], from the key data.columns */
    double dt_ps;     /* NaN: unknown */
};

/* Returns the n names in data.columns, or NULL with an error message in e. The caller frees the
 * names. */
char (*acf_names(const struct meta *m, size_t *n, struct err *e))[48];
/* Reserves memory for `need` steps, a number that exceeds *capacity. The array v has the shape
 * [columns][*capacity] until acf_pack is called. Returns 0 on success, or -1 with an error message
 * in e. The text `what` names the columns in error messages. */
int acf_grow(struct acf_series *s, size_t *capacity, size_t need, uint64_t max_mem,
             const char *what, struct err *e) FRAME_MUST;
void acf_pack(struct acf_series *s, size_t capacity);
/* Subtracts the mean of the values v[n] from each of these values. */
void acf_centre(double *v, size_t n);

struct acf_pair {
    size_t a, b; /* columns */
};

/* Parses a list of pairs of columns, such as "A-B,C". A single name stands for the pair of the
 * column with itself. If the list is NULL, each column forms a pair with itself. A column name may
 * contain '-' as long as the list of pairs is unambiguous. Returns the number of pairs written to
 * pair[max]. Returns -1 with an error message in e for an unknown column, an ambiguous or repeated
 * pair, or too many pairs. */
int acf_pairs(const struct acf_series *s, const char *list, struct acf_pair *pair, size_t max,
              struct err *e) FRAME_MUST;

struct acf_params {
    size_t lags;   /* 1..steps */
    size_t blocks; /* 1..steps */
    uint64_t min;  /* smallest number of time origins per block, set by acf_blocks(), or 0 if
                    * all blocks are nearly equal in length */
    const struct acf_pair *pair;
    size_t npairs;
    size_t row;   /* number of results per lag, or 0 for one result per pair */
    int subtract; /* whether to subtract the means of the columns */
    int threads;
    /* Memory limit in bytes, which excludes the series and the result, or 0 for no limit. */
    uint64_t max_mem;
};

/* Chooses blocks with stats_blocks_init_levels and sets p->blocks and p->min. The caller must set
 * p->lags first. A block has at least one time origin per 24 lags, because each block needs
 * transforms of its origins and of all lags. */
void acf_blocks(const struct acf_series *s, struct acf_params *p);

/* Fills the arrays counts[blocks][lags] and sums[blocks][lags][npairs], which the caller owns. If
 * means are subtracted, the function changes the values in s. Returns 0 on success, or -1 with an
 * error message in e if memory runs out. */
int acf_compute(struct acf_series *s, const struct acf_params *p, uint64_t *counts, double *sums,
                struct err *e) FRAME_MUST;
