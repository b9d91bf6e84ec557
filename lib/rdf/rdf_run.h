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
#include "stats/shard.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rdf_run;

struct rdf_choice {
    struct rdf_params engine; /* slots, dtype, natoms, species, pairs are set by rdf_run_open */
    const char *rmax;         /* "half", "corner" or Å */
    const char *const *names; /* [nnames]: wanted pairs "A-B", or "all": every pair of species */
    size_t nnames;            /* 0: one histogram of all atoms */
    const char *exclude;      /* pairs that do not count, as in exclude.h; NULL: none */
    size_t blocks;            /* wanted; 0: as the steps come */
    struct shard shard;       /* opened; n 0: all steps */
    bool lecture;             /* mid-point shells and N/V instead of exact shells and (N-1)/V */
};

/*
 * Begin: m is the input's META, box the cell of the first step. Copies what it needs. NULL with e:
 * ERR_BAD (a parameter that the input does not go with), ERR_MEMORY, ERR_MACHINE.
 */
struct rdf_run *rdf_run_open(const struct rdf_choice *c, const struct traj_info *info,
                             const struct meta *m, const struct box *box, struct err *e);
/* Steps [first, last) are those to add, of a shard; else all. */
const struct stats_share *rdf_run_share(const struct rdf_run *r);
/* 0, or -1: rdf_run_error(). */
int rdf_run_add(struct rdf_run *r, const struct traj_block *b) FRAME_MUST;
/* Wait for the counts; set the data.* keys of m. 0, or -1: rdf_run_error(). */
int rdf_run_finish(struct rdf_run *r, struct meta *m) FRAME_MUST;
/* The three arrays, and END. 0, or -1: frame_writer_error(). */
int rdf_run_put(struct rdf_run *r, struct frame_writer *w) FRAME_MUST;
const struct err *rdf_run_error(const struct rdf_run *r);
/* A sentence worth telling about the parameters (rmax beyond the corner, no cell), or NULL. */
const char *rdf_run_note(const struct rdf_run *r);
/* After rdf_run_finish: that the sample changed (drift.h), or NULL. Of a share never. */
const char *rdf_run_drift(const struct rdf_run *r);
/* Pairs of atoms looked at, for -v: steps times pairs a step. */
uint64_t rdf_run_pairs(const struct rdf_run *r);
void rdf_run_close(struct rdf_run *r); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
