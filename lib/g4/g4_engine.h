/* SPDX-License-Identifier: MIT */
/* g4_engine.h: declarations shared by the source files of the CPU engine (g4_cpu.c).
 *
 * Atoms are grouped in blocks of 16. A window of consecutive steps has the layout
 *     [atom block][step][x y z][16] for positions,
 *     [atom][x y z][step] for positions with lists, and
 *     [component][tile][step][16] for pairs.
 * Positions are wrapped into the cell of their step. A tile consists of one atom of block I and the
 * 16 atoms of a block J >= I, which are the lanes of the tile. With the method `fft`, the step is
 * the first index, and the window grows to the whole trajectory. Lanes that contain no pair (j <= i
 * or j >= N) are 0. A tile of beta consists of two halves, each with the shape [step][8] in double
 * precision. All SIMD levels process one half at a time, and therefore add in the same order. */
#pragma once

#include "base/simd.h"
#include "g4/g4.h"
#include "g4/g4_lists.h"
#include "g4/g4_result.h"
#include "g4/g4_rounds.h"

#define G4_LANES 16
#define G4_HALF 8
#define G4_RUN 32 /* sub-blocks per pass */

/* Arguments of the kernels for one tile. Strides are the numbers of elements between successive
 * steps. If the input consists of positions, pi points to the x coordinate of atom i at the first
 * step, and pj to the x coordinate of lane 0 of block J. The coordinates y and z follow 16 and 32
 * elements later. If the input consists of pairs, pi is NULL, and pj points to the lanes of the
 * tile. */
struct g4_tile {
    const void *pi; /* NULL for PAIR */
    const void *pj; /* lane 0 */
    size_t stride;
    const struct sum_cell *geom; /* [n] */
    int one_geom;                /* whether all steps have the same cell, geom[0] */
    size_t n, from;              /* number of steps, and index of the first step in A */
    enum sum_form form;
    int tri, f64, ncomp; /* ncomp: 1, or all */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    int32_t mask[G4_LANES];                 /* whether each lane contains a pair */
    int weigh;                              /* whether beta is multiplied by `factor` and `own` */
    const struct pair_function *function;   /* or NULL */
    int32_t start[G4_LANES];                /* index of the start of the function for the pair in
                                             * each lane */
    double factor[G4_LANES], own[G4_LANES]; /* factors_row */
    double *half[BETA_NCOMPONENTS][2];      /* out: [n][8] each */
    double *arow[BETA_NCOMPONENTS];         /* A of atom i, stride 16 */
    double *acol[BETA_NCOMPONENTS];         /* A of block J, stride 16 */
};

/* Input of the kernels for neighbour lists (g4_lists.c). Positions are wrapped and stored in rows
 * of consecutive steps, [atom][x y z][stride]. The first `steps` elements of a row are valid, and
 * each row is padded to a multiple of 16. If `mesh` is set, the kernels add only the short-range
 * part of beta to A. */
struct g4_near {
    const void *rows;
    size_t stride, steps;
    const struct sum_cell *geom; /* [steps] */
    enum sum_form form;
    int one_geom, tri, f64, ncomp;
    const struct split *mesh; /* or NULL */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    const double *w;                      /* weights of the pairs, or NULL if all weights are 1 */
    const struct pair_function *function; /* or NULL */
};

struct g4 {
    struct g4_params p;
    struct err err;
    size_t natoms, npairs, nblocks; /* blocks of 16 atoms */
    size_t ntiles;                  /* per PAIR component */
    size_t esize, step_bytes;       /* size of an element and size of a step, in bytes */
    size_t lags, chunk;             /* chunk: origins per pass */
    size_t cap;                     /* number of steps that fit into the window */
    size_t have;                    /* number of steps that are in the window */
    uint64_t base, steps;           /* index of the first step in the window, and number of all
                                     * steps so far */
    void *window;
    size_t nrows, per;              /* number of rows, and number of elements in a row */
    size_t row_stride, step_stride; /* in elements */
    struct sum_cell *geom;          /* [cap] */
    struct sum_memory memory;       /* of cells */
    struct box last;                /* previous cell */
    uint64_t boxes;                 /* number of cells so far, counted from 1 */
    int tri;
    double *a;     /* [ncomp][nblocks][cap][16] */
    size_t a_done; /* number of steps for which A is known */
    double *acc;   /* [ncomp][slots][G4_RUN][g4_acc_rows][8] */
    double *tile;  /* [threads][g4_scratch_doubles] */
    size_t slots;
    uint64_t tasks, warned; /* number of tasks, and number of tasks that are done */
    struct pool *pool;
    struct g4_rounds rounds; /* its scratch */
    struct g4_lists *lists;  /* NULL: all pairs */
    struct g4_mesh *mesh;    /* NULL: no mesh */
    size_t places;           /* number of meshes */
    struct stats_blocks blocks;
};

