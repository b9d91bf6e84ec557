/* SPDX-License-Identifier: MIT */
/* tracks.h: stores the positions or velocities of points step by step, and returns them as time
 * series. A point is an atom or the centre of mass of a molecule. All points of one kind are
 * contiguous, in the order of the trajectory. A kind of points is a species, or all molecules of
 * one composition. The drift of the centre of mass of all atoms, or of some species, can be
 * subtracted. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "select/molecules.h"
#include "select/pair_names.h"
#include "select/weights.h"
#include "stats/analysis.h"

/* Whether to subtract the motion of the centre of mass of all atoms in the stream. The value
 * TRACKS_AUTO subtracts the motion of the centre of mass except in two cases. In the first case,
 * the atoms are a selection (sys.selected_of in META), whose centre of mass moves with the selected
 * atoms. In the second case, there is only one point, which would not move after the
 * subtraction. */
enum { TRACKS_NOTE = 320 };
enum tracks_drift { TRACKS_AUTO, TRACKS_SUBTRACT, TRACKS_KEEP };

struct tracks_choice {
    bool velocities; /* whether the points are velocities instead of positions */
    int drift;       /* enum tracks_drift */
    /* A list "A,B" to subtract the motion of the centre of mass of these species only, or NULL. */
    const char *drift_of;
    /* Whether positions are refused unless META states that they do not jump across the cell. */
    bool wrapped;
    bool weigh;  /* whether the masses of the atoms are needed */
    bool uneven; /* whether the steps may be at uneven times */
    /* "A-B", "A-B-C" or "dipole" if the points are axes of molecules (axes.h), or NULL */
    const char *axis;
    const char *molecules; /* value of --molecules, or NULL if the points are atoms */
    struct weights masses; /* masses from --masses */
    /* Memory limit in bytes, or 0 for no limit. The block that is being read uses at most a
     * sixteenth of this memory. */
    uint64_t max_mem;
};

struct tracks {
    size_t points, kinds;
    size_t stored;        /* number of points that tracks_store keeps. The points that are not
                           * stored are computed from the stored points (axes.h). */
    bool all;             /* If the caller sets this flag, tracks_now also returns the points that
                           * are not stored. */
    size_t *first;        /* index of the first point of each kind, [kinds + 1] */
    char (*name)[16];     /* [kinds]; "" if unnamed */
    double *mass;         /* [points], g/mol; NULL: not needed */
    uint64_t from, steps; /* range of the steps so far, [from, from + steps) */
    double dt_ps;         /* time per step in ps, or NaN if unknown */
    bool breathes;        /* whether positions were unwrapped with image flags in a changing cell */
    bool subtracts;       /* whether the drift is subtracted */
    char note[TRACKS_NOTE]; /* message about the drift, or an empty text */
    struct tracks_own *own;
};

/* Opens the tracks for the trajectory in->traj. Returns 0 on success, or -1 with an error message
 * in e. Call tracks_close afterwards, even after an error. */
int tracks_open(struct tracks *t, const struct tracks_choice *c, const struct analysis_input *in,
                struct pool *pool, struct err *e) FRAME_MUST;
void tracks_close(struct tracks *t);
/* Sets the keys data.masses, data.molecules and data.drift_of in m. Returns 0 or -1. */
int tracks_meta(const struct tracks *t, struct meta *m);
/* Decides whether the drift is subtracted. The stream has the META m and `points` points, which
 * contain natoms atoms in total. Returns 1 if the drift is to be subtracted, or 0 if it is kept.
 * Sets `note` to a warning, or to an empty text. If no motion would remain, returns -1 with an
 * error message in e. For a selection or a single point, TRACKS_AUTO returns 0 without a warning if
 * META states that the drift was subtracted before (data.drift), even if it was the drift of some
 * species (data.drift_of). */
int tracks_drift(int choice, size_t points, size_t natoms, const struct meta *m, bool velocities,
                 char note[TRACKS_NOTE], struct err *e) FRAME_MUST;
/* Returns the memory in bytes per step that tracks_store needs for the points that it keeps. */
size_t tracks_step_bytes(const struct tracks *t);
/* Returns the memory in bytes for the block that is being read and for reading ahead. */
double tracks_spare_bytes(const struct tracks *t);
/* Keeps only the points [first, last) of all later steps. The function tracks_keep must be called
 * before any step is added. */
void tracks_keep(struct tracks *t, size_t first, size_t last);

/* Reads the steps of the next block of the input. The numbers must be finite, and there must be no
 * gap between the previous steps and these steps. Until the next call of tracks_take, tracks_now
 * returns the points of this block. Returns 0 on success, or -1 with an error message in e. */
int tracks_take(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Returns the points of the last block, as [nsteps][points][3] if `all` is set, and otherwise as
 * [nsteps][stored][3]. The type of the points is f64 if tracks_wide is true, and otherwise f32.
 * Sets *drift to the drift [nsteps][3] that the caller must subtract, or to NULL. */
const void *tracks_now(const struct tracks *t, const double (**drift)[3]);
bool tracks_wide(const struct tracks *t);
/* Appends the last block that was read to the stored blocks. The memory limit `limit` is in bytes,
 * or 0 for no limit. If the limit is exceeded, the error message contains the text `help`. Returns
 * 0 on success, or -1 with an error message in e. */
int tracks_store(struct tracks *t, uint64_t limit, const char *help, struct err *e) FRAME_MUST;

/* Sets the reference positions to the positions in the first step of the whole run, which is in the
 * block b. The block itself is not stored. The function tracks_series then returns displacements
 * from the reference positions. Returns 0 on success, or -1 with an error message in e. */
int tracks_origin(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Sets the reference positions to the reference positions of `like`. */
int tracks_begin_as(struct tracks *t, const struct tracks *like, struct err *e) FRAME_MUST;
/* Discards all stored steps. */
void tracks_forget(struct tracks *t);
/* Reads the stored steps [from, to) of series a into x. Series number 3 * point + axis is one
 * coordinate of a kept point, minus the drift. Positions are relative to the reference positions,
 * if any, or to the first step. Any thread may call this function. */
void tracks_series(const struct tracks *t, size_t a, uint64_t from, uint64_t to, double *x);
