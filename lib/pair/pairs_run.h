/* SPDX-License-Identifier: MIT */
/* pairs_run.h: a complete run of beta-gen, which reads blocks of positions and writes PAIR frames
 * (see mbf(5)). The steps of a block are computed in parallel. */
#pragma once

#include "pair/pairs.h"
#include "stats/analysis.h"

struct pairs_run_choice {
    struct pairs_choice pairs;
    int dtype; /* number type of the output, which is 0 for f32, 1 for f64, or -1 for the type of
                * the input */
};

/* The analysis of the program beta-gen, whose options are a struct pairs_run_choice. The analysis
 * writes blocks of 1 to 4 MiB, or one step per block if a step is larger. */
extern const struct stepwise pairs_stepwise;
