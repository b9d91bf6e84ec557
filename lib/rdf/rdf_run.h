/* SPDX-License-Identifier: MIT */
/* rdf_run.h: runs rdf-cpu or rdf-gpu, which assign steps to blocks, compute the counts that are
 * expected for an ideal gas, and write a HIST segment. For B blocks, Q pairs of species and n bins,
 * the segment contains u64 counts [B,Q,n], f64 expected counts [B,Q,n] and f64 numbers of steps [B]
 * (see series.h).
 *
 * The blocks of steps are defined in stats/blocks.h (stats_blocks_init_steps). If the user requests
 * no number of blocks, a short run has one block per step, and a longer run has blocks of 2^k
 * steps, of which the last may be shorter. */
#pragma once

#include "rdf/rdf.h"
#include "stats/analysis.h"

#define RDF_LAGS_MAX 4096

struct rdf_choice {
    uint64_t bins;    /* 1..HIST_MAX_BINS */
    const char *rmax; /* "half", "corner" or Å */
    double thickness; /* of a slab, Å */
    int axes;         /* index in rdf_axes */
    int algorithm;    /* enum rdf_algorithm */
    /* Normalise with shell volumes at bin centres and the density N/V (Nakano's lecture). */
    int lecture;
    const uint64_t *lag; /* [nlags] steps, ascending */
    size_t nlags;        /* 0: g(r) */
    bool unwrapped;      /* Accept positions that seem to jump across the cell. */
};

/* "xyz" for distances in space, and "yz", "xz" and "xy" for distances in a plane */
extern const char *const rdf_axes[];
/* The options are a struct rdf_choice. If the user requests no pair of species, the result is a
 * single histogram for all atoms. */
extern const struct analysis rdf_analysis;
