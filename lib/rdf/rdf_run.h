/* SPDX-License-Identifier: MIT */
/*
 * rdf_run.h: a whole run of rdf-*: steps go to blocks, counts come with what an ideal gas would
 * have counted, and the HIST segment is written (series.h: u64 counts [B,Q,n], f64 expected
 * [B,Q,n], f64 steps [B]).
 *
 * Blocks are those of stats/blocks.h, with at most 64 sub-blocks, or 4 a wanted block if that is
 * more. Without a wanted number every sub-block is a block: up to 64 steps, each step its own
 * block; beyond, 33 to 64 blocks of 2^k steps (the last one shorter).
 */
#ifndef MBF_RDF_RUN_H
#define MBF_RDF_RUN_H

#include "rdf/rdf.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What rdf-* alone can choose. */
struct rdf_choice {
    uint64_t bins;    /* 1..HIST_MAX_BINS */
    const char *rmax; /* "half", "corner" or Å */
    double thickness; /* Å, of a slab; NaN: as rdf_slab.h finds it */
    int algorithm;    /* enum rdf_algorithm */
    int lecture;      /* 1: mid-point shells and N/V instead of exact shells and (N-1)/V */
};

/* choice: a struct rdf_choice. Without a wanted pair there is one histogram, of all atoms. */
extern const struct analysis rdf_analysis;

#ifdef __cplusplus
}
#endif
#endif
