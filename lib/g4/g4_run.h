/* SPDX-License-Identifier: MIT */
/* g4_run.h: a complete run of g4-cpu or g4-gpu. A run converts options and META to parameters,
 * passes the steps to the engine, writes the result as a CORR segment (series.h) with META, and
 * collects messages for the user. */
#pragma once

#include "g4/g4.h"
#include "g4/g4_report.h"
#include "pair/pairs.h"
#include "stats/analysis.h"

#define G4_FFT_FROM 192 /* smallest number of lags for which `fft` is the default method */

extern const char *const g4_methods[]; /* names of the methods: "factored", "fft" and "direct", then
                                        * NULL */

/* The options that the user gave on the command line. */
struct g4_choice {
    struct pairs_choice pairs; /* Options that define beta, not allowed if the input is
                                * PAIR. */
    uint64_t lags;             /* 0: not given */
    double tmax;               /* largest lag in ps, or NaN if not given */
    int method;                /* method, an enum g4_method, or -1 for the default */
    uint64_t origins, blocks;  /* 0: not given */
    bool separate;             /* --components */
    int accumulate_f32;        /* as in g4_params */
    void (*progress)(uint64_t done, uint64_t total, const char *unit); /* of g4_params */
};

/* The analysis of g4-cpu and g4-gpu, whose options are a struct g4_choice. The second output of the
 * analysis is the time series S(t) (g4_series.h). */
extern const struct analysis g4_analysis;
