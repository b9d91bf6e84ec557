/* SPDX-License-Identifier: MIT */
/*
 * md_job.h: a whole run of md-cpu or md-gpu: start, equilibration, production and restart file. The
 * tool opens and closes the files.
 *
 * A run has one system, replicas of it, or systems of several sizes. The systems are divided among
 * engines that run side by side: one engine per size, or one per device (on the CPU, per system).
 * The trajectory of a system does not depend on the division.
 */
#ifndef MBF_MD_JOB_H
#define MBF_MD_JOB_H

#include "md/md_start.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct md_job;

/* Systems of one engine: system `first` and the next params.replicas - 1. */
struct md_part {
    struct md_job *job;
    struct md_setup setup;
    struct md_params params;
    struct md *md;
    struct meta *meta; /* META of its outputs */
    size_t first;
    uint64_t frames;    /* frames written */
    double seconds;     /* time for production steps */
    struct md_watch {   /* samples of the first system of a part */
        double kinetic; /* sum over `n` samples */
        uint64_t n;
        /* remaining order of the initial lattice (md_fcc_order) at the last frame; 0: no lattice */
        double order;
    } watch;
    struct err err;
};

/* Outputs of one system. */
struct md_out {
    struct md_part *part;
    struct frame_writer *frames;
    struct traj_writer *traj;
    void *thermo; /* context of md_job.line; NULL: no totals */
    char *frames_name, *thermo_name;
    struct stats_blocks energy;         /* U and sample counts for drift.h */
    double kinetic_ab[6], virial_ab[6]; /* sums since the last line, for stress_every */
    uint64_t nsums;                     /* number of steps in these sums */
    uint64_t looks;
};

#define MD_STOPPED 1 /* returned by md_job_run */
#define MD_UNSET UINT64_MAX
#define MD_SIZES_MOST 1000

struct md_job {
    /* set by the caller */
    struct md_setup *setup;
    uint64_t sizes[MD_SIZES_MOST]; /* [nsizes]: atoms of new systems, if there are several sizes */
    size_t nsizes;                 /* 0: setup.replicas systems of setup */
    size_t ndevices;               /* from md_probe */
    const char *data; /* LAMMPS data file to start from instead of a stream (md_data.h), or NULL */
    /* MD_UNSET: the default, or the remaining steps */
    uint64_t equilibrate, steps, every, thermo_every;
    /* Lines contain the mean pressure tensor of every stress_every-th step; MD_UNSET: the tensor
     * at the step of the line. */
    uint64_t stress_every;
    bool velocities, stress, thermo, go_on; /* go_on: from a restart file */
    void (*line)(void *thermo, const char *line);
    int (*keep)(void *thermo, uint64_t *bytes,
                struct err *e); /* flushes --thermo to disk; bytes: its size; or NULL */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* Called about once per second, with all systems at the same step; if it returns true,
     * md_job_run ends as MD_STOPPED. NULL: the production steps are one piece. */
    bool (*pause)(struct md_job *j);
    /* Set by md_job; the caller sets only threads, max_mem and devices of params. */
    struct md_params params; /* of all replicas */
    struct meta *meta;       /* from meta_derive, set with the input */
    struct md_part *part;    /* [nparts] */
    size_t nparts, systems;
    struct md_out *out;   /* [systems] */
    uint64_t bytes;       /* bytes written */
    struct md_left left;  /* remaining work, at any pause */
    struct md_kept *had;  /* [systems]: earlier output of a stopped run, or NULL */
    struct md_kept *kept; /* [systems]: present output, from md_job_keep */
    uint64_t had_every;   /* interval of the earlier frames, in steps */
    uint64_t lost;        /* frames of the run so far that are in no file */
    uint64_t begun;       /* step before the first production step here */
    uint64_t piece;       /* steps until the next pause */
    int stop;             /* a part failed, so the other parts stop */
};

/* Parses an --atoms argument, N or several sizes N,N,..., into dst, a job with its setup. Returns
 * 0, or -1 and sets e. */
int md_parse_atoms(const char *text, void *dst, struct err *e);
/* Reads the input (in; NULL: a new system), places atoms, opens the engines and writes sys.* and
 * data.* to meta. Returns 0, or -1 and sets e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* Returns name with every % replaced by the number of replica k, or, without replicas, by the
 * number of atoms of system k. The name is in *kept, which md_job_free frees. NULL stays NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* Returns the META of the stream of system k, owned by j, or NULL and sets e. */
const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e);
/* Returns the number of earlier frames and sets *last_step to the step of the last one. */
uint64_t md_job_had(const struct md_job *j, uint64_t *last_step);
/* Writes the steps that a stopped run had not yet written as a block to the writer of system k.
 * Returns 0, or -1 and sets e. */
int md_job_wait(struct md_job *j, size_t k, struct err *e);
/* Marks the earlier frames of system k, which are open inside their segment, as partial. Returns 0,
 * or -1 and sets e; frames stays open. */
int md_job_salvage(struct md_job *j, size_t k, struct err *e);
/* Begins the stream of system k; its writers frames and thermo must be open. Returns 0, or -1 and
 * sets e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* Sets e to the error of the writer that failed among n systems from `first` on, and returns -1. */
int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e);
/* Returns the bytes that a started run needs (md_bytes). */
size_t md_job_bytes(struct md_job *j);
/* Runs all steps and writes frames and lines, but no END frames, because a stream without its
 * restart is incomplete. Returns 0; MD_STOPPED, with the remaining work in left; or -1 and sets
 * e. */
int md_job_run(struct md_job *j, struct err *e);
/* Secures the output written so far against any later failure (frame_keep), for outputs that are
 * files. Call it at a pause, before md_job_restart. published: the END frames of the outputs are
 * written next. Returns 0, or -1 and sets e. */
int md_job_keep(struct md_job *j, bool published, struct err *e);
/* Writes the present state as a restart file, for runs of one size. Returns 0, or -1 and sets e. */
int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e);
/* Number of notes of a run that ended well, and the text of note `which` (0 to md_job_notes - 1),
 * static, or NULL if it does not apply. The notes, for the first replica or for each size, are
 * warnings of three kinds: the mean temperature differs from the target by more than 5 % plus twice
 * the scatter of one sample; the initial lattice has not melted; U changed during the run (drift.h)
 * in at least one replica. */
size_t md_job_notes(const struct md_job *j);
const char *md_job_note(const struct md_job *j, size_t which);
/* Writes END frames with this status, or, after a failure, ERR frames with the reason. Returns 0,
 * or -1 and sets e. */
int md_job_end(struct md_job *j, enum frame_status status, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);

#ifdef __cplusplus
}
#endif
#endif
