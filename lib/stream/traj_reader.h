/* SPDX-License-Identifier: MIT */
/* traj_reader.h: internals of struct traj_reader, for traj.c and traj_check.c in lib/stream. */
#ifndef MBF_TRAJ_READER_H
#define MBF_TRAJ_READER_H

#include "stream/frame_index.h"
#include "stream/traj.h"
#include "stream/window.h"

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* META of the first segment, with which all others must agree */
    struct traj_block block;
    bool pending, fresh; /* block is read but not returned yet; block begins a segment */
    struct frame whole;  /* array that contains the block */
    size_t at;           /* next step of whole that is not in a block yet */
    bool timed, celled;  /* whole has TIME, CELL */
    bool known;          /* info is complete */
    uint64_t steps;      /* steps returned or skipped */
    uint64_t skip_to;    /* blocks that end before this step are skipped unread */
    uint64_t expected;
    struct frame_index index; /* index of the file */
    bool asked;               /* the index was looked for */
    const double (*row)[2];   /* index entry that the next block must match; NULL: any */
    uint64_t begins;          /* byte at which the next block begins */
    bool inside;              /* a frame of the next block was seen */
    uint64_t first_index;     /* index of the first block */
    struct frame next;        /* next frame of the reader; announced: not loaded yet */
    bool announced;
    uint64_t from, to;   /* requested steps [from, to) */
    uint64_t base, end;  /* steps of the time window; UINT64_MAX: not known yet */
    double next_time;    /* expected time of the next block; NaN: any */
    double *time, *cell; /* values of TIME and CELL for the next block */
    size_t ntime, ncell;
    bool have_time, have_cell, have_velo;
    struct frame_desc velo_desc; /* VELO frame for the next block */
    void *velo;
    size_t velo_cap;
    double *times;
    struct box *boxes;
    size_t cap;     /* capacity of times and boxes, in steps */
    struct box box; /* cell in the META of this segment */
    size_t plain;   /* leading boxes that are equal to box */
    char left_out[5];
    struct err err;
};

/* Records a failure (only the first) and returns -1. */
int traj_fail(struct traj_reader *t, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the META of a new segment. Returns 0 or -1. */
int traj_on_meta(struct traj_reader *t);
/* Keep a TIME or CELL frame, or a VELO frame, for the next block. Return 0 or -1. */
int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have);
int traj_keep_velo(struct traj_reader *t, const struct frame *f);
/* Checks dimensions against the first block, or records the dimensions of the first block. Returns
 * 0 or -1. */
int traj_check_dims(struct traj_reader *t, const struct frame_desc *d);
/* Takes a block with valid dimensions, checks its numbers, and prepares its first piece. Returns 0
 * or -1. */
int traj_on_block(struct traj_reader *t, const struct frame *f);
/* Sets t->block to the next piece of the array and checks its times and cells; pending stays false
 * if no piece is left. Returns 0 or -1. */
int traj_next_piece(struct traj_reader *t);
/* Refuses an array of a type that was not requested; returns -1. */
int traj_unwanted(struct traj_reader *t, const struct frame_desc *d);

#endif
