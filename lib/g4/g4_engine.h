/* SPDX-License-Identifier: MIT */
/*
 * g4_engine.h: declarations shared by the files of the CPU engine (g4_cpu.c). Not for programs.
 *
 * Atoms come in blocks of 16. A window of consecutive steps is stored in one of these layouts:
 *     POSN: [atom block][step][x y z][16] positions wrapped into the cell of their step (factored,
 *       direct), or [atom][x y z][step] if the pairs come from lists.
 *     PAIR: [component][tile][step][16], tile = (block pair I <= J, atom il of I); its lanes are
 *       the atoms of J.
 * With fft the step is outermost, and the window is the whole trajectory and grows. Lanes without a
 * pair (j <= i or j >= N) hold 0. A tile of beta is always used as two halves [step][8] in double.
 * A half is the unit of all SIMD work at every register width, so every SIMD level adds in the same
 * order.
 */
#ifndef MBF_G4_ENGINE_H
#define MBF_G4_ENGINE_H

#include "base/simd.h"
#include "g4/g4.h"
#include "g4/g4_lists.h"
#include "g4/g4_result.h"
#include "g4/g4_rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

#define G4_LANES 16
#define G4_HALF 8
#define G4_RUN 32 /* largest number of sub-blocks of origins in one pass; limits the accumulators */

/* One tile for the kernels; strides count elements from one step to the next. */
struct g4_tile {
    const void *pi; /* POSN: x of atom i at the first step (y, z follow at +16, +32); PAIR: NULL */
    const void *pj; /* POSN: x of lane 0 of block J; PAIR: the pair lanes */
    size_t stride;
    const struct sum_cell *geom; /* [n] */
    int one_geom;                /* every step uses geom[0] */
    size_t n, from;              /* number of steps; A is accumulated from step `from` on */
    enum sum_form form;
    int tri, f64, ncomp; /* ncomp is 1, or with positions all components */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    int32_t mask[G4_LANES]; /* the lane is a pair */
    int weigh;              /* multiply beta by factor and add own times the sum of own images */
    double factor[G4_LANES], own[G4_LANES]; /* factors_row */
    double *half[BETA_NCOMPONENTS][2];      /* out: [n][8] each */
    double *arow[BETA_NCOMPONENTS]; /* A of atom i, stride 16; arow[0] NULL: A is not wanted */
    double *acol[BETA_NCOMPONENTS]; /* A of block J, stride 16 */
};

/* Input of the list kernels (g4_lists.c): rows of positions [atom][x y z][stride], with consecutive
 * steps adjacent and wrapped into the cell of their step. The first `steps` steps are valid. Each
 * row is padded to the next multiple of 16. */
struct g4_near {
    const void *rows;
    size_t stride, steps;
    const struct sum_cell *geom; /* [steps] */
    enum sum_form form;
    int one_geom, tri, f64, ncomp;
    const struct mesh
        *mesh; /* A is its short-range part, added to the values present; NULL: A is all of beta */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    const double *w; /* weights of the atoms; NULL: 1 */
};

struct g4 {
    struct g4_params p;
    struct err err;
    size_t natoms, npairs, nblocks; /* blocks of 16 atoms */
    size_t ntiles;                  /* tiles of one step and component of PAIR */
    size_t esize, step_bytes;       /* bytes of one element of the window, and of one input step */
    size_t lags, chunk;             /* chunk: largest number of origins in one pass */
    size_t cap;                     /* steps that the window can hold */
    size_t have;                    /* steps in the window */
    uint64_t base, steps; /* index of the first step of the window; number of steps seen */
    void *window;
    size_t nrows, per; /* blocks (POSN) or tiles (PAIR); elements of one step in each */
    size_t row_stride, step_stride; /* elements between rows, and between steps of a row */
    struct sum_cell *geom;          /* [cap] */
    struct sum_memory memory;       /* of cells */
    struct box last;                /* cell of the previous step */
    uint64_t boxes;                 /* number of cell changes so far */
    int tri;
    double *a;     /* [ncomp][nblocks][cap][16] A_i(t) of the window (factored) */
    size_t a_done; /* number of steps of the window whose A is known */
    double *acc;   /* [ncomp][slots][G4_RUN][g4_acc_rows][8] (factored) */
    double *tile;  /* [threads][g4_scratch_doubles] */
    size_t slots;
    uint64_t tasks, told; /* tasks of the current pass, and how many are done (g4_tell) */
    struct pool *pool;
    struct g4_rounds rounds; /* its scratch */
    struct g4_lists *lists;  /* NULL: all pairs */
    struct g4_mesh *mesh;    /* NULL: no mesh; a mesh implies lists */
    size_t places;           /* number of meshes used in parallel */
    struct stats_blocks blocks;
};

