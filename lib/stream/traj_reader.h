/* SPDX-License-Identifier: MIT */
/* traj_reader.h: internal to lib/stream: inside of struct traj_reader: traj.c on top of traj_check.c. */
#ifndef MBF_TRAJ_READER_H
#define MBF_TRAJ_READER_H

#include "stream/frame_index.h"
#include "stream/traj.h"
#include "stream/window.h"

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* META of the first segment; the others must agree */
    struct traj_block block;
    bool pending, fresh; /* block is read but not handed out; it begins a segment */
    struct frame whole;  /* the array that block is a piece of, */
    size_t at;           /* from this step of it on; */
    bool timed, celled;  /* it has TIME, CELL */
    bool known;          /* info is complete */
    uint64_t steps;      /* handed out or passed over */
    uint64_t skip_to;    /* blocks that end before this step are passed over unread */
    uint64_t expected;
    struct frame_index index; /* of the file, */
    bool asked;               /* which was looked for */
    const double (*row)[2];   /* of the index: what the next block must be; NULL: any */
    uint64_t begins;          /* byte where the next block begins, */
    bool inside;              /* which was seen */
    uint64_t first_index;     /* of the first block of all */
    struct frame next;        /* of the reader; announced: not loaded yet */
    bool announced;
    uint64_t from, to;   /* steps that are wanted */
    uint64_t base, end;  /* those of the window of time; UINT64_MAX: not known yet */
    double next_time;    /* where the next block should begin, NaN: anywhere */
    double *time, *cell; /* of the TIME and CELL frames waiting for their block, or their values */
    size_t ntime, ncell;
    bool have_time, have_cell, have_velo;
    struct frame_desc velo_desc; /* of the VELO frame waiting for its block */
    void *velo;
    size_t velo_cap;
    double *times;
    struct box *boxes;
    size_t cap;     /* steps that times and boxes hold */
    struct box box; /* of the META of this segment */
    size_t plain;   /* boxes that are it */
    char left_out[5];
    struct err err;
};

/* Record a failure (once) and return -1. */
int traj_fail(struct traj_reader *t, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Of a segment that begins: its META. 0 or -1. */
int traj_on_meta(struct traj_reader *t);
/* A TIME or CELL frame, or a VELO frame, waits for its block. 0 or -1. */
int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have);
int traj_keep_velo(struct traj_reader *t, const struct frame *f);
/* Do the dimensions fit the first block, or define what the others must be? 0 or -1. */
int traj_check_dims(struct traj_reader *t, const struct frame_desc *d);
/* A block whose dimensions are right: its numbers are checked, and it is the next one, from its first
 * piece on. 0 or -1. */
int traj_on_block(struct traj_reader *t, const struct frame *f);
/* The next piece of the array becomes t->block, its times and cells checked; none is left: pending
 * stays false. 0 or -1. */
int traj_next_piece(struct traj_reader *t);
/* An array that is none of those that were asked for: -1. */
int traj_unwanted(struct traj_reader *t, const struct frame_desc *d);

#endif
