/* SPDX-License-Identifier: MIT */
/*
 * motion.h: functions of a lag that are sums over points and origins of products of what each point
 * does, or of squared differences: a run of analysis.h, whose subject says which.
 *
 * Two methods. fft: all steps are kept, and lags are transforms (lags.h); where they take more than
 * the memory that may be used, and the input is a file, some points at a time, and the file is read
 * as often. window: as many steps as there are lags are kept, and each is set against those before.
 * Blocks of origins are those of lags_blocks either way.
 */
#ifndef MBF_MOTION_H
#define MBF_MOTION_H

#include "motion/lags.h"
#include "motion/tracks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MOTION_FFT_FROM 64 /* lags: from here on transforms cost less */
#define MOTION_CHUNK 32    /* steps that a window goes on by */

enum motion_method { MOTION_AUTO, MOTION_FFT, MOTION_WINDOW };
extern const char *const motion_methods[]; /* "auto", "fft", "window", NULL */

struct motion_choice {
    struct tracks_choice tracks;
    uint64_t lags; /* 0: by tmax */
    double tmax;   /* ps; NaN: all lags */
    int method;    /* enum motion_method */
    bool apart;    /* per axis, too */
    bool fourth;   /* sums of fourth powers of differences, too: 3/5 of them (alpha2) */
};

/* Functions of a set of points: their sum over axes, then x, y, z (apart), then the fourth. Sets: all
 * points, then each kind, where there are several. */
struct motion {
    struct notes notes; /* first: it is a run */
    struct motion_choice c;
    enum lags_kind kind;
    const struct analysis_input *in;
    struct shard shard;
    uint64_t want; /* blocks; 0: as they come */
    uint64_t max_mem;
    struct pool *pool;
    struct tracks t;
    double *scale, *part;  /* [kinds]: factor of the sum over the points of a kind, which is the
                               kind's function; and of that in the function of all */
    size_t lags;           /* 0: not known before the last step */
    size_t sets, each, nf; /* each: functions of a set */
    struct stats_blocks blocks;
    struct stats_share share;
    uint64_t last;                /* origins end before it: of a share; UINT64_MAX: of all */
    struct motion_window *window; /* NULL: fft */
    size_t passes, fit;           /* over the file, and points of one */
    uint64_t *bound;              /* of blocks, lags.h */
    int threads;
    uint64_t seen;    /* steps, those before a share's included */
    size_t nblocks;   /* of the result */
    uint64_t *counts; /* [nblocks][lags] */
    double *sums;     /* [nblocks][lags][nf] */
};

/*
 * Begin: what is common; functions are means over points (scale, part may be changed then). Fills
 * in->first and last. 0, or -1 with e; motion_close in every case.
 */
int motion_open(struct motion *m, enum lags_kind kind, const struct motion_choice *c,
                const struct analysis_options *o, struct analysis_input *in,
                struct err *e) FRAME_MUST;
/* Are lengths, times and masses those of Lennard-Jones (md-cpu --units lj)? Asked while in is open. */
bool motion_reduced(const struct motion *m);
/* Of analysis.h. */
int motion_add(void *run, const struct traj_block *b, bool fresh, struct err *e) FRAME_MUST;
/* Sums and counts; names of functions begin with `name` ("msd", "msd_O", "msd_O_x"). The keys of meta
 * that are common. 0, or -1 with e. */
int motion_finish(struct motion *m, const char *name, struct meta *meta, struct err *e) FRAME_MUST;
int motion_put(void *run, struct frame_writer *w, struct err *e) FRAME_MUST;
void motion_close(struct motion *m);

/* The window of steps. NULL with e. */
struct motion_window *motion_window_open(const struct motion *m, struct err *e);
double motion_window_bytes(const struct motion *m);
/* The block that tracks hold; origins go to blocks. 0, or -1 with e. */
int motion_window_add(struct motion *m, size_t nsteps, struct err *e) FRAME_MUST;
void motion_window_free(struct motion_window *w);

/* The function of a set and part (0: the sum, 1 to 3: an axis, then the fourth) in a row. */
static inline size_t motion_column(const struct motion *m, size_t set, size_t part)
{
    return set * m->each + part;
}
/* The set of a kind. */
static inline size_t motion_set(const struct motion *m, size_t kind)
{
    return m->sets > 1 ? kind + 1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
