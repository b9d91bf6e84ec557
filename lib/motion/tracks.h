/* SPDX-License-Identifier: MIT */
/* tracks.h: stores the positions or velocities of points step by step, and returns time series of
 * the points. A point is an atom or the centre of mass of a molecule. Points of a kind (a species,
 * or all molecules of one composition) are contiguous, in the order of the trajectory. The drift of
 * the centre of mass of all atoms, or of some species, can be subtracted. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "select/molecules.h"
#include "select/pair_names.h"
#include "select/weights.h"
#include "stats/analysis.h"

/* By default (TRACKS_AUTO), the motion of the centre of mass of all atoms in the stream is
 * subtracted, except in two cases. The atoms may be a selection (sys.selected_of in META), whose
 * centre of mass moves with the selected atoms, or there may be only one point, which would not
 * move after the subtraction. */
enum { TRACKS_NOTE = 320 };
enum tracks_drift { TRACKS_AUTO, TRACKS_SUBTRACT, TRACKS_KEEP };

struct tracks_choice {
    bool velocities;      /* else positions */
    int drift;            /* enum tracks_drift */
    const char *drift_of; /* "A,B", or NULL: all */
    /* If `wrapped` is set, positions are refused unless META states that no position jumps across
     * the cell. */
    bool wrapped;
    bool weigh;  /* masses are needed */
    bool uneven; /* uneven times allowed */
    /* Unless `axis` is NULL, the points are axes of molecules (axes.h): "A-B", "A-B-C" or
     * "dipole". */
    const char *axis;
    const char *molecules; /* NULL: atoms */
    struct weights masses; /* from --masses */
    /* Memory is limited to max_mem bytes, or not limited if max_mem is 0. The block that is being
     * read uses at most a sixteenth of the limit. */
    uint64_t max_mem;
};

struct tracks {
    size_t points, kinds;
    /* Points that are not among the `stored` points are computed from stored points (axes.h). */
    size_t stored;
    bool all;             /* tracks_now: all points */
    size_t *first;        /* [kinds + 1] */
    char (*name)[16];     /* [kinds]; "" if unnamed */
    double *mass;         /* [points], g/mol; NULL: not needed */
    uint64_t from, steps; /* [from, from + steps) */
    double dt_ps;         /* ps; NaN: unknown */
    /* If `breathes` is set, positions were unwrapped with image flags in a changing cell. */
    bool breathes;
    bool subtracts;         /* drift is subtracted */
    char note[TRACKS_NOTE]; /* on drift, or "" */
    struct tracks_own *own;
};

/* Opens the tracks for the trajectory in->traj. Returns 0, or -1 with an error message in e. Call
 * tracks_close afterwards, even after an error. */
int tracks_open(struct tracks *t, const struct tracks_choice *c, const struct analysis_input *in,
                struct pool *pool, struct err *e) FRAME_MUST;
void tracks_close(struct tracks *t);
/* Writes data.masses, data.molecules and data.drift_of to the META m. Returns 0 or -1. */
int tracks_meta(const struct tracks *t, struct meta *m);
/* Decides whether the drift is subtracted, for a stream with the META m and `points` points, which
 * contain natoms atoms in total. Returns 1 if the drift is to be subtracted, or 0 if the drift is
 * kept. Sets `note` to a warning, or to an empty text. If no motion would remain, returns -1 with
 * an error message in e. For a selection or a single point, TRACKS_AUTO returns 0 without a warning
 * if META states that the drift of all atoms (data.drift) or of some species (data.drift_of) was
 * subtracted before. */
int tracks_drift(int choice, size_t points, size_t natoms, const struct meta *m, bool velocities,
                 char note[TRACKS_NOTE], struct err *e) FRAME_MUST;
size_t tracks_step_bytes(const struct tracks *t);
/* Returns the memory in bytes for the block that is being read and for reading ahead. */
double tracks_spare_bytes(const struct tracks *t);
/* Keeps only the points [first, last) of all later steps. Call tracks_keep before any step is
 * added. */
void tracks_keep(struct tracks *t, size_t first, size_t last);

/* Reads the steps of the next block of the input, which must be finite numbers and follow the
 * previous steps without a gap. The points of the block are returned by tracks_now until the next
 * call. Returns 0, or -1 with an error message in e. */
int tracks_take(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Returns the points of the last block, as [nsteps][points][3] if `all` is set, and otherwise as
 * [nsteps][stored][3]. The type of the points is f64 if tracks_wide is true, and otherwise f32.
 * Sets *drift to the drift [nsteps][3] that the caller must subtract, or to NULL. */
const void *tracks_now(const struct tracks *t, const double (**drift)[3]);
bool tracks_wide(const struct tracks *t);
/* Appends the last block that was read to the stored blocks. The limit of memory is in bytes, or 0
 * for no limit. If the memory exceeds the limit, the error message contains the text `help`.
 * Returns 0, or -1 with an error message in e. */
int tracks_store(struct tracks *t, uint64_t limit, const char *help, struct err *e) FRAME_MUST;

/* Sets the reference positions to the positions in the first step of the whole run, which is in the
 * block b, without storing b. Displacements from the reference positions are then returned by
 * tracks_series. Returns 0, or -1 with an error message in e. */
int tracks_origin(struct tracks *t, const struct traj_block *b, struct err *e) FRAME_MUST;
/* Copies the reference positions of `like`. */
int tracks_begin_as(struct tracks *t, const struct tracks *like, struct err *e) FRAME_MUST;
void tracks_forget(struct tracks *t);
/* Reads the stored steps [from, to) of series a = 3 * point + axis into x, on any thread. The
 * series is a coordinate of a kept point, minus the drift. Positions are relative to the reference
 * positions, if any, or to the first step. */
void tracks_series(const struct tracks *t, size_t a, uint64_t from, uint64_t to, double *x);
