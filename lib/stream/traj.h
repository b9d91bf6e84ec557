/* SPDX-License-Identifier: MIT */
/*
 * traj.h: trajectories on top of frames: blocks of time steps with their cells and times.
 *
 * A reader takes POSN, PAIR or SERI segments, makes the checks that every consumer needs (natoms,
 * even spacing, cell, finite numbers, matching dims) and returns blocks. A writer gathers steps
 * into blocks of 1 to 4 MiB and flushes a started block after 0.2 s, so that a live simulation is
 * not held up.
 */
#ifndef MBF_TRAJ_H
#define MBF_TRAJ_H

#include "base/box.h"
#include "stream/atoms.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Properties that are constant within a segment. */
struct traj_info {
    enum frame_type type;   /* FRAME_POSN, FRAME_PAIR or FRAME_SERI */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* SERI: 0 if sys.natoms is absent */
    size_t ncomp;           /* PAIR: components; SERI: columns; POSN: 0 */
    size_t step_bytes;      /* bytes of one step; 0 before the first block */
    double dt_ps;           /* NaN: unknown */
    double sigma;           /* Å; NaN: unknown */
    struct box box;         /* cell of META; all zero without sys.cell */
};

/* A block of consecutive steps. The reader owns all its data, which are valid until the next
 * call. */
struct traj_block {
    size_t nsteps;
    uint64_t index;         /* index of the first step */
    const double *time;     /* [nsteps] ps, NaN if unknown */
    const struct box *box;  /* [nsteps]: cell of each step */
    bool cell_changes;      /* box[] varies, or differs from info.box */
    const void *data;       /* POSN: [nsteps][natoms][3]; PAIR: [nsteps][ncomp][npairs]; SERI:
                               [nsteps][ncomp]; dtype of info */
    const void *velocities; /* POSN: [nsteps][natoms][3] Å/ps, dtype of info; NULL: absent or not
                               requested */
};

/* A reader returns only the steps in its time window (frame_reader_opts, window.h) and counts steps
 * from the first step in the window. Opening fails if the window contains no step. */
struct traj_reader;

/* Gets the cell described by a META (sys.cell, sys.pbc). Returns 0, or -1 and sets e. */
int traj_box(const struct meta *m, struct box *b, struct err *e);

/* Begins to read the segments of r that contain `want`: FRAME_POSN, FRAME_PAIR or FRAME_SERI.
 * FRAME_META selects positions or pair tables, FRAME_VELO positions with velocities if present, and
 * FRAME_OTHER all three types with velocities if present. Other values of `want` skip velocities.
 * Reads up to the first block, so that info is known. All segments must agree in sys.* (cells may
 * differ), dtype and dims. The steps of all segments are returned one after the other. Returns NULL
 * and sets e on failure. */
struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e);
/* Like traj_open, but the first block is only announced: info is known, and traj_next reads its
 * payload. Use this function if other steps are needed first. */
struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e);
const struct traj_info *traj_info(const struct traj_reader *t);
/* Gets the next block. Returns 1, 0 at the end, or -1 with traj_error. *first_of_segment (may be
 * NULL) is true for the first block of a segment. */
int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment) FRAME_MUST;
/* Skips blocks that end before this step. In a regular file, skipped blocks are not read. With an
 * index (frame_index.h), which must match, even their headers are not read. */
void traj_seek(struct traj_reader *t, uint64_t step);
/* From now on, only steps [first, last) are returned, and nothing after them is read. */
void traj_slice(struct traj_reader *t, uint64_t first, uint64_t last);
/* Gets the cell of the first step, before any step was skipped. Returns 0, or -1 (traj_error). */
int traj_first_box(struct traj_reader *t, struct box *b) FRAME_MUST;
/* Gets the block of the first step, before traj_slice; traj_next returns this block again.
 * b->nsteps is 0 if there is no step. Returns 0, or -1 (traj_error). */
int traj_first(struct traj_reader *t, struct traj_block *b) FRAME_MUST;
const struct err *traj_error(const struct traj_reader *t);
/* Returns the type of the last copy-safe array that was skipped because its type is unknown, or
 * NULL. */
const char *traj_left_out(const struct traj_reader *t);
uint64_t traj_steps(const struct traj_reader *t); /* steps returned or skipped so far */
uint64_t
traj_expected(const struct traj_reader *t); /* number of all steps; 0: unknown, as in a pipe */
void traj_close(struct traj_reader *t);     /* the frame_reader stays open */

/* Replaces sys.cell of m, the META of a later segment, by the cell of i, with which
 * traj_writer_like compares cells. Returns 0 or -1. */
int traj_like_cell(const struct traj_info *i, struct meta *m) FRAME_MUST;

struct traj_writer;

/* Returns a writer of POSN steps of natoms atoms to w, whose META is already written, or NULL. box0
 * is the cell in that META; CELL is written only for steps with a different cell. dt_ps NaN means
 * no stride: every block with known times gets a TIME frame. */
struct traj_writer *traj_writer_new(struct frame_writer *w, size_t natoms, enum frame_dtype dtype,
                                    double dt_ps, const struct box *box0);
/* Like traj_writer_new, for any stream of steps like that described by i (box0 is i->box). */
struct traj_writer *traj_writer_like(struct frame_writer *w, const struct traj_info *i,
                                     double dt_ps);
/* From now on, steps have more atoms than natoms of traj_writer_new, and only the n rows of a->row
 * are written (NULL: all). a must stay valid. POSN only. */
void traj_writer_gather(struct traj_writer *t, const struct atoms *a);
/* Writes one step: pos[natoms][3] in dtype (PAIR, SERI: the step's numbers), index, time (ps, NaN:
 * unknown), cell (NULL: box0) and velocities like pos, Å/ps (NULL: none). Returns 0 or -1
 * (frame_writer_error). */
int traj_put(struct traj_writer *t, uint64_t index, double time, const struct box *box,
             const void *pos, const void *velocities) FRAME_MUST;
/* Returns where the next step's numbers (or velocities) may be stored before the same pointer is
 * passed to traj_put, which avoids a copy. Returns NULL if the writer has no room. */
void *traj_room(const struct traj_writer *t, bool velocities);
int traj_flush(struct traj_writer *t)
    FRAME_MUST; /* writes the block and flushes: call before frame_end */
/* Returns the number of steps that are in no block yet, and sets pos and vel [n][N][3] to their
 * data (vel NULL: no velocities). */
size_t traj_pending(const struct traj_writer *t, const void **pos, const void **vel);
void traj_writer_free(struct traj_writer *t);

/* Writes d.dims[0] steps computed from the steps of b from `from` on, as one array with type, dtype
 * and dims of d. The times of the steps are also written if dt_ps does not determine them. Returns
 * 0 or -1 (frame_writer_error). */
int traj_put_block(struct frame_writer *w, struct frame_desc d, const struct traj_block *b,
                   size_t from, double dt_ps, const void *data) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
