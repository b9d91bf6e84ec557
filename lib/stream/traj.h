/* SPDX-License-Identifier: MIT */
/* traj.h: reads and writes trajectories as blocks of time steps, with their cells and times.
 *
 * A reader accepts POSN, PAIR or SERI segments and returns blocks, after checking the number of
 * atoms, even spacing, cells, finite numbers and dimensions. A writer collects steps in blocks of 1
 * to 2 MiB, or writes larger steps one by one. After 0.2 s, a writer also writes an incomplete
 * block to a pipe, so that the readers of a running simulation do not have to wait. */
#pragma once

#include "base/box.h"
#include "stream/atoms.h"
#include "stream/frame.h"

C_LINKAGE_BEGIN

struct traj_info {
    enum frame_type type;   /* FRAME_POSN, FRAME_PAIR or FRAME_SERI */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* SERI: 0 without sys.natoms */
    size_t ncomp;           /* PAIR: components; SERI: columns; POSN: 0 */
    size_t step_bytes;      /* 0 before the first block */
    size_t nscalars;        /* per atom, for POSN */
    size_t scalar_bytes;    /* per step */
    double dt_ps;           /* NaN: unknown */
    double sigma;           /* Å; NaN: unknown */
    struct box box;         /* sys.cell, or zeros */
};

/* Consecutive steps. The data belong to the reader and are valid until the next call. */
struct traj_block {
    size_t nsteps;
    uint64_t index;        /* of the first step */
    const double *time;    /* [nsteps], ps; NaN: unknown */
    const struct box *box; /* [nsteps] */
    /* Numbers of type info.dtype: POSN [nsteps][natoms][3], PAIR [nsteps][ncomp][npairs], SERI
     * [nsteps][ncomp]. */
    const void *data;
    const void *velocities; /* as `data`, Å/ps, or NULL */
    const void *scalars;    /* [nsteps][natoms][nscalars], or NULL. Unknown values are NaN. */
};

/* A reader returns only the steps in the time window of frame_reader_opts, and counts steps from
 * the first step in this window. If the window contains no step, opening the trajectory fails. */
struct traj_reader;

/* Sets *b to the cell in a META. Returns 0, or -1 with an error message in e. */
int traj_box(const struct meta *m, struct box *b, struct err *e);

/* Opens the segments of r with arrays of the type `want`, which is FRAME_POSN, FRAME_PAIR or
 * FRAME_SERI. FRAME_META selects positions or pair tables. FRAME_VELO selects positions and, if
 * present, velocities. FRAME_SCAL selects positions with scalars. FRAME_OTHER selects positions,
 * pair tables and time series and, if present, velocities and scalars. For other values of `want`,
 * velocities and scalars are skipped. The first block is read to determine the traj_info. All
 * segments must have the same dtype, dims, scalars and keys sys.*, except for the cells. The steps
 * of all segments are returned one after the other. On failure, returns NULL with an error message
 * in e. */
struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e);
/* Works like traj_open, but reads only the description of the first block, because the data of this
 * block may not be needed. */
struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e);
/* Opens the rest of a segment whose META and first array, or END, were read with frame_next. Times,
 * cells and numbers are returned without changes and without checks. In each cell, only the member
 * h is set. Positions, pair tables, time series and velocities are read. On failure, returns NULL
 * with an error message in e. */
struct traj_reader *traj_segment(struct frame_reader *r, const struct frame *first, struct err *e);
const struct traj_info *traj_info(const struct traj_reader *t);
/* Returns 1 after reading the next block, 0 at the end, or -1 on failure (see traj_error). Unless
 * first_of_segment is NULL, sets *first_of_segment to whether the block begins a segment. */
int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment) FRAME_MUST;
/* Skips the blocks that end before the given step. In a regular file, the data of these blocks are
 * not read, and with an index of the file (frame_index.h), the headers are not read either. */
void traj_seek(struct traj_reader *t, uint64_t step);
/* Limits the reader to the steps [first, last). Nothing after these steps is read. */
void traj_slice(struct traj_reader *t, uint64_t first, uint64_t last);
/* Sets *b to the cell of the first step, before any step is skipped. Returns 0 on success, or -1 on
 * failure (see traj_error). */
