/* SPDX-License-Identifier: MIT */
/* md_start.h: the three ways to start a run, and the restart file. */
#ifndef MBF_MD_START_H
#define MBF_MD_START_H

#include "md/md_setup.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What one system of a run that is not at its end has written, in its restart file: to which files,
 * how much of it is on disk whatever comes, and the steps behind that which fill no block yet.
 */
struct md_kept {
    char *frames, *thermo;  /* names; NULL: nothing that a kill leaves, or none */
    struct frame_mark mark; /* of the frames */
    uint64_t thermo_bytes;
    uint64_t lost;  /* frames of the run so far that are in no file */
    bool published; /* the frames so far are in an output that has its END */
    enum frame_dtype dtype;
    size_t n;              /* steps that wait, */
    const void *pos, *vel; /* [n][natoms][3]; vel NULL: without velocities */
    void *own[2];          /* what these point at, where it is not the writer's */
};

/* State to start from: [replicas][natoms][3], owned; kept: [replicas] or NULL, owned. */
struct md_start_state {
    double *r, *v;
    uint64_t step;
    struct md_kept *kept;
    size_t nkept;
};
void md_kept_free(struct md_kept *kept, size_t n);

/*
 * What a run that was stopped has yet to do, in its restart file. steps and equilibrate 0: it was
 * not stopped.
 */
struct md_left {
    uint64_t equilibrate, steps;  /* steps of each */
    uint64_t done;                /* steps that count, before: samples go on in their rhythm */
    uint64_t every, thermo_every; /* of the samples */
    uint64_t first;               /* 1: the totals of the first step are yet to be measured */
};

/*
 * Each fills s (what was not given), p and b: 0, or -1 with e.
 *   new:     --atoms in an empty box (md_init)
 *   stream:  last step of a POSN stream, fresh velocities
 *   restart: a restart file: everything goes on as it was, but for what is given
 */
int md_start_new(struct md_setup *s, struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct err *e);
int md_restart_read(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct md_left *left, struct err *e);
void md_start_free(struct md_start_state *b);

/* Their parts: room for p's atoms; what the stream says about its box, which must fit the engine.
 * 0, or -1 with e. */
int md_start_room(const struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_box(struct md_setup *s, const struct box *box, struct err *e);

/*
 * Write state b as a restart: a segment a replica with POSN [1,N,3] and VELO [1,N,3] in f64, not
 * wrapped, and PEND [n,N,3] of steps that wait, as they will be written. meta: as of the trajectory;
 * the step is added, what is left, and what is kept, of b. 0, or -1 with e.
 */
int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e);

#ifdef __cplusplus
}
#endif
#endif
