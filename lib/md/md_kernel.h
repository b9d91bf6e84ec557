/* SPDX-License-Identifier: MIT */
/* md_kernel.h: declares the inner loops of the CPU engine (md_*_simd.c) and the data of these
 * loops.
 *
 * Atoms are sorted in space and grouped into clusters of 4 consecutive atoms. The 16 pairs of two
 * clusters i and j are a tile, which consists of one, two or four vectors (Páll and Hess 2013). A
 * cluster is stored as a line of 16 integers: x0..x3, y0..y3, z0..z3 and four unused integers. The
 * kernels therefore load one line of positions and update one line of forces per tile, without
 * gather instructions. Each pair of atoms is visited once, with j > i in the sorted order. All sums
 * are sums of integers, so the tiles may be processed in any order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "md/lj.h"

#define MD_CLUSTER 4 /* atoms per cluster */
#define MD_LINE 16   /* integers per cluster */

/* Returns the index of component k of atom i in an array of lines, one line per cluster. */
static inline size_t md_at(size_t i, int k)
{
    return i / MD_CLUSTER * MD_LINE + (size_t)k * MD_CLUSTER + i % MD_CLUSTER;
}

struct md_rows {
    struct lj_fixed fixed;
    const int32_t *x;   /* in position units */
    const double *r[3]; /* Å, padded */
    size_t natoms;
    /* The neighbours of cluster c, which are later clusters, are list[begin[c]] to list[end[c] -
     * 1]. An incomplete cluster is the last neighbour in a list. */
    const uint32_t *list;
    const size_t *begin, *end; /* [clusters] */
    /* factors from f32 to integers in the sums */
    float s3_scale, r_scale;
    /* If |x| < inside[k] along axis k, no pair of the atom is across a periodic face of axis k. */
    int32_t inside[3];
    /* for md_rows_f64 */
    struct lj lj;
    double box[3], inv[3]; /* inv: 0 for walls */
    double rc2;            /* Å² */
    double escale, fscale; /* integers per unit */
};

struct md_sums {
    __int128 energy, virial; /* times escale */
    __int128 ab[6];          /* r_a F_b, if stress */
    uint64_t pairs;
    int stress; /* compute `ab` */
    /* A pair wraps along axis a if the difference of the two positions is n 2^32 plus the wrapped
     * difference, with n = 1 or -1. The virial is the sum over all pairs of wrapped differences
     * times forces. The virial equals the sum over atoms of x_a F_b, where F is the total force on
     * an atom, minus 2^32 times the sum of n F_b over the pairs that wrap (md_totals). */
    /* The elements 0 to 5 of lanes[] belong to the same axes a and b as the elements of ab[]. Each
     * of them is the sum of n F_b over the pairs that wrap along axis a. Element 6 of lanes[] is
     * s^3 times s3_scale. For a shifted force, element 7 of lanes[] is r2 s^(1/2) times r_scale.
     * Element 8 of lanes[] is the number of pairs. */
    int64_t lanes[9];
};

/* Adds the forces of the rows c0 to c1 - 1 to f[], modulo 2^32, and adds the sums over the rows to
 * *s unless s is NULL. The array f has md_sums_width() integers per cluster, because md_fold sums
 * the rows of a tile later. */
SIMD_DECLARE(void, md_rows_force,
             (const struct md_rows *a, size_t c0, size_t c1, int32_t *f, struct md_sums *s));
SIMD_DECLARE(int, md_sums_width, (void));
/* Adds the lines c0 to c1 - 1 of f to `total`, or replaces the lines of `total` if `first` is set.
 * The lines c0 to c1 - 1 of f are then set to 0. */
SIMD_DECLARE(void, md_fold, (int32_t * total, int32_t *f, size_t c0, size_t c1, int first));
/* Computes the forces or the totals of the rows in double precision. Forces are added to f as lines
 * of integers, in units of 1/fscale. Totals are added to s. Either f or s is NULL. */
SIMD_DECLARE(void, md_rows_f64,
             (const struct md_rows *a, size_t c0, size_t c1, int64_t *f, struct md_sums *s));
