/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu.h: inside of the CUDA engine of g4.h.
 *
 * The trajectory is cut into chunks of `span` origins; a chunk's window is its origins and the lags
 * - 1 steps behind them. A chunk is worked on by one slot (a stream with its buffers, on one
 * device) and gives sums a task, a task being a range of origins within one sub-block
 * (stats/blocks.h). The cut depends on the parameters only, never on devices or on how the steps came,
 * and the host adds chunk after chunk: the result does not depend on either.
 */
#ifndef MBF_G4_GPU_H
#define MBF_G4_GPU_H

#include "base/gpu.h"
#include "g4/g4.h"
#include "g4/g4_result.h"
#include "pair/pair_gpu.h"

#define G4_PAD_COLUMNS 128                 /* columns behind a window that kernels may read */
#define G4_TILE_ATOMS 16                   /* atoms on a side of the pair tile of a block */
#define GRAM_LAGS 49                       /* of one pass of the Gram kernels */
#define GRAM_TILE_SUMS 32                  /* of both sides */
#define G4_MAX_BLOCKS 2048                 /* blocks that share the rows of one launch */
#define G4_GROUP_BYTES ((size_t)640 << 20) /* sums of pair tiles that wait for their reduction */
#define G4_TABLE_BYTES ((size_t)2 << 30)   /* tables of beta of a group of pair tiles */
#define G4_TABLE_TILES 16                  /* of that group, at least */

/* Origins [first, last) of a chunk, counted in its columns. */
struct g4_task {
    int first, last;
};

/* What the Gram kernels read. */
struct gram_args {
    const void *src; /* positions [rows / 4][ld][4], pairs [col][ncomp][npairs], or series
                        [rows][ld] of double */
    size_t ld;       /* columns of a row; pairs: values of a step, with src at the component */
    size_t rows;     /* atoms, pairs or series */
    int cols;        /* columns that exist */
    int lags;
    const struct g4_task *tasks; /* [gridDim.y] */
    double *part;                /* [gridDim.y][slots][lags] */
    double *asum; /* positions: [slots][GRAM_TILE_SUMS][ld], sums of a tile over its rows and
                     columns */
    beta_args beta;
    struct tile_list list; /* positions */
    /* set by the launchers */
    int tile0;         /* first lag tile of this pass; runs_launch: first lag */
    size_t tiles;      /* rows: tiles to share among the blocks */
    size_t slots;      /* blocks along x at most */
    size_t first_tile; /* positions: tile of block 0 */
    int buffers;       /* positions: of the sums of a tile */
};

/* Forms that gram_posn has kernels of, in single precision; all others go by tables. */
#define GRAM_MARCHES(form) ((form) == SUM_NEAREST || (form) == SUM_TAPERED)

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/*
 * Places for partial sums along x: part must hold tasks * that * lags doubles. group: pair tiles of
 * one launch at most.
 */
size_t gram_slots(enum gram_source s, size_t rows, size_t group);
/* Shared memory of a block of gram_posn, bytes. */
size_t gram_shared(void);
/* Sums of lag products over all rows into a.part. */
int gram_rows(struct err *e, enum gram_source s, struct gram_args a, int ntasks,
              cudaStream_t stream);
/*
 * `low`, of low priority, gets the long kernel, so that the short ones of another chunk need not
 * wait for its end.
 */
struct g4_streams {
    cudaStream_t stream, low; /* what comes after gram_posn on `stream` comes after both */
    cudaEvent_t turn;
};

/*
 * gram_rows over all pairs of positions; also A_i of every column into atoms[rows][ld]. cell: enum
 * g4_cell. table: of G4_TABLE, where there is one part and one atoms[rows + 1][ld] for each of its
 * components, one behind the other; else NULL, and a.lags <= GRAM_LAGS.
 */
int gram_posn(struct err *e, enum gram_source s, int cell, struct gram_args a, int ntasks,
              size_t group, struct table_args *table, double *atoms, const struct g4_streams *at);
