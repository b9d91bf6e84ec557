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
#define G4_TILE_LAGS 8     /* a lag tile: an 8 x 8 block of products of two blocks of 8 steps */
#define G4_NEAR_TILES 7    /* lag tiles of one pass of the Gram kernels */
#define G4_TILE_ATOMS 16   /* atoms on a side of the pair tile of a block */
#define G4_MAX_BLOCKS 8192 /* blocks that share the tiles of one launch */

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
    int tile0;        /* first lag tile of this pass */
    size_t tiles;     /* pair tiles to share among the blocks of gridDim.x */
    const struct g4_task *tasks; /* [gridDim.y] */
    double *part;     /* [gridDim.y][gridDim.x][lags] */
    beta_args beta;
};

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/* Blocks along x that gram_launch uses: part must hold tasks * that * lags doubles. */
size_t gram_blocks(enum gram_source s, size_t rows);
/* Sums of products of all lags, over all pairs or rows. cell: enum g4_cell. masked: a task may end within a block of 8. */
int gram_launch(struct gpu_err *e, enum gram_source s, int cell, int masked, struct gram_args a, int ntasks,
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
/* A_i of every column, then S. */
int sums_atoms_posn(struct gpu_err *e, const struct sums_args *s, int is64, int cell, cudaStream_t stream);
int sums_atoms_pair(struct gpu_err *e, const struct sums_args *s, int is64, cudaStream_t stream);

/* One chunk at work. */
struct g4_slot {
    int device, busy;
    cudaStream_t stream;
    void *h_raw, *h_out, *h_tasks, *h_box; /* pinned */
    void *d_raw, *d_pos, *d_a, *d_part, *d_out, *d_tasks, *d_box, *d_box32;
    uint64_t first;  /* origin 0 of the chunk */
    int ntasks, cols, same_box;
};

/* Sizes that follow from the parameters. */
struct g4_plan {
    size_t span, window, ld; /* origins of a chunk, steps of its window, columns of a row */
    size_t rows;             /* rows of positions, padded */
    size_t npairs, step_values, step_bytes;
    size_t max_tasks, piece, part_doubles, out_doubles;
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
