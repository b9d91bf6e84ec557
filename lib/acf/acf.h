/* SPDX-License-Identifier: MIT */
/*
 * acf.h: correlation functions of time series, all lags by FFT, with errors from blocks.
 *
 *     C_ab(k) = < a(t) b(t + k) >_t,   t = 0..T-1-k,   k = 0..L-1
 *
 * Origins t are cut into B contiguous blocks with the boundaries of stats/blocks.h; a block's sums
 * take the values b(t + k) from beyond its end, so that the blocks add up to the whole. What comes
 * out is a CORR segment (series.h): sums and counts, so that frame-merge joins runs and the average
 * is taken when somebody reads it.
 *
 * Each block and pair is one cyclic correlation of length m >= n + L - 1 (n: its origins), double
 * precision, FFTW_ESTIMATE: the bits do not depend on timings, threads or the number of pairs.
 */
#ifndef MBF_ACF_H
#define MBF_ACF_H

#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACF_MAX_PAIRS 64 /* functions of a CORR segment at most */

/* What the options say; analysis_options.blocks are of origins. */
struct acf_choice {
    uint64_t lags;       /* 0: by tmax */
    double tmax;         /* ps; NaN: all lags */
    const char *pairs;   /* as acf_pairs takes them */
    const char *average; /* one function of this name, the mean over the pairs; NULL: one a pair */
    const char *invariant; /* of tensors (acf_invariant.h), instead of pairs and average; or NULL */
    int subtract;          /* acf_means: the mean of each column first */
    bool integral;         /* the running integral of each function, too */
    double scale;          /* of all functions; NaN: 1 */
    const char *unit;      /* of what comes out; NULL: that of the input, squared */
    double response;       /* K: -(1/kT) dC/dt, too; NaN: not wanted */
};
extern const char *const acf_means[]; /* "keep", "subtract", NULL */
/* Of all segments, which must agree in sys.* and columns; their steps follow each other. */
extern const struct analysis acf_analysis;

/* A whole time series. */
struct acf_series {
    size_t steps, columns;
    double *v;        /* [columns][steps] */
    char (*name)[48]; /* [columns], from data.columns */
    double dt_ps;     /* NaN: unknown */
};

struct acf_pair {
    size_t a, b; /* columns */
};

/*
 * "A-B,C": pairs by name, a single name is the pair with itself; NULL: each column with itself.
 * Names may hold a '-' as long as there is one way to read the pair. Returns the number of pairs in
 * pair[most], or -1: no such column, two ways to read it, one twice, too many.
 */
int acf_pairs(const struct acf_series *s, const char *list, struct acf_pair *pair, size_t most,
              struct err *e) FRAME_MUST;

struct acf_params {
    size_t lags;    /* 1..steps */
    size_t blocks;  /* 1..steps, or what acf_blocks says */
    uint64_t least; /* what acf_blocks says; 0: blocks of nearly equal length */
    const struct acf_pair *pair;
    size_t npairs;
    size_t row;   /* doubles of a lag, for the number of blocks; 0: npairs */
    int subtract; /* the mean of each column first */
    int threads;
    uint64_t max_mem; /* bytes this may hold besides the series and the result; 0: any */
};

/* Blocks for errors.h (stats_blocks_init_levels), of at least a 24th of the lags, since a block
 * takes transforms of its origins and all lags: into blocks and least; lags are set. */
void acf_blocks(const struct acf_series *s, struct acf_params *p);

/*
 * counts[blocks][lags], sums[blocks][lags][npairs], both the caller's. 0, or -1: memory. The mean,
 * where it is subtracted, is subtracted in s itself.
 */
int acf_compute(struct acf_series *s, const struct acf_params *p, uint64_t *counts, double *sums,
                struct err *e) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
