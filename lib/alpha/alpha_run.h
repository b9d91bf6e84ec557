/* SPDX-License-Identifier: MIT */
/* alpha_run.h: a complete run of alpha-*, from positions to the collective polarizability. */
#pragma once

#include "alpha/alpha.h"
#include "select/weights.h"
#include "stream/traj.h"

struct alpha_choice {
    struct weights atoms; /* --polarizability */
    const char *model;    /* --model, NULL: not given */
    bool dipole;          /* M instead of Pi */
    int order;            /* ALPHA_ALL, 1 .. */
    bool parts;
    enum alpha_thole thole;
    double a, tolerance;
    enum alpha_sum sum;
    double reach, error; /* parameters of a mesh, or 0 if not given */
    const char *devices; /* of alpha_params */
};

struct alpha_run;
/* Begins a run for the trajectory described by info and m. Returns NULL and sets e if
 * alpha_model_open or alpha_open fails, if the cell is periodic along only one or two axes, or if
 * the model does not define M. */
struct alpha_run *alpha_run_open(const struct alpha_choice *c, const struct traj_info *info,
                                 const struct meta *m, int threads, size_t max_mem, struct err *e);
/* Returns the description of the engine (alpha_summary). */
const char *alpha_run_summary(const struct alpha_run *r);
/* Sets the data.* keys of the output. Returns 0 or -1. */
int alpha_run_meta(const struct alpha_run *r, struct meta *m);
/* Processes a block of positions and writes its frames to w. Returns 0, or -1 and sets e. */
int alpha_run_add(struct alpha_run *r, const struct traj_block *b, struct frame_writer *w,
                  struct err *e) FRAME_MUST;
void alpha_run_close(struct alpha_run *r); /* NULL is allowed */
