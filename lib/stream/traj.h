/* SPDX-License-Identifier: MIT */
/*
 * traj.h: trajectories on top of frames: blocks of time steps with their cell and time.
 *
 * A reader takes POSN, PAIR or SERI segments, checks what every consumer would have to check
 * (natoms, one stride, cell, finite numbers, dims that fit) and hands out blocks. A writer gathers steps into
 * blocks of 1 to 4 MiB and flushes a started block after 0.2 s, so that a live simulation is not
 * held back.
 */
#ifndef MBF_TRAJ_H
#define MBF_TRAJ_H

#include "base/box.h"
#include "stream/atoms.h"
#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What stays the same within a segment. */
struct traj_info {
    enum frame_type type;   /* FRAME_POSN, FRAME_PAIR or FRAME_SERI */
    enum frame_dtype dtype; /* FRAME_F32 or FRAME_F64 */
    size_t natoms;          /* SERI: 0 where sys.natoms is absent */
    size_t ncomp;           /* PAIR: components; SERI: columns; POSN: 0 */
    size_t step_bytes;      /* of one step's data; 0 before the first block */
    double dt_ps;           /* NaN: unknown */
    double sigma;           /* Å; NaN: unknown */
    struct box box;         /* of META; all zero without sys.cell */
};

/* A block of consecutive steps; everything is owned by the reader and valid until the next call. */
struct traj_block {
    size_t nsteps;
    uint64_t index;         /* of the first step */
    const double *time;     /* [nsteps] ps, NaN where unknown */
    const struct box *box;  /* [nsteps]: the cell of each step */
    bool cell_changes;      /* box[] is not the same all along (or differs from info.box) */
    const void *data;       /* POSN: [nsteps][natoms][3]; PAIR: [nsteps][ncomp][npairs]; SERI:
                         [nsteps][ncomp]; dtype of info */
    const void *velocities; /* POSN: [nsteps][natoms][3] Å/ps, dtype of info; NULL: none, or not
                               asked for */
};

/* Steps are counted from the first of the reader's window of time (frame_reader_opts, window.h),
 * which alone are handed out; of a stream without one in the window nothing is opened. */
struct traj_reader;

/* The cell that a META describes (sys.cell, sys.pbc). 0, or -1 with e. */
int traj_box(const struct meta *m, struct box *b, struct err *e);

/*
 * Begin reading the segments of r that hold `want`: FRAME_POSN, FRAME_PAIR, FRAME_SERI, FRAME_META
 * for positions or pair tables, FRAME_VELO for positions with their velocities where there are any,
 * or FRAME_OTHER for any of the three, and velocities (which the others pass over). Reads up to the
 * first block, so that info is known. Several segments: all must agree in sys.*, dtype and dims (a reducer's rule), and their steps are handed out one after the other;
 * *segment of traj_next tells where a new one begins. Returns NULL with e.
 */
struct traj_reader *traj_open(struct frame_reader *r, enum frame_type want, struct err *e);
/* The same, but the first block is only announced: info is known, and its payload is not read before
 * traj_next asks for it. For who wants other steps first. */
struct traj_reader *traj_announce(struct frame_reader *r, enum frame_type want, struct err *e);
const struct traj_info *traj_info(const struct traj_reader *t);
/* Next block: 1, 0 at the end, -1 with traj_error. first_of_segment may be
 * NULL. */
int traj_next(struct traj_reader *t, struct traj_block *b, bool *first_of_segment) FRAME_MUST;
/* Blocks that end before this step will be passed over, unread where the input is a regular file;
 * not even walked over where the file has an index (frame_index.h), which must fit then. */
void traj_seek(struct traj_reader *t, uint64_t step);
/* From now on only steps [first, last) are handed out, and nothing behind them is read. */
void traj_slice(struct traj_reader *t, uint64_t first, uint64_t last);
/* Cell of the first step of all, before anything was passed over. 0, or -1: traj_error. */
int traj_first_box(struct traj_reader *t, struct box *b) FRAME_MUST;
/* The block of the first step of all, which is read for it and handed out later all the same; before
 * traj_slice. nsteps 0: there is none. 0, or -1: traj_error. */
int traj_first(struct traj_reader *t, struct traj_block *b) FRAME_MUST;
const struct err *traj_error(const struct traj_reader *t);
/* Type of the last copy-safe array that was passed over so far, as its type is unknown; NULL: none
 * was. */
const char *traj_left_out(const struct traj_reader *t);
uint64_t traj_steps(const struct traj_reader *t); /* handed out or passed over so far */
uint64_t
traj_expected(const struct traj_reader *t); /* to expect in all; 0: unknown, as in a pipe */
void traj_close(struct traj_reader *t);     /* the frame_reader stays open */

/* sys.cell of m, the META of a later segment, becomes that of i, against which traj_writer_like writes
 * cells. 0 or -1. */
int traj_like_cell(const struct traj_info *i, struct meta *m) FRAME_MUST;

struct traj_writer;

/*
 * Write POSN steps of natoms atoms to w, whose META is already out. box0: the cell in that META (a
 * CELL frame is written only where a step's cell differs from it). dt_ps NaN: no stride, every
 * block gets a TIME frame when times are known.
 */
struct traj_writer *traj_writer_new(struct frame_writer *w, size_t natoms, enum frame_dtype dtype,
                                    double dt_ps, const struct box *box0);
/* The same for any per-frame stream like the one that i describes (its box is box0). */
struct traj_writer *traj_writer_like(struct frame_writer *w, const struct traj_info *i,
                                     double dt_ps);
/* From now on steps have more atoms than natoms of traj_writer_new: the n rows of a->row are taken.
 * a stays where it is; a->row NULL: all are. POSN only. */
void traj_writer_gather(struct traj_writer *t, const struct atoms *a);
/*
 * One step: pos[natoms][3] in dtype (PAIR, SERI: the step's numbers), index, time (ps, NaN:
 * unknown), its cell (NULL: box0), its velocities like pos, Å/ps (NULL: none). 0 or -1
 * (frame_writer_error).
 */
int traj_put(struct traj_writer *t, uint64_t index, double time, const struct box *box,
             const void *pos, const void *velocities) FRAME_MUST;
/* Where the next step's numbers (or its velocities) can be put before traj_put is given that
 * pointer, which saves copying them; NULL: nowhere. */
void *traj_room(const struct traj_writer *t, bool velocities);
int traj_flush(struct traj_writer *t)
    FRAME_MUST; /* block out, pipe flushed: call before frame_end */
/* Steps that were put and are in no block yet, and where they are: pos and vel [n][N][3]; vel NULL:
 * without velocities. */
size_t traj_pending(const struct traj_writer *t, const void **pos, const void **vel);
void traj_writer_free(struct traj_writer *t);

/* What was made of the steps of b from `from` on, d.dims[0] of them, as one array of type, dtype and
 * dims of d, with their times where dt_ps does not say them. 0 or -1 (frame_writer_error). */
int traj_put_block(struct frame_writer *w, struct frame_desc d, const struct traj_block *b,
                   size_t from, double dt_ps, const void *data) FRAME_MUST;

#ifdef __cplusplus
}
#endif
#endif
