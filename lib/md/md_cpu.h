/* SPDX-License-Identifier: MIT */
/* md_cpu.h: declarations shared by the source files of the CPU engine, md_cpu*.c. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/pool.h"
#include "md/md.h"
#include "md/md_kernel.h"

#define MD_SEGMENT 64 /* in clusters */

/* Sums over atoms for a sample, in the integer units of md_totals. */
struct md_kinetics {
    __int128 v2, p[3], ab[6];
};

/* Data of one thread. Different threads do not share cache lines. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    struct md_sums sums;
    struct md_kinetics kinetics;
    bool failed;
    int32_t *f;         /* forces for the precision `mixed`, which are 0 except during an
                         * evaluation */
    int64_t *fd;        /* forces for the precision `double`, which are 0 except during an
                         * evaluation */
    unsigned char *seg; /* [segments] flags */
    uint32_t *found;    /* clusters near a row */
    uint32_t *some;     /* clusters that are near a group of rows */
    size_t nfound, capacity, some_room;
    double work;    /* number of tiles in the rows of this thread */
    double done;    /* number of tiles that were processed since the last build of the list */
    double seconds; /* processor time */
    double speed;   /* number of tiles per second, or 0 if unknown */
    double strayed; /* largest displacement since the list was last pruned */
    double away;    /* largest displacement since the list was last built */
    double away2;   /* squared maximum */
    uint32_t atoms; /* number of atoms in the bins of this thread */
};

struct md {
    struct md_params p;
    struct md_info info;
    struct md_rows rows;
    struct md_move move;
    size_t n, nclusters, npad;
    double limit_move2, limit_away, limit_strayed, limit_force, v2_unit, v2_wanted;
    struct md_space space;
    /* Sorted state. The atom at the sorted position i has the number id[i]. */
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3];
    int32_t *x;          /* lines */
    int32_t *total;      /* forces, mixed */
    int64_t *total_wide; /* forces, double */
    uint32_t *id, *id_next;
    uint32_t *key, *bins;                           /* for sorting */
    uint32_t *list, *count;                         /* count: entries per row */
    uint32_t *inner;                                /* pruned list */
    size_t *begin, *all_end, list_room, inner_room; /* see md_rows */
    size_t *near;  /* end of each row in the array `inner`, or in `list` if pairs are found by
                    * cells */
    uint64_t todo; /* steps of md_advance */
    unsigned want; /* for md_totals */
    bool summed;   /* whether md_rows_force has computed the sums over pairs */
    /* The team of threads. Each thread has a struct md_worker, a range of rows and a range of
     * atoms. */
    struct pool *pool;
    int threads, nworkers; /* nworkers: existing */
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    /* Number of threads among which row_from divides the last list, or 0 if it is not divided. */
    int balanced;
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn; /* value whose change wakes the threads that wait */
    int asleep;
    void *frame; /* r, v of a sample */
    void **owned;
    char *capacity;                  /* amount of free memory in the last block */
    size_t nowned, room_left, bytes; /* bytes: in all */
};

/* The function md_team of md_cpu_list.c runs part(m, t) for all threads t at the same time, so that
 * they may wait for each other. The function md_barrier returns when all threads have called it. */
void md_team(struct md *m, void (*part)(struct md *m, int t));
void md_barrier(struct md *m);
/* Sets the number of columns, from the parameters. */
void md_space_shape(struct md *m);
/* Sets the radius `reach` of the lists, and the distance `near` below which clusters are near, both
 * in Å. */
void md_space_reach(struct md *m, double reach, double near);
/* Sorts the atoms in space, finds neighbours, and divides the rows among the threads. If all pairs
 * are computed, the neighbours of a cluster are all later clusters. Every thread of the team must
 * call this function, which ends with a barrier. Returns 0, or -1 if memory ran out (m->info.err),
 * with the same result in all threads. */
int md_list_build(struct md *m, int t);

/* Removes from the lists of thread t all clusters that cannot come within the cutoff before an atom
 * moves farther than limit_strayed. Every thread of the team must call the function. */
void md_list_prune(struct md *m, int t);

/* The functions below are in the file md_cpu_step.c. The function md_prepare builds lists and
 * computes forces for the present positions. The function md_prepare returns 0 or -1. */
int md_prepare(struct md *m);
/* Advances the state by nsteps steps. If `want` contains MD_WANT_THERMO and the precision is
 * `mixed`, the last step also computes the sums over pairs that md_totals uses. */
int md_advance(struct md *m, uint64_t nsteps, unsigned want);
void md_totals(struct md *m, unsigned want, struct md_thermo *t);

/* Chooses the method, the skin and the number of threads for the initial state r and v, builds
 * lists, and computes forces (md_cpu_tune.c). Returns 0 or -1. */
int md_tune(struct md *m, const double *r, const double *v);

/* Divides n items into `parts` parts whose sizes are multiples of `unit`, and returns the start of
 * part t. */
static inline size_t md_share(size_t n, int t, int parts, size_t unit)
{
    size_t units = (n + unit - 1) / unit, at = units * (size_t)t / (size_t)parts * unit;
    return at < n ? at : n;
}