/* Number of accumulators for one run of origins; see g4_factored.c. */
static inline size_t g4_acc_rows(const struct g4 *g)
{
    return g->lags + g->lags / 2 + 2;
}

/* Number of components of positions per tile: all of them, which share r and r⁻⁵, or one. */
static inline int g4_tile_comps(const struct g4 *g)
{
    int all = g->p.input == FRAME_POSN && g->p.ncomp == BETA_NCOMPONENTS;
    for (int k = 0; k < BETA_NCOMPONENTS; k++)
        all &= g->p.component[k] == k;
    return all ? BETA_NCOMPONENTS : 1;
}

/* Doubles of scratch per thread: two half tiles per component, and one set of neighbour sums. */
static inline size_t g4_scratch_doubles(const struct g4 *g)
{
    return (2 * (size_t)g4_tile_comps(g) + 1) * (g->cap + 4) * G4_HALF;
}

/* Index of block pair I <= J; tile (bp, il) has position 16 bp + il. */
static inline size_t g4_block_pair(const struct g4 *g, size_t bi, size_t bj)
{
    return bi * (2 * g->nblocks - bi + 1) / 2 + (bj - bi);
}

/* ---- g4_window.c ---- */

/* Copies n steps into the window, which must have room for them. Returns 0 or -1. */
int g4_window_put(struct g4 *g, size_t n, const void *data, const struct box *box);
/* Removes the first n steps from the window. */
void g4_window_slide(struct g4 *g, size_t n);
/* fft: enlarges the window to hold the given number of steps. Returns 0 or -1. */
int g4_window_grow(struct g4 *g, size_t steps);

/* Describes the tile of atom i and block bj for ncomp components (all, or one) from comp on and for
 * n steps from window step `at`. The caller sets half, arow and acol. */
void g4_tile_set(const struct g4 *g, int comp, int ncomp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t);

/* Returns the index after the last origin that counts, or UINT64_MAX. Lists process whole passes
 * and drop the blocks of other parts at the end. */
uint64_t g4_last_origin(const struct g4 *g);
/* Counts one of the tasks of a pass of n origins as done; thread 0 reports progress. fft: n = 0. */
void g4_tell(struct g4 *g, size_t n, int thread);

/* Sets an error that names the frame and the atoms if step `at` of the window holds a beta that is
 * not finite. Returns -1. */
int g4_blame_step(struct g4 *g, size_t at);

/* ---- methods ---- */

/* Adds the products of origins [base, base + n) of the window; steps after `have` count as zero.
 * Returns 0 or -1. */
int g4_factored_pass(struct g4 *g, size_t n);
int g4_direct_pass(struct g4 *g, size_t n);
/* Computes all lags of the whole trajectory in the window. Returns 0 or -1. */
int g4_fft_finish(struct g4 *g, size_t lags);

/* Returns the bytes that a method needs in addition to the window. */
double g4_factored_bytes(const struct g4 *g);
double g4_direct_bytes(const struct g4 *g);
double g4_fft_bytes(const struct g4 *g, uint64_t steps);

/* ---- lists, g4_lists.c ---- */

/* Offset of element c of atom i from the start of a step of the window. */
static inline size_t g4_row(const struct g4 *g, size_t i, size_t c)
{
    return g->lists ? (3 * i + c) * g->row_stride
                    : i / G4_LANES * g->row_stride + c * G4_LANES + i % G4_LANES;
}

/* Decides whether lists are worthwhile for steps like this one (g4_push) and if so sets g->lists.
 * Returns 0, or -1 if out of memory. */
int g4_lists_choose(struct g4 *g, const void *pos, const struct box *box);
/* Stores a step of positions pos[natoms][3] in the window at dst. */
void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst);
/* Sorts the atoms of the first `span` steps of the window into cells. Returns 0 or -1. */
int g4_lists_begin(struct g4 *g, size_t span);
void g4_lists_kernel(const struct g4 *g, int comp, struct g4_near *t);
/* Finds the atom at position k of the cell order and its neighbours, each once, in *near (scratch
 * of the thread). Returns their number, or SIZE_MAX if out of memory. */
size_t g4_lists_near(const struct g4 *g, const struct g4_near *t, size_t k, int thread, size_t *i,
                     uint32_t **near);
