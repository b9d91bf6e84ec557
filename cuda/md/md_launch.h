/* SPDX-License-Identifier: MIT */
/* md_launch.h: arguments and results of one launch of a molecular dynamics kernel.
 *
 * A launch advances the positions r_in and velocities v_in by nsteps time steps to r_out and v_out,
 * and records samples. Launches share no data: all arguments are passed by value, and each launch
 * rebuilds its neighbour lists. The trajectory depends neither on the division into launches nor on
 * lists, cells, threads, blocks or the GPU, because the forces are sums of integers (lj.h). */
#pragma once

#include <stddef.h>

#include "md/md_formulas.h"

/* The totals of a sample, which are sums of integers and therefore independent of the order of the
 * terms. Tensors have the components xx yy zz xy xz yz. */
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

/* Errors of a launch, which the kernels record with integer atomics. Before a launch, `step` is ~0
 * and all other members are 0. */
struct md_trouble {
    unsigned long long step; /* first time step with an error, counted from 1, or ~0 */
    unsigned int kind;       /* MD_BAD_* */
    unsigned int staged;     /* largest number of staged atoms, if it was too large */
    unsigned int own;        /* largest number of atoms of a brick, if too large */
    unsigned int neighbours; /* largest number of neighbours, if too large */
    /* For lists rebuilt at fixed intervals: the largest squared displacement between two builds in
     * Å², times fixed.pos_scale[0]² (lj.h), as the bits of a float. */
    unsigned int moved;
    unsigned long long builds; /* how often the neighbour lists were built */
};
enum { MD_BAD_MOVE = 1, MD_BAD_FORCE = 2 };

/* MD_SHIFTED: the force is shifted to 0 at the cut-off. */
enum { MD_CUBIC = 1, MD_SHIFTED = 2 };

/* Selects every `stride`-th time step from step `first` on, or no time step if `stride` is 0. */
struct md_due_at {
    unsigned first, stride;
};

struct md_launch {
    /* the physical system */
    struct lj_fixed fixed;
    struct lj lj;
    double box[3], inv[3]; /* cell edges in Å, and inverse edges or 0 for walls */
    double rc2;
    double acc;                     /* Å/ps² per force unit */
    double fscale;                  /* used only in double precision */
    double escale, v2scale, vscale; /* integers per unit */
    double kick1, kick2;            /* dt/2 and dt/2, or dt and 0 */
    double dt, max_move;            /* time step in ps; largest displacement per component in Å */
    double tau_ratio;               /* dt divided by the time constant of the thermostat, or 0 */
    double v2_wanted;               /* target of the sum of v², as an integer */
    int natoms, mirror;
    int replicas, replica; /* replica: first replica */
    /* the work of this launch */
    long long nsteps;
    unsigned want; /* MD_WANT_* */
    struct md_due_at frames, sums;
    unsigned rebuild;          /* Lists are also rebuilt every `rebuild` time steps (0: never). */
    int sample_first;          /* The initial state is sampled, and nsteps is 0. */
    const double *r_in, *v_in; /* [replica][atom][3] */
    double *r_out, *v_out;
    void *pos, *vel; /* sampled frames [frame][replica][atom][3], f32 or f64 */
    /* [sample][replica][MD_NTOTALS], initially 0. Totals over pairs count each pair twice. */
    long long *totals;
    double *forces; /* initial forces [replica][atom][3] as integers, or NULL */
    struct md_trouble *trouble;
    /* only for small systems */
    int cluster, per_block, lanes; /* blocks per system, atoms per block, lanes per atom */
    /* (cutoff + skin)² and (skin/2)² in Å², times fixed.pos_scale[0]² (lj.h). Without lists,
     * list_r2 is 0. */
    float list_r2, move_r2;
    int list_every; /* time steps between two builds of the lists */
};

HD bool md_hits(const struct md_due_at &d, unsigned n)
{
    return d.stride && n >= d.first && (n - d.first) % d.stride == 0;
}

/* Returns whether lists must be rebuilt before time step n even if no atom has moved far. */
HD bool md_list_due(const struct md_launch &j, long long n)
{
    return j.rebuild && (unsigned)n % j.rebuild == 0;
}

/* Returns the MD_WANT_* flags of the samples to take at time step n of a launch. */
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

/* Returns the first time step after n at which a sample is taken, or nsteps + 1 without a later
 * sample. Time step 0 counts if the initial state or the initial forces are requested. With n = -1,
 * the search begins at time step 0. */
HD long long md_next(const struct md_launch *j, long long n)
{
    if (n < 0 && (j->sample_first || j->forces))
        return 0;
    unsigned at = n < 0 ? 0 : (unsigned)n;
    long long none = j->nsteps + 1, a = md_after(j->frames, at, none),
              b = md_after(j->sums, at, none);
    return a < b ? a : b;
}

/* Returns the index of a replica at time step n among the samples of all replicas that d
 * selects. */
HD size_t md_row(const struct md_launch *j, const struct md_due_at &d, long long n, int replica)
{
    size_t row = n == 0 ? 0 : ((unsigned)n - d.first) / d.stride;
    return row * (size_t)j->replicas + (size_t)replica;
}
