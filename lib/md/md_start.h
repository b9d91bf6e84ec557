/* SPDX-License-Identifier: MIT */
/* md_start.h: starts a run from a new system, a stream or a restart file. Writes restart files. */
#pragma once

#include "md/md_setup.h"
#include "stream/traj.h"

/* Output of one system of an unfinished run, as the restart file records it. The record contains
 * the file names, the lengths that are safely on disk, and the later steps, which are too few for a
 * block. */
struct md_kept {
    /* Names of the files. A name is NULL if there is no such file, or if a killed program would
     * lose the file. */
    char *frames, *thermo;
    struct frame_mark mark; /* of the frames */
    uint64_t thermo_bytes;
    uint64_t lost;  /* number of frames that no file contains */
    bool published; /* END was written */
    enum frame_dtype dtype;
    size_t n;              /* unwritten steps */
    const void *pos, *vel; /* positions and velocities [n][natoms][3], where `vel` is NULL if
                            * velocities are not written */
    void *own[2];          /* memory that holds `pos` and `vel` */
};

/* The initial state of a run, with positions r and velocities v of shape [replicas][natoms][3]. The
 * array kept[] has one entry per replica, or is NULL. All arrays belong to this struct. */
struct md_start_state {
    double *r, *v;
    uint64_t step;
    struct md_kept *kept;
    size_t nkept;
};
void md_kept_free(struct md_kept *kept, size_t n);

/* The remaining work of a run that was stopped, as read from its restart file. If `steps` and
 * `equilibrate` are both 0, the run was not stopped. */
struct md_left {
    uint64_t equilibrate, steps;  /* remaining steps */
    uint64_t done;                /* earlier steps */
    uint64_t every, thermo_every; /* sample intervals */
    uint64_t first;               /* 1 to sample the start */
};

/* The function md_start_new starts from --atoms in an empty box (md_init), and md_start_stream
 * starts from the last step of a POSN stream, with new velocities. The function md_restart_read
 * continues the run of a restart file, unchanged except for the options that the user gives. Each
 * of these functions sets p, b and those values of s that the user did not give. Each of these
 * functions returns 0 on success, or -1 with an error message in e. */
int md_start_new(struct md_setup *s, struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_stream(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct err *e);
int md_restart_read(struct frame_reader *in, struct md_setup *s, struct md_params *p,
                    struct md_start_state *b, struct md_left *left, struct err *e);
void md_start_free(struct md_start_state *b);

/* The function md_start_room allocates the arrays for the atoms of p. The function md_start_box
 * sets the cell of s to the cell of a stream. The function md_start_box fails if the engine does
 * not support the cell. The functions md_start_room and md_start_box return 0 on success, or -1
 * with an error message in e. */
int md_start_room(const struct md_params *p, struct md_start_state *b, struct err *e);
int md_start_box(struct md_setup *s, const struct box *box, struct err *e);

/* Writes the state b as a restart file. Each replica is a segment with unwrapped positions POSN
 * [1,N,3] and velocities VELO [1,N,3] in f64. The array PEND [n,N,3] contains the steps that have
 * not been written, in the form of the output. The META of the restart file is the META of the
 * trajectory, to which the step, the remaining work and the output recorded in b are added. Returns
 * 0 on success, or -1 with an error message in e. */
int md_restart_write(struct frame_writer *w, const struct md_start_state *b,
                     const struct md_params *p, const struct md_left *left, const struct meta *meta,
                     struct err *e);