/* Returns the number of accumulators for one sub-block of time origins (see g4_factored.c). */
static inline size_t g4_acc_rows(const struct g4 *g)
{
    return g->lags + g->lags / 2 + 2;
}

/* Returns the number of components that are computed together for a tile of positions. If the run
 * needs all components, they are computed together, because they share the powers of r. If the run
 * needs only one component, the result is 1. */
static inline int g4_tile_comps(const struct g4 *g)
{
    int all = g->p.input == FRAME_POSN && g->p.ncomp == BETA_NCOMPONENTS;
    for (int k = 0; k < BETA_NCOMPONENTS; k++)
        all &= g->p.component[k] == k;
    return all ? BETA_NCOMPONENTS : 1;
}

/* Returns the amount of scratch memory per thread, as a number of doubles. The scratch memory holds
 * two half tiles per component and one half tile of sums of adjacent steps. */
static inline size_t g4_scratch_doubles(const struct g4 *g)
{
    return (2 * (size_t)g4_tile_comps(g) + 1) * (g->cap + 4) * G4_HALF;
}

/* Returns the index k of the pair of blocks bi <= bj. The tile of atom number il in block bi has
 * the index 16 k + il. */
static inline size_t g4_block_pair(const struct g4 *g, size_t bi, size_t bj)
{
    return bi * (2 * g->nblocks - bi + 1) / 2 + (bj - bi);
}

/* ---- g4_window.c ---- */

/* Copies n steps into the window, which must be large enough. Returns 0 or -1. */
int g4_window_put(struct g4 *g, size_t n, const void *data, const struct box *box);
/* Removes the first n steps from the window. */
void g4_window_slide(struct g4 *g, size_t n);
/* For the method `fft`, enlarges the window to the given number of steps. Returns 0 or -1. */
int g4_window_grow(struct g4 *g, size_t steps);

/* Sets t to the tile of atom i and block bj, for n steps of the window from step `at` on. The tile
 * has the component `comp`, or all components. The caller sets the members `half`, `arow` and
 * `acol` of the tile. */
void g4_tile_set(const struct g4 *g, int comp, int ncomp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t);

/* Returns the number of the first step after the time origins to be used, or UINT64_MAX if all
 * origins are used. With neighbour lists, the engine processes whole passes, and discards the
 * blocks of other parts of the run at the end. */
uint64_t g4_last_origin(const struct g4 *g);
/* Records that one task of a pass of n time origins is done. For the method `fft`, n is 0. Thread 0
 * also reports progress. */
void g4_tell(struct g4 *g, size_t n, int thread);

/* Sets an error that names the frame and the two atoms whose beta is not finite. Returns -1. */
int g4_report_nonfinite_step(struct g4 *g, size_t at);

/* ---- methods ---- */

/* The following functions sum the products of the first n time origins of the window. Steps after
 * the end of the window are treated as 0. They return 0 or -1. */
int g4_factored_pass(struct g4 *g, size_t n);
int g4_direct_pass(struct g4 *g, size_t n);
/* Computes all lags from the window, which holds the whole trajectory. Returns 0 or -1. */
int g4_fft_finish(struct g4 *g, size_t lags);

/* The following functions return the memory in bytes that a method needs, without the window. */
double g4_factored_bytes(const struct g4 *g);
double g4_direct_bytes(const struct g4 *g);
double g4_fft_bytes(const struct g4 *g, uint64_t steps);

/* ---- g4_lists.c ---- */

/* Returns the offset of coordinate c of atom i, relative to the start of a step of the window. */
static inline size_t g4_row(const struct g4 *g, size_t i, size_t c)
{
    return g->lists ? (3 * i + c) * g->row_stride
                    : i / G4_LANES * g->row_stride + c * G4_LANES + i % G4_LANES;
}

/* Decides whether neighbour lists save time for steps like the given step. If lists save time,
 * creates g->lists. Returns 0, or -1 if memory runs out. */
