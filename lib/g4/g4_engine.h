/* SPDX-License-Identifier: MIT */
/* g4_engine.h: declares what the source files of the CPU engine share (g4_cpu.c).
 *
 * Atoms are grouped in blocks of 16. A window of consecutive steps has the layout
 *     [atom block][step][x y z][16] for positions,
 *     [atom][x y z][step] for positions with lists, and
 *     [component][tile][step][16] for pairs.
 * Positions are wrapped into the cell of their step. A tile consists of one atom of block I and the
 * 16 atoms of a block J >= I, called lanes. With the method `fft`, the step is the first index, and
 * the window grows to the whole trajectory. Lanes without a pair (j <= i or j >= N) are 0. A tile
 * of beta consists of two halves, each with the shape [step][8] in double precision. All SIMD
 * levels process one half at a time, and therefore add in the same order. */
#pragma once

#include "base/simd.h"
#include "g4/g4.h"
#include "g4/g4_lists.h"
#include "g4/g4_result.h"
#include "g4/g4_rounds.h"

#define G4_LANES 16
#define G4_HALF 8
#define G4_RUN 32 /* sub-blocks at once */

/* Holds the arguments of the kernels for one tile. The member `stride` is the number of elements
 * from one step to the next. For positions, pi points to the x coordinate of atom i at the first
 * step, and pj to the x coordinate of lane 0 of block J. The coordinates y and z follow 16 and 32
 * elements later. For pairs, pi is NULL, and pj points to the lanes of the tile. */
struct g4_tile {
    const void *pi; /* NULL for PAIR */
    const void *pj; /* lane 0 */
    size_t stride;
    const struct sum_cell *geom; /* [n] */
    int one_geom;                /* all steps: geom[0] */
    size_t n, from;              /* beta of steps from..n-1 is added to A */
    enum sum_form form;
    int tri, f64, ncomp; /* ncomp: 1, or all */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    int32_t mask[G4_LANES];                 /* nonzero: a pair */
    int weigh;                              /* use `factor` and `own` */
    const struct pair_function *function;   /* or NULL */
    int32_t start[G4_LANES];                /* first coefficient of the function */
    double factor[G4_LANES], own[G4_LANES]; /* factors_row */
    double *half[BETA_NCOMPONENTS][2];      /* out: [n][8] each */
    double *arow[BETA_NCOMPONENTS];         /* A of atom i, stride 16 */
    double *acol[BETA_NCOMPONENTS];         /* A of block J, stride 16 */
};

/* Holds the input of the kernels for neighbour lists (g4_lists.c). Positions are wrapped and stored
 * in rows of consecutive steps, [atom][x y z][stride]. The first `steps` elements of a row are
 * valid, and each row is padded to a multiple of 16. If `mesh` is set, the kernels add only the
 * short-range part of beta to A. */
struct g4_near {
    const void *rows;
    size_t stride, steps;
    const struct sum_cell *geom; /* [steps] */
    enum sum_form form;
    int one_geom, tri, f64, ncomp;
    const struct split *mesh; /* or NULL */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    const double *w;                      /* NULL: all 1 */
    const struct pair_function *function; /* or NULL */
};

struct g4 {
    struct g4_params p;
    struct err err;
    size_t natoms, npairs, nblocks; /* of 16 atoms */
    size_t ntiles;                  /* per PAIR component */
    size_t esize, step_bytes;       /* bytes */
    size_t lags, chunk;             /* chunk: time origins at once */
    size_t cap;                     /* steps in a full window */
    size_t have;                    /* steps in the window */
    uint64_t base, steps;           /* first step of the window, all steps so far */
    void *window;
    size_t nrows, per;              /* rows, elements per row */
    size_t row_stride, step_stride; /* in elements */
    struct sum_cell *geom;          /* [cap] */
    struct sum_memory memory;       /* of cells */
    struct box last;                /* previous cell */
    uint64_t boxes;                 /* cells so far, from 1 */
    int tri;
    double *a;     /* [ncomp][nblocks][cap][16] */
    size_t a_done; /* steps whose A is known */
    double *acc;   /* [ncomp][slots][G4_RUN][g4_acc_rows][8] */
    double *tile;  /* [threads][g4_scratch_doubles] */
    size_t slots;
    uint64_t tasks, warned; /* all tasks, finished tasks */
    struct pool *pool;
    struct g4_rounds rounds;
    struct g4_lists *lists; /* NULL: all pairs */
    struct g4_mesh *mesh;   /* NULL: no mesh */
    size_t places;          /* meshes in memory */
    struct stats_blocks blocks;
};

