/* SPDX-License-Identifier: MIT */
/* xyz_reader.h: private to lib/xyz*.c. The state of a reader, shared by its parts. */
#ifndef MBF_XYZ_READER_H
#define MBF_XYZ_READER_H

#include "base/pool.h"
#include "xyz/xyz_scan.h"

/* What of a frame is known before its rows are read. */
struct xyz_head {
    struct box box;
    double time;
    struct xyz_layout layout;
};

/* How times are known. */
enum xyz_clock { XYZ_NO_TIME, XYZ_STRIDE, XYZ_TIMES, XYZ_STEPS };

struct xyz_reader {
    struct xyz_opts opts;
    struct xyz_scanner sc;
    struct xyz_batch batch[2];
    int cur; /* batch being handed out; the other one is being filled */
    size_t natoms;
    bool started, ended, fill_next;
    struct pool *pool;

    /* headers */
    enum xyz_dialect dialect;
    struct xyz_header header; /* of the last frame */
    char *comment;            /* its text: equal text is not parsed again */
    size_t comment_len, comment_cap;
    bool has_box;
    struct box box0;
    bool no_cell;     /* of the first frame nobody said a cell, nor that there is none */
    int no_cell_file; /* and where */
    enum xyz_clock clock;
    double t0, dt, sigma; /* dt: between frames handed out, ps */
    double prev_fs, stride_fs;
    uint64_t prev_step, stride_steps, nheads;

    /* names and ids, in the order handed out */
    uint64_t *names8; /* NULL: no names */
    char (*names)[XYZ_NAME_MAX + 1];
    bool has_ids, identity, sorted;
    int64_t *ids0;       /* [natoms] of the first frame, as they came */
    size_t *order0;      /* [natoms] place of each of its rows */
    int64_t *ids_sorted; /* [natoms] */
    unsigned char *seen;

    /* frames of the current batch */
    struct xyz_head *heads;
    size_t cap_heads, ready, handed, frame_bytes;
    uint64_t index;
    char *pos, *last,
        *scratch; /* [spans][natoms][3], the last frame of the batch before, one frame */
    size_t cap_pos;
    int64_t *ids; /* [spans][natoms] */
    size_t cap_ids;
    size_t *bad_row; /* [pieces] SIZE_MAX: none */
    size_t cap_bad;
    bool has_last, has_extent;
    double extent[3]; /* of the first frame, Å, where there is no cell */

    int status; /* of the error that comes after the ready frames; 0: none */
    char err[XYZ_ERR_BYTES];
    char warning[XYZ_ERR_BYTES];
};

/* Record an error of span s (row SIZE_MAX: the header) and cut the batch before it. Returns -1. */
int xyz_fail(struct xyz_reader *x, size_t span, size_t row, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Memory is out: no frame is ready. Returns -1. */
int xyz_out_of_memory(struct xyz_reader *x);

/* xyz_clock.c: headers of the batch's frames into x->heads; errors cut x->ready. */
void xyz_read_heads(struct xyz_reader *x);
/* Does this first header (of a batch) call for a second frame before dt is known? */
bool xyz_needs_two(struct xyz_reader *x, const struct xyz_batch *b);

/* xyz_piece.c: parse one piece; its first bad row, or SIZE_MAX, goes to *bad. */
void xyz_parse_piece(const struct xyz_reader *x, const struct xyz_batch *b,
                     const struct xyz_piece *piece, size_t *bad);
/* Word the error of row `row` of span k of the current batch. Returns -1. */
int xyz_explain_row(struct xyz_reader *x, size_t k, size_t row);

/* xyz_names.c: names and ids of the first frame. 0 or -1 (out of memory, or ids that repeat:
 * x->status). */
int xyz_read_names(struct xyz_reader *x);
/* Put the rows of a ready frame in the order of the ids. 0 or -1. */
int xyz_order_rows(struct xyz_reader *x, size_t span);

/* xyz_check.c: did atoms of frame `now` change places since `before`? 0, or -1 with the error
 * recorded. */
int xyz_check_sorted(struct xyz_reader *x, size_t span, const void *before, const void *now);

#endif
