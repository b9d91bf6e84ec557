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

#include "md/lj.h"
#include "md/md.h"

/*
 * Totals of a sample, MD_NTOTALS integers: sums of rounded multiples, so that they may be added in
 * any order.
 */
enum { MD_T_V2, MD_T_VX, MD_T_VY, MD_T_VZ, MD_T_U, MD_T_W, MD_T_PAIRS, MD_NTOTALS = 8 };

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
    double tau_ratio,
        v2_wanted; /* Berendsen: dt/tau (0: none), sum of v² (integer) at the wanted temperature */
    int natoms, mirror;
    int replicas, replica; /* systems in the arrays; the first that this launch works on */
    /* what to do */
    long long nsteps;
    long long every,
        phase;        /* sample when phase + steps done is every, 2 every, ...; every 0: none */
    int sample_first; /* sample the start too (then nsteps is 0) */
    unsigned want;    /* MD_WANT_* */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos; /* [sample][replica][atom][3] f32 or f64 */
    long long
        *totals; /* [sample][replica][MD_NTOTALS], zeroed; U, W and pairs count each pair twice */
    double *forces; /* [replica][atom][3], or NULL: integer forces at the start */
    struct md_trouble *trouble;
    /* how: small systems */
    int cluster, per_block, lanes; /* blocks a system, atoms a block, lanes an atom */
    float list_r2,
        move_r2; /* one-block systems: (cutoff + skin)², (skin/2)², position units²; 0: no lists */
};

/*
 * The first step of which a sample is wanted: 0 for the start, or when its forces are; beyond the
 * end if there is none.
 */
HD long long md_next(const struct md_launch *j)
{
    return j->sample_first || j->forces ? 0
           : j->want && j->every > 0    ? j->every - j->phase
                                        : j->nsteps + 1;
}

/* Its place in pos and totals, for one replica. */
HD size_t md_row(const struct md_launch *j, long long n, int replica)
{
    return (size_t)(n == 0 ? 0 : (j->phase + n) / j->every - 1) * (size_t)j->replicas +
           (size_t)replica;
}

#endif
