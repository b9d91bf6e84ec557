/* SPDX-License-Identifier: MIT */
/* traj.h: reads and writes trajectories as blocks of time steps, with their cells and times.
 *
 * A reader accepts POSN, PAIR or SERI segments and returns blocks. For all its callers, the reader
 * checks the number of atoms, even spacing, cells, finite numbers and dimensions. A writer collects
 * steps in blocks of 1 to 4 MiB. After 0.2 s, a writer also writes an incomplete block, so that
 * readers of a running simulation do not have to wait. */
#pragma once

#include "base/box.h"
#include "stream/atoms.h"
#include "stream/frame.h"

C_LINKAGE_BEGIN

/* Properties that are constant within a segment. */
struct traj_info {
    enum frame_type type;   /* type of the segment: FRAME_POSN, FRAME_PAIR or FRAME_SERI */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* number of atoms; for SERI, 0 if sys.natoms is missing */
    size_t ncomp;           /* PAIR: components; SERI: columns; POSN: 0 */
    size_t step_bytes;      /* bytes of one step; 0 before the first block */
    size_t nscalars;        /* number of requested scalars per atom (scalars.h) for POSN, otherwise
                             * 0 */
    size_t scalar_bytes;    /* number of bytes of the scalars of one step */
    double dt_ps;           /* NaN: unknown */
    double sigma;           /* Å; NaN: unknown */
    struct box box;         /* sys.cell, or zeros */
};

/* A block of consecutive steps. The data belong to the reader and are valid until the next call. */
struct traj_block {
    size_t nsteps;
    uint64_t index;        /* index of the first step */
    const double *time;    /* times in ps, [nsteps], which are NaN if unknown */
    const struct box *box; /* [nsteps], cells */
    /* Numbers of the type info.dtype, with the shape [nsteps][natoms][3] for POSN,
     * [nsteps][ncomp][npairs] for PAIR and [nsteps][ncomp] for SERI. */
    const void *data;
    const void
        *velocities; /* for POSN, velocities of type info.dtype, [nsteps][natoms][3] in Å/ps, or
                             * NULL */
    const void *scalars; /* scalars of type info.dtype, [nsteps][natoms][nscalars], with NaN for
                          * unknown values, or NULL */
};

/* A reader returns only the steps in the requested time window (frame_reader_opts, window.h). Steps
 * are counted from the first step in the window. If the window contains no step, opening the
 * trajectory fails. */
struct traj_reader;

/* Sets *b to the cell in a META (sys.cell, sys.pbc). Returns 0 on success, or -1 with an error
 * message in e. */
int traj_box(const struct meta *m, struct box *b, struct err *e);

/* Opens the segments of r that contain arrays of the type `want`, which is FRAME_POSN, FRAME_PAIR
 * or FRAME_SERI. The value FRAME_META selects positions or pair tables. The value FRAME_VELO
 * selects positions and, if the stream has them, velocities. The value FRAME_SCAL selects
 * positions with scalars. The value FRAME_OTHER selects positions, pair tables and time series,
 * and any velocities and scalars. For other values of `want`, velocities and scalars are skipped.
 * The function reads the first block to determine the traj_info. All segments must have the same
 * dtype, dims, scalars and keys sys.*, except for the cells. The steps of all segments are
 * returned one after the other. On failure, returns NULL with an error message in e. */
struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e);
/* Works like traj_open, but reads only the description of the first block to determine the
 * traj_info. Use this function if the first block may not be needed. */
struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e);
/* Reads the rest of a segment whose META and first array, or END, were read with frame_next. Times,
 * cells and numbers are returned without changes and without checks. Of each cell, only the member
 * h is set. Arrays of all three types and velocities are read. On failure, returns NULL with an
 * error message in e. */
struct traj_reader *traj_segment(struct frame_reader *r, const struct frame *first, struct err *e);
const struct traj_info *traj_info(const struct traj_reader *t);
/* Gets the next block. Returns 1 if there is a block, 0 at the end, or -1 on failure (see
 * traj_error). Unless it is NULL, *first_of_segment is set to true for the first block of a
 * segment. */
int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment) FRAME_MUST;
/* Skips the blocks that end before the given step. In a regular file, the data of these blocks are
 * not read. If there is an index that matches the file (frame_index.h), even the headers of these
 * blocks are not read. */
void traj_seek(struct traj_reader *t, uint64_t step);
/* After a call of traj_slice, only the steps [first, last) are returned, and nothing after them is
 * read. */
