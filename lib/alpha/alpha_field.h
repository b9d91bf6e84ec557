/* SPDX-License-Identifier: MIT */
/*
 * alpha_field.h: the fields that dipoles have at each other's places, exact (all images by the split of
 * alpha_split.h, or none) and from a table in single precision. Private to lib/alpha.
 *
 * Three sets of dipoles at once, one for each direction of E: axis a of set d and site i is at
 * [(3 d + a) stride + i]; stride >= n + ALPHA_LANES, dipoles are 0 behind n. Behind n a field is
 * anything.
 */
#ifndef MBF_ALPHA_FIELD_H
#define MBF_ALPHA_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "alpha/alpha.h"
#include "alpha/alpha_split.h"
#include "base/simd.h"

#define ALPHA_LANES 8 /* sites, or waves, at a time, at every level */

/* Zeros, at a whole line of the cache; NULL: out of memory. */
double *alpha_doubles(size_t n);

/* ---- pairs */

/* Sites from..to - 1 */
struct alpha_range {
    size_t from, to;
};

/* What a row of pairs wants to know. at[3][stride]: fractions of cell vectors, or Å without a cell. */
struct alpha_near {
    size_t n, stride;
    double *at;
    int cell;           /* 0: none; 1: orthorhombic; 2: any */
    double h[3][3], r2; /* r2: R², HUGE_VAL without a cell */
    int terms;          /* of alpha_split.h, with units; 0: none */
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
    /* of a row, ALPHA_NEAR_ROW(pairs, ranges) of each: first sites; d, 3 G and B of each */
    uint32_t *first;
    double *row;
};
#define ALPHA_NEAR_ROW(pairs, ranges) ((pairs) / ALPHA_LANES + 2 * (ranges))
#define ALPHA_NEAR_OF 5

/* out += near part of T mu, from pairs of site i and those of the ranges. */
SIMD_DECLARE(void, alpha_near_row,
             (const struct alpha_near *a, size_t i, const struct alpha_range *r, size_t ranges,
              const double *mu, double *out));

/* ---- waves, one by one */

/* Waves n0, n1 and all n2 to `last`; weight[2][lanes]: of n2 and -n2, -2 w/V, or 0. */
struct alpha_rod {
    int n0, n1, last;
    double *weight;
};

struct alpha_waves {
    size_t n, stride;
    int most[3];      /* of n along each axis */
    size_t lanes;     /* of a rod: more than most[2], whole ALPHA_LANES */
    double *power[3]; /* [most + 1][2][stride]: exp(2 pi i n f), real and imaginary */
    double *across;   /* [stride][2][lanes]: the same of axis 2 */
    double *xy;       /* [2][stride] of a rod, */
    double *along;    /* [3][stride]: and k mu but for n2 */
    double *sum;      /* [2][3][2][lanes]: k M(k) of n2 and -n2, times weight */
    struct alpha_rod *rod;
    size_t rods;
};

/* field[3][3][stride] += sum over waves of n times what they give to each site; nu[3][3][stride]:
 * dipoles along reciprocal vectors, 2 pi b_a mu. */
SIMD_DECLARE(void, alpha_waves, (const struct alpha_waves *w, const double *nu, double *field));

/* ---- the exact operator, of one thread */

/* How the far part is summed; all the caller's. */
struct alpha_means {
    const struct alpha_split *split; /* NULL: no images */
    struct alpha_plans *plans;       /* NULL: wave by wave; else by a mesh */
    const struct mesh *mesh;         /* in units of the reach */
    double reach;                    /* given for a mesh; 0: by each cell */
};

struct alpha_field;
/* NULL: out of memory. */
struct alpha_field *alpha_field_new(size_t n, size_t stride, const struct alpha_means *m);
double alpha_field_bytes(size_t n, size_t stride, const struct alpha_means *m, const struct box *b);
/* Where pairs near by end in a cell, which is reduced. 0, or -1 with e: a cell that is none for it. */
int alpha_field_reach(const struct alpha_means *m, size_t n, const struct box *b, struct box *cell,
                      double *reach, struct err *e) __attribute__((warn_unused_result));
void alpha_field_free(struct alpha_field *f); /* NULL is allowed */
/* Positions [n][3], Å; own: T of a site's own images. 0, or -1 with e: a cell that is none for it, out of
 * memory. */
int alpha_field_place(struct alpha_field *f, const struct box *b, const double own[ALPHA_TENSOR],
                      const double *pos, struct err *e) __attribute__((warn_unused_result));
/* out = T mu */
void alpha_field_apply(struct alpha_field *f, const double *mu, double *out);

/* ---- the table */

/*
 * out = T mu, in single precision. table: T_xz, T_xy, T_yz, (T_xx - T_yy)/2 and T_zz, without their
 * trace, of all pairs i < j row by row, one component after another; ALPHA_LANES numbers before and
 * behind it are looked at, those behind are finite. trace: a third of it, of every pair.
 */
SIMD_DECLARE(void, alpha_table,
             (size_t n, size_t stride, const float *table, float trace, const float *mu,
              float *out));

#endif
