/* SPDX-License-Identifier: MIT */
/*
 * md_launch.h: what one launch of a dynamics kernel is told, by value, and what it leaves behind.
 *
 * A launch is a pure function: r_in, v_in at step `step0` -> r_out, v_out `nsteps` later, samples
 * on the way. It keeps nothing from launch to launch (lists are built anew), and as forces are sums
 * of integers (lj.h) the trajectory does not depend on how steps are cut into launches, nor on
 * lists, cells, threads, blocks or the device.
 */
#ifndef MBF_MD_LAUNCH_H
#define MBF_MD_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "md/md_formulas.h"

/*
 * Totals of a sample, MD_NTOTALS integers: sums of rounded multiples, so that they may be added in
 * any order. Tensors: xx yy zz xy xz yz.
 */
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

/*
 * What went wrong on the device; starts as all zero but step, which is all ones. Written with
 * integer atomics.
 */
struct md_trouble {
    unsigned long long step;   /* first bad step + 1, or all ones */
    unsigned int kind;         /* MD_BAD_MOVE | MD_BAD_FORCE */
    unsigned int staged;       /* the most atoms a brick wanted to stage, when that did not fit */
    unsigned int own;          /* the same of its own atoms */
    unsigned int neighbours;   /* the same of an atom's list */
    unsigned int moved;        /* lists of a fixed life: the farthest an atom went in one, units²,
                                  the bits of a float */
    unsigned long long builds; /* lists built */
};
enum { MD_BAD_MOVE = 1, MD_BAD_FORCE = 2 };

/* Of a system in mixed precision: the ratios are 1 and skipped; the force is shifted. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

/* Steps of a launch at which something is due: first, first + stride, ...; stride 0: none. */
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
    double escale, v2scale, vscale; /* integers a unit of energy, of v² and of v in the totals */
    double kick1, kick2;            /* velocity Verlet: dt/2, dt/2; Euler: dt, 0 */
    double dt, max_move;            /* max_move: Å, of one component */
    double tau_ratio;               /* Berendsen: dt/tau (0: none) */
    double v2_wanted;               /* sum of v² (integer) at the wanted temperature */
    int natoms, mirror;
    int replicas, replica; /* systems in the arrays; the first that this launch works on */
    /* what to do */
    long long nsteps;
    unsigned want; /* MD_WANT_* */
    struct md_due_at frames, sums;
    unsigned rebuild;          /* build lists at every multiple of so many steps; 0: no */
    int sample_first;          /* sample the start, all that is wanted (then nsteps is 0) */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos, *vel;   /* [frame][replica][atom][3] f32 or f64 */
    long long *totals; /* [sample][replica][MD_NTOTALS], zeroed; pairs' sums count each twice */
    double *forces;    /* [replica][atom][3], or NULL: integer forces at the start */
    struct md_trouble *trouble;
    /* how: small systems */
    int cluster, per_block, lanes; /* blocks a system, atoms a block, lanes an atom */
    float list_r2, move_r2; /* (cutoff + skin)², (skin/2)², position units²; 0: no lists */
    int list_every;         /* clusters: steps that a list lives */
};

HD bool md_hits(const struct md_due_at &d, unsigned n)
{
    return d.stride && n >= d.first && (n - d.first) % d.stride == 0;
}

/* Are lists built before step n whatever has moved? */
HD bool md_list_due(const struct md_launch &j, long long n)
{
    return j.rebuild && (unsigned)n % j.rebuild == 0;
}

/* What is due at step n of this launch: MD_WANT_*. */
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

/*
 * The first step after n (-1: the first of all) at which something is to be done: 0 for the start,
 * or when its forces are wanted; beyond the end if there is none.
 */
HD long long md_next(const struct md_launch *j, long long n)
{
    if (n < 0 && (j->sample_first || j->forces))
        return 0;
    unsigned at = n < 0 ? 0 : (unsigned)n;
    long long none = j->nsteps + 1, a = md_after(j->frames, at, none),
              b = md_after(j->sums, at, none);
    return a < b ? a : b;
}

/* Place in pos and vel (d: frames) or totals (sums) of step n of one replica. */
HD size_t md_row(const struct md_launch *j, const struct md_due_at &d, long long n, int replica)
{
    size_t row = n == 0 ? 0 : ((unsigned)n - d.first) / d.stride;
    return row * (size_t)j->replicas + (size_t)replica;
}

#endif
