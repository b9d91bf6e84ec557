/* SPDX-License-Identifier: MIT */
/*
 * rdf_run.h: a complete run of rdf-*. Assigns steps to blocks, computes the counts expected for an
 * ideal gas, and writes the HIST segment (series.h: u64 counts [B,Q,n], f64 expected [B,Q,n], f64
 * steps [B]).
 *
 * Blocks are those of stats/blocks.h, with at most 64 sub-blocks, or 4 per requested block if that
 * is more. Without a requested number every sub-block is a block: each step for up to 64 steps;
 * beyond that, 33 to 64 blocks of 2^k steps (the last one shorter).
 */
#ifndef MBF_RDF_RUN_H
#define MBF_RDF_RUN_H

#include "rdf/rdf.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options specific to rdf-*. */
struct rdf_choice {
    uint64_t bins;    /* 1..HIST_MAX_BINS */
    const char *rmax; /* "half", "corner" or Å */
    double thickness; /* thickness of a slab, Å; NaN: determined by rdf_slab.h */
    int algorithm;    /* enum rdf_algorithm */
    int lecture;      /* 1: mid-point shells and N/V instead of exact shells and (N-1)/V */
};

/* The choice is a struct rdf_choice. Without a requested pair there is one histogram of all
 * atoms. */
extern const struct analysis rdf_analysis;

#ifdef __cplusplus
}
#endif
#endif
