/* SPDX-License-Identifier: MIT */
/* md_job.h: runs md-cpu or md-gpu, with start, equilibration, production and restart file, and
 * leaves opening and closing of the files to the program.
 *
 * A run simulates one system, replicas of one system, or systems of several sizes, divided among
 * engines that run concurrently. If there are several sizes, each size has one engine. If there is
 * a single size, each GPU or, on the CPU, each system has one engine. The trajectory of a system
 * does not depend on the division among engines. */
#pragma once

#include "md/md_start.h"
#include "stats/blocks.h"

struct md_job;

/* An engine runs params.replicas systems, of which the first has the index `first`. */
struct md_part {
    struct md_job *job;
    struct md_setup setup;
    struct md_params params;
    struct md *md;
    struct meta *meta; /* of the outputs */
    size_t first;
    uint64_t frames;    /* frames written */
    double seconds;     /* production time */
    struct md_watch {   /* of the first system */
        double kinetic; /* sum over n samples */
        uint64_t n;
        /* The result of md_fcc_order at the last frame is `order`, or 0 for a start without a
         * lattice. */
        double order;
    } watch;
    struct err err;
};

struct md_out {
    struct md_part *part;
    struct frame_writer *frames;
    struct traj_writer *traj;
    void *thermo; /* or NULL */
    char *frames_name, *thermo_name;
    struct stats_blocks energy;         /* U for drift.h */
    double kinetic_ab[6], virial_ab[6]; /* for stress_every */
    uint64_t nsums;                     /* steps in the sums */
    uint64_t looks;
};

#define MD_STOPPED 1 /* returned by md_job_run */
#define MD_UNSET UINT64_MAX
#define MD_SIZES_MAX 1000

struct md_job {
    /* set by the caller */
    struct md_setup *setup;
    uint64_t sizes[MD_SIZES_MAX]; /* atoms of each size */
    size_t nsizes;                /* 0: see `setup` */
    size_t ndevices;              /* from engine_probe */
    const char *data;             /* LAMMPS file, or NULL */
    /* Numbers of steps are MD_UNSET for the default or, in a run that was stopped, for the
     * remaining steps. */
    uint64_t equilibrate, steps, every, thermo_every;
    /* The pressure tensor in a line of totals is the mean over every stress_every-th step, or the
     * tensor at the step of the line if stress_every is MD_UNSET. */
    uint64_t stress_every;
    bool velocities, stress, thermo, go_on; /* go_on: restart */
    void (*line)(void *thermo, const char *line);
    /* Unless NULL, writes the lines to disk and sets *bytes to the length of all lines. */
    int (*keep)(void *thermo, uint64_t *bytes, struct err *e);
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* Unless NULL, `pause` is called about once per second, when all systems are at the same step.
     * If `pause` returns true, md_job_run returns MD_STOPPED. */
    bool (*pause)(struct md_job *j);
    /* The members below are set by md_job, except params.threads, params.max_mem and
     * params.devices. */
    struct md_params params; /* of all replicas */
    struct meta *meta;       /* from meta_derive */
    struct md_part *part;    /* [nparts] */
    size_t nparts, systems;
    struct md_out *out;   /* [systems] */
    uint64_t bytes;       /* bytes written */
    struct md_left left;  /* remaining work */
    struct md_kept *had;  /* [systems], or NULL */
    struct md_kept *kept; /* [systems] */
    uint64_t had_every;   /* steps per frame in the stopped run */
    uint64_t lost;        /* frames in no file */
    uint64_t begun;       /* step before production */
    uint64_t piece;       /* steps to next pause */
    int stop;             /* whether a part failed */
};

/* Parses the value of --atoms, which is a number N or a list N,N,..., and stores the numbers in the
 * job dst. Returns 0, or -1 with an error message in e. */
int md_parse_atoms(const char *text, void *dst, struct err *e);
/* Reads the input, or creates a new system if `in` is NULL, places the atoms, opens the engines,
 * and sets the keys sys.* and data.* of the META. Returns 0, or -1 with an error message in e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* Returns the text `name` with the number k of the replica in place of every %. If the systems have
 * different sizes, % is replaced by the number of atoms of system k. The text is stored in *kept,
 * which md_job_free frees. Returns NULL if `name` is NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* Returns the META for the stream of system k, owned by j, or NULL with an error message in e. */
const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e);
/* Returns the number of frames that were written before the run was stopped, and sets *last_step to
 * the step of the last written frame. */
uint64_t md_job_had(const struct md_job *j, uint64_t *last_step);
/* Marks the unfinished segment of system k as partial, with the frames written so far. The writer
 * `frames` remains open. Returns 0, or -1 with an error message in e. */
int md_job_salvage(struct md_job *j, size_t k, struct err *e);
/* Begins the stream of system k, whose writers `frames` and `thermo` must be open. Returns 0, or -1
 * with an error message in e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* Finds the writer that failed among n systems, beginning with system `first`, sets e to the error
 * of the writer, and returns -1. */
int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e);
/* Returns the memory in bytes for the steps after md_job_start (md_bytes). */
size_t md_job_bytes(struct md_job *j);
/* Runs all steps, and writes frames and lines of totals, but no END frames, because the restart
 * file must be written before END frames. Returns 0 on success, MD_STOPPED after storing the
 * remaining work in j->left, or -1 with an error message in e. */
int md_job_run(struct md_job *j, struct err *e);
/* Ensures that a later failure leaves the output in files intact (frame_keep). Call md_job_keep at
 * a pause, before md_job_restart. Set the flag `published` if END frames will be written next.
 * Returns 0, or -1 with an error message in e. */
int md_job_keep(struct md_job *j, bool published, struct err *e);
/* Writes the present state of a run of a single size as a restart file. Returns 0, or -1 with an
 * error message in e. */
int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e);
/* Returns the number of possible warnings after a complete run, three for each size. The static
 * text of warning `which` is md_job_note, or NULL if the warning does not apply.
 *   - The mean temperature differs from the target by more than 5 % plus twice the standard
 *     deviation of one sample.
 *   - The initial lattice did not melt.
 *   - U has drifted in at least one replica (drift.h). */
size_t md_job_notes(const struct md_job *j);
const char *md_job_note(const struct md_job *j, size_t which);
/* Ends the streams with END frames of the status `status`, and returns 0, or -1 with an error
 * message in e. After a failed run, md_job_fail writes ERR frames that state the reason. */
int md_job_end(struct md_job *j, enum frame_status status, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);
