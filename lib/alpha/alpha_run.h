/* SPDX-License-Identifier: MIT */
/* alpha_run.h: defines the analysis of alpha-cpu and alpha-gpu, from positions to Pi or M. */
#pragma once

#include "alpha/alpha.h"
#include "select/weights.h"
#include "stats/analysis.h"

struct alpha_choice {
    struct weights atoms; /* --polarizability */
    const char *model;    /* --model, NULL: not given */
    bool dipole;          /* M instead of Pi */
    int order;            /* ALPHA_ALL, 1 .. */
    bool parts;
    enum alpha_thole thole;
    double a, tolerance;
    const char *images; /* --sum: "ewald", "none", or NULL */
    enum alpha_sum sum;
    double reach, error; /* of the mesh, or 0 */
    const char *devices; /* as in alpha_params */
};

/* The analysis of alpha-cpu and alpha-gpu, with the options struct alpha_choice. Opening the
 * analysis fails if alpha_model_open() or alpha_open() fails, if the cell is periodic along only
 * one or two axes or does not fit the option `images`, or if the model does not define M. */
extern const struct stepwise alpha_stepwise;
