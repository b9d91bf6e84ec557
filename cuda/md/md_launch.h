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
    unsigned long long builds; /* lists built */
};
enum { MD_BAD_MOVE = 1, MD_BAD_FORCE = 2 };

/* Of a system in mixed precision: the ratios are 1 and skipped; the force is shifted. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

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
    struct md_samples samples; /* want and strides; sink unused */
    uint64_t phase;            /* steps of the run before this launch */
    uint64_t frame0, total0;   /* frames and totals that were due in them */
    int sample_first;          /* sample the start, all that is wanted (then nsteps is 0) */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos, *vel;   /* [frame][replica][atom][3] f32 or f64 */
    long long *totals; /* [sample][replica][MD_NTOTALS], zeroed; pairs' sums count each twice */
    double *forces;    /* [replica][atom][3], or NULL: integer forces at the start */
    struct md_trouble *trouble;
    /* how: small systems */
    int cluster, per_block, lanes; /* blocks a system, atoms a block, lanes an atom */
    /* one-block systems: (cutoff + skin)², (skin/2)², position units²; 0: no lists */
    float list_r2, move_r2;
};

/* What is due at step n of this launch: MD_WANT_*. */
HD unsigned md_due_now(const struct md_launch *j, long long n)
{
    return n == 0 ? (j->sample_first ? j->samples.want : 0)
                  : md_due(&j->samples, j->phase + (uint64_t)n);
}

/*
 * The first step after n (-1: the first of all) at which something is to be done: 0 for the start,
 * or when its forces are wanted; beyond the end if there is none.
 */
HD long long md_next(const struct md_launch *j, long long n)
{
    if (n < 0 && (j->sample_first || j->forces))
        return 0;
    uint64_t at = j->phase + (uint64_t)(n < 0 ? 0 : n), next = md_next_sample(&j->samples, at);
    return next ? (long long)(next - j->phase) : j->nsteps + 1;
}

/* Places in pos and vel, and in totals, of step n of one replica. */
HD size_t md_frame_row(const struct md_launch *j, long long n, int replica)
{
    size_t row = n == 0 ? 0 : (size_t)((j->phase + (uint64_t)n) / j->samples.every - 1 - j->frame0);
    return row * (size_t)j->replicas + (size_t)replica;
}

HD size_t md_total_row(const struct md_launch *j, long long n, int replica)
{
    size_t row =
        n == 0 ? 0 : (size_t)((j->phase + (uint64_t)n) / j->samples.thermo_every - 1 - j->total0);
    return row * (size_t)j->replicas + (size_t)replica;
}

#endif
