/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu.h: internals of the CUDA engine of g4.h.
 *
 * The trajectory is cut into chunks of `span` origins. The window of a chunk is its origins and the
 * following lags - 1 steps. One slot (a stream with its buffers, on one device) computes a chunk
 * and returns sums for each task, which is a range of origins within one sub-block
 * (stats/blocks.h). The chunks depend only on the parameters, and the host adds their sums in
 * order. The result therefore does not depend on the devices or on the sizes of the blocks in which
 * steps arrive.
 */
#ifndef MBF_G4_GPU_H
#define MBF_G4_GPU_H

#include "base/gpu.h"
#include "g4/g4.h"
#include "g4/g4_result.h"
#include "pair/pair_gpu.h"

#define G4_PAD_COLUMNS 128                 /* columns after a window that kernels may read */
#define G4_TILE_ATOMS 16                   /* atoms on a side of a block's pair tile */
#define GRAM_LAGS 49                       /* lags per pass of the Gram kernels */
#define GRAM_TILE_SUMS 32                  /* atoms on both sides */
#define G4_MAX_BLOCKS 2048                 /* blocks that share the rows of one launch */
#define G4_GROUP_BYTES ((size_t)640 << 20) /* sums of pair tiles before their reduction */
#define G4_TABLE_BYTES ((size_t)2 << 30)   /* tables of beta for a group of pair tiles */
#define G4_TABLE_TILES 16                  /* smallest number of tiles in a group */

/* Origins [first, last) of a chunk, as column numbers. */
struct g4_task {
    int first, last;
};

/* Arguments of the Gram kernels. */
struct gram_args {
    /* positions [rows / 4][ld][4], pairs [col][ncomp][npairs], or double series [rows][ld] */
    const void *src;
    size_t ld;   /* columns per row; pairs: values per step, with src at the component */
    size_t rows; /* atoms, pairs or series */
    int cols;    /* columns that exist */
    int lags;
    const struct g4_task *tasks; /* [gridDim.y] */
    double *part;                /* [gridDim.y][slots][lags] */
    /* positions: [slots][GRAM_TILE_SUMS][ld], sums of a tile over its rows and columns */
    double *asum;
    beta_args beta;
    struct tile_list list; /* positions */
    /* set by the launchers */
    int tile0;         /* first lag tile of this pass; runs_launch: first lag */
    size_t tiles;      /* rows: tiles to divide among the blocks */
    size_t slots;      /* largest number of blocks along x */
    size_t first_tile; /* positions: tile of block 0 */
    int buffers;       /* positions: buffers for the sums of a tile */
};

/* Forms with single-precision kernels in gram_posn; all other forms use tables. */
#define GRAM_MARCHES(form) ((form) == SUM_NEAREST || (form) == SUM_TAPERED)

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/* Returns the number of partial sums along x; part must hold tasks * slots * lags doubles. group is
 * the largest number of pair tiles per launch. */
size_t gram_slots(enum gram_source s, size_t rows, size_t group);
/* Returns the bytes of shared memory of a block of gram_posn. */
size_t gram_shared(void);
/* Writes the sums of lag products over all rows to a.part. */
int gram_rows(struct err *e, enum gram_source s, struct gram_args a, int ntasks,
              cudaStream_t stream);
/* The long kernel runs in `low`, which has low priority, so that short kernels of another chunk
 * need not wait for it. */
struct g4_streams {
    cudaStream_t stream, low; /* work queued on `stream` after gram_posn waits for both */
    cudaEvent_t turn;
};

/* gram_rows over all pairs of positions, which also writes A_i of every column to atoms[rows][ld].
 * cell: enum g4_cell. table: for G4_TABLE, with one part and one atoms[rows + 1][ld] per component,
 * stored consecutively; otherwise NULL, with a.lags <= GRAM_LAGS. */
int gram_posn(struct err *e, enum gram_source s, int cell, struct gram_args a, int ntasks,
              size_t group, struct table_args *table, double *atoms, const struct g4_streams *at);
/* Computes out[task][lag], the sum over nblocks of part[task][block][lag] in the order of the
 * blocks. */
int gram_reduce(struct err *e, const double *part, size_t nblocks, int ntasks, int lags,
                double *out, cudaStream_t stream);

