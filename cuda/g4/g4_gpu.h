/* SPDX-License-Identifier: MIT */
/* g4_gpu.h: shared declarations of the CUDA engine that computes the correlation functions of g4.h.
 *
 * The time origins of a trajectory are divided into chunks of `span` time origins. A chunk needs a
 * window of time steps: its time origins and the next lags - 1 steps. Each chunk is computed by a
 * struct g4_slot, a CUDA stream with buffers, which returns one set of sums per task. A task is a
 * range of time origins within one sub-block (stats/blocks.h). The results do not depend on the
 * GPUs, because the division into chunks depends only on the parameters and the host adds the sums
 * of the chunks in order. */
#pragma once

#include "base/gpu.h"
#include "g4/g4.h"
#include "g4/g4_result.h"
#include "mesh/mesh_gpu.h"
#include "pair/pair_gpu.h"

#define G4_PAD_COLUMNS 128                 /* added as padding */
#define G4_TILE_ATOMS 16                   /* atoms per side of a tile */
#define GRAM_LAGS 49                       /* lags per pass */
#define GRAM_STEP 32                       /* columns per step */
#define GRAM_TILE_SUMS 32                  /* atoms on both sides of a tile */
#define G4_MAX_BLOCKS 2048                 /* per launch */
#define G4_GROUP_BYTES ((size_t)640 << 20) /* for tile sums */
#define G4_TABLE_BYTES ((size_t)2 << 30)   /* for tables of beta */
#define G4_TABLE_TILES 16                  /* fewest tiles per group */

/* A range of time origins, from column `first` to column `last` - 1. Consecutive tasks with the
 * same `group` may be joined to a struct g4_piece. */
struct g4_task {
    int first, last, group;
};
/* Consecutive tasks, starting with number `task`, whose lag products are computed once but summed
 * separately for each task (g4_gpu_lag_mma.cuh). */
struct g4_piece {
    int first, last, task;
};

struct gram_args {
    /* positions [rows / 4][ld][4], pairs [cols][ncomp][npairs] or series [rows][ld] */
    const void *src;
    size_t ld; /* columns per row or, for pairs, values per step */
    size_t rows;
    int cols; /* without padding */
    int lags;
    const struct g4_task *tasks;   /* [ntasks] */
    const struct g4_piece *pieces; /* [npieces] */
    int npieces;                   /* 0: one piece per task */
    double *part;                  /* [ntasks][slots][lags] */
    /* [slots][GRAM_TILE_SUMS][ld] */
    double *asum;
    beta_args beta;
    struct tile_list list; /* tiles of atom pairs, if `src` holds positions */
    /* set by the launchers */
    int tile0;         /* first lag tile or, in runs_launch, first lag */
    size_t tiles;      /* tiles of all blocks */
    size_t slots;      /* largest gridDim.x */
    size_t first_tile; /* tile of block 0 */
    int buffers;       /* for tile sums */
};

/* True if gram_posn has a single-precision kernel for the form of beta. */
#define GRAM_MARCHES(form) ((form) == SUM_NEAREST || (form) == SUM_TAPERED)

enum gram_source { GRAM_POSN_F32, GRAM_POSN_F64, GRAM_PAIR_F32, GRAM_PAIR_F64, GRAM_SERIES };

/* Returns the number of partial sums per task and lag, for which part[] needs tasks * slots * lags
 * doubles. One kernel launch processes at most `group` tiles of atom pairs. */
size_t gram_slots(enum gram_source s, size_t rows, size_t group);
/* Returns the shared memory in bytes that a block of gram_posn needs. */
size_t gram_shared(int pieces);
/* Stores the lag products, summed over all rows, in a.part. */
int gram_rows(struct err *e, enum gram_source s, struct gram_args a, int ntasks,
              cudaStream_t stream);
/* The longest kernel runs in the stream `low`, which has a low priority. The short kernels of other
 * chunks therefore do not wait until the longest kernel ends. */