/* Returns the number of accumulators per sub-block of time origins (g4_factored.c). */
static inline size_t g4_acc_rows(const struct g4 *g)
{
    return g->lags + g->lags / 2 + 2;
}

/* Returns the number of components that are computed together for a tile of positions. The number
 * is BETA_NCOMPONENTS if all components are needed, because components share the powers of r, and
 * otherwise 1. */
static inline int g4_tile_comps(const struct g4 *g)
{
    int all = g->p.input == FRAME_POSN && g->p.ncomp == BETA_NCOMPONENTS;
    for (int k = 0; k < BETA_NCOMPONENTS; k++)
        all &= g->p.component[k] == k;
    return all ? BETA_NCOMPONENTS : 1;
}

/* Returns the scratch memory per thread as a number of doubles, for two half tiles per component
 * and one half tile of sums of adjacent steps. */
static inline size_t g4_scratch_doubles(const struct g4 *g)
{
    return (2 * (size_t)g4_tile_comps(g) + 1) * (g->cap + 4) * G4_HALF;
}

/* Returns the index k of the pair of blocks bi <= bj, so that the tile of atom il in block bi has
 * the index 16 k + il. */
static inline size_t g4_block_pair(const struct g4 *g, size_t bi, size_t bj)
{
    return bi * (2 * g->nblocks - bi + 1) / 2 + (bj - bi);
}

/* ---- g4_window.c ---- */

/* Copies n steps into the window, which must have room for n more steps. Returns 0 or -1. */
int g4_window_put(struct g4 *g, size_t n, const void *data, const struct box *box);
void g4_window_slide(struct g4 *g, size_t n);
/* Enlarges the window to `steps` steps for the method `fft`. Returns 0 or -1. */
int g4_window_grow(struct g4 *g, size_t steps);

/* Sets t to the tile of atom i and block bj, for n steps of the window from step `at` on. The tile
 * has the component `comp`, or all components. The caller must set t->half, t->arow and t->acol. */
void g4_tile_set(const struct g4 *g, int comp, int ncomp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t);

/* Returns the first step after the last time origin, or UINT64_MAX if all origins are used. With
 * neighbour lists, the engine processes whole windows, and later discards the blocks of other parts
 * of the run. */
uint64_t g4_last_origin(const struct g4 *g);
/* Counts one more finished task of the sums over n time origins, where n is 0 for the method `fft`.
 * Thread 0 also reports progress. */
void g4_tell(struct g4 *g, size_t n, int thread);

/* Sets an error that names the frame and the two atoms whose beta is not finite, and returns -1. */
int g4_report_nonfinite_step(struct g4 *g, size_t at);

/* Sum the products of the first n time origins of the window, and return 0 or -1. Steps after the
 * end of the window are treated as 0. */
int g4_factored_pass(struct g4 *g, size_t n);
int g4_direct_pass(struct g4 *g, size_t n);
/* Computes all lags from a window that holds the whole trajectory. Returns 0 or -1. */
int g4_fft_finish(struct g4 *g, size_t lags);

/* Return the memory in bytes that a method needs in addition to the window. */
double g4_factored_bytes(const struct g4 *g);
double g4_direct_bytes(const struct g4 *g);
double g4_fft_bytes(const struct g4 *g, uint64_t steps);

/* ---- g4_lists.c ---- */

/* Returns the offset of coordinate c of atom i from the start of a step of the window. */
static inline size_t g4_row(const struct g4 *g, size_t i, size_t c)
{
    return g->lists ? (3 * i + c) * g->row_stride
                    : i / G4_LANES * g->row_stride + c * G4_LANES + i % G4_LANES;
}

/* Creates g->lists if neighbour lists save time for steps like pos[natoms][3]. Returns 0, or -1 if
 * memory runs out. */
