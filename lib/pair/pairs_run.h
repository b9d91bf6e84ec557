/* SPDX-License-Identifier: MIT */
/*
 * pairs_run.h: a whole run of beta-gen: blocks of positions in, PAIR frames out (format: mbf(5)),
 * the steps of a block computed side by side.
 */
#ifndef MBF_PAIRS_RUN_H
#define MBF_PAIRS_RUN_H

#include "pair/pairs.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pairs_run;

/* Begin, on an input with META m. dtype: 0 f32, 1 f64, -1 as the input. NULL with e. */
struct pairs_run *pairs_run_open(const struct pairs_choice *c, int dtype,
                                 const struct traj_info *info, const struct meta *m, int threads,
                                 uint64_t max_mem, struct err *e);
/* The data.* keys of an output segment. 0 or -1: out of memory. */
int pairs_run_meta(const struct pairs_run *r, struct meta *m);
/* A block of positions through to w, as PAIR blocks of 1 to 4 MiB (one step where a step is
 * larger). 0, or -1 with e. */
int pairs_run_add(struct pairs_run *r, const struct traj_block *b, struct frame_writer *w,
                  struct err *e) FRAME_MUST;
/* What to tell the user about the sum in the first cell, or "". */
const char *pairs_run_warning(const struct pairs_run *r);
/* That atoms of the first frame seem to be bonded, or "". */
const char *pairs_run_bonded(const struct pairs_run *r);
void pairs_run_close(struct pairs_run *r);

#ifdef __cplusplus
}
#endif
#endif
