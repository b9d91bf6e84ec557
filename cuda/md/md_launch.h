/* SPDX-License-Identifier: MIT */
/* md_launch.h: arguments and results of one launch of a dynamics kernel.
 *
 * A launch advances the state from r_in and v_in by nsteps steps to r_out and v_out, and records
 * samples. A launch uses no data except its arguments, which are passed by value. Launches share no
 * state, and each launch rebuilds its neighbour lists. Forces are sums of integers (lj.h). The
 * trajectory therefore depends neither on how the steps are divided into launches nor on lists,
 * cells, threads, blocks or the device. */
#pragma once

#include <stddef.h>

#include "md/md_formulas.h"

/* Indices of the MD_NTOTALS totals of a sample. Each total is a sum of rounded integers, so the
 * order of the terms does not change it. Tensors have the components xx yy zz xy xz yz. */
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

/* Errors of a launch, which the kernels record with integer atomics. Before a launch, all bits of
 * `step` are set and all other members are 0. */
struct md_trouble {
    unsigned long long step; /* number of the first step with an error, counted from 1. If no step
                              * has an error, all bits are set. */
    unsigned int kind;       /* MD_BAD_* */
    unsigned int staged;     /* largest number of atoms that a brick staged, if this number exceeds
                              * the capacity */
    unsigned int own;        /* largest number of atoms in a brick, if this number exceeds the
                              * capacity */
    unsigned int neighbours; /* largest number of neighbours of an atom, if this number exceeds the
                              * capacity */
    /* If lists are rebuilt at fixed intervals: the largest squared displacement of an atom between
     * two builds, in position units², stored as the bits of a float. */
    unsigned int moved;
    unsigned long long builds; /* number of times that the list was built */
};
enum { MD_BAD_MOVE = 1, MD_BAD_FORCE = 2 };

/* Flags of a system in mixed precision. MD_CUBIC: cubic box. MD_SHIFTED selects a force that is
 * shifted to 0 at the cutoff. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

/* Selects every `stride`-th step of a launch from step `first`, or no step if `stride` is 0. */
struct md_due_at {
    unsigned first, stride;
};

struct md_launch {
    /* the physical system */
    struct lj_fixed fixed;
    struct lj lj;
    double box[3], inv[3]; /* edges of the cell, and their inverses, which are 0 along axes with
                            * walls */
    double rc2;
    double acc;                     /* Å/ps² per force unit */
    double fscale;                  /* used only in double precision */
    double escale, v2scale, vscale; /* integers per unit */
    double kick1, kick2;            /* dt/2, dt/2 or dt, 0 */
    double dt, max_move;            /* time step in ps, and largest displacement per component in
                                     * Å */
    double tau_ratio;               /* time step divided by the time constant of the thermostat, or
                                     * 0 without a thermostat */
    double v2_wanted;               /* target value of the sum of v², as an integer */
    int natoms, mirror;
    int replicas, replica; /* number of replicas in this launch, and index of the first replica */
    /* the work of this launch */
    long long nsteps;
    unsigned want; /* MD_WANT_* */
    struct md_due_at frames, sums;
    unsigned rebuild;          /* Lists are also rebuilt every `rebuild` steps. 0: never */
    int sample_first;          /* whether to sample the state before the first step, in which case
                                * nsteps is 0 */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos, *vel; /* sampled frames in f32 or f64, [frame][replica][atom][3] */
    /* Totals [sample][replica][MD_NTOTALS], initially 0. Sums over pairs count each pair of atoms
     * twice. */
    long long *totals;
    double *forces; /* integer forces at the start [replica][atom][3], or NULL */
    struct md_trouble *trouble;
    /* Members that only small systems use. */
    int cluster, per_block, lanes; /* number of blocks per system, of atoms per block and of lanes
                                    * per atom */
    /* (cutoff + skin)² and (skin/2)² in position units², or 0 if no lists are used */
    float list_r2, move_r2;
    int list_every; /* number of steps between builds of the list */
};

HD bool md_hits(const struct md_due_at &d, unsigned n)
{
    return d.stride && n >= d.first && (n - d.first) % d.stride == 0;
}

/* Returns whether lists must be rebuilt before step n even if no atom has moved far. */
HD bool md_list_due(const struct md_launch &j, long long n)
{
    return j.rebuild && (unsigned)n % j.rebuild == 0;
}

/* Returns the MD_WANT_* flags of the samples to take at step n of this launch. */
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

/* Returns the first step after n at which a sample is taken, or nsteps + 1 if there is no such
 * step. If a sample or the forces at the start are requested, step 0 counts as a step with a
 * sample. If n is -1, the search begins at step 0. */
HD long long md_next(const struct md_launch *j, long long n)
{
    if (n < 0 && (j->sample_first || j->forces))
        return 0;
    unsigned at = n < 0 ? 0 : (unsigned)n;
    long long none = j->nsteps + 1, a = md_after(j->frames, at, none),
              b = md_after(j->sums, at, none);
    return a < b ? a : b;
}

/* Returns the row of a replica at step n in an array of frames or totals of the steps that d
 * selects. */
HD size_t md_row(const struct md_launch *j, const struct md_due_at &d, long long n, int replica)
{
    size_t row = n == 0 ? 0 : ((unsigned)n - d.first) / d.stride;
    return row * (size_t)j->replicas + (size_t)replica;
}
