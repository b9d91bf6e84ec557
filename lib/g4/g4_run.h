/* SPDX-License-Identifier: MIT */
/*
 * g4_run.h: a whole run of g4-cpu or g4-gpu around its engine: options and META to parameters,
 * steps to the engine, the result to a CORR segment (series.h) with its META, and what is worth
 * telling the user about it.
 */
#ifndef MBF_G4_RUN_H
#define MBF_G4_RUN_H

#include "g4/g4.h"
#include "g4/g4_report.h"
#include "pair/pairs.h"
#include "stats/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_FFT_FROM                                                                                \
    192 /* lags from which fft is the default method: it has a cost that hardly depends on them */

/* As the options were given. */
struct g4_choice {
    struct pairs_choice pairs; /* for POSN; given for PAIR they are refused */
    uint64_t lags;             /* 0: not given */
    double tmax;               /* ps; NaN: not given */
    int method;                /* enum g4_method, -1: the default */
    uint64_t origins, blocks;  /* 0: not given */
    bool apart;                /* components as columns of their own */
    int accumulate_f32;        /* 1: sums over short runs of steps in f32 */
    void (*progress)(uint64_t done, uint64_t total, const char *unit); /* of g4_params */
};

/* choice: a struct g4_choice. A second output is S(t) of the steps (g4_series.h). */
extern const struct analysis g4_analysis;

#ifdef __cplusplus
}
#endif
#endif