int traj_first_box(struct traj_reader *t, struct box *b) FRAME_MUST;
/* Sets *b to the block of the first step, which traj_next will return again, or b->nsteps to 0
 * without a step. Call traj_first before traj_slice. Returns 0 on success, or -1 on failure (see
 * traj_error). */
int traj_first(struct traj_reader *t, struct traj_block *b) FRAME_MUST;
const struct err *traj_error(const struct traj_reader *t);
/* Returns the type of the last array that was skipped because its type is unknown, or NULL. */
const char *traj_left_out(const struct traj_reader *t);
uint64_t traj_steps(const struct traj_reader *t);    /* returned or skipped */
uint64_t traj_expected(const struct traj_reader *t); /* or 0 for a pipe */
void traj_close(struct traj_reader *t);              /* does not close r */

/* Replaces sys.cell in m, the META of a later segment, by the cell in i, with which a writer from
 * traj_writer_like compares the cells of steps. Returns 0 or -1. */
int traj_like_cell(const struct traj_info *i, struct meta *m) FRAME_MUST;

struct traj_writer;

/* Returns a writer of POSN steps of natoms atoms to w, or NULL if memory runs out. The caller must
 * have written META to w, with the cell box0. A CELL frame is written only for steps with another
 * cell than box0. If dt_ps is NaN, every block with known times gets a TIME frame. */
struct traj_writer *traj_writer_new(struct frame_writer *w, size_t natoms, enum frame_dtype dtype,
                                    double dt_ps, const struct box *box0);
/* Works like traj_writer_new, but for steps with the properties in i, and with i->box as box0. */
struct traj_writer *traj_writer_like(struct frame_writer *w, const struct traj_info *i,
                                     double dt_ps);
/* For POSN, selects the a->n atoms in a->row that traj_put writes from steps with all atoms. If
 * a->row is NULL, all atoms are written. The struct a must stay valid. */
void traj_writer_gather(struct traj_writer *t, const struct atoms *a);
/* Sets the number n of scalars per atom, named in data.scalars of META, before the first step. For
 * a writer from traj_writer_like, the default of n is i->nscalars. Returns 0, or -1 if memory runs
 * out. */
int traj_writer_scalars(struct traj_writer *t, size_t n) FRAME_MUST;
/* Writes a step. The array `pos` contains the numbers of the step, [natoms][3] in Å for POSN. The
 * argument `time` is in ps, or NaN if unknown. If `box` is NULL, the cell of the step is box0. The
 * velocities in Å/ps have the shape and type of `pos`, or are NULL. The scalars [natoms][n] have
 * the type of `pos`, and are NULL if n is 0. Returns 0 on success, or -1 on failure (see
 * frame_writer_error). */
int traj_put(struct traj_writer *t, uint64_t index, double time, const struct box *box,
             const void *pos, const void *velocities, const void *scalars) FRAME_MUST;
/* Returns memory for the array `which` of the next step, or NULL. An array that the caller stores
 * in this memory and passes to traj_put is not copied. */
enum traj_array { TRAJ_NUMBERS, TRAJ_VELOCITIES, TRAJ_SCALARS, TRAJ_ARRAYS };
void *traj_room(const struct traj_writer *t, enum traj_array which);
int traj_flush(struct traj_writer *t) FRAME_MUST; /* before frame_end */
/* Returns the number n of steps that are not written yet, and sets *pos and *vel to their data,
 * [n][N][3]. Without velocities, sets *vel to NULL. */
size_t traj_pending(const struct traj_writer *t, const void **pos, const void **vel);
void traj_writer_free(struct traj_writer *t);

/* Writes d.dims[0] steps of b, beginning with step `from`, as an array of the type and dimensions
 * of d. If dt_ps does not determine the times of the steps, the times are also written. Returns 0
 * on success, or -1 on failure (see frame_writer_error). */
int traj_put_block(struct frame_writer *w, struct frame_desc d, const struct traj_block *b,
                   size_t from, double dt_ps, const void *data) FRAME_MUST;

C_LINKAGE_END
