/* SPDX-License-Identifier: MIT */
/*
 * xyz_batch.h: private to lib/xyz*.c. Batches of frames on their way from text to numbers, by
 * whichever thread has the turn (base/conveyor.h).
 */
#ifndef MBF_XYZ_BATCH_H
#define MBF_XYZ_BATCH_H

#include "base/conveyor.h"
#include "xyz/xyz_atoms.h"
#include "xyz/xyz_clock.h"
#include "xyz/xyz_scan.h"

enum { XYZ_LARGE = 1 << 21 }; /* a batch of more: there are two */

/* A batch and its frames. */
struct xyz_job {
    struct xyz_batch b;
    size_t ready; /* frames that are right, as far as it is known */
    struct xyz_head *heads;
    size_t cap_heads;
    char *pos; /* [spans][natoms][3] */
    size_t cap_pos;
    double *wide; /* [spans][natoms][3], where positions must be scaled before they become f32 */
    size_t cap_wide;
    int64_t *ids; /* [spans][natoms] */
    size_t cap_ids;
    size_t *bad_row; /* [pieces] of the frame; SIZE_MAX: none */
    size_t cap_bad;
    size_t items, left;      /* of its work; not done */
    bool compares, compared; /* its frames are compared when they are done; they are */
    struct err err;          /* comes after the ready frames */
    /* the scanner behind this batch */
    uint64_t text_bytes, input_done, input_total;
    bool in_gzip, limited;
    char warning[ERR_BYTES];
};

struct xyz_reader {
    struct xyz_opts opts;
    struct xyz_atoms atoms;
    size_t natoms, frame_bytes;
    struct conveyor *conveyor;
    struct xyz_job *job; /* [slots] */
    int slots;

    /* of who begins a batch */
    struct xyz_scanner sc;
    struct xyz_clock clock;
    struct xyz_batch *from; /* the last one */
    int next;               /* slot of the next */
    bool filling;           /* that holds text already */
    bool started, gone;     /* the first frame's head was read; nothing follows `from` */
    struct fdio plain;      /* the file, where batches are fetched: */
    uint64_t fetch_from;    /* the first from there */
    bool fetches;

    /* of the caller */
    struct xyz_job *now; /* what is handed out; NULL: nothing yet */
    bool regular;        /* the input never pauses */
    bool going, ended, has_last, no_cell, timed;
    int first_file; /* of the first frame */
    size_t handed;
    uint64_t index;
    char *last;                  /* the last frame of the batch before */
    struct err err;              /* comes after the ready frames */
    char slip[2][ERR_BYTES / 2]; /* of the cell and of dt, to be warned of */
    char warning[ERR_BYTES];
};

/* The functions of the conveyor; ctx: the reader. */
void xyz_batch_fetch(void *ctx, int slot, uint64_t n);
int xyz_batch_begin(void *ctx, int slot, int ahead);
void xyz_batch_work(void *ctx, int slot, int item);

/* Text into the batch that is next, as xyz_scan_fill. */
int xyz_batch_fill(struct xyz_reader *x, double wait);

/* Record the error `why` of span s (row SIZE_MAX: the header) and cut the batch before it. Where
 * memory is out no frame is ready. Returns -1. */
int xyz_batch_fail(struct xyz_reader *x, struct xyz_job *j, size_t span, size_t row,
                   const struct err *why);

/* Did atoms change places between frame k and the one before? An error cuts the batch. */
void xyz_batch_compare(struct xyz_reader *x, struct xyz_job *j, size_t k, const char *before);

#endif
