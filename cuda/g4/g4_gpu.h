/* SPDX-License-Identifier: MIT */
/* g4_gpu.h: declarations shared by the source files of the CUDA engine of g4.h.
 *
 * The trajectory is divided into chunks of `span` time origins. The window of a chunk consists of
 * its time origins and the lags - 1 steps after them. A slot computes a chunk. A slot is a CUDA
 * stream together with its buffers. A task is a range of time origins within one sub-block
 * (stats/blocks.h). The slot returns one set of sums per task. The division into chunks depends
 * only on the parameters, and the host adds the sums of the chunks in order. The result is
 * therefore independent of the devices. */
#pragma once

#include "base/gpu.h"
#include "g4/g4.h"
#include "g4/g4_result.h"
#include "mesh/mesh_gpu.h"
#include "pair/pair_gpu.h"

#define G4_PAD_COLUMNS 128 /* number of columns added as padding */
#define G4_TILE_ATOMS 16   /* atoms per side of a tile */
#define GRAM_LAGS 49       /* number of lags per pass */
#define GRAM_STEP                                                                                  \
    32                                     /* number of columns per step in the kernels of
                                            * gram_posn */
#define GRAM_TILE_SUMS 32                  /* number of atoms on both sides of a tile */
#define G4_MAX_BLOCKS 2048                 /* largest number of blocks per launch */
#define G4_GROUP_BYTES ((size_t)640 << 20) /* largest memory for the sums of the tiles */
#define G4_TABLE_BYTES ((size_t)2 << 30)   /* largest memory for tables of beta */
#define G4_TABLE_TILES 16                  /* smallest number of tiles per group */

/* A task covers the time origins in the columns from `first` to `last` - 1. Tasks with the same
 * number `group` may be joined to one piece, as described below. */
struct g4_task {
    int first, last, group;
};
/* A piece consists of consecutive tasks. The first task of the piece has the number `task`. A piece
 * computes each lag product once, but sums the products of each task separately
 * (g4_gpu_lag_mma.cuh). */
struct g4_piece {
    int first, last, task;
};

/* Arguments of the kernels that sum lag products of many series (g4_gpu_gram.cu). */
struct gram_args {
    /* The input: positions [rows / 4][ld][4], pairs [cols][ncomp][npairs], or series [rows][ld]. */
    const void *src;
    size_t ld;   /* number of columns per row. For pairs, `ld` is the number of values per step, and
                  * `src` points to one component. */
    size_t rows; /* number of atoms, pairs or series */
    int cols;    /* number of columns, without padding */
    int lags;
    const struct g4_task *tasks;   /* [ntasks], which equals gridDim.y without pieces */
    const struct g4_piece *pieces; /* [npieces] */
    int npieces;                   /* number of pieces, or 0 if every task is its own piece */
    double *part;                  /* [ntasks][slots][lags] */
    /* Sums of a tile over its rows and over its columns, [slots][GRAM_TILE_SUMS][ld]. */
    double *asum;
    beta_args beta;
    struct tile_list list; /* tiles of pairs, if the input is positions */
    /* set by the launchers */
    int tile0;         /* first lag tile of this pass or, in runs_launch, the first lag */
    size_t tiles;      /* number of tiles of pairs in all blocks */
    size_t slots;      /* maximum of gridDim.x */
    size_t first_tile; /* tile of block 0 */
    int buffers;       /* number of buffers for the sums of a tile */
};

/* Forms of beta for which gram_posn has kernels in single precision. Other forms use tables. */
#define GRAM_MARCHES(form) ((form) == SUM_NEAREST || (form) == SUM_TAPERED)

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/* Returns the number of slots, which is the number of partial sums along x. The array part[] must
 * hold tasks * slots * lags numbers of type double. One launch of the kernel has at most `group`
 * tiles of pairs. */
size_t gram_slots(enum gram_source s, size_t rows, size_t group);
/* Returns the shared memory of a block of gram_posn in bytes, without or with pieces. */
size_t gram_shared(int pieces);
/* Writes the sums of lag products over all rows to a.part. */
int gram_rows(struct err *e, enum gram_source s, struct gram_args a, int ntasks,
              cudaStream_t stream);
/* The longest kernel runs in the stream `low`, which has a low priority. Short kernels of other
 * chunks therefore do not wait for the longest kernel. */
struct g4_streams {
    cudaStream_t stream, low; /* CUDA streams with normal and with low priority. Work that is queued
                               * later in `stream` waits for both streams. */
    cudaEvent_t turn;
};

/* Writes the sums of lag products over all pairs of positions to a.part, and A_i of every column to
 * atoms[rows][ld]. The argument `cell` is a value of enum g4_cell. If `cell` is G4_TABLE, `table`
 * describes the table of beta, and a.part and atoms[rows + 1][ld] are repeated for each component.
 * For any other `cell`, `table` is NULL and a.lags is at most GRAM_LAGS. */
int gram_posn(struct err *e, enum gram_source s, int cell, struct gram_args a, int ntasks,
              size_t group, struct table_args *table, double *atoms, const struct g4_streams *at);