void traj_slice(struct traj_reader *t, uint64_t first, uint64_t last);
/* Returns the cell of the first step, before any step is skipped. Returns 0 on success, or -1 on
 * failure (see traj_error). */
int traj_first_box(struct traj_reader *t, struct box *b) FRAME_MUST;
/* Returns the block of the first step, which traj_next will return again. The function traj_first
 * must be called before traj_slice. If there is no step, b->nsteps is 0. Returns 0 on success, or
 * -1 on failure (see traj_error). */
int traj_first(struct traj_reader *t, struct traj_block *b) FRAME_MUST;
const struct err *traj_error(const struct traj_reader *t);
/* Returns the type of the last array that was skipped because its type is unknown, or NULL. */
const char *traj_left_out(const struct traj_reader *t);
uint64_t traj_steps(const struct traj_reader *t);    /* number of steps that have been returned or
                                                      * skipped */
uint64_t traj_expected(const struct traj_reader *t); /* number of all steps, or 0 for a pipe */
void traj_close(struct traj_reader *t);              /* does not close the reader r */

/* Replaces sys.cell in m, the META of a later segment, by the cell in i. A writer from
 * traj_writer_like compares the cells of steps with this cell. Returns 0 or -1. */
int traj_like_cell(const struct traj_info *i, struct meta *m) FRAME_MUST;

struct traj_writer;

/* Returns a writer of POSN steps of natoms atoms to w, or NULL if memory runs out. META must have
 * been written to w before, with the cell box0. A CELL frame is written only for steps whose cell
 * differs from the cell in META. If dt_ps is NaN, every block with known times gets a TIME
 * frame. */
struct traj_writer *traj_writer_new(struct frame_writer *w, size_t natoms, enum frame_dtype dtype,
                                    double dt_ps, const struct box *box0);
/* Works like traj_writer_new, but for steps with the properties in i. The cell box0 is i->box. */
struct traj_writer *traj_writer_like(struct frame_writer *w, const struct traj_info *i,
                                     double dt_ps);
/* The function traj_writer_like may be used only for POSN. After a call of traj_writer_gather,
 * traj_put accepts steps of all atoms and writes only the a->n atoms in a->row, or all atoms if
 * a->row is NULL. The struct a must stay valid. */
void traj_writer_gather(struct traj_writer *t, const struct atoms *a);
/* After a call of traj_writer_scalars, each step has n scalars per atom, which META names in
 * data.scalars. The function traj_writer_scalars must be called before the first step. Writers from
 * traj_writer_like have i->nscalars scalars without this call. Returns 0, or -1 if memory runs
 * out. */
int traj_writer_scalars(struct traj_writer *t, size_t n) FRAME_MUST;
/* Writes one step. For POSN, the shape of `pos` is [natoms][3]. For PAIR and SERI, `pos` contains
 * the numbers of the step. The argument `time` is in ps, or NaN if unknown. If `box` is NULL, the
 * cell of the step is box0. The velocities in Å/ps have the same form as `pos`, or are NULL. The
 * scalars [natoms][n] have the same number type as `pos`, and are NULL if n is 0. Returns 0 on
 * success, or -1 on failure (see frame_writer_error). */
int traj_put(struct traj_writer *t, uint64_t index, double time, const struct box *box,
             const void *pos, const void *velocities, const void *scalars) FRAME_MUST;
/* Returns memory in which the caller may store the array `which` of the next step, or NULL if there
 * is no such memory. If the pointer to this memory is passed to traj_put, the array is not
 * copied. */
enum traj_array { TRAJ_NUMBERS, TRAJ_VELOCITIES, TRAJ_SCALARS, TRAJ_ARRAYS };
void *traj_room(const struct traj_writer *t, enum traj_array which);
int traj_flush(struct traj_writer *t) FRAME_MUST; /* call before frame_end */
/* Returns the number n of steps that have not been written yet. Also sets *pos and *vel to the data
 * of these steps, [n][N][3]. If there are no velocities, sets *vel to NULL. */
size_t traj_pending(const struct traj_writer *t, const void **pos, const void **vel);
void traj_writer_free(struct traj_writer *t);

/* Writes d.dims[0] steps as one array, with the array type, data type and dimensions of d. The
 * array belongs to the steps of b that begin with step `from`. If dt_ps does not determine the
 * times of these steps, the times are also written. Returns 0 on success, or -1 on failure (see
 * frame_writer_error). */
int traj_put_block(struct frame_writer *w, struct frame_desc d, const struct traj_block *b,
                   size_t from, double dt_ps, const void *data) FRAME_MUST;

C_LINKAGE_END
