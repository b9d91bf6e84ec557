/* SPDX-License-Identifier: MIT */
/* pairs_run.h: a complete run of beta-gen, which reads blocks of positions and writes PAIR frames
 * (see mbf(5)). The steps of a block are computed in parallel. */
#pragma once

#include "pair/pairs.h"
#include "stream/traj.h"

struct pairs_run;

/* Begins a run for an input with META m. The output type `dtype` is 0 for f32, 1 for f64, or -1 for
 * the type of the input. Returns NULL and sets e on failure. */
struct pairs_run *pairs_run_open(const struct pairs_choice *c, int dtype,
                                 const struct traj_info *info, const struct meta *m, int threads,
                                 uint64_t max_mem, struct err *e);
/* Sets the data.* keys of an output segment. Returns 0, or -1 if out of memory. */
int pairs_run_meta(const struct pairs_run *r, struct meta *m);
/* Processes a block of positions and writes PAIR blocks of 1 to 4 MiB to w. If a step is larger
 * than 4 MiB, it is written as one block. Returns 0, or -1 and sets e. */
int pairs_run_add(struct pairs_run *r, const struct traj_block *b, struct frame_writer *w,
                  struct err *e) FRAME_MUST;
/* Returns a warning about the sum in the first cell, or an empty string. */
const char *pairs_run_warning(const struct pairs_run *r);
/* Returns a warning that atoms of the first frame seem to be bonded, or an empty string. */
const char *pairs_run_bonded(const struct pairs_run *r);
void pairs_run_close(struct pairs_run *r);
