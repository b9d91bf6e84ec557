/* SPDX-License-Identifier: MIT */
/* md_job.h: a complete run of md-cpu or md-gpu, with start, equilibration, production and restart
 * file. The calling program opens and closes the files.
 *
 * A run simulates one system, replicas of one system, or systems of several sizes. The systems are
 * divided among engines that run concurrently. There is one engine per size if there are several
 * sizes. For a single size, there is one engine per GPU or, on the CPU, per system. The trajectory
 * of a system does not depend on this division. */
#pragma once

#include "md/md_start.h"
#include "stats/blocks.h"

struct md_job;

/* The systems of one engine. The number of systems is params.replicas, and the first system has the
 * number `first`. */
struct md_part {
    struct md_job *job;
    struct md_setup setup;
    struct md_params params;
    struct md *md;
    struct meta *meta; /* metadata (META) of the outputs of this part */
    size_t first;
    uint64_t frames;    /* frames written */
    double seconds;     /* production time */
    struct md_watch {   /* of the first system */
        double kinetic; /* sum over n samples */
        uint64_t n;
        /* md_fcc_order at the last frame, or 0 if the run did not start from a lattice. */
        double order;
    } watch;
    struct err err;
};

/* Outputs of one system. */
struct md_out {
    struct md_part *part;
    struct frame_writer *frames;
    struct traj_writer *traj;
    void *thermo; /* or NULL */
    char *frames_name, *thermo_name;
    struct stats_blocks energy;         /* U for drift.h */
    double kinetic_ab[6], virial_ab[6]; /* for stress_every */
    uint64_t nsums;                     /* number of steps included in the sums */
    uint64_t looks;
};

#define MD_STOPPED 1 /* returned by md_job_run */
#define MD_UNSET UINT64_MAX
#define MD_SIZES_MAX 1000

struct md_job {
    /* set by the caller */
    struct md_setup *setup;
    uint64_t sizes[MD_SIZES_MAX]; /* numbers of atoms, [nsizes] */
    size_t nsizes;                /* 0: see `setup` */
    size_t ndevices;              /* from engine_probe */
    const char *data;             /* LAMMPS file, or NULL */
    /* Numbers of steps. MD_UNSET means the default or, for a stopped run, the remaining steps. */
    uint64_t equilibrate, steps, every, thermo_every;
    /* The pressure tensor in a line of totals is the mean over every stress_every-th step. If
     * stress_every is MD_UNSET, the line has the tensor at its own step. */
    uint64_t stress_every;
    bool velocities, stress, thermo, go_on; /* go_on: restart */
    void (*line)(void *thermo, const char *line);
    int (*keep)(void *thermo, uint64_t *bytes, struct err *e); /* writes the lines to disk and sets
                                                                * *bytes to their length, or NULL */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* This function is called about once per second, when all systems are at the same step. If it
     * returns true, md_job_run returns MD_STOPPED. If `pause` is NULL, production has no pauses. */
    bool (*pause)(struct md_job *j);
    /* Set by md_job. The caller sets only the members `threads`, `max_mem` and `devices` of
     * `params`. */
    struct md_params params; /* of all replicas */
    struct meta *meta;       /* from meta_derive */
    struct md_part *part;    /* [nparts] */
    size_t nparts, systems;
    struct md_out *out;   /* [systems] */
    uint64_t bytes;       /* bytes written */
    struct md_left left;  /* remaining work */
    struct md_kept *had;  /* [systems], or NULL */
    struct md_kept *kept; /* [systems] */
    uint64_t had_every;   /* number of steps per frame in the stopped run */
    uint64_t lost;        /* number of frames that are in no file */
    uint64_t begun;       /* last step before the production steps of this call */
    uint64_t piece;       /* steps to next pause */
    int stop;             /* whether a part failed */
};

/* Parses the argument of --atoms, which is a number N or a list N,N,..., and stores it in the job
 * dst. Returns 0 on success, or -1 with an error message in e. */
int md_parse_atoms(const char *text, void *dst, struct err *e);
/* Reads the input, or creates a new system if `in` is NULL. The function then places atoms, opens
 * the engines and sets the keys sys.* and data.* of the META. Returns 0 on success, or -1 with an
 * error message in e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* Returns `name` with every % replaced by the number k of the replica. If systems have different
 * sizes, % is replaced by the number of atoms of system k. The result is stored in *kept, which
 * md_job_free frees. If `name` is NULL, the result is NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* Returns the META of the stream of system k, which j owns, or NULL with an error message in e. */
const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e);
/* Returns the number of frames that the run wrote before it was stopped, and sets *last_step to the
 * step of the last of these frames. */
uint64_t md_job_had(const struct md_job *j, uint64_t *last_step);
/* Passes to the writer of system k the steps that the stopped run had computed but not written.
 * Returns 0 on success, or -1 with an error message in e. */
int md_job_wait(struct md_job *j, size_t k, struct err *e);
/* Marks the unfinished segment that contains the earlier frames of system k as partial. The writer
 * `frames` remains open. Returns 0 on success, or -1 with an error message in e. */
int md_job_salvage(struct md_job *j, size_t k, struct err *e);
/* Starts the stream of system k. The writers `frames` and `thermo` of the system must be open.
 * Returns 0 on success, or -1 with an error message in e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* Finds the writer that failed among the n systems from number `first` on, and sets e to its error.
 * Returns -1. */
int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e);
/* Returns the memory in bytes that a started run needs (md_bytes). */
size_t md_job_bytes(struct md_job *j);
/* Runs all steps and writes frames and lines of totals. This function does not write END frames,
 * because the restart file must be written first. Returns 0, or MD_STOPPED and stores the remaining
 * work in j->left, or -1 with an error message in e. */
int md_job_run(struct md_job *j, struct err *e);
/* Ensures that any later failure leaves the output that is already in files intact (frame_keep).
 * Call this function at a pause, before md_job_restart. Set `published` if the END frames will be
 * written next. Returns 0 on success, or -1 with an error message in e. */
int md_job_keep(struct md_job *j, bool published, struct err *e);
/* Writes the present state of a run of one size as a restart file. Returns 0 on success, or -1 with
 * an error message in e. */
int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e);
/* The function md_job_notes returns the number of possible warnings after a complete run. The
 * function md_job_note returns the text of warning number `which`, which is static, or NULL if the
 * warning does not apply. For each size of system, there are three possible warnings. The first is
 * that the mean temperature differs from the target by more than 5 % plus twice the standard
 * deviation of one sample. The second is that the initial lattice did not melt. The third is that U
 * has drifted in at least one replica (drift.h). */
size_t md_job_notes(const struct md_job *j);
const char *md_job_note(const struct md_job *j, size_t which);
/* The function md_job_end writes END frames with the given status, and returns 0 on success, or -1
 * with an error message in e. If the run fails, md_job_fail writes ERR frames with the reason. */
int md_job_end(struct md_job *j, enum frame_status status, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);
