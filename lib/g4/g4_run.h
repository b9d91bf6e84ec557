/* SPDX-License-Identifier: MIT */
/* g4_run.h: converts the options of g4-cpu or g4-gpu and META to parameters, passes the steps to
 * the engine, writes the result as a CORR segment (series.h) with META, and collects messages for
 * the user. */
#pragma once

#include "g4/g4.h"
#include "g4/g4_report.h"
#include "pair/pairs.h"
#include "stats/analysis.h"

#define G4_FFT_FROM 192 /* fewest lags for which `fft` is the default */

extern const char *const g4_methods[]; /* ends with NULL */

struct g4_choice {
    struct pairs_choice pairs;                                         /* only for POSN */
    uint64_t lags;                                                     /* 0: not given */
    double tmax;                                                       /* ps; NaN: not given */
    int method;                                                        /* -1: default */
    uint64_t origins, blocks;                                          /* 0: not given */
    bool separate;                                                     /* --components */
    int accumulate_f32;                                                /* as in g4_params */
    void (*progress)(uint64_t done, uint64_t total, const char *unit); /* of g4_params */
};

/* The options of g4-cpu and g4-gpu are a struct g4_choice, and the second output is the time series
 * S(t) (g4_series.h). */
extern const struct analysis g4_analysis;
