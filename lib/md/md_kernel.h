/* SPDX-License-Identifier: MIT */
/*
 * md_kernel.h: the hot loops of the CPU engine (md_*_simd.c) and what they work on.
 *
 * Atoms are sorted in space and cut into clusters of 4 consecutive ones. The unit of work is a
 * tile: 4 atoms i against 4 atoms j, 16 pairs in one, two or four vectors (Páll and Hess 2013). A
 * cluster's integers are one line of 16: x0..x3 y0..y3 z0..z3 and four unused, so that a tile reads
 * one line and takes its force from one: no gathers. Each pair is met once (j > i in the sorted
 * order). Sums are of integers, so tiles and threads may come in any order.
 */
#ifndef MBF_MD_KERNEL_H
#define MBF_MD_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"
#include "md/lj.h"

#define MD_CLUSTER 4 /* atoms */
#define MD_LINE 16   /* integers of a cluster */

/* Place of atom i, axis k, among the lines. */
static inline size_t md_at(size_t i, int k)
{
    return i / MD_CLUSTER * MD_LINE + (size_t)k * MD_CLUSTER + i % MD_CLUSTER;
}

struct md_rows {
    struct lj_fixed fixed;
    const int32_t *x;   /* lines of position units; unused places: anything */
    const double *r[3]; /* the same atoms, Å; padded to whole clusters */
    size_t natoms;
    /* clusters above the row's own; the last one, when it is not full, comes last */
    const uint32_t *list;
    const size_t *begin, *end; /* row c: list[begin[c]] .. list[end[c] - 1] */
    /* for md_rows_f64 */
    struct lj lj;
    double box[3], inv[3]; /* edges and, along periodic axes, their reciprocals; else 0 */
    double rc2;            /* Å² */
    double escale, fscale; /* integers a unit of energy and of force */
};

struct md_sums {
    __int128 energy, virial; /* times escale */
    __int128 ab[6];          /* of r_a F_b: xx yy zz xy xz yz; only with stress */
    uint64_t pairs;
    int stress; /* in: wanted */
};

/*
 * Forces of the rows (clusters) c0..c1-1 added to f (wrapping), which holds md_sums_width()
 * integers a cluster: the rows of a tile are not added up there, that waits for md_fold.
 */
SIMD_DECLARE(void, md_rows_force, (const struct md_rows *a, size_t c0, size_t c1, int32_t *f));
SIMD_DECLARE(int, md_sums_width, (void));
/* Lines c0..c1-1 of total, set (first) or added to; f is zero there afterwards. */
SIMD_DECLARE(void, md_fold, (int32_t * total, int32_t *f, size_t c0, size_t c1, int first));
/* The same in double. f: lines of integers of 1/fscale; or s: totals that are added to; else
 * NULL. */
SIMD_DECLARE(void, md_rows_f64,
             (const struct md_rows *a, size_t c0, size_t c1, int64_t *f, struct md_sums *s));
SIMD_DECLARE(void, md_fold_f64, (int64_t * total, int64_t *f, size_t c0, size_t c1, int first));

/* ---- neighbour search */

/* Sorted atoms by columns along z and bins of them, in serpentine order: see md_cpu_space.c. */
struct md_space {
    const int32_t *x;
    size_t natoms;
    int periodic, bits; /* of an edge: 32, or 30 between walls */
    float ratio[3];
    int ncol[2], nz;
    const uint32_t *bins; /* [ncol0 ncol1 nz + 1]: first atom of each bin */
    float rl2;            /* squared reach of the list, units² of axis 0 */
    /*
     * Pairs of clusters are told apart by 16 bits a coordinate: for each cluster x0 y0 x1 y1 x2 y2
     * x3 y3, z0 0 z1 0 z2 0 z3 0, parts of the edge, of which 2^16 make a periodic one and 2^15 one
     * between walls. Differences, wrapped, times weight / 2^15 have the same unit on all axes, and
     * none is larger than 0.57 2^15, so that the sum of the squares is an int32_t. It is less than
     * limit, reach or near, for all pairs within that reach.
     */
    int16_t *coarse;
    int16_t weight[3];
    int32_t reach, near;
};

/* Fill coarse from x for the clusters c0..c1-1. */
SIMD_DECLARE(void, md_coarse, (const struct md_space *s, size_t c0, size_t c1));

/*
 * Clusters above c0 that may be near one of c0..c1-1 (at least all that are), ascending, into out (room
 * for all above c0 and a line). Returns their number.
 */
SIMD_DECLARE(size_t, md_search, (const struct md_space *s, size_t c0, size_t c1, uint32_t *out));

/*
 * Of the n clusters of an ascending list, those above c that have a pair with it within the limit,
 * reach or near, into out (room for n). The one that is not full is kept. Returns their number.
 */
SIMD_DECLARE(size_t, md_near,
             (const struct md_space *s, size_t c, int32_t limit, const uint32_t *list, size_t n,
              uint32_t *out));

/* ---- integration */

/* What one pass over atoms does, in this order. */
enum {
    MD_FINISH = 1, /* v += a h: the second half of a velocity-Verlet step */
    MD_SCALE = 2,  /* v *= scale: the thermostat */
    MD_BEGIN = 4,  /* v += a h; r += v dt; walls; x */
    MD_KINETIC = 8 /* sum of v² */
};

struct md_move {
    double *r[3], *v[3];
    int32_t *x;       /* lines */
    const int32_t *f; /* lines of total forces; NULL: fd */
    const int64_t *fd;
    double unit; /* acceleration of one force unit */
    double h, dt, scale;
    double box[3]; /* mirror walls; 0: none */
    double pos_scale[3];
    double kscale; /* integers a unit of v² */
};

/* Found on the way; each is a maximum or a sum over the atoms, so that parts may be combined in any
 * order. */
struct md_moved {
    double move2; /* largest squared displacement of this step */
    double force; /* largest component of a force, force units */
    int64_t kinetic;
};

/* i0: a multiple of MD_CLUSTER. */
SIMD_DECLARE(void, md_move_atoms,
             (const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out));

/* The largest squared distance of the atoms i0..i1-1 from ref. */
SIMD_DECLARE(double, md_away2, (double *const r[3], double *const ref[3], size_t i0, size_t i1));

/* 1.5 * 2^52: adding it leaves the nearest integer in the low bits. */
#define MD_MAGIC 6755399441055744.0

/* Nearest integer, |x| < 2^51; beyond that modulo 2^32 at least up to 2^52. Two additions, no
 * conversion. */
static inline __attribute__((always_inline)) int64_t md_integer(double x)
{
    union {
        double d;
        int64_t i;
    } y = {x + MD_MAGIC}, m = {MD_MAGIC};
    return (int64_t)((uint64_t)y.i - (uint64_t)m.i);
}

#endif