/* Returns the atom at position k of the cell order. */
size_t g4_lists_atom(const struct g4_lists *n, size_t k);
/* Returns the mean number of listed pairs per window. */
double g4_lists_mean(const struct g4_lists *n);
double g4_lists_bytes(const struct g4 *g);
void g4_lists_free(struct g4_lists *n);

/* ---- the mesh of sum ewald, used together with lists, g4_mesh.c ---- */

/* Creates g->mesh for cells of about this size. Returns 0 or -1. */
int g4_mesh_open(struct g4 *g, const struct box *box);
/* Returns the bytes needed for g->places parallel meshes. */
double g4_mesh_bytes(const struct g4 *g);
/* Sets A of steps [from, span) of the window to the part from the mesh. Returns 0 or -1. */
int g4_mesh_pass(struct g4 *g, size_t from, size_t span);
void g4_mesh_free(struct g4_mesh *m);

/* ---- kernels, g4_mesh_simd.c ---- */

/* A step of the window, and a mesh [n0][n1][pitch] for its cell with pitch >= n2 + G4_MESH_MORE. */
#define G4_MESH_MORE 12
struct g4_on_mesh {
    const struct g4 *g;
    size_t step, pitch, group; /* group of charges (factors.h); 0: all atoms */
    const struct box *cell;
    int n[3];
    double *mesh;
};
/* Spreads all atoms onto the mesh. The columns after n2 duplicate the first columns and must be
 * added to them. */
SIMD_DECLARE(void, g4_mesh_spread, (const struct g4_on_mesh *m));
/* Sets A of each atom i of the group to factor (value of the mesh at atom i - self[0]), with the
 * weights of the atoms and Q_self = self[1]. Group 0 also clears the other atoms. The columns after
 * n2 repeat the first columns. The argument a points to A of one component at this step, as in
 * g->a. */
SIMD_DECLARE(void, g4_mesh_gather,
             (const struct g4_on_mesh *m, double factor, const double self[2], double *a));

/* ---- kernels, g4_lists_simd.c: atom i, n neighbours near[n] ---- */

/* Moves the neighbours in range in any step to the front, in order. Returns their number. */
SIMD_DECLARE(size_t, g4_near_keep, (const struct g4_near *t, size_t i, uint32_t *near, size_t n));
/* Sets a[k][16 s] to the sum of beta of component k over the neighbours for steps s >= from; with a
 * mesh, adds the sum of the short-range part instead. */
SIMD_DECLARE(void, g4_near_sum,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n, size_t from,
              double *const *a));
/* Computes beta of at most 8 neighbours for all steps as one half tile per component,
 * half[k][step][8]. May write up to the next multiple of 16. */
SIMD_DECLARE(void, g4_near_fill,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n,
              double *const *half));

/* ---- kernels, g4_simd.c ---- */

/* Computes beta of a tile as two halves, and adds it to A if wanted. */
SIMD_DECLARE(void, g4_tile_fill, (const struct g4_tile *t));
/* acc[l][8] += sum over t < n of x[t][8] * y[t + l][8], with t ascending. The stride `every` is 1,
 * or 2 to use every second step of x and y. With `fused`, the products are exact (f32 beta), so
 * that a fused operation gives the same bits. */
SIMD_DECLARE(void, g4_lags,
             (const double *x, const double *y, int every, size_t n, size_t lags, int fused,
              double *acc));
/* u[k] = x[2k] + x[2k + 1], v[k] = x[2k + 1] + x[2k + 2], k < n. */
SIMD_DECLARE(void, g4_phases, (const double *x, size_t n, double *u, double *v));
/* Atoms of 16 pairs; all zero for a lane without a pair, whose beta is 0. */
struct g4_atoms {
    int64_t i[G4_LANES], j[G4_LANES];
};
/* Adds the products of pairs p and q over n steps, x and y [n][16], to out[G4_NFUNCTIONS][16]
 * (lanes: q): all products, and the products of pairs that share 2, 1 and 0 atoms. */
SIMD_DECLARE(void, g4_products,
             (const double *x, const double *y, size_t n, const struct g4_atoms *p,
              const struct g4_atoms *q, double *out));
/* Stores one step of positions pos[natoms][3], wrapped, in the window; dst is its block 0. */
SIMD_DECLARE(void, g4_store,
             (const struct g4 *g, const struct box *box, const void *pos, void *dst));

#ifdef __cplusplus
}
#endif
#endif