/* Sums of lag products on the vector units, in runs of 16 steps (g4_gpu_runs.cu). f32 1: products
 * of a run in single precision, for f32 input; 0: in double, for positions on devices without
 * gram_shared(). atoms: A_i of every column, for positions only. a.part:
 * [ntasks][runs_slots][lags]. */
size_t runs_slots(enum gram_source s, size_t rows);
int runs_launch(struct err *e, enum gram_source s, int cell, int f32, struct gram_args a,
                int ntasks, double *atoms, cudaStream_t stream);
/* Test settings. small 1: treat every device as one with too little shared memory. groups 1: tables
 * of as few tiles as possible, and pieces of few steps. */
extern int g4_gpu_small, g4_gpu_groups;
/* Test setting. 1, 2: use lists at any cost, 1: in short windows; -1: no lists. */
extern int g4_gpu_lists;

/* Groups of atoms of a list; groups 0: all pairs. */
struct lists_plan {
    size_t groups, columns; /* groups, with those of partly filled columns; limit of columns */
    double reach;           /* Å */
};
struct g4_lists {
    int *h_perm, *d_perm; /* [16 groups] atom of a row, -1: none */
    double *d_extent;
    size_t *h_begin, *d_begin, *d_near_begin, tiles, room, near_room, entry_room;
    int2 *d_tile, *d_near; /* near: before pruning */
    int *d_entry;
};
/* A window with sorted positions on the device. */
struct lists_window {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld;
    int cols, is64, fixed;
    const struct sum_cell *cell; /* [cols], or one if fixed; on the device */
    const struct box *box;       /* [cols] */
};
/* Plans lists if they pay off in a cell like `box`. */
void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l);
int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q);
void lists_close(struct g4_lists *l);
/* Chooses the order h_perm of the atoms from the first step of a window. */
int lists_sort(struct err *e, struct g4_lists *l, const struct lists_plan *q, size_t natoms,
               const void *pos, int is64, const struct box *box);
/* Finds the tiles with a pair in reach in any step of a window, and waits for their number. */
int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream);
/* Computes A_i from the sums of the n tiles from a->first_tile on. */
int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream);

/* A_i from a mesh (mesh.h) in addition to lists (g4_gpu_mesh.cu, pair_gpu_waves.cu,
 * pair_gpu_near.cu). */
struct mesh_plan {
    size_t batch;                    /* 0: no mesh */
    size_t values;                   /* capacity in doubles; a different cell may need more */
    size_t device_bytes, host_bytes; /* memory per slot */
};
int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q);
int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q);
void mesh_close(struct g4_mesh *m);
/* Computes A_i of all components and columns of a chunk with positions and lists. */
int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Method direct: a table of beta, then all pairs of pairs. */
struct direct_args {
    const void *src; /* positions [natoms / 4][src_ld][4] or pairs [cols][src_ld] */
    size_t src_ld, natoms, npairs;
    int posn, cols, lags;
    const struct g4_task *tasks;
    void *table;  /* [cols][ld] beta in the type of the run */
    size_t ld;    /* direct_ld(npairs) */
    int2 *atoms;  /* [ld] */
    double *part; /* [tasks][direct_slots][3][lags]: G2, G3, G4 */
    beta_args beta;
    size_t groups; /* set by direct_launch */
};
size_t direct_ld(size_t npairs);
size_t direct_slots(size_t npairs);
int direct_launch(struct err *e, struct direct_args d, int is64, int cell, int ntasks,
                  cudaStream_t stream);

