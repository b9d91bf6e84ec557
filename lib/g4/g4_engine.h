/* SPDX-License-Identifier: MIT */
/*
 * g4_engine.h: what the files of the CPU engine (g4_cpu.c) share. Not for tools.
 *
 * Atoms come in blocks of 16. A window of consecutive steps is kept as
 *   POSN: [atom block][step][x y z][16] positions wrapped into the cell of their step (factored,
 *     direct), or, where the pairs come from lists, [atom][x y z][step]
 *   PAIR: [component][tile][step][16], tile = (block pair I <= J, atom il of I), its lanes the
 *     atoms of J
 * or with the step outermost (fft, whose window is the whole trajectory and grows). Lanes that are
 * no pair (j <= i or j >= N) hold 0. A tile of beta is always used as two halves [step][8] in
 * double: the unit of all SIMD work, whatever the registers of the level are, so that every level
 * adds in the same order.
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
#define G4_RUN 32 /* sub-blocks of origins in one pass at most: bounds the accumulators */

/* One tile for the kernels. Strides count elements from one step to the next. */
struct g4_tile {
    const void *pi; /* POSN: x of atom i at the first step (y, z follow at +16, +32); PAIR: NULL */
    const void *pj; /* POSN: x of block J's lane 0; PAIR: the pair lanes */
    size_t stride;
    const struct sum_cell *geom; /* [n] */
    int one_geom;                /* every step has the first one */
    size_t n, from;              /* steps; A is added to from this one on */
    enum sum_form form;
    int tri, f64, ncomp; /* ncomp: 1 or, of positions, all */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    int32_t mask[G4_LANES]; /* lane is a pair */
    int weigh;              /* beta is multiplied by factor, own images come on top */
    double factor[G4_LANES], own[G4_LANES]; /* factors_row */
    double *half[BETA_NCOMPONENTS][2];      /* out: [n][8] each */
    double *arow[BETA_NCOMPONENTS]; /* A of atom i and of block J, stride 16; arow[0] NULL: not */
    double *acol[BETA_NCOMPONENTS]; /* wanted */
};

/*
 * What the kernels of lists (g4_lists.c) need: rows of positions [atom][x y z][stride], steps side
 * by side, wrapped into the cell of their step; `steps` of them are there, and the row goes on to
 * the next multiple of 16.
 */
struct g4_near {
    const void *rows;
    size_t stride, steps;
    const struct sum_cell *geom; /* [steps] */
    enum sum_form form;
    int one_geom, tri, f64, ncomp;
    const struct mesh
        *mesh; /* A is its near part, added to what is there; NULL: A is all of beta */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    const double *w; /* weights of the atoms; NULL: 1 */
};

struct g4 {
    struct g4_params p;
    struct err err;
    size_t natoms, npairs, nblocks; /* blocks of 16 atoms */
    size_t ntiles;                  /* tiles of a PAIR step and component */
    size_t esize, step_bytes;       /* bytes of one element of the window, of a step as it comes */
    size_t lags, chunk;             /* chunk: origins of one pass at most */
    size_t cap;                     /* steps that the window holds */
    size_t have;                    /* steps in it */
    uint64_t base, steps;           /* number of its first step; steps seen in all */
    void *window;
    size_t nrows, per;              /* blocks (POSN) or tiles (PAIR), elements of a step in one */
    size_t row_stride, step_stride; /* elements between rows, and between steps of a row */
    struct sum_cell *geom;          /* [cap] */
    struct sum_memory memory;       /* of cells */
    struct box last;                /* cell that came last */
    uint64_t boxes;                 /* different cells so far, each when it came */
    int tri;
    double *a;     /* [ncomp][nblocks][cap][16] A_i(t) of the window (factored) */
    size_t a_done; /* steps of the window whose A is known */
    double *acc;   /* [ncomp][slots][G4_RUN][g4_acc_rows][8] (factored) */
    double *tile;  /* [threads][g4_scratch_doubles] */
    size_t slots;
    uint64_t tasks, told; /* of the pass at hand, and those that are done (g4_tell) */
    struct pool *pool;
    struct g4_rounds rounds; /* its scratch */
    struct g4_lists *lists;  /* NULL: all pairs */
    struct g4_mesh *mesh;    /* NULL: none; else lists, too */
    size_t places;           /* meshes side by side */
    struct stats_blocks blocks;
};

