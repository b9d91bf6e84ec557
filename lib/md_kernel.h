/* SPDX-License-Identifier: MIT */
/*
 * md_kernel.h: the hot loops of the CPU engine (md_simd.c) and what they work on.
 *
 * Atoms are sorted in space and cut into blocks of W = md_lanes() consecutive ones. A row is one atom i against whole
 * blocks j, each pair once (j > i in the sorted order): the force on i stays in registers, the one on the W atoms of
 * the block goes back to memory. No gathers. Sums are of integers, so blocks, rows and threads may come in any order.
 */
#ifndef MBF_MD_KERNEL_H
#define MBF_MD_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "lj.h"
#include "simd.h"

#define MD_LANES_MAX 16

struct md_rows {
    struct lj_fixed fixed;
    const int32_t *x[3]; /* position units, sorted; padded to whole blocks with anything */
    const double *r[3];  /* the same atoms, Å */
    size_t natoms;
    const uint32_t *list;  /* block numbers above i's own; the last block, when padded, comes last */
    const size_t *begin, *end; /* row i is list[begin[i >> shift] .. end[i >> shift]) */
    int shift;             /* 0: a list an atom; log2 W: a list a block */
    /* for md_rows_f64 */
    struct lj lj;
    double box[3], inv[3]; /* edges and, along periodic axes, their reciprocals; else 0 */
    double rc2;            /* Å² */
    double escale, fscale; /* integers a unit of energy and of force */
};

struct md_sums {
    __int128 energy, virial; /* times escale */
    uint64_t pairs;
};

/* Forces of rows i0..i1-1 added to f[axis][atom] (wrapping). */
SIMD_DECLARE(void, md_rows_force, (const struct md_rows *a, size_t i0, size_t i1, int32_t *const f[3]));
/*
 * The same in double. f: NULL, or integers of 1/fscale that are added to; sums: NULL, or totals that are added to.
 */
SIMD_DECLARE(void, md_rows_f64, (const struct md_rows *a, size_t i0, size_t i1, int64_t *const f[3], struct md_sums *s));
/*
 * From a list of near blocks, near[n], to a list an atom: keep, for i in [i0, i1), those with a pair of r2 < rl2
 * (units²). count[i - i0] gets their number; returns the total written to out (room for (i1 - i0) n + 1).
 */
SIMD_DECLARE(size_t, md_rows_prune, (const struct md_rows *a, size_t i0, size_t i1, const uint32_t *near, size_t n,
                                     float rl2, uint32_t *out, uint32_t *count));

/* ---- integration */

/* What one pass over atoms does, in this order. */
enum {
    MD_FINISH = 1,  /* v += a h: the second half of a velocity-Verlet step */
    MD_SCALE = 2,   /* v *= scale: the thermostat */
    MD_BEGIN = 4,   /* v += a h; r += v dt; walls; x */
    MD_KINETIC = 8  /* sum of v² */
};

struct md_move {
    double *r[3], *v[3];
    const double *ref[3]; /* positions at the last list build */
    int32_t *x[3];
    const int32_t *f[3];  /* total forces; NULL: fd */
    const int64_t *fd[3];
    double unit;          /* acceleration of one force unit */
    double h, dt, scale;
    double box[3];        /* mirror walls; 0: none */
    double pos_scale[3];
    double kscale;        /* integers a unit of v² */
};

/* Found on the way; each is a maximum or a sum over the atoms, so that parts may be combined in any order. */
struct md_moved {
    double away2; /* largest squared distance from ref */
    double move2; /* largest squared displacement of this step */
    double force; /* largest component of a force, force units */
    int64_t kinetic;
};

SIMD_DECLARE(void, md_move_atoms, (const struct md_move *a, size_t i0, size_t i1, int what, struct md_moved *out));
/* sum[i] += part[i], wrapping. */
SIMD_DECLARE(void, md_add_i32, (int32_t *sum, const int32_t *part, size_t n));
SIMD_DECLARE(void, md_add_i64, (int64_t *sum, const int64_t *part, size_t n));

static inline int md_lanes(void)
{
    return simd_level() >= 4 ? 16 : simd_level() == 3 ? 8 : 4;
}

#endif
