/* SPDX-License-Identifier: MIT */
/* motion.h: computes sums of products or of squared differences over moving points and time
 * origins, for each time lag, as a run of analysis.h.
 *
 * The method "fft" keeps all steps and computes the lags by FFT (lags.h). If the memory for all
 * steps exceeds the limit and the input is a file, the method "fft" reads the file several times,
 * each time for some of the points. The method "window" keeps as many steps as there are lags, and
 * correlates each new step with the stored steps. The methods "fft" and "window" both use the
 * blocks of lags_blocks.
 *
 * If the steps are at uneven times (sys.times), all steps are kept, and every pair of steps that
 * are up to `tmax` apart is correlated. At uneven times, each row of the result belongs to a lag
 * that occurs, which is the first function. */
#pragma once

#include "motion/lags.h"
#include "motion/tracks.h"
#include "stats/uneven.h"

#define MOTION_FFT_FROM 64 /* fewest lags for which "fft" is faster */
#define MOTION_CHUNK 32    /* steps that "window" adds at once */

enum motion_method { MOTION_AUTO, MOTION_FFT, MOTION_WINDOW };
extern const char *const motion_methods[]; /* ends with NULL */

struct motion_choice {
    struct tracks_choice tracks;
    uint64_t lags; /* 0: `tmax` applies */
    double tmax;   /* ps; NaN: all lags */
    int method;    /* enum motion_method */
    bool separate; /* also x, y and z */
    bool fourth;   /* also alpha2 */
    bool integral; /* running integrals when read */
};

/* Each set of points has the following functions, in this order: the sum over x, y and z, the
 * components x, y and z if `separate` is set, and 3/5 of the fourth power of the differences if
 * `fourth` is set. The first set contains all points. If there are several kinds of points, each
 * kind forms a further set. With axes (axes.h), the sets are C_1, C_2, M_1 and M_2 instead. */
struct motion {
    struct run_base base;
    struct motion_choice c;
    enum lags_kind kind;
    const struct analysis_input *in;
    uint64_t max_mem;
    struct pool *pool;
    struct tracks t;
    /* The function of kind k is scale[k] times the sum over the points of kind k. The function of
     * all points is the sum over k of part[k] times the function of kind k. */
    double *scale, *part;
    size_t lags;           /* 0: not known yet */
    size_t sets, each, nf; /* each: functions per set */
    bool uneven;           /* steps at uneven times */
    struct uneven times;   /* times, pairs of steps */
    /* With --shard, only the time origins before step `last` are used. Without --shard, `last` is
     * UINT64_MAX. */
    uint64_t last;
    struct motion_window *window;   /* NULL: method "fft" */
    struct motion_scatter *scatter; /* NULL with --shard */
    size_t passes, fit;             /* passes over the file, points per pass */
    uint64_t *bound;                /* of blocks (lags.h) */
    bool reduced;                   /* LJ units */
    int threads;
    size_t nblocks;   /* blocks in the result */
    uint64_t *counts; /* [nblocks][lags] */
    double *sums;     /* [nblocks][lags][nf] */
};

/* Opens a run, whose functions are means over points unless the caller later changes `scale` and
 * `part`, and sets in->first and in->last. Returns 0, or -1 with an error message in e. */
int motion_open(struct motion *m, enum lags_kind kind, const struct motion_choice *c,
                struct analysis_input *in, struct err *e) FRAME_MUST;
int motion_add(struct run_base *run, const struct traj_block *b, bool fresh,
               struct err *e) FRAME_MUST;
/* Computes the sums and counts, and sets the keys of `meta` that all kinds of functions share. The
 * names of the functions begin with `name`, as in "msd", "msd_O" and "msd_O_x". Returns 0, or -1
 * with an error message in e. */
int motion_finish(struct motion *m, const char *name, struct meta *meta, struct err *e) FRAME_MUST;
int motion_put(struct run_base *run, struct frame_writer *w, struct err *e) FRAME_MUST;
void motion_close(struct run_base *run);

/* NULL, with e, on failure */
struct motion_window *motion_window_open(const struct motion *m, struct err *e);
double motion_window_bytes(const struct motion *m);
/* Multiplies the values at each step in m->t by the values at the time origin of each lag, and adds
 * the products, or with LAGS_SQUARE the squared differences, to the sums. Returns 0, or -1 with an
 * error message in e. */
int motion_window_add(struct motion *m, size_t nsteps, struct err *e) FRAME_MUST;
/* Stores steps at uneven times, in ps. Returns 0, or -1 with an error message in e. At the end of
 * the run, after uneven_rows, motion_window_pairs correlates all pairs of steps in the blocks
 * m->bound. */
int motion_window_keep(struct motion *m, size_t nsteps, const double *time,
                       struct err *e) FRAME_MUST;
int motion_window_pairs(struct motion *m, struct err *e) FRAME_MUST;
double motion_window_kept(const struct motion *m);
void motion_window_free(struct motion_window *w);

/* Measure how much squared displacements differ between points, over intervals of 4, 16, 64 ...
 * steps that do not overlap (einstein_fit.h), or how much products differ between points
 * (scatter.h). The key data.scatter (series.h) is set by
 * motion_scatter_meta for the functions in the list. Return 0, or -1 if memory runs out. */
int motion_scatter_open(struct motion *m) FRAME_MUST;
double motion_scatter_bytes(const struct motion *m); /* 0: no scatter */
void motion_scatter_add(struct motion *m, size_t nsteps);
int motion_scatter_meta(const struct motion *m, const char *functions,
                        struct meta *meta) FRAME_MUST;
/* Sets data.scatter to the numbers of points of the functions and, for uneven times, sets
 * data.times. Returns 0 or -1. */
int motion_scatter_points(const struct motion *m, const char *functions,
                          struct meta *meta) FRAME_MUST;
void motion_scatter_free(struct motion_scatter *s);

/* Returns the column of function `part` of a set, in the order described at struct motion. */
static inline size_t motion_column(const struct motion *m, size_t set, size_t part)
{
    return m->uneven + set * m->each + part;
}
static inline size_t motion_set(const struct motion *m, size_t kind)
{
    return m->c.tracks.axis ? kind ^ 2 : m->sets > m->t.kinds ? kind + 1 : kind;
}
