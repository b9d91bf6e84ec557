/* SPDX-License-Identifier: MIT */
/*
 * tracks.h: positions or velocities of points as time series: steps are added and series are read.
 * A point is an atom or the centre of mass of a molecule. Points of one kind (a species or a
 * composition) are contiguous, in the order of the trajectory. The drift of the centre of mass of
 * all atoms can be subtracted.
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

/* Choice of subtracting the centre-of-mass motion of all atoms of the stream. Auto subtracts the
 * motion except in two cases: the atoms are a selection according to META (sys.selected_of), so
 * their centre moves with them; or there is only one point, which would then not move at all. */
enum { TRACKS_NOTE = 320 };
enum tracks_drift { TRACKS_AUTO, TRACKS_SUBTRACT, TRACKS_KEEP };

struct tracks_choice {
    bool velocities; /* use velocities instead of positions */
    int drift;       /* enum tracks_drift */
    /* Refuse positions that jump across the cell, unless META states that they do not. */
    bool wrapped;
    bool weigh;            /* masses are needed in any case */
    const char *molecules; /* M|FILE; NULL: points are atoms */
    struct weights masses; /* masses from --masses */
    /* Memory limit, of which steps in transit take at most a sixteenth; 0: no limit. */
    uint64_t max_mem;
};

struct tracks {
    size_t points, kinds;
    size_t *first;          /* [kinds + 1]: index of the first point of each kind */
    char (*name)[16];       /* [kinds]; "" for a single kind without a name */
    double *mass;           /* [points], g/mol; NULL: not needed */
    uint64_t from, steps;   /* steps [from, from + steps) of the trajectory were added */
    double dt_ps;           /* NaN: unknown */
    bool breathes;          /* positions were unwrapped by image flags and the cell changed */
    bool subtracts;         /* the drift is subtracted */
    char note[TRACKS_NOTE]; /* a warning about the drift; "": none */
    struct tracks_own *own;
};

/* Opens the tracks of the trajectory of in. Returns 0, or -1 and sets e; call tracks_close in both
 * cases. */
int tracks_open(struct tracks *t, const struct tracks_choice *c, const struct analysis_input *in,
                struct pool *pool, struct err *e) FRAME_MUST;
void tracks_close(struct tracks *t);
/* Sets data.masses and data.molecules to the masses and molecules in use. Returns 0 or -1. */
int tracks_meta(const struct tracks *t, struct meta *m);
/* Decides whether to subtract the drift of `points` points with natoms atoms in a stream with META
 * m. Returns 1 to subtract the drift, or 0 to keep it, with a warning in note ("": none). Returns
 * -1 and sets e if no motion would remain. Auto keeps the drift without a warning if META states
 * that it was subtracted from the positions (data.drift). */
int tracks_drift(int choice, size_t points, size_t natoms, const struct meta *m, bool velocities,
                 char note[TRACKS_NOTE], struct err *e) FRAME_MUST;
/* Returns the bytes per step of the points that are kept. */
size_t tracks_step_bytes(const struct tracks *t);
/* Returns the bytes of the steps in transit and of their read-ahead. */
double tracks_spare_bytes(const struct tracks *t);
/* Keeps only the points [first, last) from now on. Call it before any step is added. */
void tracks_keep(struct tracks *t, size_t first, size_t last);

/* Takes the steps of a block, which must be finite and one stride after the previous ones, so that
 * products do not extend across a gap. The points of the block are in tracks_now until the next
 * call. Returns 0, or -1 and sets e. */
int tracks_take(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Returns the points of the block just taken, [nsteps][points][3], in f64 or f32 (tracks_wide).
 * drift is [nsteps][3] to subtract, or NULL. */
const void *tracks_now(const struct tracks *t, const double (**drift)[3]);
bool tracks_wide(const struct tracks *t);
/* Stores the block, in addition to earlier ones. limit is in bytes, 0 for none; help is the remedy
 * in the message if it is exceeded. Returns 0, or -1 and sets e. */
int tracks_store(struct tracks *t, uint64_t limit, const char *help, struct err *e) FRAME_MUST;

/* Reads the positions at the first step of the whole run from its block, which is not added;
 * tracks_get then gives displacements from them. Returns 0, or -1 and sets e. */
int tracks_origin(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Also takes the reference positions of `like`. */
int tracks_begin_as(struct tracks *t, const struct tracks *like, struct err *e) FRAME_MUST;
/* Discards the stored steps. */
void tracks_forget(struct tracks *t);
/* Reads the stored steps [from, to) of the trajectory of two series into real and imaginary parts.
 * A series is 3 * point + axis of a kept point; b = TRACKS_NONE gives 0. The drift is subtracted,
 * and positions are relative to the first step (tracks_origin, or the first step added). Safe on
 * any thread. */
#define TRACKS_NONE SIZE_MAX
void tracks_pair(const struct tracks *t, size_t a, size_t b, uint64_t from, uint64_t to,
                 double (*z)[2]);

#ifdef __cplusplus
}
#endif
#endif
