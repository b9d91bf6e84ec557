/* SPDX-License-Identifier: MIT */
/* g4_policy.h: chooses the pairs, the method of summation, the lags, the part of the run, the
 * engine and the tail correction of a run of g4-cpu or g4-gpu. */
#pragma once

#include "g4/g4_run.h"
#include "g4/g4_series.h"
#include "g4/g4_tail.h"

struct g4_run {
    struct run_base base;
    struct g4_choice choice;
    struct g4_params p;
    struct meta *from; /* META of the input */
    double dt, sigma;
    struct pairs pairs;
    struct g4 *engine;
    struct g4_series *series; /* NULL: not requested */
    struct g4_tail *tail;     /* NULL: no mesh */
    struct g4_result result;
    struct g4_report report;
    char taper[512], bonded[512]; /* messages on the cell, on the first frame */
    /* The result s of factors_sum_of_squares is `sum_of_squares`, and `density` is the sum of s/V
     * over all steps. */
    double sum_of_squares, density;
    uint64_t to; /* first step after the part (--shard) */
    bool cube;   /* cubic cell, or none, in META */
};

/* Sets the members of r from r->choice, r->from and the first step of the input, and opens the
 * engine. For a part of a run (--shard), also sets in->first and in->last. Returns 0, or -1 with an
 * error message in e. */
int g4_policy(struct g4_run *r, struct analysis_input *in, struct err *e) FRAME_MUST;
