/* SPDX-License-Identifier: MIT */
/* md_start.h: starts a run from a new system, a stream or a restart file, and writes restart
 * files. */
#pragma once

#include "md/md_setup.h"
#include "stream/traj.h"

/* Describes the output of one system of an unfinished run in a restart file: the file names, the
 * lengths that are safely on disk, and the later steps, which are too few for a block. */
struct md_kept {
    char *frames, *thermo;  /* NULL: no file, or lost if killed */
    struct frame_mark mark; /* of the frames */
    uint64_t thermo_bytes;
    uint64_t lost;  /* frames in no file */
    bool published; /* END was written */
    enum frame_dtype dtype;
    size_t n;              /* unwritten steps */
    const void *pos, *vel; /* [n][natoms][3] or NULL */
    void *own[2];          /* holds `pos` and `vel` */
};

/* Contains the initial state of a run, with positions and velocities r and v of shape
 * [replicas][natoms][3], and owns all its arrays. The array kept[] has one entry per replica, or is
 * NULL. */
struct md_start_state {
    double *r, *v;
    uint64_t step;
    struct md_kept *kept;
    size_t nkept;
};
void md_kept_free(struct md_kept *kept, size_t n);

/* Contains the remaining work of a run that was stopped, as read from its restart file. If `steps`
 * and `equilibrate` are both 0, the run was not stopped. */
struct md_left {
    uint64_t equilibrate, steps;  /* remaining steps */
    uint64_t done;                /* earlier steps */
    uint64_t every, thermo_every; /* sample intervals */
    uint64_t first;               /* 1 to sample the start */
};

/* Start a run from --atoms in an empty box (md_init), from the last step of a POSN stream with new
 * velocities, or from a restart file. A restart file continues its run, unchanged except for the
 * options that the user gives. Set p, b and those members of s that the user did not give. Return
 * 0, or -1 with an error message in e. */
int md_start_new(struct md_setup *s, struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct err *e);
int md_restart_read(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct md_left *left, struct err *e);
void md_start_free(struct md_start_state *b);

/* Allocate the arrays for the atoms of p (md_start_room), and copy the cell of a stream to s
 * (md_start_box), which fails if the engine does not support the cell. Return 0, or -1 with an
 * error message in e. */
int md_start_room(const struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_box(struct md_setup *s, const struct box *box, struct err *e);

/* Writes the state b as a restart file. Each replica is a segment with unwrapped positions POSN
 * [1,N,3] and velocities VELO [1,N,3] in f64. Steps that have not been written are the array PEND
 * [n,N,3], in the form of the output. The META of the restart file is the META of the trajectory,
 * plus the step, the remaining work and the output in b. Returns 0, or -1 with an error message in
 * e. */
int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e);