int g4_lists_choose(struct g4 *g, const void *pos, const struct box *box);
void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst);
/* Sorts the atoms in the first `span` steps of the window into cells. Returns 0 or -1. */
int g4_lists_begin(struct g4 *g, size_t span);
void g4_lists_kernel(const struct g4 *g, int comp, struct g4_near *t);
/* Sets *i to atom k in the order of the cells, and *near to a list of the neighbours of atom *i, in
 * the scratch memory of the thread. No atom occurs twice in the list. Returns the number of
 * neighbours, or SIZE_MAX if memory runs out. */
size_t g4_lists_near(const struct g4 *g, const struct g4_near *t, size_t k, int thread, size_t *i,
                     uint32_t **near);
size_t g4_lists_atom(const struct g4_lists *n, size_t k);
/* Returns the mean number of pairs in the neighbour lists of a window. */
double g4_lists_mean(const struct g4_lists *n);
double g4_lists_bytes(const struct g4 *g);
void g4_lists_free(struct g4_lists *n);

/* ---- g4_mesh.c ---- */

/* Creates g->mesh, whose number of points is estimated from `box`, the cell of the first step.
 * Returns 0 or -1. */
int g4_mesh_open(struct g4 *g, const struct box *box);
double g4_mesh_bytes(const struct g4 *g);
/* Sets A to the long-range part from the mesh for the steps `from` to span - 1 of the window.
 * Returns 0 or -1. */
int g4_mesh_pass(struct g4 *g, size_t from, size_t span);
void g4_mesh_free(struct g4_mesh *m);

/* ---- g4_lists_simd.c */

/* The kernels of g4_lists_simd.c process an atom i and a list near[n] of its neighbours. */

/* Removes from near[n] the neighbours that are out of range in every step, and returns the number
 * of neighbours that remain, in the same order. */
SIMD_DECLARE(size_t, g4_near_keep, (const struct g4_near *t, size_t i, uint32_t *near, size_t n));
/* Sums beta of component k over the neighbours, for the steps s >= from, and stores the sum in
 * a[k][16 s]. If a mesh is used, adds the short-range part of beta to a[k][16 s] instead. */
SIMD_DECLARE(void, g4_near_sum,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n, size_t from,
              double *const *a));
/* Computes beta of at most 8 neighbours for all steps, as one half tile [step][8] per component.
 * The steps are rounded up to a multiple of 16, so that later steps of a half tile may be
 * overwritten. */
SIMD_DECLARE(void, g4_near_fill,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n,
              double *const *half));

/* ---- g4_simd.c ---- */

/* Computes beta of a tile as two halves, and adds beta to A unless arow[0] is NULL. */
SIMD_DECLARE(void, g4_tile_fill, (const struct g4_tile *t));
/* Adds the sum over t < n of x[t][8] * y[t + l][8], in ascending order of t, to acc[l][8]. If
 * `every` is 2, only every second step of x and y is used. Set the flag `fused` if beta is f32.
 * Products of f32 numbers are exact, so that fused operations give the same bits. */
SIMD_DECLARE(void, g4_lags,
             (const double *x, const double *y, int every, size_t n, size_t lags, int fused,
              double *acc));
/* Computes u[k] = x[2k] + x[2k + 1] and v[k] = x[2k + 1] + x[2k + 2] for k < n. */
SIMD_DECLARE(void, g4_phases, (const double *x, size_t n, double *u, double *v));
/* Holds the indices i and j of the two atoms for 16 pairs. If fewer than 16 pairs remain, the
 * unused elements are i = j = 0, and beta is 0 for these elements. */
struct g4_atoms {
    int64_t i[G4_LANES], j[G4_LANES];
};
/* Adds the products of the pairs p and q over n steps of x and y, both of shape [n][16], to
 * out[G4_NFUNCTIONS][16]. The lanes of out[] correspond to the pairs q. The rows of out[] are the
 * sum of all products, and the sums for p and q with 2, 1 and 0 atoms in common. */
SIMD_DECLARE(void, g4_products,
             (const double *x, const double *y, size_t n, const struct g4_atoms *p,
              const struct g4_atoms *q, double *out));
/* Wraps pos[natoms][3] of one step, and stores the positions at the address `dst` of the window. */
SIMD_DECLARE(void, g4_store,
             (const struct g4 *g, const struct box *box, const void *pos, void *dst));
