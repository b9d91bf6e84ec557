/* SPDX-License-Identifier: MIT */
/* rdf_run.h: a complete run of rdf-cpu or rdf-gpu. A run assigns steps to blocks, computes the
 * counts that are expected for an ideal gas, and writes a HIST segment. The segment holds u64
 * counts [B,Q,n], f64 expected counts [B,Q,n] and f64 numbers of steps [B] (see series.h).
 *
 * The blocks of steps are defined in stats/blocks.h. There are at most 64 sub-blocks, or 4 per
 * requested block if this number is larger. If the user requests no number of blocks, each
 * sub-block is a block. In this case, a run of up to 64 steps has one block per step. Longer runs
 * have 33 to 64 blocks of 2^k steps, of which the last block may be shorter. */
#pragma once

#include "rdf/rdf.h"
#include "stats/analysis.h"

#define RDF_LAGS_MAX 4096 /* largest number of time lags */

/* Options that only rdf-cpu and rdf-gpu have. */
struct rdf_choice {
    uint64_t bins;       /* 1..HIST_MAX_BINS */
    const char *rmax;    /* "half", "corner" or Å */
    double thickness;    /* thickness of a slab, Å */
    int axes;            /* index in rdf_axes. If the member `axes` is not 0, distances are measured
                          * in the plane of two axes. */
    int algorithm;       /* enum rdf_algorithm */
    int lecture;         /* whether to use shell volumes at the centres of the bins and the density
                          * N/V, as in Nakano's lecture */
    const uint64_t *lag; /* time lags of van Hove functions in steps, in ascending order, [nlags] */
    size_t nlags;        /* number of time lags, or 0 to compute g(r) */
    bool unwrapped;      /* whether to accept positions that appear to jump across the cell */
};

/* "xyz" for no projection, and then "yz", "xz" and "xy" for the planes normal to x, y and z */
extern const char *const rdf_axes[];
/* The analysis of rdf-cpu and rdf-gpu, whose options are a struct rdf_choice. If no pair of species
 * is requested, there is one histogram for all atoms. */
extern const struct analysis rdf_analysis;
