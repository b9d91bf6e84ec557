/* SPDX-License-Identifier: MIT */
/*
 * alpha_field.h: the fields of dipoles at each other's sites, either exact (all images by the split
 * of alpha_split.h, or no images) or from a table in single precision. Private to lib/alpha.
 * Handles three sets of dipoles at once, one for each direction of E. Axis a of set d and site i is
 * at [(3 d + a) stride + i] with stride >= n + ALPHA_LANES. Dipoles after the first n are 0; fields
 * after the first n are undefined.
 */
#ifndef MBF_ALPHA_FIELD_H
#define MBF_ALPHA_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"

#define ALPHA_LANES 8 /* number of sites or waves processed together, at every SIMD level */

/* Returns n zeros aligned to a cache line, or NULL if out of memory. */
double *alpha_doubles(size_t n);

/* ---- pairs */

/* Sites from..to - 1 */
struct alpha_range {
    size_t from, to;
};

/* Input for a row of pairs. at[3][stride]: fractions of cell vectors, or Å without a cell. */
struct alpha_near {
    size_t n, stride;
    double *at;
    int cell;           /* 0: no cell; 1: orthorhombic; 2: any cell */
    double h[3][3], r2; /* r2: R², HUGE_VAL without a cell */
    int terms;          /* terms of alpha_split.h, with units; 0: none */
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
    /* of a row, ALPHA_NEAR_ROW(pairs, ranges) each: first sites; d, 3 G and B of each */
    uint32_t *first;
    double *row;
};
#define ALPHA_NEAR_ROW(pairs, ranges) ((pairs) / ALPHA_LANES + 2 * (ranges))
#define ALPHA_NEAR_OF 5

/* Adds to out the short-range part of T mu from pairs of site i and the sites in the ranges. */
SIMD_DECLARE(void, alpha_near_row,
             (const struct alpha_near *a, size_t i, const struct alpha_range *r, size_t ranges,
              const double *mu, double *out));

/* ---- waves, one by one */

/* Waves n0, n1 and all n2 up to `last`; weight[2][lanes] for n2 and -n2 is -2 w/V, or 0. */
struct alpha_rod {
    int n0, n1, last;
    double *weight;
};

struct alpha_waves {
    size_t n, stride;
    int most[3];      /* largest n along each axis */
    size_t lanes;     /* lanes of a rod: more than most[2], a multiple of ALPHA_LANES */
    double *power[3]; /* [most + 1][2][stride]: exp(2 pi i n f), real and imaginary */
    double *across;   /* [stride][2][lanes]: the same for axis 2 */
    double *xy;       /* [2][stride] for a rod */
    double *along;    /* [3][stride] for a rod, and k mu without the term of n2 */
    double *sum;      /* [2][3][2][lanes]: k M(k) of n2 and -n2, times weight */
    struct alpha_rod *rod;
    size_t rods;
};

/* Adds to field[3][3][stride] the sum over waves of n = (n0, n1, n2) times the value of the wave at
 * each site. The array nu[3][3][stride] holds the dipoles along reciprocal vectors, 2 pi b_a mu. */
SIMD_DECLARE(void, alpha_waves, (const struct alpha_waves *w, const double *nu, double *field));

/* ---- the exact operator, for one thread */

/* How the long-range part is summed; the caller owns everything. */
struct alpha_means {
    const struct alpha_split *split; /* NULL: no images */
    struct alpha_plans *plans;       /* NULL: wave by wave; otherwise with a mesh */
    const struct mesh *mesh;         /* in units of the reach */
    double reach;                    /* for a mesh: fixed range; 0: depends on each cell */
};

struct alpha_field;
/* NULL: out of memory. */
struct alpha_field *alpha_field_new(size_t n, size_t stride, const struct alpha_means *m);
double alpha_field_bytes(size_t n, size_t stride, const struct alpha_means *m, const struct box *b);
/* Sets the range of short-range pairs in a cell and reduces the cell. Returns 0, or -1 and sets e
 * if the cell is not supported. */
int alpha_field_reach(const struct alpha_means *m, size_t n, const struct box *b, struct box *cell,
                      double *reach, struct err *e) __attribute__((warn_unused_result));
void alpha_field_free(struct alpha_field *f); /* NULL is allowed */
/* Places the sites: positions [n][3] in Å; own is T of a site's own images. Returns 0, or -1 and
 * sets e if the cell is not supported, or if out of memory. */
int alpha_field_place(struct alpha_field *f, const struct box *b, const double own[ALPHA_TENSOR],
                      const double *pos, struct err *e) __attribute__((warn_unused_result));
/* out = T mu */
void alpha_field_apply(struct alpha_field *f, const double *mu, double *out);

/* ---- the table */

/* Computes out = T mu in single precision. The table holds the traceless T_xz, T_xy, T_yz, (T_xx -
 * T_yy)/2 and T_zz of all pairs i < j, row by row, one component after another. The kernel reads
 * ALPHA_LANES numbers before and after the table; the numbers after it must be finite. The argument
 * trace is a third of the trace of every pair. */
SIMD_DECLARE(void, alpha_table,
             (size_t n, size_t stride, const float *table, float trace, const float *mu,
              float *out));

#endif
