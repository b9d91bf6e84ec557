/* SPDX-License-Identifier: MIT */
/*
 * motion.h: functions of a time lag for moving points: sums over points and time origins of
 * products or of squared differences. The sums are a run of analysis.h; the caller (msd, vacf)
 * chooses the kind.
 *
 * There are two methods. fft keeps all steps and computes the lags by transforms (lags.h). If this
 * exceeds the allowed memory and the input is a file, fft handles some points at a time and reads
 * the file once for each group. window keeps as many steps as there are lags and correlates each
 * new step with the kept ones. Both methods use the blocks of origins of lags_blocks.
 */
#ifndef MBF_MOTION_H
#define MBF_MOTION_H

#include "motion/lags.h"
#include "motion/tracks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTION_FFT_FROM 64 /* from this number of lags on, transforms are faster */
#define MOTION_CHUNK 32    /* number of steps by which the window advances */

enum motion_method { MOTION_AUTO, MOTION_FFT, MOTION_WINDOW };
extern const char *const motion_methods[]; /* "auto", "fft", "window", NULL */

struct motion_choice {
    struct tracks_choice tracks;
    uint64_t lags; /* 0: by tmax */
    double tmax;   /* ps; NaN: all lags */
    int method;    /* enum motion_method */
    bool apart;    /* also one function per axis */
    bool fourth;   /* also 3/5 of the fourth powers of the differences (alpha2) */
};

/* Functions of one set of points: the sum over axes, then x, y, z (if apart), then the fourth
 * power. The sets are all points, then each kind if there are several kinds. */
struct motion {
    struct notes notes; /* must be the first member, as in every run */
    struct motion_choice c;
    enum lags_kind kind;
    const struct analysis_input *in;
    struct shard shard;
    uint64_t want; /* number of blocks; 0: chosen */
    uint64_t max_mem;
    struct pool *pool;
    struct tracks t;
    /* [kinds]: scale is the factor of the sum over the points of a kind in the function of this
     * kind; part is the factor of that function in the function of all points. */
    double *scale, *part;
    size_t lags;           /* 0: unknown until the last step */
    size_t sets, each, nf; /* each: functions per set */
    struct stats_blocks blocks;
    struct stats_share share;
    /* Origins end before this step, of part K of N; UINT64_MAX: of the whole run. */
    uint64_t last;
    struct motion_window *window; /* NULL: method fft */
    size_t passes, fit;           /* passes over the file, points per pass */
    uint64_t *bound;              /* block boundaries, lags.h */
    int threads;
    uint64_t seen;    /* steps, including those before part K of N */
    size_t nblocks;   /* blocks in the result */
    uint64_t *counts; /* [nblocks][lags] */
    double *sums;     /* [nblocks][lags][nf] */
};

/* Opens the parts that all subjects share. Functions are means over points; the caller may change
 * scale and part afterwards. Sets in->first and in->last. Returns 0, or -1 and sets e; call
 * motion_close in both cases. */
int motion_open(struct motion *m, enum lags_kind kind, const struct motion_choice *c,
                const struct analysis_options *o, struct analysis_input *in,
                struct err *e) FRAME_MUST;
/* Reports whether lengths, times and masses are reduced Lennard-Jones units (md-cpu --units lj).
 * Valid while in is open. */
bool motion_reduced(const struct motion *m);
int motion_add(void *run, const struct traj_block *b, bool fresh, struct err *e) FRAME_MUST;
/* Computes the sums and counts and sets the common keys of meta. Names of functions begin with
 * `name` ("msd", "msd_O", "msd_O_x"). Returns 0, or -1 and sets e. */
int motion_finish(struct motion *m, const char *name, struct meta *meta, struct err *e) FRAME_MUST;
int motion_put(void *run, struct frame_writer *w, struct err *e) FRAME_MUST;
void motion_close(struct motion *m);

/* Opens the window of steps. Returns NULL and sets e on failure. */
struct motion_window *motion_window_open(const struct motion *m, struct err *e);
double motion_window_bytes(const struct motion *m);
/* Adds the block that tracks hold, and its origins to their blocks. Returns 0, or -1 and sets e. */
int motion_window_add(struct motion *m, size_t nsteps, struct err *e) FRAME_MUST;
void motion_window_free(struct motion_window *w);

/* Returns the index in a row of the function of a set and part (0: the sum; 1 to 3: an axis; then
 * the fourth power). */
static inline size_t motion_column(const struct motion *m, size_t set, size_t part)
{
    return set * m->each + part;
}
static inline size_t motion_set(const struct motion *m, size_t kind)
{
    return m->sets > 1 ? kind + 1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