/* out[task][lag] = sum over nblocks of part[task][block][lag], in the order of the blocks. */
int gram_reduce(struct err *e, const double *part, size_t nblocks, int ntasks, int lags,
                double *out, cudaStream_t stream);

/*
 * The same on the vector units in runs of 16 steps (g4_gpu_runs.cu): f32 1: products of a run in
 * single precision, for f32 input; 0: in double, for positions on devices without gram_shared().
 * atoms: positions: A_i of every column; else not used. a.part: [ntasks][runs_slots][lags].
 */
size_t runs_slots(enum gram_source s, size_t rows);
int runs_launch(struct err *e, enum gram_source s, int cell, int f32, struct gram_args a,
                int ntasks, double *atoms, cudaStream_t stream);
/*
 * For tests. small: 1 takes every device for one with too little shared memory; groups: 1 makes
 * tables of as few tiles as may be, and pieces of few steps.
 */
extern int g4_gpu_small, g4_gpu_groups;
/* 1, 2: lists whatever they cost, 1: in short windows; -1: none. */
extern int g4_gpu_lists;

/* Groups of atoms of a list; groups 0: all pairs. */
struct lists_plan {
    size_t groups, columns; /* with what columns that are not full waste; columns at most */
    double reach;           /* Å */
};
struct g4_lists {
    int *h_perm, *d_perm; /* [16 groups] atom in a row, -1: none */
    double *d_extent;
    size_t *h_begin, *d_begin, *d_near_begin, tiles, room, near_room, entry_room;
    int2 *d_tile, *d_near; /* near: before pruning */
    int *d_entry;
};
/* A window whose positions lie sorted on the device. */
struct lists_window {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld;
    int cols, is64, fixed;
    const struct sum_cell *cell; /* [cols], or one when fixed; on the device */
    const struct box *box;       /* [cols] */
};
/* Do lists pay for steps in such a cell? */
void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l);
int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q);
void lists_close(struct g4_lists *l);
/* Order h_perm of atoms, from the first step of a window. */
int lists_sort(struct err *e, struct g4_lists *l, const struct lists_plan *q, size_t natoms,
               const void *pos, int is64, const struct box *box);
/* The tiles in reach in any step of a window; waits for their number. */
int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream);
/* A_i from the sums of the n tiles from a->first_tile on. */
int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream);

