/* SPDX-License-Identifier: MIT */
/* md_start.h: the three starts of a run (new system, stream, restart file), and writing restart
 * files. */
#ifndef MBF_MD_START_H
#define MBF_MD_START_H

#include "md/md_setup.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Earlier output of one system of an unfinished run, as recorded in its restart file: the names
 * of its files, how much of them is safely on disk, and the later steps that do not yet fill a
 * block. */
struct md_kept {
    /* Names; NULL if there is no file, or none that would survive a kill. */
    char *frames, *thermo;
    struct frame_mark mark; /* of the frames */
    uint64_t thermo_bytes;
    uint64_t lost;  /* frames of the run so far that are in no file */
    bool published; /* the frames so far are in an output that has its END */
    enum frame_dtype dtype;
    size_t n;              /* unwritten steps, */
    const void *pos, *vel; /* [n][natoms][3]; vel NULL: without velocities */
    void *own[2];          /* memory of pos and vel, if not owned by the writer */
};

/* State to start from, [replicas][natoms][3]; kept is [replicas] or NULL. The struct owns the state
 * and kept. */
struct md_start_state {
    double *r, *v;
    uint64_t step;
    struct md_kept *kept;
    size_t nkept;
};
void md_kept_free(struct md_kept *kept, size_t n);

/* Remaining work of a stopped run, in its restart file. If steps and equilibrate are 0, the run was
 * not stopped. */
struct md_left {
    uint64_t equilibrate, steps;  /* remaining steps of each */
    uint64_t done;                /* earlier production steps, so samples keep their interval */
    uint64_t every, thermo_every; /* intervals of the samples */
    uint64_t first;               /* 1: the totals of the first step are still to be measured */
};

/*
 * Each function sets p, b and the values of s that were not given. Returns 0, or -1 and sets e.
 *   new:     --atoms in an empty box (md_init)
 *   stream:  last step of a POSN stream, with new velocities
 *   restart: a restart file: everything continues as before, except for given options
 */
int md_start_new(struct md_setup *s, struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct err *e);
int md_restart_read(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct md_left *left, struct err *e);
void md_start_free(struct md_start_state *b);

/* Steps of the starts: allocate the atoms of p, and take the box of a stream, which the engine must
 * support. Return 0, or -1 and set e. */
int md_start_room(const struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_box(struct md_setup *s, const struct box *box, struct err *e);

/* Writes state b as a restart file. Each replica is a segment with POSN [1,N,3] and VELO [1,N,3] in
 * f64, not wrapped, and PEND [n,N,3] with the unwritten steps in their output form. meta is that of
 * the trajectory; the step, the remaining work and the kept output of b are added. Returns 0, or -1
 * and sets e. */
int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e);

#ifdef __cplusplus
}
#endif
#endif
