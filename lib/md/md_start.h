/* SPDX-License-Identifier: MIT */
/* md_start.h: the three ways to start a run, and the restart file. */
#ifndef MBF_MD_START_H
#define MBF_MD_START_H

#include "md/md_setup.h"
#include "stream/traj.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State to start from: [replicas][natoms][3], owned. */
struct md_start_state {
    double *r, *v;
    uint64_t step;
};

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
 * wrapped. meta: as of the trajectory; the step is added, and what is left. 0, or -1 with e.
 */
int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e);

#ifdef __cplusplus
}
#endif
#endif
