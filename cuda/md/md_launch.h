/* SPDX-License-Identifier: MIT */
/*
 * md_launch.h: arguments of one launch of a dynamics kernel, passed by value, and its results.
 *
 * A launch is a pure function: r_in, v_in at step `step0` give r_out, v_out `nsteps` later, with
 * samples in between. No state is kept between launches (lists are rebuilt). Forces are sums of
 * integers (lj.h), so the trajectory does not depend on the division of steps into launches, nor on
 * lists, cells, threads, blocks or the device.
 */
#ifndef MBF_MD_LAUNCH_H
#define MBF_MD_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "md/md_formulas.h"

/* Totals of a sample, MD_NTOTALS integers. Totals are sums of rounded multiples, so they may be
 * added in any order. Tensors: xx yy zz xy xz yz. */
enum {
    MD_T_V2,
    MD_T_VX,
    MD_T_VY,
    MD_T_VZ,
    MD_T_U,
    MD_T_W,
    MD_T_PAIRS,
    MD_T_VV,               /* sum of v_a v_b */
    MD_T_RF = MD_T_VV + 6, /* sum of r_a F_b */
    MD_NTOTALS = MD_T_RF + 6
};

/* Errors of a launch, written with integer atomics. At the start, all bits of step are set and all
 * other fields are 0. */
struct md_trouble {
    unsigned long long step; /* first bad step + 1, or all bits set */
    unsigned int kind;       /* MD_BAD_MOVE | MD_BAD_FORCE */
    unsigned int staged;     /* largest number of atoms to stage for a brick, if it did not fit */
    unsigned int own;        /* largest number of atoms in a brick, if it did not fit */
    unsigned int neighbours; /* largest list of an atom, if it did not fit */
    /* lists of fixed life: largest move of an atom during one life, units², as the bits of a
     * float */
    unsigned int moved;
    unsigned long long builds; /* number of lists built */
};
enum { MD_BAD_MOVE = 1, MD_BAD_FORCE = 2 };

/* System in mixed precision: the ratios are 1 and skipped; the force is shifted. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

/* Steps of a launch with something due: first, first + stride, ...; stride 0: none. */
struct md_due_at {
    unsigned first, stride;
};

struct md_launch {
    /* physics */
    struct lj_fixed fixed;
    struct lj lj;
    double box[3], inv[3]; /* inv: 0 between walls */
    double rc2;
    double acc;                     /* acceleration of one integer force unit, Å/ps² */
    double fscale;                  /* double: integer force units per meV/Å */
    double escale, v2scale, vscale; /* integers per unit of energy, v² and v in the totals */
    double kick1, kick2;            /* velocity Verlet: dt/2, dt/2; Euler: dt, 0 */
    double dt, max_move;            /* max_move: Å, of one component */
    double tau_ratio;               /* Berendsen: dt/tau (0: none) */
    double v2_wanted;               /* integer sum of v² at the target temperature */
    int natoms, mirror;
    int replicas, replica; /* systems in the arrays; first system of this launch */
    /* what to do */
    long long nsteps;
    unsigned want; /* MD_WANT_* */
    struct md_due_at frames, sums;
    unsigned rebuild;          /* rebuild lists at multiples of this number of steps; 0: never */
    int sample_first;          /* sample the start with everything in want (nsteps is then 0) */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos, *vel; /* [frame][replica][atom][3] f32 or f64 */
    /* [sample][replica][MD_NTOTALS], zeroed; sums over pairs count each pair twice */
    long long *totals;
    double *forces; /* [replica][atom][3], integer forces at the start; or NULL */
    struct md_trouble *trouble;
    /* method for small systems */
    int cluster, per_block, lanes; /* blocks per system, atoms per block, lanes per atom */
    float list_r2, move_r2; /* (cutoff + skin)², (skin/2)², position units²; 0: no lists */
    int list_every;         /* clusters: steps between list builds */
};

HD bool md_hits(const struct md_due_at &d, unsigned n)
{
    return d.stride && n >= d.first && (n - d.first) % d.stride == 0;
}

/* Returns whether lists are rebuilt before step n regardless of moves. */
HD bool md_list_due(const struct md_launch &j, long long n)
{
    return j.rebuild && (unsigned)n % j.rebuild == 0;
}

/* Returns the samples due at step n of this launch, MD_WANT_*. */
HD unsigned md_due_now(const struct md_launch *j, long long n)
{
    if (n == 0)
        return j->sample_first ? j->want : 0;
    return (md_hits(j->frames, (unsigned)n) ? j->want & MD_WANT_FRAME : 0) |
           (md_hits(j->sums, (unsigned)n) ? j->want & ~MD_WANT_FRAME : 0);
}

HD long long md_after(const struct md_due_at &d, unsigned n, long long none)
{
    return !d.stride     ? none
           : n < d.first ? d.first
                         : d.first + ((n - d.first) / d.stride + 1) * d.stride;
}

/* Returns the first step after n (-1: first of all) with something due. Step 0 (the start) counts
 * if it is sampled or if its forces are wanted. Returns nsteps + 1 if nothing is due. */
HD long long md_next(const struct md_launch *j, long long n)
{
    if (n < 0 && (j->sample_first || j->forces))
        return 0;
    unsigned at = n < 0 ? 0 : (unsigned)n;
    long long none = j->nsteps + 1, a = md_after(j->frames, at, none),
              b = md_after(j->sums, at, none);
    return a < b ? a : b;
}

/* Returns the row of step n of a replica in pos and vel (d: frames) or in totals (d: sums). */
HD size_t md_row(const struct md_launch *j, const struct md_due_at &d, long long n, int replica)
{
    size_t row = n == 0 ? 0 : ((unsigned)n - d.first) / d.stride;
    return row * (size_t)j->replicas + (size_t)replica;
}

#endif
