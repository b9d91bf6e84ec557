/* SPDX-License-Identifier: MIT */
/*
 * pair_gpu.h: pair tensors on a device: beta from positions (pair_gpu_beta.cuh), the cells of
 * columns, tables of beta, weights, and the parts of a mesh. Products over lags belong to the
 * engines (cuda/g4) that use this module.
 */
#ifndef MBF_PAIR_GPU_H
#define MBF_PAIR_GPU_H

#include "base/gpu.h"
#include "pair/pair_gpu_beta.cuh"
#include "pair/pairs.h"

/* Tiles of pairs between groups of 16 atoms that come in reach, row by row (g4_gpu_lists.cu). tile
 * NULL: the whole upper triangle. */
struct tile_list {
    const int2 *tile; /* row, column */
    const int *entry; /* tiles of each column, without the diagonal tile, in order */
    const size_t *begin,
        *h_begin; /* [2][groups + 1] first tiles of rows, entries of columns; rows on the host */
    size_t groups, tiles;
};

/* Tables of beta for ncomp components at once (pair_gpu_table.cu). */
struct table_args {
    const void *src;   /* positions [rows / 4][ld][4] */
    void *out;         /* [ncomp][stride] vectors of four */
    size_t ld, natoms; /* ld: columns per row */
    size_t stride;     /* vectors per component */
    int columns;       /* columns to fill */
    enum sum_form form;
    double rc2; /* mic: squared cutoff, finite */
    float rc2_f;
    int ncomp;
    int corners; /* ewald: orthorhombic cells with one fit that needs at most these images */
    int degree[BETA_NCOMPONENTS]; /* degrees of the polynomials */
    int component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    float coef_f[BETA_NCOMPONENTS];
    const struct sum_cell *cell; /* [columns] */
    struct tile_list list;
    size_t first_tile;               /* set by table_make */
    const struct table_weigh *weigh; /* on the host; NULL: beta as it is */
    float poly[BETA_NCOMPONENTS]
              [(EWALD_CORNERS + 1) * (EWALD_CORNERS + 2) * (EWALD_CORNERS + 3) / 6];
};
/* Weights of beta in a table: factors on the device, and the atom of each row (NULL: same index).
 * table_make sets the other fields. */
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
};
/* weigh_bytes returns the bytes of f on a device. weigh_copy copies f to d there and makes *view
 * point to it; it returns 0 or -1. */
size_t weigh_bytes(const struct factors *f);
int weigh_copy(struct err *e, const struct factors *f, void *d, struct factors *view);
/* Returns *view as stored at d, or NULL if d is NULL. */
const struct factors *weigh_view(const struct factors *f, const void *d);
size_t table_values(size_t ld); /* values per tile and component */
const void *table_of(const struct table_args *a, int is64, int c);
int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream);

/* Cells of the columns of a window. Initialise with zeros. */
struct g4_cells {
    struct sum_cell *h, *d; /* [room] on the host and on the device */
    int cell;               /* enum g4_cell */
    size_t n;               /* records needed: one, or room */
    struct sum_memory memory;
    /* set by the caller before cells_make: */
    struct pairs p;
    int weighed; /* code that computes beta itself also applies the factor of the pair */
    const struct factors *factors; /* from weigh_view */
    /* [nfits] in the order of the columns, each holding a reference */
    struct ewald_fit **fit;
    size_t nfits, fits_room, poly_room;
    void *d_poly; /* on the device: target of the pointers in the records */
};
/* Makes records c->h of n columns (steps from number `first` on); records up to room repeat the
 * last one as padding. Copies polynomials to the current device, where no kernel may be using the
 * previous ones. The caller then copies c->n records from h to d: one if it serves all columns
 * (G4_IS_FIXED), unless `each` column needs its own. Returns 0 or -1. */
int cells_make(struct err *e, struct g4_cells *c, const struct box *box, uint64_t first, size_t n,
               size_t room, int each);
void cells_free(struct g4_cells *c); /* does not free h and d */
/* Fill the arguments of beta for component comp, and the arguments of a table except its
 * address. */
void cells_beta(const struct g4_cells *c, int comp, struct beta_args *b);
void cells_table(const struct g4_cells *c, struct table_args *t);

/* ---- a mesh (mesh.h): meshes of a batch of columns are stored as [column][n0][n1][pitch], real or
 * complex */

/* Mesh of n points and its transforms, `batch` at once. */
struct mesh_shape {
    int n[3], batch, forth, back, have; /* have: number of existing handles */
    double *d_axis;                     /* filter, then self of mesh_axis: [2][n0 + n1 + n2] */
};
#define MESH_SHAPES 8 /* shapes remembered when cells change */
struct g4_mesh {
    struct mesh_shape shape[MESH_SHAPES];
    size_t made;             /* number of shapes so far */
    double *d_mesh, *d_back; /* back is d_mesh if there is one component */
    size_t room;             /* capacity of each, doubles */
    void *d_work;            /* work area of the transforms */
    size_t work;
    double *d_self, *d_part;     /* [columns][BETA_NCOMPONENTS]; partial sums */
    double *h_images, *d_images; /* ewald_self of columns that are the first with their cell */
    /* [2][ld]: for each column, the first column with the same cell; then the columns sorted by
     * shape. */
    int *h_columns, *d_columns;
};
/* Arguments of the mesh kernels. */
struct mesh_args {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld, rows;
    const struct sum_cell *cell; /* [cols], or one if fixed */
    const int *which, *column;
    int fixed, first, count; /* batch: its columns are column[first + ..] */
    int n[3], pitch;         /* pitch in real numbers */
    size_t values;           /* values per mesh */
    double *mesh, *back;
    double one;             /* mesh units of a weight of 1, a power of 2 */
    const void *raw;        /* [cols][step] positions as received */
    const int *perm;        /* atom of a row, -1: none */
    struct factors factors; /* on the device; natoms 0: all factors are 1 */
    size_t step, group;     /* group: its charges are on the mesh */
    const double *axis, *images;
    double *self, *part, *atoms; /* atoms: [ncomp][rows + 1][ld] */
    int ncomp, component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    struct mesh plan;
    struct tile_list list;
    beta_args beta;
};
/* Adds the short-range parts to a->atoms of all columns, for the tiles of a->list. cell: enum
 * g4_cell. */
int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream);
/* Subtracts the listed pairs (factors.h) from a->atoms. */
int near_listed(struct err *e, const struct mesh_args *a, int is64, int cols, cudaStream_t stream);
/* Plans transforms of s->n points, s->batch at once, and their memory. */
int waves_plan(struct err *e, struct g4_mesh *m, struct mesh_shape *s);
void waves_close(struct mesh_shape *s);
/* Transform a->mesh, and transform back to a->back. */
int waves_forth(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
                const struct mesh_args *a, cudaStream_t stream);
int waves_back(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
               const struct mesh_args *a, cudaStream_t stream);
/* Computes a->self of the columns of a batch that are the first with their cell. */
int waves_self(struct err *e, const struct mesh_args *a, cudaStream_t stream);
#define WAVES_PARTS 64 /* partial sums over all waves: rows of a->part per column */
/* Computes a->back = a->mesh times the weights of component a->component[c]. */
int waves_filter(struct err *e, const struct mesh_args *a, int c, cudaStream_t stream);

#endif