/* A_i from a mesh (mesh.h) beside lists (g4_gpu_mesh.cu, pair_gpu_waves.cu, pair_gpu_near.cu). */
struct mesh_plan {
    size_t batch;  /* 0: no mesh */
    size_t values; /* room for so many doubles; in another cell, more may be needed */
    size_t device_bytes, host_bytes; /* a slot */
};
int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q);
int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q);
void mesh_close(struct g4_mesh *m);
/* A_i of all components and columns of a chunk whose positions and lists are made. */
int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Method direct: a table of beta, then all pairs of pairs. */
struct direct_args {
    const void *src; /* positions [natoms / 4][src_ld][4] or pairs [cols][src_ld] */
    size_t src_ld, natoms, npairs;
    int posn, cols, lags;
    const struct g4_task *tasks;
    void *table;  /* [cols][ld] beta, in the type of the run */
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

/* What the kernels around it read. */
struct sums_args {
    const void *raw;         /* [cols][natoms][3] or [cols][ncomp][npairs] */
    void *p;                 /* [rows / 4][ld][4] positions, wrapped */
    double *a;               /* [natoms + 1][ld]: A_i, and S in the last row */
    size_t natoms, ld, step; /* step: values of raw a column */
    int cols;
    const int *perm;             /* atom of a row of positions, -1: none; NULL: its own */
    const struct sum_cell *cell; /* [cols], or one when fixed */
    int fixed, plain;            /* plain: positions as [natoms][ld] */
};
/* raw -> wrapped positions, transposed; the pad columns become NaN. is64: double. */
int sums_wrap(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
/* A_i of every column from pairs; S of every column from A_i. */
int sums_atoms(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
int sums_total(struct err *e, const struct sums_args *s, cudaStream_t stream);

/* One chunk at work. */
struct g4_slot {
    int device, busy;
    struct g4_streams on;
    void *h_first, *h_out, *h_tasks, *h_box; /* pinned; first: a step, for lists */
    struct gpu_pair in;
    void *to;           /* what is being filled of it; NULL: nothing is */
    size_t steps, sent; /* of the window so far, and those of them that are on their way to d_raw */
    cudaEvent_t filled; /* all of them are there */
    void *d_raw, *d_pos, *d_table, *d_pair_atoms, *d_a, *d_asum, *d_part, *d_out, *d_tasks;
    void *d_factors;
    struct table_weigh weigh;
    struct g4_cells cells;
    struct g4_lists lists;
    struct g4_mesh mesh;
    uint64_t first; /* origin 0 of the chunk */
    int ntasks, cols;
};

/* Sizes that follow from the parameters. */
struct g4_plan {
    size_t span, window, ld; /* origins of a chunk, steps of its window, columns of a row */
    size_t rows;             /* rows of positions, padded */
    size_t atoms;            /* rows of A: the atoms, or all rows of lists */
    struct lists_plan lists;
    struct mesh_plan mesh;
    size_t npairs, step_values, step_bytes, piece; /* piece: steps that go to the device at once */
    size_t max_tasks, tiles, min_piece, max_piece; /* plan_piece */
    size_t group, part_doubles, asum_doubles, a_doubles, out_doubles;
    size_t table_values;             /* of beta: direct, and factored when it is tabled */
    int tabled;                      /* factored: beta goes through a table */
    size_t device_bytes, host_bytes; /* a slot */
    int is64, ncomp;
    int runs; /* runs_launch instead of the Gram kernels */
};
/* small: a device has too little shared memory for gram_posn. box: of the first step; NULL: all pairs.
 */
int plan_make(struct err *e, const struct g4_params *p, int small, const struct box *box,
              struct g4_plan *q);
/* Origins of the next piece of a chunk of norigins of which so many are left. */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left);

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q);
/* The next n steps of the window; their cells into h_box (NULL: they are there). pool copies. */
int slot_put(struct err *e, struct g4_slot *s, const struct g4_plan *q, struct pool *pool, size_t n,
             const void *steps, const struct box *box);
/* The window of s begins with the last n steps of that of `last`, which was started. */
int slot_keep(struct err *e, struct g4_slot *s, const struct g4_slot *last, const struct g4_plan *q,
              size_t n);
/* Start the chunk whose window was put: its first cols steps, ntasks tasks in h_tasks. */
int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Its tiles; none: all pairs. */
struct tile_list slot_list(const struct g4_slot *s, const struct g4_plan *q);
/* The part of it that runs on the device, from d_raw, d_box and d_tasks to d_out. */
int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q);
/*
 * Wait; h_out then holds [ncomp][3][ntasks][lags]: S S', G2, sum A A'; direct:
 * [ncomp][ntasks][3][lags]: G2, G3, G4.
 */
int slot_wait(struct err *e, struct g4_slot *s);
/* The chunk, which is done, gave sums that are not finite: names a frame of its first n (g4_blame). -1. */
int slot_blame(struct err *e, const struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q, size_t n);
void slot_close(struct g4_slot *s);

/*
 * Does method fft of so many steps and lags fit on every device? 0 or -1 (the numbers, and what
 * helps).
 */
int fft_check(struct err *e, const struct g4_params *p, const int *list, int ndev, size_t steps,
              size_t lags);

/*
 * Method fft of the whole trajectory raw[steps] with cells box[steps] on devices list[ndev]. blocks
 * are reached and zero; adds S S', G2 and sum A A' to the first sub-block of each block
 * (g4_result_make follows). work_ms (may be NULL): time from positions on the devices to sums on the
 * host, plans made.
 */
int fft_finish(struct err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct stats_blocks *blocks,
               double *work_ms);

#endif
