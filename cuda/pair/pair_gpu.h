/* SPDX-License-Identifier: MIT */
/*
 * pair_gpu.h: the tensor of pairs on a device: beta from positions (pair_gpu_beta.cuh), the cells of
 * columns, tables of beta, weights, and the parts of a mesh. It knows nothing of products over lags:
 * engines (cuda/g4) put it to use.
 */
#ifndef MBF_PAIR_GPU_H
#define MBF_PAIR_GPU_H

#include "base/gpu.h"
#include "pair/pair_gpu_beta.cuh"
#include "pair/pairs.h"

/*
 * Tiles of pairs of groups of 16 atoms that come in reach, row by row (g4_gpu_lists.cu); tile NULL:
 * all of the upper triangle.
 */
struct tile_list {
    const int2 *tile; /* row, column */
    const int *entry; /* tiles of a column but the diagonal's, column by column, in order */
    const size_t *begin,
        *h_begin; /* [2][groups + 1] tiles of a row, entries of a column; rows on the host */
    size_t groups, tiles;
};

/* Tables of beta, of ncomp components at once (pair_gpu_table.cu). */
struct table_args {
    const void *src;   /* positions [rows / 4][ld][4] */
    void *out;         /* [ncomp][stride] vectors of four */
    size_t ld, natoms; /* columns of a row */
    size_t stride;     /* vectors from component to component: those of so many tiles */
    int columns;       /* to be filled */
    enum sum_form form;
    double rc2; /* mic: squared cutoff, finite */
    float rc2_f;
    int ncomp;
    int corners; /* ewald: orthorhombic cells of one fit, that needs no more than these images */
    int degree[BETA_NCOMPONENTS]; /* of its polynomials */
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
/* How beta of a table is weighed: factors on the device, and the atom of a row (NULL: its own); the
 * rest is set by table_make. */
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
/* Bytes of f on a device; into d there, to which *view then points. 0 or -1. */
size_t weigh_bytes(const struct factors *f);
int weigh_copy(struct err *e, const struct factors *f, void *d, struct factors *view);
/* *view there; NULL: d is. */
const struct factors *weigh_view(const struct factors *f, const void *d);
size_t table_values(size_t ld); /* of a tile and component */
const void *table_of(const struct table_args *a, int is64, int c);
int table_make(struct err *e, struct table_args a, int is64, size_t first_tile, size_t ntiles,
               cudaStream_t stream);

/* The cells of the columns of a window; all zero at first. */
struct g4_cells {
    struct sum_cell *h, *d; /* [room] on the host, on the device */
    int cell;               /* enum g4_cell */
    size_t n;               /* records that are needed: one, or room */
    struct sum_memory memory;
    /* of the caller, before cells_make: */
    struct pairs p;
    int weighed; /* whoever takes beta by itself takes the factor of the pair, too */
    const struct factors *factors; /* weigh_view */
    struct ewald_fit **fit;        /* [nfits] in the order of the columns, each with a reference */
    size_t nfits, fits_room, poly_room;
    void *d_poly; /* on the device: what the records point to */
};
/*
 * Records c->h of n columns, steps from number `first` on, and, like the last, of pads up to room; polynomials to the current
 * device, where no kernel may be using the last ones. What is left to do is to copy c->n records
 * from h to d: one where it does for all (G4_IS_FIXED), unless `each` column wants its own. 0 or -1.
 */
int cells_make(struct err *e, struct g4_cells *c, const struct box *box, uint64_t first, size_t n,
               size_t room, int each);
void cells_free(struct g4_cells *c); /* not h and d */
/* Arguments of beta for component comp; and of a table, but for where it lies. */
void cells_beta(const struct g4_cells *c, int comp, struct beta_args *b);
void cells_table(const struct g4_cells *c, struct table_args *t);

/* ---- a mesh (mesh.h): meshes of a batch of columns lie side by side, [column][n0][n1][pitch], real or complex */

/* Meshes of n points: their transforms, `batch` at once. */
struct mesh_shape {
    int n[3], batch, forth, back, have; /* have: handles there are */
    double *d_axis;                     /* filter, then self of mesh_axis: [2][n0 + n1 + n2] */
};
#define MESH_SHAPES 8 /* that are remembered, of cells that change */
struct g4_mesh {
    struct mesh_shape shape[MESH_SHAPES];
    size_t made;             /* shapes so far */
    double *d_mesh, *d_back; /* back: d_mesh, where there is one component */
    size_t room;             /* doubles in each */
    void *d_work;            /* of transforms, bytes */
    size_t work;
    double *d_self, *d_part;     /* [columns][BETA_NCOMPONENTS]; parts of them */
    double *h_images, *d_images; /* ewald_self of the columns that are the first with their cell */
    /* [2][ld]: the first column of those that share the cell of one; columns, shape after shape */
    int *h_columns, *d_columns;
};
/* What its kernels read. */
struct mesh_args {
    const void *pos; /* [rows / 4][ld][4] */
    size_t ld, rows;
    const struct sum_cell *cell; /* [cols], or one when fixed */
    const int *which, *column;
    int fixed, first, count; /* of a batch: its columns are column[first + ..] */
    int n[3], pitch;         /* of real numbers */
    size_t values;           /* of a mesh */
    double *mesh, *back;
    double one;             /* a weight of 1 is so many units on the mesh, 2^k */
    const void *raw;        /* [cols][step] positions as they came */
    const int *perm;        /* atom of a row, -1: none */
    struct factors factors; /* on the device; natoms 0: all are 1 */
    size_t step, group;     /* group: whose charges are on the mesh */
    const double *axis, *images;
    double *self, *part, *atoms; /* atoms: [ncomp][rows + 1][ld] */
    int ncomp, component[BETA_NCOMPONENTS];
    double coef[BETA_NCOMPONENTS];
    struct mesh plan;
    struct tile_list list;
    beta_args beta;
};
/* a->atoms of all columns += near parts, by the tiles of a->list. cell: enum g4_cell. */
int near_add(struct err *e, const struct mesh_args *a, int is64, int cell, int cols,
             cudaStream_t stream);
/* The same less the listed pairs (factors.h). */
int near_listed(struct err *e, const struct mesh_args *a, int is64, int cols, cudaStream_t stream);
/* Transforms of s->n points, s->batch at once, and memory for them. */
int waves_plan(struct err *e, struct g4_mesh *m, struct mesh_shape *s);
void waves_close(struct mesh_shape *s);
/* a->mesh into its transform, and a->back from one. */
int waves_forth(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
                const struct mesh_args *a, cudaStream_t stream);
int waves_back(struct err *e, const struct g4_mesh *m, const struct mesh_shape *s,
               const struct mesh_args *a, cudaStream_t stream);
/* a->self of the columns of a batch that are the first with their cell. */
int waves_self(struct err *e, const struct mesh_args *a, cudaStream_t stream);
#define WAVES_PARTS 64 /* of a sum over all waves: rows of a->part a column */
/* a->back = a->mesh times the weights of component a->component[c]. */
int waves_filter(struct err *e, const struct mesh_args *a, int c, cudaStream_t stream);

#endif