SIMD_DECLARE(void, md_fold_f64, (int64_t * total, int64_t *f, size_t c0, size_t c1, int first));

/* Contains the atoms, sorted into columns along z that are divided into bins. The columns are in
 * serpentine order (md_cpu_list.c). */
struct md_space {
    const int32_t *x;
    size_t natoms;
    int periodic, bits; /* bits: 32, or 30 (walls) */
    float ratio[3];
    int ncol[2], nz;
    const uint32_t *bins; /* [ncol0 ncol1 nz + 1] */
    float rl2;            /* list radius², in position units of axis 0 */
    /* Distances between clusters are tested with 16-bit coordinates, stored as x0 y0 x1 y1 x2 y2 x3
     * y3 z0 0 z1 0 z2 0 z3 0 per cluster. A periodic edge has 2^16 units, and an edge between walls
     * 2^15 units. Wrapped differences are multiplied by weight / 2^15, so that their unit is the
     * same on all axes. The products are at most 0.57 2^15, so that the sum of their squares fits
     * into an int32_t. The sum of squares is below `reach` for all pairs within the list radius,
     * and below `near` for all near pairs. */
    int16_t *coarse;
    int16_t weight[3];
    int32_t reach, near;
};

/* Computes `coarse` from x for the clusters c0 to c1 - 1. */
SIMD_DECLARE(void, md_coarse, (const struct md_space *s, size_t c0, size_t c1));

/* Writes to out[], in ascending order, all clusters after c0 that are near any of the clusters c0
 * to c1 - 1, and returns the number of clusters in out[]. Clusters that are not near may also be
 * written. The array out[] must have room for all clusters after c0 plus one line. */
SIMD_DECLARE(size_t, md_search, (const struct md_space *s, size_t c0, size_t c1, uint32_t *out));

/* Copies to out[], from an ascending list of n clusters, the clusters after c that have a pair with
 * cluster c within `limit` (`reach` or `near`). A last cluster that is incomplete is always copied.
 * Returns the number of copied clusters. */
SIMD_DECLARE(size_t, md_near,
             (const struct md_space *s, size_t c, int32_t limit, const uint32_t *list, size_t n,
              uint32_t *out));

/* Operations on the atoms are done in the order of the flags. */
enum {
    MD_FINISH = 1, /* v += a h */
    MD_SCALE = 2,  /* v *= scale */
    MD_BEGIN = 4,  /* v += a h; r += v dt */
    MD_KINETIC = 8 /* sum of v² */
};

struct md_move {
    double *r[3], *v[3];
    int32_t *x;       /* lines */
    const int32_t *f; /* NULL: forces are in fd */
    const int64_t *fd;
    double unit; /* a per force unit */
    double h, dt, scale;
    double box[3]; /* 0: no walls */
    double pos_scale[3];
    double kscale; /* integers per unit */
};

/* Each result of md_move_atoms is a maximum or an integer sum, so the results of several threads
 * may be combined in any order. */
struct md_moved {
    double move2; /* largest displacement² */
    double force; /* largest component, in force units */
    int64_t kinetic;
};

/* Moves the atoms i0 to i1 - 1, where i0 is a multiple of MD_CLUSTER. */
SIMD_DECLARE(void, md_move_atoms,
             (const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out));

/* Returns the largest squared distance of the atoms i0 to i1 - 1 from ref[]. */
SIMD_DECLARE(double, md_away2, (double *const r[3], double *const ref[3], size_t i0, size_t i1));

/* The sum x + MD_MAGIC, where MD_MAGIC is 1.5 * 2^52, contains in its low bits the integer nearest
 * to x. */
#define MD_MAGIC 6755399441055744.0

/* Rounds x to the nearest integer without a conversion instruction, exactly for |x| < 2^51, and
 * modulo 2^32 up to at least 2^52. */
static inline __attribute__((always_inline)) int64_t md_integer(double x)
{
    union {
        double d;
        int64_t i;
    } y = {x + MD_MAGIC}, m = {MD_MAGIC};
    return (int64_t)((uint64_t)y.i - (uint64_t)m.i);
}