/* Computes out[task][lag] as the sum over blocks of part[task][block][lag], in order. */
int gram_reduce(struct err *e, const double *part, size_t nblocks, int ntasks, int lags,
                double *out, cudaStream_t stream);

/* Computes sums of lag products in runs of 16 steps (g4_gpu_runs.cu). If `f32` is 1 and the input
 * is f32, the products of a run are summed in single precision. If `f32` is 0 or the input is f64,
 * the products are summed in double precision, for example for positions on devices with too little
 * shared memory. If the input is positions, the array atoms[] receives A_i of every column. The
 * array a.part has the shape [ntasks][runs_slots][lags]. */
size_t runs_slots(enum gram_source s, size_t rows);
int runs_launch(struct err *e, enum gram_source s, int cell, int f32, struct gram_args a,
                int ntasks, double *atoms, cudaStream_t stream);
/* Settings for tests. If g4_gpu_small is 1, every device is treated as if it had too little shared
 * memory. If g4_gpu_groups is 1, tables have as few tiles as possible, and pieces are as short as
 * possible. */
extern int g4_gpu_small, g4_gpu_groups;
/* Setting for tests. The value 1 of the variable g4_gpu_lists forces lists with short windows, 2
 * forces lists with normal windows, and -1 forbids lists. */
extern int g4_gpu_lists;

/* Plan for the neighbour lists of groups of 16 atoms. If `groups` is 0, all pairs are computed
 * without neighbour lists. */
struct lists_plan {
    size_t groups, columns; /* `columns` is the largest number of columns of atoms */
    double reach;           /* Å */
};
struct g4_lists {
    int *h_perm, *d_perm; /* number of the atom in each row, or -1 for an empty row */
    double *d_extent;
    size_t *h_begin, *d_begin, *d_short_range_begin, tiles, capacity, short_range_room, entry_room;
    int2 *d_tile, *d_short_range; /* list of tiles after pruning (d_tile) and before pruning
                                   * (d_short_range) */
    int *d_entry;
};
/* A window of sorted positions in device memory. */
struct lists_window {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld;
    int cols, is64, fixed;
    const struct sum_cell *cell; /* cells of all columns [cols], or one cell if the cell is fixed */
    const struct box *box;       /* [cols] */
};
/* Plans neighbour lists if lists save time in a cell like `box`. */
void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l);
int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q);
void lists_close(struct g4_lists *l);
/* Sorts the atoms by their positions in the first step of a window and sets h_perm. */
int lists_sort(struct err *e, struct g4_lists *l, const struct lists_plan *q, size_t natoms,
               const void *pos, int is64, const struct box *box);
/* Finds the tiles that have a pair within the distance `reach` in any step of a window, and waits
 * for the number of tiles. */
int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream);
/* Computes A_i from the sums of n tiles, of which the first is tile a->first_tile. */
int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream);

/* Plan for computing A_i with a mesh (split.h) and neighbour lists. The code is in g4_gpu_mesh.cu,
 * mesh_gpu_fft.cu, pair_gpu_waves.cu and pair_gpu_short_range.cu. */
struct mesh_plan {
    size_t batch;                    /* number of columns per batch, or 0 if no mesh is used */
    size_t values;                   /* capacity in doubles */
    size_t device_bytes, host_bytes; /* memory per slot */
};
/* Fourier transforms for one shape of the mesh, with the data of mesh_axis. */
struct mesh_shape {
    struct mesh_fft fft;
    double *d_axis;
};
#define MESH_SHAPES 8 /* number of mesh shapes kept in memory */
struct g4_mesh {
    struct mesh_shape shape[MESH_SHAPES];
    size_t made;             /* number of shapes so far */
    double *d_mesh, *d_back; /* The two pointers may be equal. */
    size_t capacity;         /* capacity in doubles */
    struct mesh_work work;
    double *d_self, *d_part;     /* d_part: partial sums */
    double *h_images, *d_images; /* results of ewald_self */
    /* Two arrays [ld]: the first column with the same cell as each column, and the columns sorted
     * by mesh shape. */
    int *h_columns, *d_columns;
};
int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q);
int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q);
void mesh_close(struct g4_mesh *m);
/* Computes A_i for all components and columns of a chunk that has positions and lists. */
int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Arguments of the method `direct`, which computes a table of beta and then loops over pairs of
 * pairs. */
