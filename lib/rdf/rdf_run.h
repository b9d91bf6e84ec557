/* SPDX-License-Identifier: MIT */
/* rdf_run.h: a complete run of rdf-*. The run assigns steps to blocks, computes the counts expected
 * for an ideal gas, and writes a HIST segment. The segment holds u64 counts [B,Q,n], f64 expected
 * counts [B,Q,n] and f64 numbers of steps [B] (see series.h).
 *
 * The blocks are defined in stats/blocks.h. There are at most 64 sub-blocks, or 4 per requested
 * block if this gives more. If no number of blocks is requested, each sub-block is a block. In a
 * run of up to 64 steps, a block is then one step. Longer runs have 33 to 64 blocks of 2^k steps,
 * of which the last may be shorter. */
#pragma once

#include "rdf/rdf.h"
#include "stats/analysis.h"

#define RDF_LAGS_MAX 4096 /* largest number of time lags */

/* Options specific to rdf-*. */
struct rdf_choice {
    uint64_t bins;       /* 1..HIST_MAX_BINS */
    const char *rmax;    /* "half", "corner" or Å */
    double thickness;    /* thickness of a slab, Å */
    int axes;            /* index in rdf_axes. Unless 0, distances are in the plane of two axes */
    int algorithm;       /* enum rdf_algorithm */
    int lecture;         /* 1 for mid-point shells and the density N/V */
    const uint64_t *lag; /* time lags of van Hove functions in steps, ascending, [nlags] */
    size_t nlags;        /* number of time lags, or 0 for g(r) */
    bool unwrapped;      /* whether to accept positions that appear to jump across the cell */
};

/* "xyz", and then the planes that are normal to x, y and z: "yz", "xz" and "xy". */
extern const char *const rdf_axes[];
/* The analysis of rdf-*, whose options are a struct rdf_choice. If no pair of species is requested,
 * there is one histogram for all atoms. */
extern const struct analysis rdf_analysis;