/* Accumulators of one run of origins: see g4_factored.c. */
static inline size_t g4_acc_rows(const struct g4 *g)
{
    return g->lags + g->lags / 2 + 2;
}

/* Components of positions that one tile is filled with: all, which share r and r⁻⁵, or one. */
static inline int g4_tile_comps(const struct g4 *g)
{
    int all = g->p.input == FRAME_POSN && g->p.ncomp == BETA_NCOMPONENTS;
    for (int k = 0; k < BETA_NCOMPONENTS; k++)
        all &= g->p.component[k] == k;
    return all ? BETA_NCOMPONENTS : 1;
}

/* Scratch of a thread: two halves of a tile a component, and the sums of neighbours of one. */
static inline size_t g4_scratch_doubles(const struct g4 *g)
{
    return (2 * (size_t)g4_tile_comps(g) + 1) * (g->cap + 4) * G4_HALF;
}

/* Index of block pair I <= J; position of tile (bp, il) is 16 bp + il. */
static inline size_t g4_block_pair(const struct g4 *g, size_t bi, size_t bj)
{
    return bi * (2 * g->nblocks - bi + 1) / 2 + (bj - bi);
}

/* ---- g4_window.c ---- */

/* Steps into the window; there is room. 0 or -1. */
int g4_window_put(struct g4 *g, size_t n, const void *data, const struct box *box);
/* The first n steps of the window are done with. */
void g4_window_slide(struct g4 *g, size_t n);
/* fft: room for so many steps. 0 or -1. */
int g4_window_grow(struct g4 *g, size_t steps);

/* Describe the tile of atom i and block bj for ncomp components from comp on (all, or one), n steps
 * from window step `at`; halves and A are the caller's. */
void g4_tile_set(const struct g4 *g, int comp, int ncomp, size_t i, size_t bj, size_t at, size_t n,
                 struct g4_tile *t);

/* Behind the last origin that counts, or UINT64_MAX. Lists take whole passes, and drop blocks of
 * others at the end. */
uint64_t g4_last_origin(const struct g4 *g);
/* One of the g->tasks of a pass of n origins is done: progress, from thread 0. fft: n is 0. */
void g4_tell(struct g4 *g, size_t n, int thread);

/* Step `at` of the window holds a beta that is not finite: name the frame and the atoms. -1. */
int g4_blame_step(struct g4 *g, size_t at);

/* ---- methods ---- */

/* Products of origins [base, base + n) of the window; steps after `have` count as zero. 0 or -1. */
int g4_factored_pass(struct g4 *g, size_t n);
int g4_direct_pass(struct g4 *g, size_t n);
/* All lags of the whole trajectory in the window. 0 or -1. */
int g4_fft_finish(struct g4 *g, size_t lags);

/* Bytes besides the window that a method needs. */
double g4_factored_bytes(const struct g4 *g);
double g4_direct_bytes(const struct g4 *g);
double g4_fft_bytes(const struct g4 *g, uint64_t steps);

/* ---- lists, g4_lists.c ---- */

/* Positions in step `at` of the window: element c of atom i stands at g4_row(g, i, c) from there. */
static inline size_t g4_row(const struct g4 *g, size_t i, size_t c)
{
    return g->lists ? (3 * i + c) * g->row_stride
                    : i / G4_LANES * g->row_stride + c * G4_LANES + i % G4_LANES;
}

/* Do lists pay for steps like this one (g4_push)? Then g->lists. 0, or -1: out of memory. */
int g4_lists_choose(struct g4 *g, const void *pos, const struct box *box);
/* A step of positions pos[natoms][3] into the window at dst. */
void g4_lists_store(const struct g4 *g, const struct box *box, const void *pos, void *dst);
/* The atoms of the window's first `span` steps into cells. 0 or -1. */
int g4_lists_begin(struct g4 *g, size_t span);
void g4_lists_kernel(const struct g4 *g, int comp, struct g4_near *t);
/* Atom at place k of the cells' order, and its neighbours, each once, in *near (scratch of the
 * thread). SIZE_MAX: out of memory. */
size_t g4_lists_near(const struct g4 *g, const struct g4_near *t, size_t k, int thread, size_t *i,
                     uint32_t **near);
