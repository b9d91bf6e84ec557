/* SPDX-License-Identifier: MIT */
/* alpha_field.h: computes the field of the dipoles at every site, either exactly or from a table in
 * single precision. The exact field includes either all periodic images (alpha_split.h) or no
 * images. The functions process three sets of dipoles at once, for the external field E along x, y
 * and z. Component a of set d at site i has the index (3 d + a) stride + i, where stride is at
 * least n + ALPHA_LANES. The last stride - n elements of a row are 0 in arrays of dipoles, and
 * undefined in arrays of fields. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"
#include "near/near_grid.h"

#define ALPHA_LANES 8 /* sites or waves */

/* Returns n zeros aligned to a cache line, or NULL if memory runs out. */
double *alpha_doubles(size_t n);

/* ---- pairs */

/* Input for the sum over the short-range pairs of a site. The coordinates at[3][stride] are
 * fractional, or in Å without a cell. */
struct alpha_short_range {
    size_t n, stride;
    double *at;
    int cell;           /* 0: no cell, 1: orthorhombic, 2: any other cell */
    double h[3][3], r2; /* r2: cutoff squared, or HUGE_VAL without a cell */
    int terms;          /* terms of the polynomials (alpha_split.h), or 0 if unused */
    double q[ALPHA_SPLIT_TERMS + 4], rho[ALPHA_SPLIT_TERMS];
    /* Polynomials of r² q + rho and of (dq/dr)/r for permanent sites, with `even` terms, a multiple
     * of four. For each site, the array owner[stride] contains a number that identifies the
     * molecule. */
    int even;
    double p[ALPHA_SPLIT_TERMS + 4], slope[ALPHA_SPLIT_TERMS + 4], *owner;
    /* Scratch memory, ALPHA_SHORT_RANGE_ROW(pairs, ranges) elements per array. */
    uint32_t *first;
    double *row;
};
#define ALPHA_SHORT_RANGE_ROW(pairs, ranges) ((pairs) / ALPHA_LANES + 2 * (ranges))
#define ALPHA_SHORT_RANGE_OF 5

/* Sorts n sites into the cells of the grid g, which are at least half as wide as `reach`. The
 * fractional coordinates at[3][stride] must be between 0 and 1. Returns 0, or -1 if memory runs
 * out. */
int alpha_sort(struct near_grid *g, size_t n, size_t stride, const double *at, const struct box *b,
               double reach) MUST_USE;
#define ALPHA_RANGES 50 /* largest number of ranges of sites around a grid cell */

/* Adds to out[] the short-range field T mu at site i of the dipoles of all sites in the ranges. */
SIMD_DECLARE(void, alpha_short_range_row,
             (const struct alpha_short_range *a, size_t i, const struct near_range *r,
              size_t ranges, const double *mu, double *out));
/* Adds to out[] the short-range field of permanent sites at the position `at`, in the coordinates
 * of the sites a->at. The permanent sites are all sites in the ranges, with the moments
 * moment[10][stride] of alpha.h. Permanent sites of molecule number `own` are omitted. Set
 * `charges` if all dipoles and quadrupoles are 0. */
SIMD_DECLARE(void, alpha_permanent_row,
             (const struct alpha_short_range *a, const double at[3], double own,
              const struct near_range *r, size_t ranges, const double *moment, int charges,
              double out[3]));

/* ---- waves, one by one */

/* A rod contains all waves with the same indices n0 and n1, and with |n2| up to `last`. The weights
 * of the waves n2 and -n2 are weight[2][lanes]. A weight of a wave k is -2 w(k)/V, with w of
 * alpha_split.h, or 0 if the wave is not used. */
struct alpha_rod {
    int n0, n1, last;
    double *weight;
};

struct alpha_waves {
    size_t n, stride;
    int max[3];       /* largest n per axis */
    size_t lanes;     /* values of n2 per rod, a multiple of ALPHA_LANES above max[2] */
    double *power[3]; /* exp(2 pi i n f) along axes 0 and 1, [max + 1][2][stride] */
    double *across;   /* exp(2 pi i n f) along axis 2, [stride][2][lanes] */
    double *xy;       /* [2][stride] for a rod */
    double *along;    /* k mu without the term of n2, [3][stride] */
    double *sum;      /* weights times k M(k), [2][3][2][lanes] */
    struct alpha_rod *rod;
    size_t rods;
};

/* Adds the field of all waves to field[3][3][stride], as components along the reciprocal vectors.
 * The dipoles nu[3][3][stride] are given as components 2 pi b_a mu along the reciprocal vectors
 * b_a. */
SIMD_DECLARE(void, alpha_waves, (const struct alpha_waves *w, const double *nu, double *field));

/* Sets max[k] to the largest index, along reciprocal vector k, of any wave of the cell. */
void alpha_wave_max(const struct alpha_split *s, const struct box *cell, double reach, int max[3]);
/* Computes the weights of the rod (n0, n1) for n2 up to `max`, which must be below `lanes`. Returns
 * 0 if the rod has no waves. */
int alpha_rod_weigh(const struct alpha_split *s, const struct box *cell, double reach, int max,
                    size_t lanes, struct alpha_rod *r);
/* Computes the phases power[max + 1][2][stride] of n fractional coordinates along an axis. */
void alpha_powers(size_t n, size_t stride, const double *at, int max, double *power);

/* ---- the exact operator */

/* Method of computing the long-range field. The caller owns all members. */
struct alpha_means {
    const struct alpha_split *split; /* NULL: no images */
    const struct mesh_plans *plans;  /* NULL: no mesh */
    const struct mesh *mesh;         /* in units of the reach */
    double reach;                    /* cut-off of pairs with a mesh in Å, or 0 to choose it */
};

struct alpha_field;
/* Returns NULL if memory runs out. */
struct alpha_field *alpha_field_new(size_t n, size_t stride, const struct alpha_means *m);
double alpha_field_bytes(size_t n, size_t stride, const struct alpha_means *m,
                         const struct box *cell);
/* Chooses *reach, the cut-off in Å of the short-range pairs, for a reduced cell. Returns 0, or -1
 * and sets *e if the cell is not supported. */
int alpha_field_reach(const struct alpha_means *m, size_t n, const struct box *cell, double *reach,
                      struct err *e) MUST_USE;
void alpha_field_free(struct alpha_field *f); /* NULL is allowed */
struct alpha_cell;
/* Sets the positions pos[n][3] of the sites in Å, for the cell c from alpha_cell_make. Returns 0,
 * or -1 and sets *e if the cell is not supported or memory runs out. */
int alpha_field_place(struct alpha_field *f, const struct alpha_cell *c, const double *pos,
                      struct err *e) MUST_USE;
/* Returns the mesh of the field f, or NULL without a mesh. Sets *reach to the cut-off of the
 * short-range pairs in the cell of the last time step. */
struct alpha_mesh *alpha_field_mesh(struct alpha_field *f, double *reach);
/* Computes out = T mu. */
void alpha_field_apply(struct alpha_field *f, const double *mu, double *out);

/* ---- the table */

/* Computes the fields out = T mu in single precision. The table holds the components T_xz, T_xy,
 * T_yz, (T_xx - T_yy)/2 and T_zz of the traceless part of T, one component after another, for all
 * pairs i < j, row by row. The ALPHA_LANES numbers before and after the table are also read, and
 * the numbers after the table must be finite. The argument `trace` is a third of the trace of T,
 * which is equal for all pairs. */
SIMD_DECLARE(void, alpha_table,
             (size_t n, size_t stride, const float *table, float trace, const float *mu,
              float *out));
