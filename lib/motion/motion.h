/* SPDX-License-Identifier: MIT */
/* motion.h: computes sums of products or of squared differences over moving points and time
 * origins, for each time lag. The header motion.h defines a run for analysis.h.
 *
 * The method "fft" keeps all steps and computes the lags by FFT (lags.h). If the memory for all
 * steps exceeds the limit and the input is a file, the method "fft" reads the file several times,
 * and processes some of the points each time. The method "window" keeps as many steps as there are
 * lags, and correlates each new step with the stored steps. The methods "fft" and "window" both use
 * the blocks of lags_blocks.
 *
 * If the steps are at uneven times (sys.times), all steps are kept, and every pair of steps that
 * are up to `tmax` apart is correlated. At uneven times, each row of the result is a lag that
 * occurs, and its first function is this lag. */
#pragma once

#include "motion/lags.h"
#include "motion/tracks.h"
#include "stats/uneven.h"

#define MOTION_FFT_FROM 64 /* smallest number of lags for which the method "fft" is faster */
#define MOTION_CHUNK 32    /* number of steps that the method "window" processes together */

enum motion_method { MOTION_AUTO, MOTION_FFT, MOTION_WINDOW };
extern const char *const motion_methods[]; /* names of the methods: "auto", "fft" and "window", then
                                            * NULL */

struct motion_choice {
    struct tracks_choice tracks;
    uint64_t lags; /* number of lags, or 0 to use the member `tmax` */
    double tmax;   /* largest lag in ps, or NaN to compute all lags */
    int method;    /* enum motion_method */
    bool separate; /* also compute x, y and z */
    bool fourth;   /* also compute alpha2 */
    bool integral; /* whether running integrals are computed when the result is read */
};

/* Each set of points has the following functions, in this order: the sum over x, y and z, the
 * components x, y and z if `separate` is set, and 3/5 of the fourth power of the differences if
 * `fourth` is set. The first set consists of all points. If there are several kinds of points, each
 * kind forms a further set. With axes (axes.h), there are four sets instead, in the order C_1, C_2,
 * M_1, M_2. */
struct motion {
    struct run_base base;
    struct motion_choice c;
    enum lags_kind kind;
    const struct analysis_input *in;
    uint64_t max_mem;
    struct pool *pool;
    struct tracks t;
    /* Factors [kinds]. The function of a kind of points is `scale` times the sum over these points.
     * The function of all points is `part` times the sum of the functions of all kinds. */
    double *scale, *part;
    size_t lags;           /* number of lags, or 0 as long as it is unknown */
    size_t sets, each, nf; /* each: functions per set */
    bool uneven;           /* whether the steps are at uneven times */
    struct uneven times;   /* times of the steps, and pairs of steps */
    /* With --shard, only the time origins before this step are used. Without --shard, the value of
     * this member is UINT64_MAX. */
    uint64_t last;
    struct motion_window *window;   /* window of steps, or NULL for the method "fft" */
    struct motion_scatter *scatter; /* sums of squared displacements, by interval. NULL with
                                     * --shard */
    size_t passes, fit;             /* number of passes over the file, and number of points per
                                     * pass */
    uint64_t *bound;                /* boundaries of the blocks (lags.h) */
    bool reduced;                   /* whether the input is in reduced Lennard-Jones units (md-cpu
                                     * --units lj) */
    int threads;
    size_t nblocks;   /* blocks in the result */
    uint64_t *counts; /* [nblocks][lags] */
    double *sums;     /* [nblocks][lags][nf] */
};

/* Opens a run. Each function is a mean over points, unless the caller changes `scale` and `part`
 * after this call. Also sets in->first and in->last. Returns 0 on success, or -1 with an error
 * message in e. */
int motion_open(struct motion *m, enum lags_kind kind, const struct motion_choice *c,
                struct analysis_input *in, struct err *e) FRAME_MUST;
int motion_add(struct run_base *run, const struct traj_block *b, bool fresh,
               struct err *e) FRAME_MUST;
/* Computes the sums and counts, and sets the keys of `meta` that all kinds of functions share. The
 * names of the functions begin with `name`, as in "msd", "msd_O" and "msd_O_x". Returns 0 on
 * success, or -1 with an error message in e. */
int motion_finish(struct motion *m, const char *name, struct meta *meta, struct err *e) FRAME_MUST;
int motion_put(struct run_base *run, struct frame_writer *w, struct err *e) FRAME_MUST;
void motion_close(struct run_base *run);

/* Opens the window of steps for the method "window". On failure, returns NULL with an error message
 * in e. */
struct motion_window *motion_window_open(const struct motion *m, struct err *e);
double motion_window_bytes(const struct motion *m);
/* For each step in m->t and each lag, multiplies the values at this step by the values at the time
 * origin, and adds the products, or with LAGS_SQUARE the squared differences, to the sums. Returns
 * 0 on success, or -1 with an error message in e. */
int motion_window_add(struct motion *m, size_t nsteps, struct err *e) FRAME_MUST;
/* Works like motion_window_add, but for steps at uneven times, in ps. At the end of the run, after
 * uneven_rows, motion_window_pairs correlates all pairs of steps in the blocks m->bound. */
int motion_window_keep(struct motion *m, size_t nsteps, const double *time,
                       struct err *e) FRAME_MUST;
int motion_window_pairs(struct motion *m, struct err *e) FRAME_MUST;
/* Returns the memory of the steps at uneven times, in bytes. */
double motion_window_kept(const struct motion *m);
void motion_window_free(struct motion_window *w);

/* The following functions measure how much squared displacements differ between points, over
 * intervals of 4, 16, 64 ... steps that do not overlap (einstein_fit.h). The functions
 * motion_scatter_open and motion_scatter_meta return 0, or -1 if memory runs out. The function
 * motion_scatter_meta sets data.scatter (series.h) for the functions in the list. */
int motion_scatter_open(struct motion *m) FRAME_MUST;
double motion_scatter_bytes(const struct motion *m); /* returns 0 if no scatter is measured */
void motion_scatter_add(struct motion *m, size_t nsteps);
int motion_scatter_meta(const struct motion *m, const char *functions,
                        struct meta *meta) FRAME_MUST;
/* Sets data.scatter to the numbers of points of the functions, and data.times, if the steps are at
 * uneven times. Returns 0 or -1. */
int motion_scatter_points(const struct motion *m, const char *functions,
                          struct meta *meta) FRAME_MUST;
void motion_scatter_free(struct motion_scatter *s);

/* Returns the column of the function with the number `part` in a set, in the order that is
 * described at struct motion. */
static inline size_t motion_column(const struct motion *m, size_t set, size_t part)
{
    return m->uneven + set * m->each + part;
}
static inline size_t motion_set(const struct motion *m, size_t kind)
{
    return m->c.tracks.axis ? kind ^ 2 : m->sets > m->t.kinds ? kind + 1 : kind;
}