struct g4_streams {
    cudaStream_t stream, low; /* Later work in `stream` waits for `low`. */
    cudaEvent_t turn;
};

/* Stores the lag products, summed over all pairs of positions, in a.part, and the sums A_i over the
 * pairs of atom i in atoms[rows][ld]. The argument `cell` is a value of enum g4_cell. If `cell` is
 * G4_TABLE, `table` describes the table of beta, and a.part and atoms[rows + 1][ld] have one copy
 * per tensor component. For other cells, `table` is NULL and a.lags is at most GRAM_LAGS. */
int gram_posn(struct err *e, enum gram_source s, int cell, struct gram_args a, int ntasks,
              size_t group, struct table_args *table, double *atoms, const struct g4_streams *at);
/* Computes out[task][lag], the sum of part[task][block][lag] over the blocks in order. */
int gram_reduce(struct err *e, const double *part, size_t nblocks, int ntasks, int lags,
                double *out, cudaStream_t stream);

/* Computes lag products in runs of 16 time steps (g4_gpu_runs.cu), and stores their sums in a.part
 * [ntasks][runs_slots][lags]. If `f32` is 1 and the input is f32, the products of a run are summed
 * in single precision. Otherwise the products are summed in double precision. For positions, the
 * sums A_i over the pairs of atom i are stored in atoms[]. */
size_t runs_slots(enum gram_source s, size_t rows);
int runs_launch(struct err *e, enum gram_source s, int cell, int f32, struct gram_args a,
                int ntasks, double *atoms, cudaStream_t stream);
/* For tests: the value 1 of g4_gpu_small treats every GPU as if its shared memory were too small.
 * The value 1 of g4_gpu_groups makes the groups of tiles and the pieces as small as possible. */
extern int g4_gpu_small, g4_gpu_groups;
/* For tests: the value 1 of g4_gpu_lists forces neighbour lists with short windows, 2 forces
 * neighbour lists with normal windows, and -1 forbids neighbour lists. */
extern int g4_gpu_lists;

/* Neighbour lists of groups of 16 atoms, or groups = 0 if all pairs are computed. */
struct lists_plan {
    size_t groups, columns; /* columns: largest number of columns of atoms */
    double reach;           /* Å */
};
struct g4_lists {
    int *h_perm, *d_perm; /* atom of each row, -1: empty */
    double *d_extent;
    size_t *h_begin, *d_begin, *d_short_range_begin, tiles, capacity, short_range_room, entry_room;
    int2 *d_tile, *d_short_range; /* d_tile: after pruning */
    int *d_entry;
};
/* A window of sorted positions in device memory. */
struct lists_window {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld;
    int cols, is64, fixed;
    const struct sum_cell *cell; /* [cols], or [1] if `fixed` is set */
    const struct box *box;       /* [cols] */
};
/* Plans neighbour lists, or sets l->groups to 0 if lists save no time in a cell like `box`. */
void lists_plan(const struct g4_params *p, const struct box *box, struct lists_plan *l);
int lists_open(struct err *e, struct g4_lists *l, const struct lists_plan *q);
void lists_close(struct g4_lists *l);
/* Sorts the atoms by their positions in the first time step of a window, and sets h_perm. */
int lists_sort(struct err *e, struct g4_lists *l, const struct lists_plan *q, size_t natoms,
               const void *pos, int is64, const struct box *box);
/* Lists the tiles with a pair closer than `reach` in any step of a window, and waits for their
 * number. */
int lists_make(struct err *e, struct g4_lists *l, const struct lists_plan *q, struct lists_window w,
               cudaStream_t stream);
/* Computes the sums A_i over the pairs of atom i from n tiles, starting with tile a->first_tile. */
int lists_atoms(struct err *e, const struct gram_args *a, size_t n, double *atoms,
                cudaStream_t stream);

