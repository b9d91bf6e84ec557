/* SPDX-License-Identifier: MIT */
/*
 * g4_gpu.h: inside of the CUDA engine of g4.h.
 *
 * The trajectory is cut into chunks of `span` origins; a chunk's window is its origins and the lags - 1 steps behind them. A
 * chunk is worked on by one slot (a stream with its buffers, on one device) and gives sums a task, a task being a range of
 * origins within one sub-block (g4_blocks.h). The cut depends on the parameters only, never on devices or on how the steps came, and
 * the host adds chunk after chunk: the result does not depend on either.
 */
#ifndef MBF_G4_GPU_H
#define MBF_G4_GPU_H

#include "g4.h"
#include "g4_blocks.h"
#include "g4_gpu_beta.cuh"
#include "gpu.h"

#define G4_PAD_COLUMNS 128 /* columns behind a window that kernels may read */
#define G4_TILE_ATOMS 16   /* atoms on a side of the pair tile of a block */
#define G4_MAX_BLOCKS 2048 /* blocks that share the rows of one launch */
#define G4_GROUP_BYTES ((size_t)512 << 20) /* sums of pair tiles that wait for their reduction */

/* Origins [first, last) of a chunk, counted in its columns. */
struct g4_task {
    int first, last;
};

/* What the Gram kernels read. */
struct gram_args {
    const void *src;  /* positions [rows][ld], pairs [col][ncomp][npairs], or series [rows][ld] of double */
    size_t ld;        /* columns of a row; pairs: values of a step, with src at the component */
    size_t rows;      /* atoms, pairs or series */
    int cols;         /* columns that exist */
    int lags;
    const struct g4_task *tasks; /* [gridDim.y] */
    double *part;     /* [gridDim.y][slots][lags] */
    double *asum;     /* positions: [slots][32][ld], sums of a tile over its rows and columns */
    beta_args beta;
    /* set by the launchers */
    int tile0;          /* first lag tile of this pass */
    size_t tiles;       /* rows: tiles to share among the blocks */
    size_t slots;       /* blocks along x at most */
    size_t first_tile;  /* positions: tile of block 0 */
};

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/* Places for partial sums along x: part must hold tasks * that * lags doubles. group: pair tiles of one launch at most. */
size_t gram_slots(enum gram_source s, size_t rows, size_t group);
/* Sums of lag products over all rows into a.part. */
int gram_rows(struct gpu_err *e, enum gram_source s, struct gram_args a, int ntasks, cudaStream_t stream);
/* The same over all pairs of positions; also A_i of every column into atoms[rows][ld]. cell: enum g4_cell. */
int gram_posn(struct gpu_err *e, enum gram_source s, int cell, struct gram_args a, int ntasks, size_t group, double *atoms,
              cudaStream_t stream);
/* out[task][lag] = sum over nblocks of part[task][block][lag], in the order of the blocks. */
int gram_reduce(struct gpu_err *e, const double *part, size_t nblocks, int ntasks, int lags, double *out,
                cudaStream_t stream);

/* What the kernels around it read. */
struct sums_args {
    const void *raw; /* [cols][natoms][3] or [cols][ncomp][npairs] */
    void *p;         /* [rows][ld] positions, wrapped */
    double *a;       /* [natoms + 1][ld]: A_i, and S in the last row */
    size_t natoms, ld, step; /* step: values of raw a column */
    int cols;
    const struct box *box;   /* [cols], or one when fixed */
    int fixed;
    beta_args beta;
};
/* raw -> wrapped positions, transposed; the pad columns become NaN. is64: double. */
int sums_wrap(struct gpu_err *e, const struct sums_args *s, int is64, cudaStream_t stream);
/* The cell of every column in single precision, pad columns too. */
int sums_cells(struct gpu_err *e, const struct sums_args *s, struct box_f32 *out, cudaStream_t stream);
/* A_i of every column from pairs; S of every column from A_i. */
int sums_atoms(struct gpu_err *e, const struct sums_args *s, int is64, cudaStream_t stream);
int sums_total(struct gpu_err *e, const struct sums_args *s, cudaStream_t stream);

/* One chunk at work. */
struct g4_slot {
    int device, busy;
    cudaStream_t stream;
    void *h_raw, *h_out, *h_tasks, *h_box; /* pinned */
    void *d_raw, *d_pos, *d_a, *d_asum, *d_part, *d_out, *d_tasks, *d_box, *d_box32;
    uint64_t first;  /* origin 0 of the chunk */
    int ntasks, cols, same_box;
};

/* Sizes that follow from the parameters. */
struct g4_plan {
    size_t span, window, ld; /* origins of a chunk, steps of its window, columns of a row */
    size_t rows;             /* rows of positions, padded */
    size_t npairs, step_values, step_bytes;
    size_t max_tasks, piece, group, part_doubles, asum_doubles, out_doubles;
    size_t device_bytes, host_bytes; /* a slot */
    int is64, ncomp;
};
int plan_make(struct gpu_err *e, const struct g4_params *p, struct g4_plan *q);

int slot_open(struct gpu_err *e, struct g4_slot *s, int device, const struct g4_params *p, const struct g4_plan *q);
/* Start the chunk whose window lies in h_raw and h_box: cols steps, ntasks tasks in h_tasks. */
int slot_start(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q);
/* The part of it that runs on the device, from d_raw, d_box and d_tasks to d_out. */
int slot_kernels(struct gpu_err *e, struct g4_slot *s, const struct g4_params *p, const struct g4_plan *q);
/* Wait; h_out then holds [ncomp][3][ntasks][lags]: S S', G2, sum A A'. */
int slot_wait(struct gpu_err *e, struct g4_slot *s);
void slot_close(struct g4_slot *s);

#endif