/* Atom at place k of the cells' order. */
size_t g4_lists_atom(const struct g4_lists *n, size_t k);
/* Pairs of a window, their mean. */
double g4_lists_mean(const struct g4_lists *n);
double g4_lists_bytes(const struct g4 *g);
void g4_lists_free(struct g4_lists *n);

/* ---- the mesh of sum ewald beside lists, g4_mesh.c ---- */

/* For cells of about this size: g->mesh. 0 or -1. */
int g4_mesh_open(struct g4 *g, const struct box *box);
/* Bytes with g->places meshes side by side. */
double g4_mesh_bytes(const struct g4 *g);
/* A of steps [from, span) of the window becomes the mesh's part of it. 0 or -1. */
int g4_mesh_pass(struct g4 *g, size_t from, size_t span);
void g4_mesh_free(struct g4_mesh *m);

/* ---- kernels, g4_mesh_simd.c ---- */

/* A step of the window, and a mesh [n0][n1][pitch] for its cell, pitch >= n2 + G4_MESH_MORE. */
#define G4_MESH_MORE 12
struct g4_on_mesh {
    const struct g4 *g;
    size_t step, pitch, group; /* group: whose charges (factors.h); 0: of all atoms */
    const struct box *cell;
    int n[3];
    double *mesh;
};
/* All atoms onto the mesh; columns behind n2 are those from 0 on again, to be added. */
SIMD_DECLARE(void, g4_mesh_spread, (const struct g4_on_mesh *m));
/* a[i's place] = factor (value of the mesh at atom i - self[0]) for the atoms of the group, with
 * their weights, self[1] being Q_self; group 0 clears others. Columns behind n2 repeat those from 0
 * on. a: A of a component at its step, as in g->a. */
SIMD_DECLARE(void, g4_mesh_gather,
             (const struct g4_on_mesh *m, double factor, const double self[2], double *a));

/* ---- kernels, g4_lists_simd.c: atom i, n neighbours near[n] ---- */

/* Those that are in reach in any step, in their order, to the front; how many. */
SIMD_DECLARE(size_t, g4_near_keep, (const struct g4_near *t, size_t i, uint32_t *near, size_t n));
/* a[k][16 s] = sum of beta of component k over the neighbours, steps s >= from; with a mesh += that
 * of the near part. */
SIMD_DECLARE(void, g4_near_sum,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n, size_t from,
              double *const *a));
/* beta of at most 8 neighbours as a half tile a component, half[k][step][8], all steps; it may write
 * to the next multiple of 16. */
SIMD_DECLARE(void, g4_near_fill,
             (const struct g4_near *t, size_t i, const uint32_t *near, size_t n,
              double *const *half));

/* ---- kernels, g4_simd.c ---- */

/* beta of a tile, as halves; adds to A where wanted. */
SIMD_DECLARE(void, g4_tile_fill, (const struct g4_tile *t));
/*
 * acc[l][8] += sum over t < n of x[t][8] * y[t + l][8], t ascending; every: 1, or 2 for every
 * second step of x and y. fused: the products are exact (f32 beta), so that a fused operation gives
 * the same bits.
 */
SIMD_DECLARE(void, g4_lags,
             (const double *x, const double *y, int every, size_t n, size_t lags, int fused,
              double *acc));
/* u[k] = x[2k] + x[2k + 1], v[k] = x[2k + 1] + x[2k + 2], k < n. */
SIMD_DECLARE(void, g4_phases, (const double *x, size_t n, double *u, double *v));
/* Atoms of 16 pairs; all zero where there is no pair (its beta is 0). */
struct g4_atoms {
    int64_t i[G4_LANES], j[G4_LANES];
};
/*
 * Products of pairs p and q over n steps, x and y [n][16]: out[G4_NFUNCTIONS][16] (lanes: q) += all
 * of them, and those of pairs that share 2, 1 and 0 atoms.
 */
SIMD_DECLARE(void, g4_products,
             (const double *x, const double *y, size_t n, const struct g4_atoms *p,
              const struct g4_atoms *q, double *out));
/* One step of positions pos[natoms][3] into the window, wrapped: dst is its block 0. */
SIMD_DECLARE(void, g4_store,
             (const struct g4 *g, const struct box *box, const void *pos, void *dst));

#ifdef __cplusplus
}
#endif
#endif
