/* SPDX-License-Identifier: MIT */
/* alpha_field.h: computes the field of the dipoles at every site, either exactly or from a table in
 * single precision. The exact field includes all periodic images (alpha_split.h) or none. The
 * functions process three sets of dipoles at once, one for each direction of the external field E.
 * Component a of set d at site i is at the index (3 d + a) stride + i, where stride is at least n +
 * ALPHA_LANES. The last stride - n elements of each row are 0 in arrays of dipoles, and undefined
 * in arrays of fields. */
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

/* Input for the sum over the pairs of a site. The coordinates at[3][stride] are fractional if there
 * is a cell, and in Å otherwise. */
struct alpha_short_range {
    size_t n, stride;
    double *at;
    int cell;           /* 0: no cell; 1: orthorhombic; 2: any other cell */
    double h[3][3], r2; /* square of the cutoff R, or HUGE_VAL without a cell */
    int terms;          /* number of terms of the polynomials of alpha_split.h, or 0 if they are not
                         * used */
    double q[ALPHA_SPLIT_TERMS + 4], rho[ALPHA_SPLIT_TERMS];
    /* Polynomials of r² q + rho and of (dq/dr)/r for permanent sites. The number of terms is a
     * multiple of four. The array owner[stride] holds the number of the molecule of each site. */
    int even;
    double p[ALPHA_SPLIT_TERMS + 4], slope[ALPHA_SPLIT_TERMS + 4], *owner;
    /* Scratch memory for a row of pairs. Each of the arrays has ALPHA_SHORT_RANGE_ROW(pairs,
     * ranges) elements. */
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
#define ALPHA_RANGES 50 /* largest number of ranges of sites around a cell */

/* Adds the short-range part of the field T mu at site i to out[], for all sources in the ranges. */
SIMD_DECLARE(void, alpha_short_range_row,
             (const struct alpha_short_range *a, size_t i, const struct near_range *r,
              size_t ranges, const double *mu, double *out));
/* Adds the short-range field at the position `at` to out[]. The position is in the same coordinates
 * as the positions of the sites. The sources of the field are all sites in the ranges, with the
 * moments moment[10][stride] of alpha.h. Sites of the molecule with the number `own` are omitted.
 * Set the flag `charges` if all dipoles and quadrupoles are 0. */
SIMD_DECLARE(void, alpha_permanent_row,
             (const struct alpha_short_range *a, const double at[3], double own,
              const struct near_range *r, size_t ranges, const double *moment, int charges,
              double out[3]));

/* ---- waves, one by one */

/* A rod contains all waves with the same indices n0 and n1, and with |n2| up to `last`. The array
 * weight[2][lanes] holds the weights of n2 and of -n2. Each weight is -2 w(k)/V, with w of
 * alpha_split.h, or 0 for an unused wave. */
struct alpha_rod {
    int n0, n1, last;
    double *weight;
};

struct alpha_waves {
    size_t n, stride;
    int max[3];       /* largest n per axis */
    size_t lanes;     /* number of values n2 per rod, a multiple of ALPHA_LANES above max[2] */
    double *power[3]; /* phases exp(2 pi i n f) along axes 0 and 1, [max + 1][2][stride] */
    double *across;   /* phases exp(2 pi i n f) along axis 2, [stride][2][lanes] */
    double *xy;       /* [2][stride] for a rod */
    double *along;    /* scalar products k mu without the term of n2, [3][stride] */
    double *sum;      /* scalar products k M(k), multiplied by the weights, [2][3][2][lanes] */
    struct alpha_rod *rod;
    size_t rods;
};

/* Adds the field of all waves to field[3][3][stride], as components along the reciprocal vectors.
 * The input nu[3][3][stride] holds the dipoles as components 2 pi b_a mu along the reciprocal
 * vectors b_a. */
SIMD_DECLARE(void, alpha_waves, (const struct alpha_waves *w, const double *nu, double *field));

/* Sets max[k] to the largest index along reciprocal vector k of any wave of the cell. */
void alpha_wave_max(const struct alpha_split *s, const struct box *cell, double reach, int max[3]);
/* Computes the weights of the rod (n0, n1) for the indices n2 up to `max`, where `max` < `lanes`.
 * Returns 0 if the rod has no waves. */
int alpha_rod_weigh(const struct alpha_split *s, const struct box *cell, double reach, int max,
                    size_t lanes, struct alpha_rod *r);
/* Computes the phases power[max + 1][2][stride] of n fractional coordinates along one axis. */
void alpha_powers(size_t n, size_t stride, const double *at, int max, double *power);

/* ---- the exact operator */

/* Method of summing the long-range part of the field. The caller owns all members of this
 * struct. */
struct alpha_means {
    const struct alpha_split *split; /* NULL: no images */
    const struct mesh_plans *plans;  /* NULL: no mesh */
    const struct mesh *mesh;         /* in units of the reach */
    double reach; /* cut-off of short-range pairs in Å if a mesh is used, or 0 to choose it for each
                   * cell */
};

struct alpha_field;
/* Returns NULL if memory runs out. */
struct alpha_field *alpha_field_new(size_t n, size_t stride, const struct alpha_means *m);
double alpha_field_bytes(size_t n, size_t stride, const struct alpha_means *m,
                         const struct box *cell);
/* Chooses the cut-off *reach in Å of the short-range pairs for a reduced cell. Returns 0 on
 * success, or -1 with an error message in e if the cell is not supported. */
int alpha_field_reach(const struct alpha_means *m, size_t n, const struct box *cell, double *reach,
                      struct err *e) MUST_USE;
void alpha_field_free(struct alpha_field *f); /* NULL is allowed */
struct alpha_cell;
/* Sets the positions pos[n][3] of the sites in Å, for the cell c from alpha_cell_make. Returns 0 on
 * success, or -1 with an error message in e if the cell is not supported or memory runs out. */
int alpha_field_place(struct alpha_field *f, const struct alpha_cell *c, const double *pos,
                      struct err *e) MUST_USE;
/* Returns the mesh of a field, or NULL if no mesh is used. Sets *reach to the short-range radius
 * that the method used in the last cell. */
struct alpha_mesh *alpha_field_mesh(struct alpha_field *f, double *reach);
/* out = T mu */
void alpha_field_apply(struct alpha_field *f, const double *mu, double *out);

/* ---- the table */

/* Computes the fields out = T mu in single precision. For all pairs i < j, row by row, the table
 * holds the components T_xz, T_xy, T_yz, (T_xx - T_yy)/2 and T_zz of the traceless part of T, one
 * component after another. The function also reads ALPHA_LANES numbers before the table and
 * ALPHA_LANES numbers after it. The numbers after the table must be finite. The argument `trace` is
 * a third of the trace of T, which is the same for all pairs. */
SIMD_DECLARE(void, alpha_table,
             (size_t n, size_t stride, const float *table, float trace, const float *mu,
              float *out));
