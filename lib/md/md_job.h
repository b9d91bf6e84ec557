/* SPDX-License-Identifier: MIT */
/*
 * md_job.h: a whole run of md-cpu or md-gpu: start, equilibrate, produce, restart file. The tool
 * opens and closes the files.
 *
 * A run has one system, replicas of it, or systems of several sizes. Engines share them: one for
 * each size, or one for each device (on the CPU, for each system), and run side by side. What a
 * system does depends on none of that.
 */
#ifndef MBF_MD_JOB_H
#define MBF_MD_JOB_H

#include "md/md_start.h"
#include "stats/blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct md_job;

/* The systems of one engine: number `first` and, of its params, replicas - 1 more. */
struct md_part {
    struct md_job *job;
    struct md_setup setup;
    struct md_params params;
    struct md *md;
    struct meta *meta; /* of its outputs */
    size_t first;
    uint64_t frames;    /* that went out */
    double seconds;     /* of the steps that count */
    struct md_watch {   /* of its first system */
        double kinetic; /* sum over `n` looks */
        uint64_t n;
        double
            order; /* of the lattice that it began as (md_fcc_order), at the last frame; 0: none */
    } watch;
    struct err err;
};

/* What one system writes. */
struct md_out {
    struct md_part *part;
    struct frame_writer *frames;
    struct traj_writer *traj;
    void *thermo; /* of md_job.line; NULL: no totals */
    char *frames_name, *thermo_name;
    struct stats_blocks energy;         /* U and how often, of the totals looked at (drift.h) */
    double kinetic_ab[6], virial_ab[6]; /* sums since the last line, of stress_every, */
    uint64_t nsums;                     /* over so many steps */
    uint64_t looks;
};

#define MD_STOPPED 1 /* of md_job_run */
#define MD_UNSET UINT64_MAX
#define MD_SIZES_MOST 1000

struct md_job {
    /* given */
    struct md_setup *setup;
    uint64_t sizes[MD_SIZES_MOST]; /* [nsizes]: atoms of new systems, more than one */
    size_t nsizes;                 /* 0: setup.replicas systems as setup has them */
    size_t ndevices;               /* md_probe */
    const char *data; /* LAMMPS data file to start from (md_data.h), instead of a stream, or NULL */
    uint64_t equilibrate, steps, every, thermo_every; /* MD_UNSET: the default, or what is left */
    uint64_t stress_every; /* of lines with the pressure tensor: its mean, of every so manieth step;
                              MD_UNSET: it is that of the line's step */
    bool velocities, stress, thermo, go_on; /* go_on: from a restart file */
    void (*line)(void *thermo, const char *line);
    int (*keep)(void *thermo, uint64_t *bytes,
                struct err *e); /* of lines of --thermo: on disk, so many bytes; or NULL */
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* asked about once a second, all systems at one step; true: md_job_run ends as MD_STOPPED. NULL:
     * the steps that count are one piece */
    bool (*pause)(struct md_job *j);
    /* filled; of params threads, max_mem and devices are given */
    struct md_params params; /* of all replicas */
    struct meta *meta;       /* from meta_derive, given with the input */
    struct md_part *part;    /* [nparts] */
    size_t nparts, systems;
    struct md_out *out;  /* [systems] */
    uint64_t bytes;      /* that went out */
    struct md_left left; /* to do, at any pause */
    struct md_kept
        *had; /* [systems]: what was written before, of a run that was stopped when it had
                            frames or lines; or NULL */
    struct md_kept *kept; /* [systems]: what is now, of md_job_keep */
    uint64_t had_every;   /* steps between the frames of then */
    uint64_t lost;        /* frames of the run so far that are in no file */
    uint64_t begun;       /* step before the first one that counts here */
    uint64_t piece;       /* steps until the next pause */
    int stop;             /* a part failed: the others need not go on */
};

/* An --atoms argument, N or several sizes N,N,..., into dst, a job that has its setup: 0, or -1 with
 * the reason. */
int md_parse_atoms(const char *text, void *dst, struct err *e);
/* Read what is read (in; NULL: a new system), place atoms, open the engine; sys.* and data.* into
 * meta. 0, or -1 with e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* name with every % replaced by the number of replica k, or, where there are none, by the number of
 * atoms of system k, in *kept, which md_job_free frees; NULL stays NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* META of the stream of system k, owned by j. NULL with e. */
const struct meta *md_job_meta(struct md_job *j, size_t k, struct err *e);
/* Number of frames before, and the step of the last one. */
uint64_t md_job_had(const struct md_job *j, uint64_t *last_step);
/* What waited for a block, of the run that was stopped, to the writer of system k. 0, or -1 with e. */
int md_job_wait(struct md_job *j, size_t k, struct err *e);
/* What system k had written, in frames that are open inside their segment: finished as partial. 0, or
 * -1 with e; frames stays open. */
int md_job_salvage(struct md_job *j, size_t k, struct err *e);
/* Begin the stream of system k, whose frames and thermo are open. 0, or -1 with e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* e is the error of the writer that failed, of n systems from the first on. -1. */
int md_job_lost(const struct md_job *j, size_t first, size_t n, struct err *e);
/* Bytes that the run will hold (md_bytes), once it is started. */
size_t md_job_bytes(struct md_job *j);
/* All steps, frames and lines, but no END frames yet: a stream without its restart is not whole.
 * 0; MD_STOPPED, and left tells what is left; or -1 with e. */
int md_job_run(struct md_job *j, struct err *e);
/* Whatever comes, what was written so far is not lost (frame_keep), as far as it goes to files; at a
 * pause, ahead of md_job_restart. published: the outputs are about to get their END. 0, or -1 with
 * e. */
int md_job_keep(struct md_job *j, bool published, struct err *e);
/* The state, now or at a pause, as a restart file, of one size only. 0, or -1 with e. */
int md_job_restart(struct md_job *j, struct frame_writer *w, struct err *e);
/*
 * What a user should know of a run that ended well, of the first replica or of each size: its mean
 * temperature, where that is farther from the wanted one than 5 % and twice what one moment
 * scatters; that the lattice it began as still stands; that U changed (drift.h), where of any
 * replica of the first that did. NULL: nothing. which: 0 to md_job_notes - 1.
 * Static text.
 */
size_t md_job_notes(const struct md_job *j);
const char *md_job_note(const struct md_job *j, size_t which);
/* END frames of that status; after a failure ERR frames that say why. 0, or -1 with e. */
int md_job_end(struct md_job *j, enum frame_status status, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);

#ifdef __cplusplus
}
#endif
#endif
