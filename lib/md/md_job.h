/* SPDX-License-Identifier: MIT */
/* md_job.h: a complete run of md-cpu or md-gpu, with start, equilibration, production and restart
 * file. The calling program opens and closes the files.
 *
 * A run simulates one system, replicas of one system, or systems of several sizes. The systems are
 * divided among engines that run concurrently. If there are several sizes, each size has one
 * engine. If there is a single size, each GPU or, on the CPU, each system has one engine. The
 * trajectory of a system does not depend on the division among engines. */
#pragma once

#include "md/md_start.h"
#include "stats/blocks.h"

struct md_job;

/* The systems of one engine. The number of these systems is params.replicas, and the first of them
 * has the number `first`. */
struct md_part {
    struct md_job *job;
    struct md_setup setup;
    struct md_params params;
    struct md *md;
    struct meta *meta; /* metadata (META) of the outputs of these systems */
    size_t first;
    uint64_t frames;    /* frames written */
    double seconds;     /* production time */
    struct md_watch {   /* of the first system */
        double kinetic; /* sum over n samples */
        uint64_t n;
        /* Value of md_fcc_order at the last frame, or 0 if the run did not start from a lattice. */
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
    uint64_t nsums;                     /* number of steps in the sums */
    uint64_t looks;
};

#define MD_STOPPED 1 /* returned by md_job_run */
#define MD_UNSET UINT64_MAX
#define MD_SIZES_MAX 1000

struct md_job {
    /* set by the caller */
    struct md_setup *setup;
    uint64_t sizes[MD_SIZES_MAX]; /* numbers of atoms of the sizes, [nsizes] */
    size_t nsizes;                /* 0: see `setup` */
    size_t ndevices;              /* from engine_probe */
    const char *data;             /* LAMMPS file, or NULL */
    /* Numbers of steps. The value MD_UNSET stands for the default or, if the run was stopped, for
     * the remaining steps. */
    uint64_t equilibrate, steps, every, thermo_every;
    /* The pressure tensor in a line of totals is the mean over every stress_every-th step. If
     * stress_every is MD_UNSET, the line contains the tensor at the step of the line. */
    uint64_t stress_every;
    bool velocities, stress, thermo, go_on; /* go_on: restart */
    void (*line)(void *thermo, const char *line);
    /* function that writes the lines to disk and sets *bytes to their length, or NULL */
    int (*keep)(void *thermo, uint64_t *bytes, struct err *e);
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* The function `pause` is called about once per second, when all systems are at the same step.
     * If `pause` returns true, md_job_run returns MD_STOPPED. If `pause` is NULL, the production
     * run has no pauses. */
    bool (*pause)(struct md_job *j);
    /* Set by md_job. Of the members of `params`, the caller sets only `threads`, `max_mem` and
     * `devices`. */
    struct md_params params; /* of all replicas */
    struct meta *meta;       /* from meta_derive */
    struct md_part *part;    /* [nparts] */
    size_t nparts, systems;
    struct md_out *out;   /* [systems] */
    uint64_t bytes;       /* bytes written */
    struct md_left left;  /* remaining work */
    struct md_kept *had;  /* [systems], or NULL */
    struct md_kept *kept; /* [systems] */
    uint64_t had_every;   /* number of steps per frame in the run that was stopped */
    uint64_t lost;        /* number of frames that no file contains */
    uint64_t begun;       /* number of the last step before the production steps of this call */
    uint64_t piece;       /* steps to next pause */
    int stop;             /* whether a part failed */
};

/* Parses the value of --atoms, which is a number N or a list N,N,..., and stores it in the job dst.
 * Returns 0 on success, or -1 with an error message in e. */
int md_parse_atoms(const char *text, void *dst, struct err *e);
/* Reads the input, or creates a new system if `in` is NULL. The function then places the atoms,
 * opens the engines, and sets the keys sys.* and data.* of the META. Returns 0 on success, or -1
 * with an error message in e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* Returns the text `name`, in which every % is replaced by the number k of the replica. If the
 * systems have different sizes, % is replaced by the number of atoms of system k. The text is
 * stored in *kept, which md_job_free frees. If `name` is NULL, the function returns NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* Returns the META for the stream of system k, which belongs to j, or NULL with an error message in
 * e. */
const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e);
/* Returns the number of frames that were written before the run was stopped, and sets *last_step to
 * the step of the last of these frames. */
uint64_t md_job_had(const struct md_job *j, uint64_t *last_step);
/* Marks the unfinished segment with the earlier frames of system k as partial. The writer `frames`
 * remains open. Returns 0 on success, or -1 with an error message in e. */
int md_job_salvage(struct md_job *j, size_t k, struct err *e);
/* Begins the stream of system k. The writers `frames` and `thermo` of the system must be open.
 * Returns 0 on success, or -1 with an error message in e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* Finds the writer that failed among the n systems of which the first has the number `first`, and
 * sets e to its error. Returns -1. */
int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e);
/* Returns the memory in bytes that a run needs after its start (md_bytes). */
size_t md_job_bytes(struct md_job *j);
/* Runs all steps, and writes frames and lines of totals. The function md_job_run writes no END
 * frames, because the restart file must be written before them. Returns 0 on success, MD_STOPPED
 * after storing the remaining work in j->left, or -1 with an error message in e. */
int md_job_run(struct md_job *j, struct err *e);
/* Ensures that a later failure leaves the output that is already in files intact (frame_keep). The
 * caller calls this function at a pause, before md_job_restart. Set the flag `published` if the END
 * frames will be written next. Returns 0 on success, or -1 with an error message in e. */
int md_job_keep(struct md_job *j, bool published, struct err *e);
/* Writes the present state of a run as a restart file. The run must have a single size. Returns 0
 * on success, or -1 with an error message in e. */
int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e);
/* The function md_job_notes returns the number of possible warnings after a complete run. The
 * function md_job_note returns the text of the warning with the number `which`, or NULL if the
 * warning does not apply. The text is static. For each size, there are three possible warnings.
 *   - The mean temperature differs from the target by more than 5 % plus twice the standard
 *     deviation of one sample.
 *   - The initial lattice did not melt.
 *   - U has drifted in at least one replica (drift.h). */
size_t md_job_notes(const struct md_job *j);
const char *md_job_note(const struct md_job *j, size_t which);
/* The function md_job_end writes END frames with the given status, and returns 0 on success, or -1
 * with an error message in e. After a failed run, md_job_fail writes ERR frames that contain the
 * reason. */
int md_job_end(struct md_job *j, enum frame_status status, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);