struct direct_args {
    const void *src; /* the input: positions [natoms / 4][src_ld][4], or pairs [cols][src_ld] */
    size_t src_ld, natoms, npairs;
    int posn, cols, lags;
    const struct g4_task *tasks;
    void *table;  /* [cols][ld] of beta */
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

/* Arguments of the kernels that run before and after the sums over lags. */
struct sums_args {
    const void *raw;         /* the input: [cols][natoms][3] or [cols][ncomp][npairs] */
    void *p;                 /* wrapped positions, [rows / 4][ld][4] */
    double *a;               /* [natoms + 1][ld]: A_i in the first rows, and S in the last row */
    size_t natoms, ld, step; /* step: of `raw` */
    int cols;
    const int *perm;             /* number of the atom in each row, or -1 for an empty row. NULL if
                                  * row i is atom i */
    const struct sum_cell *cell; /* [cols], or one if fixed */
    int fixed, plain;            /* p is [natoms][ld] */
};
/* Wraps and transposes the positions s->raw, which are double if is64 is set. Padding columns are
 * filled with NaN. */
int sums_wrap(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
/* The function sums_atoms computes A_i from pairs, and sums_total computes S from A_i. */
int sums_atoms(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
int sums_total(struct err *e, const struct sums_args *s, cudaStream_t stream);

/* A slot, with the chunk that it computes. */
struct g4_slot {
    int device, busy;
    int joins; /* whether the device has enough shared memory for tasks joined to pieces */
    struct g4_streams on;
    void *h_first, *h_out, *h_tasks, *h_box; /* pinned memory */
    struct gpu_pair in;
    void *to;           /* the input buffer that the host is filling */
    size_t steps, sent; /* number of steps in the window, and number of steps in the buffer d_raw */
    cudaEvent_t filled; /* CUDA event that occurs when the window is complete */
    void *d_raw, *d_pos, *d_table, *d_pair_atoms, *d_a, *d_asum, *d_part, *d_out, *d_tasks;
    void *d_factors;
    struct table_weigh weigh;
    struct g4_cells cells;
    struct g4_lists lists;
    struct g4_mesh mesh;
    uint64_t first, reach; /* number of the first time origin of the chunk, and of the one after the
                            * chunk */
    int ntasks, npieces, cols;
};

/* Sizes that follow from the parameters of the run. */
struct g4_plan {
    size_t span, window, ld; /* ld: columns per row */
    size_t rows;             /* number of rows of positions, with padding */
    size_t atoms;            /* number of rows of A: the number of atoms or, with neighbour lists,
                              * the number of rows of positions */
    struct lists_plan lists;
    struct mesh_plan mesh;
    size_t npairs, step_values, step_bytes, piece; /* piece: in steps */
    size_t max_tasks, tiles, min_piece, max_piece; /* smallest and largest length of a piece
                                                    * (min_piece, max_piece) */
    size_t group, part_doubles, asum_doubles, a_doubles, out_doubles;
    size_t table_values;             /* values of beta */
    int tabled;                      /* whether the method `factored` uses tables of beta */
    size_t device_bytes, host_bytes; /* memory per slot */
    int is64, ncomp;
    int runs; /* whether the sums are computed by runs_launch */
};
/* Computes the sizes. Set `small` if a device has too little shared memory for gram_posn. The
 * argument `box` is the cell of the first step, or NULL if all pairs are to be used. */
int plan_make(struct err *e, const struct g4_params *p, int small, const struct box *box,
              struct g4_plan *q);
/* Returns the number of time origins in the next piece of a chunk. The argument `left` is the
 * number of the norigins time origins of the chunk that remain. */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left);

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q);
/* Appends the next n steps to the window of the slot. Unless `box` is NULL, also appends the cells
 * of the next n steps to h_box. The threads of the pool copy the data. */
int slot_put(struct err *e, struct g4_slot *s, const struct g4_plan *q, struct pool *pool, size_t n,
             const void *steps, const struct box *box);
/* Copies the last n steps in the window of `last`, the previous slot, to the start of the window of
 * s. */
int slot_keep(struct err *e, struct g4_slot *s, const struct g4_slot *last, const struct g4_plan *q,
              size_t n);
/* Starts to compute a chunk of s->cols steps and s->ntasks tasks. The window of the chunk must be
 * complete. */
int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Returns the list of tiles of the chunk, which is empty if all pairs are used. */
struct tile_list slot_list(const struct g4_slot *s, const struct g4_plan *q);
/* Queues the kernels that compute d_out of the chunk from d_raw, d_box and d_tasks. */
int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q);
/* Waits for the chunk. The array h_out then holds the sums of S S', G2 and A A' as
 * [ncomp][3][ntasks][lags]. With the method `direct`, h_out holds G2, G3 and G4 as
 * [ncomp][ntasks][3][lags]. */
int slot_wait(struct err *e, struct g4_slot *s);
/* Sets e to an error that names a frame with non-finite sums among the first n frames of a chunk.
 * Returns -1. */
int slot_report_nonfinite(struct err *e, const struct g4_slot *s, const struct g4_params *p,
                          const struct g4_plan *q, size_t n);
void slot_close(struct g4_slot *s);

/* Checks that every device has enough memory for the method `fft`. Returns 0 on success, or -1 with
 * a message in e that states a remedy. */
int fft_check(struct err *e, const struct g4_params *p, const int *list, int ndev, size_t steps,
              size_t lags);

/* Runs the method `fft` for the whole trajectory raw[steps] with the cells box[steps], on the
 * devices list[ndev]. All blocks of the result must exist and be zero. Adds S S', G2 and the sum of
 * A A' to the first sub-block of each block, for g4_result_make. Unless work_ms is NULL, sets
 * *work_ms to the computing time in ms. The computing time begins with the positions on the device
 * and ends with the sums on the host, without planning. */
int fft_finish(struct err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct stats_blocks *blocks,
               double *work_ms);
