/* SPDX-License-Identifier: MIT */
/*
 * rdf_run.h: a whole run of rdf-*: steps go to blocks, counts come with what an ideal gas would
 * have counted, and the HIST segment is written (series.h: u64 counts [B,Q,n], f64 expected
 * [B,Q,n], f64 steps [B]).
 *
 * Blocks (blocks.h) of steps: 64 sub-blocks at most, or 4 a wanted block if that is more. Without a
 * wanted number every sub-block is a block: up to 64 steps, each step its own block; beyond, 33 to
 * 64 blocks of 2^k steps (the last one shorter).
 */
#ifndef MBF_RDF_RUN_H
#define MBF_RDF_RUN_H

#include "rdf/rdf.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rdf_run;

struct rdf_choice {
    struct rdf_params
        engine; /* slots is set by rdf_run_open; dtype, natoms, species too, from the trajectory */
    const char *rmax;         /* "half", "corner" or Å */
    const char *const *names; /* wanted pairs "A-B", or "all" for every pair of species; [nnames] */
    size_t nnames;            /* 0: one histogram of all atoms */
    size_t blocks;            /* wanted; 0: as the steps come */
    bool lecture; /* normalise by mid-point shells and N/V instead of exact shells and (N-1)/V */
};

/*
 * Begin: m is the input's META, box the cell of the first step. NULL with err; *status 2 or 3.
 * Copies what it needs.
 */
struct rdf_run *rdf_run_open(const struct rdf_choice *c, const struct traj_info *info,
                             const struct meta *m, const struct box *box, int *status, char *err,
                             size_t errlen);
int rdf_run_add(struct rdf_run *r,
                const struct traj_block *b) FRAME_MUST; /* 0, or -1: rdf_run_error() */
/* Wait for the counts; set the data.* keys of m. 0 or -1. */
int rdf_run_finish(struct rdf_run *r, struct meta *m) FRAME_MUST;
int rdf_run_put(struct rdf_run *r,
                struct frame_writer *w) FRAME_MUST; /* the three arrays; -1: frame_writer_error() */
const char *rdf_run_error(const struct rdf_run *r);
int rdf_run_status(const struct rdf_run *r);
/* A sentence worth telling about the parameters (rmax beyond the corner, no cell), or NULL. */
const char *rdf_run_note(const struct rdf_run *r);
uint64_t rdf_run_pairs(
    const struct rdf_run *r); /* pairs of atoms looked at, for -v: steps times pairs a step */
void rdf_run_close(struct rdf_run *r);

#ifdef __cplusplus
}
#endif
#endif
