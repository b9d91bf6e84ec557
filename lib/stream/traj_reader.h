/* SPDX-License-Identifier: MIT */
/* traj_reader.h: defines the members of struct traj_reader, for traj.c and traj_check.c. */
#pragma once

#include "stream/frame_index.h"
#include "stream/traj.h"
#include "stream/window.h"

/* The velocities or the scalars of a block. */
struct traj_extra {
    struct frame_desc desc; /* description of the array, whose ndim is 0 if there is no array */
    void *data;
    size_t capacity; /* bytes */
};

struct traj_reader {
    struct frame_reader *r;
    struct traj_info info;
    enum frame_type want;
    struct meta *first; /* META of the first segment */
    struct traj_block block;
    bool pending, fresh; /* whether a block can be returned, and whether it begins a segment */
    struct frame whole;  /* array that contains the block */
    size_t at;           /* index of the next step in the array `whole` */
    bool timed, celled;  /* whether the array `whole` has TIME and CELL */
    bool known;          /* whether the member `info` is complete */
    uint64_t steps;      /* number of steps that have been returned or skipped */
    uint64_t skip_to;    /* number of the step before which blocks are skipped */
    uint64_t expected;
    struct frame_index index; /* index of the file */
    bool asked;               /* whether an index has been searched for */
    const double (*row)[2];   /* entry of the index for the next block, or NULL */
    uint64_t begins;          /* byte of the next block */
    bool inside;              /* whether the next block has begun */
    uint64_t first_index;     /* index of the first block */
    struct frame next;        /* next frame, whose data are not loaded if it was only announced */
    bool announced;
    bool as_is, loaded, ended; /* Whether one segment is read without checks (as_is), whether its
                                * next array is loaded, and whether its END was read. */
    uint64_t from, to;         /* range of the requested steps [from, to) */
    uint64_t base, end;        /* steps of the time window [base, end), where UINT64_MAX means
                                * unknown */
    double next_time;          /* time of the next block in ps, or NaN if any time is accepted */
    double *time, *cell;       /* times and cells of the next block */
    size_t ntime, ncell;
    bool have_time, have_cell;
    struct traj_extra velo, scal; /* velocities and scalars of the next block */
    double *times;
    struct box *boxes;
    size_t cap;     /* capacity of the arrays `times` and `boxes` */
    struct box box; /* sys.cell of this segment */
    size_t plain;   /* number of cells at the start of `boxes` that equal `box` */
    char left_out[5];
    struct err err;
};

/* The following macros record the first failure, and return -1. The macro traj_bad also adds the
 * number of the frame to the message. */
#define traj_fail(t, code, ...)                                                                    \
    ((t)->err.status ? -1 : err_in(&(t)->err, code, frame_name((t)->r), 0, __VA_ARGS__))
#define traj_bad(t, frame, ...)                                                                    \
    ((t)->err.status ? -1 : (traj_fail(t, ERR_BAD, __VA_ARGS__), err_frame(&(t)->err, frame)))

/* Processes the META of a new segment. Returns 0 or -1. */
int traj_on_meta(struct traj_reader *t);
/* The following functions store TIME, CELL, VELO or SCAL for the next block. They return 0 or
 * -1. */
int traj_keep(struct traj_reader *t, const struct frame *f, double **to, size_t *count, bool *have);
int traj_keep_extra(struct traj_reader *t, const struct frame *f, struct traj_extra *x);
/* Drops the arrays that were kept for the next block. */
void traj_forget(struct traj_reader *t);
/* Records the dimensions of the first block, or compares the dimensions of a later block with them.
 * Returns 0 or -1. */
int traj_check_dims(struct traj_reader *t, const struct frame_desc *d);
/* Processes a block whose dimensions are valid. Checks the numbers of the block, and prepares its
 * first piece. Returns 0 or -1. */
int traj_on_block(struct traj_reader *t, const struct frame *f);
/* Sets t->block to the next piece of the array, and checks the times and cells of this piece. If no
 * piece remains, t->pending stays false. Returns 0 or -1. */
int traj_next_piece(struct traj_reader *t);
/* Sets the error for an array of a type that was not requested. Returns -1. */
int traj_unwanted(struct traj_reader *t, const struct frame_desc *d);
