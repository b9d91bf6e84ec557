/* SPDX-License-Identifier: MIT */
/* pairs_run.h: runs the program beta-gen, which reads blocks of positions, computes the steps of
 * each block in parallel, and writes PAIR frames (see mbf(5)). */
#pragma once

#include "pair/pairs.h"
#include "stats/analysis.h"

struct pairs_run_choice {
    struct pairs_choice pairs;
    int dtype; /* 0: f32, 1: f64, -1: as the input */
};

/* The options of this analysis are a struct pairs_run_choice. A PAIR frame contains one step, or
 * several steps whose total size is below 2 MiB. */
extern const struct stepwise pairs_stepwise;
