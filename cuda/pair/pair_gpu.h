/* SPDX-License-Identifier: MIT */
/* pair_gpu.h: computes beta on a device, from positions (pair_gpu_beta.cuh), in tables, with
 * weights and from meshes. The engines of g4 then compute the lag products. */
#pragma once

#include "base/gpu.h"
#include "pair/pair_gpu_beta.cuh"
#include "pair/pairs.h"

/* A list of tiles, row by row. A tile contains the pairs between two groups of 16 atoms that come
 * closer to each other than the range of beta (g4_gpu_lists.cu). If `tile` is NULL, the list is the
 * upper triangle of all tiles. */
struct tile_list {
    const int2 *tile; /* row and column of each tile of the list */
    const int *entry; /* the same tiles sorted by column, without the diagonal tiles */
    const size_t *begin,
        *h_begin; /* Position in the list of the first tile of each row, and first entry of each
                   * column, [2][groups + 1]. */
    size_t groups, tiles;
};

/* Arguments for computing tables of beta for ncomp components at once (pair_gpu_table.cu). */
struct table_args {
    const void *src;   /* [rows / 4][ld][4] */
    void *out;         /* [ncomp][stride][4] */
    size_t ld, natoms; /* ld: columns per row */
    size_t stride;     /* vectors per component */
    int columns;       /* number of columns (steps) of the table to fill */
    enum sum_form form;
    double rc2; /* square of the finite cutoff of the sum `mic` */
    float rc2_f;
    int ncomp;
    /* whether all cells are orthorhombic and share a fit of the Ewald sum that uses only the
     * corners */
    int corners;
    int degree[BETA_NCOMPONENTS]; /* degree of the polynomials in the fit of the Ewald sum */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    float coef_f[BETA_NCOMPONENTS];
    const struct sum_cell *cell; /* [columns] */
    struct tile_list list;
    size_t first_tile;               /* set by table_make */
    const struct table_weigh *weigh; /* weights of the atoms, or NULL without weights */
    float poly[BETA_NCOMPONENTS]
              [(EWALD_CORNERS + 1) * (EWALD_CORNERS + 2) * (EWALD_CORNERS + 3) / 6];
};
/* Weights of beta in a table, by atom. The caller stores the factors on the device and sets perm[],
 * the number of the atom in each row. If `perm` is NULL, row i is atom i. The function table_make
 * sets the other members. */
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
/* The function weigh_bytes returns the size of f on a device in bytes, and weigh_copy copies f to
 * the device address d, sets *view to f with pointers to the copy, and returns 0 or, on failure,
 * -1. */
size_t weigh_bytes(const struct factors *f);
int weigh_copy(struct err *e, const struct factors *f, void *d, struct factors *view);
/* Returns the factors that are stored at the device address d, or NULL if d is NULL. */
const struct factors *weigh_view(const struct factors *f, const void *d);
/* The function weigh_only_function returns whether kernels can compute the pair function of f with
 * beta, because all factors are 1. In this case, weigh_function sets *to from the view of f and
 * from perm[] (struct table_weigh). */
int weigh_only_function(const struct factors *f);
void weigh_function(const struct factors *view, const int *perm, struct beta_function *to);
size_t table_values(size_t ld); /* number of values per component in one tile of pairs */
const void *table_of(const struct table_args *a, int is64, int c);
int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream);

/* The simulation cells for the columns of a window. All members of this struct must initially be
 * zero. */
struct g4_cells {
    struct sum_cell *h, *d; /* arrays [capacity] of the cells, on the host and on the device */
    int cell;               /* enum g4_cell */
    size_t n;               /* number of records needed */
    struct sum_memory memory;
    /* set by the caller */
    struct pairs p;
    int weighed;                   /* whether to multiply beta by the factors */
    const struct factors *factors; /* result of weigh_view */
    /* fits of the Ewald sum [nfits], each with a reference that must be released */
    struct ewald_fit **fit;
    size_t nfits, fits_room, poly_room;
    void *d_poly; /* polynomials of the fits, on the device */
};
/* Computes the records c->h of the cells of n columns. Column 0 holds the step with the index
 * `first`. The records from n to the capacity repeat the last record as padding. The function also
 * copies polynomials to the current device. No running kernel on this device may still use the
 * previous polynomials. The caller then copies c->n records from c->h to c->d. If all columns have
 * the same cell (G4_IS_FIXED) and `each` is not set, there is only one record, so c->n is 1.
 * Returns 0 or -1. */
int cells_make(struct err *e, struct g4_cells *c, const struct box *box, uint64_t first, size_t n,
               size_t capacity, int each);
void cells_free(struct g4_cells *c); /* does not free h and d */
/* The function cells_beta sets the arguments of beta for the component `comp`. The function
 * cells_table sets all arguments of a table except the address of the table. */
void cells_beta(const struct g4_cells *c, int comp, struct beta_args *b);
void cells_table(const struct g4_cells *c, struct table_args *t);

/* The meshes (mesh_gpu.h) of a batch of columns are stored one after another. */

/* Arguments of the kernels that use the mesh. */
struct mesh_args {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld, rows;
    const struct sum_cell *cell; /* [cols], or one if fixed */
    const int *which, *column;
    int fixed, first, count; /* columns of the batch */
    int n[3], pitch;         /* pitch in real numbers */
    size_t values;           /* values per mesh */
    double *mesh, *back;
    double one;             /* value on the mesh, a power of 2, that represents the weight 1 */
    const void *raw;        /* [cols][step], input */
    const int *perm;        /* number of the atom in each row, or -1 for an empty row */
    struct factors factors; /* factors on the device; if the member factors.natoms is 0, all factors
                             * are 1 */
    size_t step, group;     /* group on the mesh */
    const double *axis, *images;
    double *self, *part, *atoms; /* [ncomp][rows + 1][ld] */
    int ncomp, component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    struct split plan;
    struct tile_list list;
    beta_args beta;
};
/* Adds the short-range parts of the tiles in a->list to a->atoms, for all columns. The argument
 * `cell` is a value of enum g4_cell. */
int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream);
/* Subtracts the pairs listed in the factors (factors.h) from a->atoms. */
int short_range_listed(struct err *e, const struct mesh_args *a, int is64, int cols,
                       cudaStream_t stream);
/* Computes the array a->self of a batch, once for each distinct cell. */
int waves_self(struct err *e, const struct mesh_args *a, cudaStream_t stream);
#define WAVES_PARTS 64 /* number of rows of a->part per column */
/* Sets the mesh a->back to the mesh a->mesh times the weights of the component a->component[c]. */
int waves_filter(struct err *e, const struct mesh_args *a, int c, cudaStream_t stream);