int g4_lists_choose(struct g4 *g, const void *pos, const struct box *box);
/* Stores the positions pos[natoms][3] of one step in the window, at the address `dst`. */
void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst);
/* Sorts the atoms in the first `span` steps of the window into cells. Returns 0 or -1. */
int g4_lists_begin(struct g4 *g, size_t span);
void g4_lists_kernel(const struct g4 *g, int comp, struct g4_near *t);
/* Sets *i to the atom with the number k in the order of the cells. Sets *near to a list of the
 * neighbours of this atom, each once, in the scratch memory of the thread. Returns the number of
 * neighbours, or SIZE_MAX if memory runs out. */
size_t g4_lists_near(const struct g4 *g, const struct g4_near *t, size_t k, int thread, size_t *i,
                     uint32_t **near);
/* Returns the atom with the number k in the order of the cells. */
size_t g4_lists_atom(const struct g4_lists *n, size_t k);
/* Returns the mean number of pairs in the lists of a window. */
double g4_lists_mean(const struct g4_lists *n);
double g4_lists_bytes(const struct g4 *g);
void g4_lists_free(struct g4_lists *n);

/* ---- g4_mesh.c ---- */

/* Creates g->mesh. The argument `box` is the cell of the first step, from which the number of mesh
 * points is estimated. Returns 0 or -1. */
int g4_mesh_open(struct g4 *g, const struct box *box);
/* Returns the memory for g->places meshes, in bytes. */
double g4_mesh_bytes(const struct g4 *g);
/* Sets A to the long-range part from the mesh, for the steps `from` to span - 1 of the window.
 * Returns 0 or -1. */
int g4_mesh_pass(struct g4 *g, size_t from, size_t span);
void g4_mesh_free(struct g4_mesh *m);

/* ---- g4_lists_simd.c */

/* The kernels of g4_lists_simd.c process an atom i and its n neighbours near[n]. */

/* Removes the neighbours that are out of range in every step, without changing the order of the
 * other neighbours. Returns the number of neighbours that remain. */
SIMD_DECLARE(size_t, g4_near_keep, (const struct g4_near *t, size_t i, uint32_t *near, size_t n));
/* Sums beta of component k over the neighbours, for the steps s >= from, and stores the sum in
 * a[k][16 s]. If a mesh is used, adds the sum of the short-range part to a[k][16 s] instead. */
SIMD_DECLARE(void, g4_near_sum,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n, size_t from,
              double *const *a));
/* Computes beta of at most 8 neighbours for all steps, as one half tile [step][8] per component.
 * The function may write beyond the last step, up to the next multiple of 16 steps. */
SIMD_DECLARE(void, g4_near_fill,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n,
              double *const *half));

/* ---- g4_simd.c ---- */

/* Computes beta of a tile as two halves, and adds beta to A unless arow[0] is NULL. */
SIMD_DECLARE(void, g4_tile_fill, (const struct g4_tile *t));
/* Adds the sum over t < n of x[t][8] * y[t + l][8], in ascending order of t, to acc[l][8]. The
 * argument `every` is 1, or 2 to use only every second step of x and y. Set the flag `fused` if
 * beta is f32. The products of f32 numbers are exact, so that fused operations give the same
 * bits. */
SIMD_DECLARE(void, g4_lags,
             (const double *x, const double *y, int every, size_t n, size_t lags, int fused,
              double *acc));
/* Computes u[k] = x[2k] + x[2k + 1] and v[k] = x[2k + 1] + x[2k + 2] for k < n. */
SIMD_DECLARE(void, g4_phases, (const double *x, size_t n, double *u, double *v));
/* The numbers of the atoms i and j in each of 16 pairs. For a lane without a pair, i, j and beta
 * are 0. */
struct g4_atoms {
    int64_t i[G4_LANES], j[G4_LANES];
};
/* Adds the products of the pairs p and q over n steps of x and y, both of shape [n][16], to
 * out[G4_NFUNCTIONS][16]. The lanes of out[] correspond to the pairs q. The rows of out[] are the
 * sum of all products, and the sums over pairs that share 2, 1 and 0 atoms. */
SIMD_DECLARE(void, g4_products,
             (const double *x, const double *y, size_t n, const struct g4_atoms *p,
              const struct g4_atoms *q, double *out));
/* Wraps the positions pos[natoms][3] of one step, and stores them in the window at the address
 * `dst`. */
SIMD_DECLARE(void, g4_store,
             (const struct g4 *g, const struct box *box, const void *pos, void *dst));