/* Computes the sums A_i over the pairs of atom i with a mesh (split.h) and neighbour lists. The
 * code is in g4_gpu_mesh.cu, mesh_gpu_fft.cu, pair_gpu_waves.cu and pair_gpu_short_range.cu. */
struct mesh_plan {
    size_t batch;                    /* columns, 0: no mesh */
    size_t values;                   /* capacity in doubles */
    size_t device_bytes, host_bytes; /* per slot */
};
/* Fourier transforms of meshes of one shape, and the data of mesh_axis. */
struct mesh_shape {
    struct mesh_fft fft;
    double *d_axis;
};
#define MESH_SHAPES 8 /* kept in memory */
struct g4_mesh {
    struct mesh_shape shape[MESH_SHAPES];
    size_t made;
    double *d_mesh, *d_back; /* may be equal */
    size_t capacity;         /* in doubles */
    struct mesh_work work;
    double *d_self, *d_part;     /* d_part: partial sums */
    double *h_images, *d_images; /* results of ewald_self */
    /* First column with the same cell as each column [ld], and all columns sorted by mesh shape
     * [ld]. */
    int *h_columns, *d_columns;
};
int mesh_plan_gpu(struct err *e, const struct g4_params *p, const struct box *box,
                  struct g4_plan *q);
int mesh_open(struct err *e, struct g4_mesh *m, const struct g4_params *p, const struct g4_plan *q);
void mesh_close(struct g4_mesh *m);
/* Computes the sums A_i of all components and columns of a chunk, from positions and neighbour
 * lists. */
