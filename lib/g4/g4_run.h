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
#include "g4/pairs.h"
#include "stats/shard.h"
#include "stream/traj.h"

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
    struct shard shard;        /* opened; n 0: all origins */
    bool apart;                /* components as columns of their own */
    const char *devices;
    bool accumulate_f32;
    void (*progress)(uint64_t done, uint64_t total, const char *unit); /* of g4_params */
    int threads;
    uint64_t max_mem;
};

struct g4_run;

/* Begin: in is at its first block (traj_open). NULL with e. */
struct g4_run *g4_run_open(const struct g4_choice *c, struct traj_reader *traj,
                           const struct meta *m, struct err *e);
/* Write S(t) of the steps to w too (g4_series.h), under META m, until g4_run_put ends that segment.
 * w stays the caller's. 0, or -1 with e. */
int g4_run_series(struct g4_run *r, const struct traj_reader *traj, struct frame_writer *w,
                  struct meta *m, struct err *e) FRAME_MUST;
/* Steps [first, last) are those to add, of a shard; else 0 and UINT64_MAX. */
void g4_run_range(const struct g4_run *r, uint64_t *first, uint64_t *last);
/* The next block; fresh: it begins a segment. 0, or -1 with e. */
int g4_run_add(struct g4_run *r, const struct traj_block *b, bool fresh, struct err *e) FRAME_MUST;
/* All steps are in: compute, set the data.* keys of m. 0, or -1 with e. */
int g4_run_finish(struct g4_run *r, struct meta *m, struct err *e) FRAME_MUST;
/* The CORR arrays and END to w, and the end of the series. 0, or -1 with e. */
int g4_run_put(struct g4_run *r, struct frame_writer *w, struct err *e) FRAME_MUST;
/* After g4_run_finish: sentences about the result. */
const struct g4_report *g4_run_report(const struct g4_run *r);
/* What bound the time, for the last line of -v. */
const char *g4_run_bound(const struct g4_run *r);
void g4_run_close(struct g4_run *r);

#ifdef __cplusplus
}
#endif
#endif
