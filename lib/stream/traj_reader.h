/* SPDX-License-Identifier: MIT */
/* traj_reader.h: defines struct traj_reader, for traj.c and traj_check.c. */
#pragma once

#include "stream/frame_index.h"
#include "stream/traj.h"
#include "stream/window.h"

/* Velocities or scalars of a block. */
struct traj_extra {
    struct frame_desc desc; /* ndim 0: no array */
    void *data;
    size_t capacity; /* bytes */
};

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* of the first segment */
    struct traj_block block;
    bool pending, fresh; /* A block is ready (pending) and begins a segment (fresh). */
    struct frame whole;  /* array with the block */
    size_t at;           /* next step in `whole` */
    bool timed, celled;  /* `whole` has TIME, CELL */
    bool known;          /* `info` is complete */
    uint64_t steps;      /* returned or skipped */
    uint64_t skip_to;    /* Blocks before this step are skipped. */
    uint64_t expected;
    struct frame_index index;
    bool asked;             /* `index` was searched for */
    const double (*row)[2]; /* of `index`, or NULL */
    uint64_t begins;        /* byte of the next block */
    bool inside;            /* the next block has begun */
    uint64_t first_index;   /* of the first block */
    struct frame next;
    bool announced; /* `next` is not loaded */
    /* Whether traj_segment opened the reader, whether an array is loaded, and whether END was
     * read. */
    bool as_is, loaded, ended;
    uint64_t from, to;   /* [from, to) */
    uint64_t base, end;  /* Steps [base, end) of the time window, where UINT64_MAX means unknown. */
    double next_time;    /* of the next block, ps; NaN: any */
    double *time, *cell; /* of the next block */
    size_t ntime, ncell;
    bool have_time, have_cell;
    struct traj_extra velo, scal; /* of the next block */
    double *times;
    struct box *boxes;
    size_t cap;     /* of `times` and `boxes` */
    struct box box; /* sys.cell */
    size_t plain;   /* The first `plain` cells of `boxes` equal `box`. */
    char left_out[5];
    struct err err;
};

/* The macros traj_fail and traj_bad record the first failure, and return -1. The macro traj_bad
 * also adds the number of the frame to the message. */
#define traj_fail(t, code, ...)                                                                    \
    ((t)->err.status ? -1 : err_in(&(t)->err, code, frame_name((t)->r), 0, __VA_ARGS__))
#define traj_bad(t, frame, ...)                                                                    \
    ((t)->err.status ? -1 : (traj_fail(t, ERR_BAD, __VA_ARGS__), err_frame(&(t)->err, frame)))

/* Functions of type int return 0 or -1. */
int traj_on_meta(struct traj_reader *t);
/* Stores TIME, CELL, VELO or SCAL for the next block. */
int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have);
int traj_keep_extra(struct traj_reader *t, const struct frame *f, struct traj_extra *x);
void traj_forget(struct traj_reader *t);
/* Records the dimensions of the first block, and checks the dimensions of later blocks. */
int traj_check_dims(struct traj_reader *t, const struct frame_desc *d);
/* Checks the numbers of a block with valid dimensions, and prepares its first piece. */
int traj_on_block(struct traj_reader *t, const struct frame *f);
/* Sets t->block to the next piece of the array, and checks its times and cells. If no piece
 * remains, t->pending stays false. */
int traj_next_piece(struct traj_reader *t);
/* Reports an array of a type that was not requested, and returns -1. */
int traj_unwanted(struct traj_reader *t, const struct frame_desc *d);
