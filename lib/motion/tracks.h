/* SPDX-License-Identifier: MIT */
/*
 * tracks.h: positions or velocities of points through time: steps come, series go. A point is an
 * atom, or the centre of mass of a molecule. The points of a kind (a species; a composition) stand
 * together, in the order of the trajectory. The drift of the whole, that of the centre of mass of all
 * atoms, may be taken off.
 */
#ifndef MBF_TRACKS_H
#define MBF_TRACKS_H

#include <stdbool.h>

#include "base/pool.h"
#include "stats/analysis.h"
#include "stats/molecules.h"
#include "stats/pair_names.h"
#include "stats/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Is the motion of the centre of mass of all atoms of the stream subtracted? Auto: yes, unless META
 * says that they are a selection (sys.selected_of), whose centre moves with them, or there is but one
 * point, which would then not move at all. */
enum { TRACKS_NOTE = 320 };
enum tracks_drift { TRACKS_AUTO, TRACKS_SUBTRACT, TRACKS_KEEP };

struct tracks_choice {
    bool velocities; /* of the blocks, instead of positions */
    int drift;       /* enum tracks_drift */
    bool
        wrapped; /* refuse positions that jump across the cell, unless META says that they do not */
    bool weigh;  /* masses are needed, whatever the rest */
    const char *molecules; /* M|FILE; NULL: points are atoms */
    struct weights masses; /* --masses */
    uint64_t max_mem; /* of all: steps on their way take a sixteenth of it at most; 0: no limit */
};

struct tracks {
    size_t points, kinds;
    size_t *first;          /* [kinds + 1]: where the points of a kind begin */
    char (*name)[16];       /* [kinds]; "" where there is one kind that has no name */
    double *mass;           /* [points], g/mol; NULL: they were not needed */
    uint64_t from, steps;   /* of the trajectory; what was added: steps [from, from + steps) */
    double dt_ps;           /* NaN: unknown */
    bool breathes;          /* positions were unwrapped by images, and the cell changed */
    bool subtracts;         /* the drift */
    char note[TRACKS_NOTE]; /* a warning about that; "": none */
    struct tracks_own *own;
};

/* Of the trajectory of in. 0, or -1 with e; tracks_close in every case. */
int tracks_open(struct tracks *t, const struct tracks_choice *c, const struct analysis_input *in,
                struct pool *pool, struct err *e) FRAME_MUST;
void tracks_close(struct tracks *t);
/* data.masses and data.molecules, of what was chosen. 0 or -1. */
int tracks_meta(const struct tracks *t, struct meta *m);
/* What to do about the drift of `points` points, natoms atoms in all, of the stream with META m: 1 to
 * subtract it, 0 to keep it, with a warning in note ("": none); -1 with e: nothing would be left of the
 * motion. Auto keeps it silently where META says that it was subtracted from positions (data.drift). */
int tracks_drift(int choice, size_t points, size_t natoms, const struct meta *m, bool velocities,
                 char note[TRACKS_NOTE], struct err *e) FRAME_MUST;
/* How many bytes a step of the points takes that are kept. */
size_t tracks_step_bytes(const struct tracks *t);
/* And those on their way to there, and behind them those that are read. */
double tracks_spare_bytes(const struct tracks *t);
/* Keep the points [first, last) alone, from now on; nothing was added yet. */
void tracks_keep(struct tracks *t, size_t first, size_t last);

/*
 * The block's steps: one stride after those before (products must not run across a jump), finite.
 * Its points go to tracks_now until the next call. 0, or -1 with e.
 */
int tracks_take(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* The points of the block just taken: [nsteps][points][3], f64 or f32 as tracks_wide says; drift
 * [nsteps][3] to be taken off, NULL: none. */
const void *tracks_now(const struct tracks *t, const double (**drift)[3]);
bool tracks_wide(const struct tracks *t);
/* They are kept. What was taken before stays. limit: bytes, 0: any; help: for who is over it. 0, or
 * -1 with e. */
int tracks_store(struct tracks *t, uint64_t limit, const char *help, struct err *e) FRAME_MUST;

/* Where points are at the first step of all, for tracks_get to begin at 0 there: the block that holds
 * it, which is not added. 0, or -1 with e. */
int tracks_origin(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Positions are from where they are in `like`, as well. */
int tracks_begin_as(struct tracks *t, const struct tracks *like, struct err *e) FRAME_MUST;
/* What was stored is no longer kept. */
void tracks_forget(struct tracks *t);
/*
 * Steps [from, to) of the trajectory, which were stored, of two series into real and imaginary parts;
 * series 3 * point + axis, of points that are kept; b TRACKS_NONE: 0. Without drift, and positions
 * from where they are at the first step (tracks_origin, or the first that was added). On any thread.
 */
#define TRACKS_NONE SIZE_MAX
void tracks_pair(const struct tracks *t, size_t a, size_t b, uint64_t from, uint64_t to,
                 double (*z)[2]);

#ifdef __cplusplus
}
#endif
#endif
