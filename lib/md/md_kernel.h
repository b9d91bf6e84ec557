/* SPDX-License-Identifier: MIT */
/*
 * md_kernel.h: the inner loops of the CPU engine (md_*_simd.c) and their data.
 *
 * Atoms are sorted in space and grouped into clusters of 4 consecutive atoms. The unit of work is a
 * tile: 4 atoms i against 4 atoms j, that is, 16 pairs in one, two or four vectors (Páll and Hess
 * 2013). The integers of a cluster are one line of 16: x0..x3 y0..y3 z0..z3 and four unused ones. A
 * tile therefore reads one line and subtracts its force from one line, without gathers. Each pair
 * is visited once (j > i in the sorted order). Sums are integer sums, so tiles and threads may come
 * in any order.
 */
#ifndef MBF_MD_KERNEL_H
#define MBF_MD_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "md/lj.h"

#define MD_CLUSTER 4 /* atoms per cluster */
#define MD_LINE 16   /* integers per cluster */

/* Returns the place of atom i, axis k, among the lines. */
static inline size_t md_at(size_t i, int k)
{
    return i / MD_CLUSTER * MD_LINE + (size_t)k * MD_CLUSTER + i % MD_CLUSTER;
}

struct md_rows {
    struct lj_fixed fixed;
    const int32_t *x;   /* lines of position units; unused places are arbitrary */
    const double *r[3]; /* the same atoms, Å; padded to whole clusters */
    size_t natoms;
    /* Clusters above that of the row; an incomplete last cluster comes last. */
    const uint32_t *list;
    const size_t *begin, *end; /* row c: list[begin[c]] .. list[end[c] - 1] */
    /* for md_rows_f64 */
    struct lj lj;
    double box[3], inv[3]; /* edges, and reciprocals along periodic axes, else 0 */
    double rc2;            /* Å² */
    double escale, fscale; /* integers per unit of energy and of force */
};

struct md_sums {
    __int128 energy, virial; /* times escale */
    __int128 ab[6];          /* sum of r_a F_b: xx yy zz xy xz yz; only with stress */
    uint64_t pairs;
    int stress; /* input: tensor wanted */
};

/* Adds the forces of the rows (clusters) c0..c1-1 to f, wrapping. f has md_sums_width() integers
 * per cluster, because the rows of a tile are summed later, in md_fold. */
SIMD_DECLARE(void, md_rows_force, (const struct md_rows *a, size_t c0, size_t c1, int32_t *f));
SIMD_DECLARE(int, md_sums_width, (void));
/* Sets lines c0..c1-1 of total (first) or adds to these lines, and clears f there. */
SIMD_DECLARE(void, md_fold, (int32_t * total, int32_t *f, size_t c0, size_t c1, int first));
/* Forces or totals of the rows in double precision. f: lines of integers in units of 1/fscale. s:
 * totals to add to. Either is NULL. */
SIMD_DECLARE(void, md_rows_f64,
             (const struct md_rows *a, size_t c0, size_t c1, int64_t *f, struct md_sums *s));
SIMD_DECLARE(void, md_fold_f64, (int64_t * total, int64_t *f, size_t c0, size_t c1, int first));

/* ---- neighbour search */

/* Sorted atoms in columns along z with bins, in serpentine order (md_cpu_list.c). */
struct md_space {
    const int32_t *x;
    size_t natoms;
    int periodic, bits; /* bits of an edge: 32, or 30 between walls */
    float ratio[3];
    int ncol[2], nz;
    const uint32_t *bins; /* [ncol0 ncol1 nz + 1]: first atom of each bin */
    float rl2;            /* squared list radius, units² of axis 0 */
    /* Distances of clusters are tested with 16-bit coordinates: for each cluster x0 y0 x1 y1 x2 y2
     * x3 y3, z0 0 z1 0 z2 0 z3 0. A periodic edge has 2^16 of these units, an edge between walls
     * 2^15. Wrapped differences times weight / 2^15 have the same unit on all axes. The products
     * are at most 0.57 2^15, so the sum of their squares is an int32_t. For all pairs within the
     * list radius (or the near distance) the sum is below `reach` (or `near`). */
    int16_t *coarse;
    int16_t weight[3];
    int32_t reach, near;
};

/* Fills coarse from x for clusters c0..c1-1. */
SIMD_DECLARE(void, md_coarse, (const struct md_space *s, size_t c0, size_t c1));

/* Writes to out, in ascending order, all clusters above c0 that are near one of c0..c1-1 (and
 * possibly more). out has space for all clusters above c0 plus a line. Returns their number. */
SIMD_DECLARE(size_t, md_search, (const struct md_space *s, size_t c0, size_t c1, uint32_t *out));

/* Copies to out, from an ascending list of n clusters, those clusters above c that have a pair with
 * c within the limit (reach or near). An incomplete last cluster is kept. out has space for n.
 * Returns their number. */
SIMD_DECLARE(size_t, md_near,
             (const struct md_space *s, size_t c, int32_t limit, const uint32_t *list, size_t n,
              uint32_t *out));

/* ---- integration */

/* Operations of one pass over atoms, in this order. */
enum {
    MD_FINISH = 1, /* v += a h: the second half of a velocity-Verlet step */
    MD_SCALE = 2,  /* v *= scale: the thermostat */
    MD_BEGIN = 4,  /* v += a h; r += v dt; walls; x */
    MD_KINETIC = 8 /* sum of v² */
};

struct md_move {
    double *r[3], *v[3];
    int32_t *x;       /* lines */
    const int32_t *f; /* lines of total forces; NULL: use fd */
    const int64_t *fd;
    double unit; /* acceleration of one force unit */
    double h, dt, scale;
    double box[3]; /* mirror walls; 0: no walls */
    double pos_scale[3];
    double kscale; /* integers per unit of v² */
};

/* Results of a pass; each is a maximum or a sum over atoms, so parts combine in any order. */
struct md_moved {
    double move2; /* largest squared displacement of this step */
    double force; /* largest component of a force, force units */
    int64_t kinetic;
};

/* i0 is a multiple of MD_CLUSTER. */
SIMD_DECLARE(void, md_move_atoms,
             (const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out));

/* Returns the largest squared distance of atoms i0..i1-1 from ref. */
SIMD_DECLARE(double, md_away2, (double *const r[3], double *const ref[3], size_t i0, size_t i1));

/* 1.5 * 2^52: adding it leaves the nearest integer in the low bits. */
#define MD_MAGIC 6755399441055744.0

/* Rounds to the nearest integer for |x| < 2^51, and modulo 2^32 up to at least 2^52, with two
 * additions and no conversion. */
static inline __attribute__((always_inline)) int64_t md_integer(double x)
{
    union {
        double d;
        int64_t i;
    } y = {x + MD_MAGIC}, m = {MD_MAGIC};
    return (int64_t)((uint64_t)y.i - (uint64_t)m.i);
}

#endif
