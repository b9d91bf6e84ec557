/* SPDX-License-Identifier: MIT */
/*
 * md_job.h: a whole run of md-cpu or md-gpu: start, equilibrate, produce, restart file. The tool
 * opens and closes the files.
 */
#ifndef MBF_MD_JOB_H
#define MBF_MD_JOB_H

#include "md/md_start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one replica writes. */
struct md_out {
    struct frame_writer *frames;
    struct traj_writer *traj;
    void *thermo; /* of md_job.line; NULL: no totals */
    char *frames_name, *thermo_name;
};

struct md_job {
    /* given */
    struct md_setup *setup;
    const char *data; /* LAMMPS data file to start from (md_data.h), instead of a stream, or NULL */
    uint64_t equilibrate, steps, every, thermo_every;
    bool velocities, stress, thermo, go_on; /* go_on: from a restart file */
    void (*line)(void *thermo, const char *line);
    void (*progress)(uint64_t done, uint64_t total, const char *unit);
    /* filled; of params threads, max_mem and devices are given */
    struct md_params params;
    struct md *md;
    struct meta *meta;      /* of every output; from meta_derive, given with the input */
    struct md_out *out;     /* [replicas] */
    uint64_t frames, bytes; /* that went out */
    double seconds;         /* of the steps that count */
    struct md_watch {       /* of the first replica */
        double kinetic;     /* sum over `n` looks */
        uint64_t n;
        double
            order; /* of the lattice that it began as (md_fcc_order), at the last frame; 0: none */
    } watch;
};

/* Read what is read (in; NULL: a new system), place atoms, open the engine; sys.* and data.* into
 * meta. 0, or -1 with e. */
int md_job_start(struct md_job *j, struct frame_reader *in, struct err *e);
/* name with every % replaced by the replica's number (one replica: as it is), in *kept, which
 * md_job_free frees; NULL stays NULL. */
const char *md_job_name(const struct md_job *j, size_t k, const char *name, char **kept);
/* Begin the stream of replica k, whose frames and thermo are open. 0, or -1 with e. */
int md_job_out(struct md_job *j, size_t k, struct err *e);
/* Bytes that the run will hold (md_bytes), once it is started. */
size_t md_job_bytes(struct md_job *j);
/* All steps, frames and lines, but no END frames yet: a stream without its restart is not whole.
 * 0, or -1 with e. */
int md_job_run(struct md_job *j, struct err *e);
/*
 * What a user should know of a run that ended well: its mean temperature, where that is farther
 * from the wanted one than 5 % and twice what one moment scatters; that the lattice it began as
 * still stands. NULL: nothing. which: 0 to MD_NOTES - 1. Static text.
 */
#define MD_NOTES 2
const char *md_job_note(const struct md_job *j, int which);
/* END frames; after a failure ERR frames that say why. 0, or -1 with e. */
int md_job_end(struct md_job *j, struct err *e);
void md_job_fail(struct md_job *j, const struct err *why);
void md_job_free(struct md_job *j);

#ifdef __cplusplus
}
#endif
#endif
