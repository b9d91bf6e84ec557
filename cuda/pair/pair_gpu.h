/* SPDX-License-Identifier: MIT */
/* pair_gpu.h: computes beta of all pairs of atoms on a GPU, from positions (pair_gpu_beta.cuh), in
 * tables, with weights and from meshes. */
#pragma once

#include "base/gpu.h"
#include "pair/pair_gpu_beta.cuh"
#include "pair/pairs.h"

/* A list of tiles. A tile holds the pairs between two groups of 16 atoms, which come closer to each
 * other than the range of beta (g4_gpu_lists.cu). If `tile` is NULL, the list is the upper triangle
 * of all tiles. */
struct tile_list {
    const int2 *tile;              /* row and column of each tile */
    const int *entry;              /* off-diagonal tiles, sorted by column */
    const size_t *begin, *h_begin; /* [2][groups + 1], first tile per row, first entry per column */
    size_t groups, tiles;
};

/* Arguments of the kernels in pair_gpu_table.cu, which tabulate beta of ncomp tensor components. */
struct table_args {
    const void *src;   /* [rows / 4][ld][4] */
    void *out;         /* [ncomp][stride][4] */
    size_t ld, natoms; /* ld: columns per row */
    size_t stride;     /* vectors per component */
    int columns;       /* time steps of the table */
    enum sum_form form;
    double rc2; /* cutoff² of `mic` */
    float rc2_f;
    int ncomp;
    /* All cells are orthorhombic and share a fit of the Ewald sum that uses only the corners. */
    int corners;
    int degree[BETA_NCOMPONENTS]; /* degrees of the polynomials of the Ewald fit */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    float coef_f[BETA_NCOMPONENTS];
    const struct sum_cell *cell; /* [columns] */
    struct tile_list list;
    size_t first_tile;               /* set by table_make */
    const struct table_weigh *weigh; /* NULL: no weights */
    float poly[BETA_NCOMPONENTS]
              [(EWALD_CORNERS + 1) * (EWALD_CORNERS + 2) * (EWALD_CORNERS + 3) / 6];
};
/* Weights of beta in a table, for which the caller copies the factors to the GPU and sets perm[],
 * the index of the atom in each row, or NULL if row i is atom i. The function table_make sets all
 * other members. */
struct table_weigh {
    struct factors factors;
    const int *perm;
    const void *src;
    void *out;
    size_t ld, natoms, stride, first_tile;
    int columns, ncomp, component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    const struct sum_cell *cell;
    struct tile_list list;
    struct beta_function function;
};
/* The function weigh_bytes returns the size of the factors f on a GPU in bytes, and weigh_copy
 * copies them to the device address d, sets *view to the copy, and returns 0 or, on failure, -1. */
size_t weigh_bytes(const struct factors *f);
int weigh_copy(struct err *e, const struct factors *f, void *d, struct factors *view);
/* Returns the factors at the device address d, or NULL if d is NULL. */
const struct factors *weigh_view(const struct factors *f, const void *d);
/* Returns whether kernels can compute the pair function of f together with beta, which requires
 * that all factors are 1. If weigh_only_function returns true, weigh_function sets *to for the rows
 * perm[] of struct table_weigh. */
int weigh_only_function(const struct factors *f);
void weigh_function(const struct factors *view, const int *perm, struct beta_function *to);
size_t table_values(size_t ld); /* per component and tile */
const void *table_of(const struct table_args *a, int is64, int c);
int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream);

/* The simulation cells of the columns of a window, initially all zero. */
struct g4_cells {
    struct sum_cell *h, *d; /* [capacity] */
    int cell;               /* enum g4_cell */
    size_t n;               /* records in use */
    struct sum_memory memory;
    /* set by the caller */
    struct pairs p;
    int weighed;                   /* use the factors */
    const struct factors *factors; /* result of weigh_view */
    /* [nfits] fits of the Ewald sum, whose references must be released. */
    struct ewald_fit **fit;
    size_t nfits, fits_room, poly_room;
    void *d_poly; /* polynomials of the fits */
};
/* Stores the cells of n time steps in c->h, starting with time step `first`, and copies the
 * polynomials of the Ewald fits to the GPU. Entries after the n-th repeat the last cell up to the
 * capacity. No kernel that is still running may use the previous polynomials. The caller then
 * copies c->n entries from c->h to c->d. If all cells are equal (G4_IS_FIXED) and `each` is not
 * set, c->n is 1. Returns 0 or -1. */
int cells_make(struct err *e, struct g4_cells *c, const struct box *box, uint64_t first, size_t n,
               size_t capacity, int each);
void cells_free(struct g4_cells *c); /* keeps h and d */
/* The function cells_beta sets the arguments of beta for tensor component `comp`, and cells_table
 * sets all arguments of a table except the address of the table. */
void cells_beta(const struct g4_cells *c, int comp, struct beta_args *b);
void cells_table(const struct g4_cells *c, struct table_args *t);

/* Arguments of the kernels that use the meshes (mesh_gpu.h) of a batch of columns. */
struct mesh_args {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld, rows;
    const struct sum_cell *cell; /* [cols], [1] if fixed */
    const int *which, *column;
    int fixed, first, count; /* columns of the batch */
    int n[3], pitch;         /* pitch in doubles */
    size_t values;           /* values per mesh */
    double *mesh, *back;
    double one;             /* value on the mesh, a power of 2, of the weight 1 */
    const void *raw;        /* [cols][step], input */
    const int *perm;        /* -1: empty row */
    struct factors factors; /* All factors are 1 if factors.natoms is 0. */
    size_t step, group;     /* group on the mesh */
    const double *axis, *images;
    double *self, *part, *atoms; /* [ncomp][rows + 1][ld] */
    int ncomp, component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    struct split plan;
    struct tile_list list;
    beta_args beta;
};
/* Adds the short-range part of the pairs in a->list to a->atoms for all columns. */
int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream);
/* Subtracts the listed pairs of atoms (factors.h) from a->atoms. */
int short_range_listed(struct err *e, const struct mesh_args *a, int is64, int cols,
                       cudaStream_t stream);
/* Computes a->self, the interaction of an atom with itself, once for each distinct cell. */
int waves_self(struct err *e, const struct mesh_args *a, cudaStream_t stream);
#define WAVES_PARTS 64 /* of a->part per column */
/* Multiplies the mesh a->mesh by the Fourier weights of the tensor component a->component[c], and
 * stores the product in a->back. */
int waves_filter(struct err *e, const struct mesh_args *a, int c, cudaStream_t stream);