/* Arguments of the kernels before and after the sums. */
struct sums_args {
    const void *raw;         /* [cols][natoms][3] or [cols][ncomp][npairs] */
    void *p;                 /* [rows / 4][ld][4] positions, wrapped */
    double *a;               /* [natoms + 1][ld]: A_i, and S in the last row */
    size_t natoms, ld, step; /* step: values of raw per column */
    int cols;
    const int *perm;             /* atom of a row of positions, -1: none; NULL: same index */
    const struct sum_cell *cell; /* [cols], or one if fixed */
    int fixed, plain;            /* plain: positions as [natoms][ld] */
};
/* Converts raw to wrapped, transposed positions; the padding columns become NaN. is64: double. */
int sums_wrap(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
/* Computes A_i of every column from pairs, and S of every column from A_i. */
int sums_atoms(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
int sums_total(struct err *e, const struct sums_args *s, cudaStream_t stream);

/* One chunk in progress. */
struct g4_slot {
    int device, busy;
    struct g4_streams on;
    void *h_first, *h_out, *h_tasks, *h_box; /* pinned; first: one step, for lists */
    struct gpu_pair in;
    void *to;           /* the buffer being filled; NULL: none */
    size_t steps, sent; /* steps of the window so far, and how many of them were sent to d_raw */
    cudaEvent_t filled; /* the whole window is on the device */
    void *d_raw, *d_pos, *d_table, *d_pair_atoms, *d_a, *d_asum, *d_part, *d_out, *d_tasks;
    void *d_factors;
    struct table_weigh weigh;
    struct g4_cells cells;
    struct g4_lists lists;
    struct g4_mesh mesh;
    uint64_t first; /* origin 0 of the chunk */
    int ntasks, cols;
};

/* Sizes derived from the parameters. */
struct g4_plan {
    size_t span, window, ld; /* origins per chunk, steps per window, columns per row */
    size_t rows;             /* rows of positions, with padding */
    size_t atoms;            /* rows of A: the atoms, or all rows of lists */
    struct lists_plan lists;
    struct mesh_plan mesh;
    size_t npairs, step_values, step_bytes, piece; /* piece: steps sent to the device at once */
    size_t max_tasks, tiles, min_piece, max_piece; /* see plan_piece */
    size_t group, part_doubles, asum_doubles, a_doubles, out_doubles;
    size_t table_values;             /* values of beta: direct, and factored if tabled */
    int tabled;                      /* factored: beta is read from a table */
    size_t device_bytes, host_bytes; /* memory per slot */
    int is64, ncomp;
    int runs; /* use runs_launch instead of the Gram kernels */
};
/* Computes the sizes. small: a device has too little shared memory for gram_posn. box: cell of the
 * first step; NULL: all pairs. */
int plan_make(struct err *e, const struct g4_params *p, int small, const struct box *box,
              struct g4_plan *q);
/* Returns the origins of the next piece of a chunk of norigins, of which `left` remain. */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left);

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q);
/* Adds the next n steps to the window and their cells to h_box (NULL: already there). The threads
 * of pool copy. */
int slot_put(struct err *e, struct g4_slot *s, const struct g4_plan *q, struct pool *pool, size_t n,
             const void *steps, const struct box *box);
/* Begins the window of s with the last n steps of the window of `last`, which was started. */
int slot_keep(struct err *e, struct g4_slot *s, const struct g4_slot *last, const struct g4_plan *q,
              size_t n);
/* Starts the chunk whose window is complete: its first cols steps, with ntasks tasks in h_tasks. */
int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Returns the tiles of the chunk, or an empty list for all pairs. */
struct tile_list slot_list(const struct g4_slot *s, const struct g4_plan *q);
/* Queues the device part of the chunk, from d_raw, d_box and d_tasks to d_out. */
int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q);
/* Waits for the chunk. h_out then holds [ncomp][3][ntasks][lags]: S S', G2, sum A A'; direct:
 * [ncomp][ntasks][3][lags]: G2, G3, G4. */
int slot_wait(struct err *e, struct g4_slot *s);
/* Sets e to name one of the first n frames of a finished chunk with non-finite sums (g4_blame).
 * Returns -1. */
int slot_blame(struct err *e, const struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q, size_t n);
void slot_close(struct g4_slot *s);

/* Checks whether method fft with this number of steps and lags fits on every device. Returns 0, or
 * -1 and sets e to the sizes and the remedy. */
int fft_check(struct err *e, const struct g4_params *p, const int *list, int ndev, size_t steps,
              size_t lags);

/* Runs method fft on the whole trajectory raw[steps] with cells box[steps] on devices list[ndev].
 * blocks must be reached and zero. Adds S S', G2 and sum A A' to the first sub-block of each block;
 * call g4_result_make next. work_ms (may be NULL) is the time from positions on the devices to sums
 * on the host, without making the plans. */
int fft_finish(struct err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct stats_blocks *blocks,
               double *work_ms);

#endif