int mesh_atoms(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* The method `direct` computes a table of beta and then sums over all pairs of pairs. */
struct direct_args {
    const void *src; /* positions [natoms / 4][src_ld][4], or pairs [cols][src_ld] */
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

struct sums_args {
    const void *raw;         /* [cols][natoms][3] or [cols][ncomp][npairs] */
    void *p;                 /* [rows / 4][ld][4] */
    double *a;               /* [natoms + 1][ld]: A_i; S */
    size_t natoms, ld, step; /* step: of `raw` */
    int cols;
    const int *perm;             /* atom of each row, -1: empty; NULL: row i is atom i */
    const struct sum_cell *cell; /* [cols], or [1] if `fixed` is set */
    int fixed, plain;            /* plain: p is [natoms][ld] */
};
/* Wraps the positions s->raw into the cell and transposes them to s->p, with NaN as padding. */
int sums_wrap(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
/* The function sums_atoms computes A_i from pair tensors, and sums_total computes S = sum of
 * A_i. */
int sums_atoms(struct err *e, const struct sums_args *s, int is64, cudaStream_t stream);
int sums_total(struct err *e, const struct sums_args *s, cudaStream_t stream);

/* Buffers and state of the computation of one chunk. */
struct g4_slot {
    int device, busy;
    int joins; /* tasks may be joined */
    struct g4_streams on;
    void *h_first, *h_out, *h_tasks, *h_box; /* pinned memory */
    struct gpu_pair in;
    void *to;           /* buffer being filled */
    size_t steps, sent; /* of window; in d_raw */
    cudaEvent_t filled; /* window is complete */
    cudaEvent_t kept;   /* first steps of the window have been copied from another slot */
    cudaEvent_t copied; /* NULL, or `kept` of the slot that copies steps of this window */
    void *d_raw, *d_pos, *d_table, *d_pair_atoms, *d_a, *d_asum, *d_part, *d_out, *d_tasks;
    void *d_factors;
    struct table_weigh weigh;
    struct g4_cells cells;
    struct g4_lists lists;
    struct g4_mesh mesh;
    uint64_t first, reach; /* first time origin of the chunk, and of the next chunk */
    int ntasks, npieces, cols;
};

/* Array sizes that follow from the parameters of a run. */
struct g4_plan {
    size_t span, window, ld; /* ld: columns per row */
    size_t rows;             /* padded */
    size_t atoms;            /* rows of A_i */
    struct lists_plan lists;
    struct mesh_plan mesh;
    size_t npairs, step_values, step_bytes, piece; /* piece: in steps */
    size_t max_tasks, tiles, min_piece, max_piece; /* length of pieces */
    size_t group, part_doubles, asum_doubles, a_doubles, out_doubles;
    size_t table_values;             /* of beta */
    int tabled;                      /* uses tables of beta */
    size_t device_bytes, host_bytes; /* per slot */
    int is64, ncomp;
    int runs; /* runs_launch is used */
};
/* Set `small` if a GPU has too little shared memory for gram_posn. The argument `box` is the cell
 * of the first time step, or NULL to compute all pairs. */
int plan_make(struct err *e, const struct g4_params *p, int small, const struct box *box,
              struct g4_plan *q);
/* Returns the length of the next piece of a chunk of norigins time origins (`left` of them
 * remain). */
size_t plan_piece(const struct g4_plan *q, size_t norigins, size_t left);

int slot_open(struct err *e, struct g4_slot *s, int device, const struct g4_params *p,
              const struct g4_plan *q);
/* Appends n time steps, and their cells unless `box` is NULL, to the window of s, with a thread
 * pool. */
int slot_put(struct err *e, struct g4_slot *s, const struct g4_plan *q, struct pool *pool, size_t n,
             const void *steps, const struct box *box);
/* Copies the last n time steps in the window of `last` to the start of the window of s. */
int slot_keep(struct err *e, struct g4_slot *s, struct g4_slot *last, const struct g4_plan *q,
              size_t n);
/* Sends the last time steps of the window to the device, because the window is complete. */
int slot_complete(struct err *e, struct g4_slot *s, const struct g4_plan *q);
/* Starts to compute a chunk of s->cols time steps and s->ntasks tasks, whose window is complete.
 * The function may wait for the device, and may run in another thread. */
int slot_start(struct err *e, struct g4_slot *s, const struct g4_params *p,
               const struct g4_plan *q);
/* Returns the list of tiles of the chunk, or an empty list if all pairs are computed. */
struct tile_list slot_list(const struct g4_slot *s, const struct g4_plan *q);
/* Queues all kernels of a chunk, which compute d_out. */
int slot_kernels(struct err *e, struct g4_slot *s, const struct g4_params *p,
                 const struct g4_plan *q);
/* Waits for the chunk, and stores the sums of S S', G2 and A A' (g4.h) in h_out
 * [ncomp][3][ntasks][lags]. The method `direct` stores G2, G3 and G4 in h_out
 * [ncomp][ntasks][3][lags]. */
int slot_wait(struct err *e, struct g4_slot *s);
/* Sets *e to an error that names a frame, among the first n frames of a chunk, whose sums are not
 * finite. Returns -1. */
int slot_report_nonfinite(struct err *e, const struct g4_slot *s, const struct g4_params *p,
                          const struct g4_plan *q, size_t n);
void slot_close(struct g4_slot *s);

/* Checks that every GPU has enough memory for the method `fft`. Returns 0, or -1 and sets *e to a
 * message that states a remedy. */
int fft_check(struct err *e, const struct g4_params *p, const int *list, int ndev, size_t steps,
              size_t lags);

/* Applies the method `fft` to the whole trajectory raw[steps] with the cells box[steps], on the
 * GPUs list[ndev]. All blocks of the result must exist and contain zeros. Adds S S', G2 and the sum
 * of A A' to the first sub-block of each block, from which g4_result_make computes the result.
 * Unless work_ms is NULL, *work_ms receives the computing time in ms, from positions on the GPU to
 * sums on the host, without planning. */
int fft_finish(struct err *e, const struct g4_params *p, const int *list, int ndev, const void *raw,
               const struct box *box, size_t steps, size_t lags, struct stats_blocks *blocks,
               double *work_ms);
