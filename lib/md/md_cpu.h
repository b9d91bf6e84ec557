/* SPDX-License-Identifier: MIT */
/* md_cpu.h: declares what the source files md_cpu*.c of the CPU engine share. */
#pragma once

#include <stdalign.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/pool.h"
#include "md/md.h"
#include "md/md_kernel.h"

#define MD_SEGMENT 64 /* in clusters */

/* Contains sums over atoms, scaled to integers (md_totals). */
struct md_kinetics {
    __int128 v2, p[3], ab[6];
};

/* Holds the data of one thread. Threads do not share cache lines. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    struct md_sums sums;
    struct md_kinetics kinetics;
    bool failed;
    /* Forces for the precision `mixed` (f) or `double` (fd) are 0 except during an evaluation. */
    int32_t *f;
    int64_t *fd;
    unsigned char *seg; /* [segments] flags */
    uint32_t *found;    /* clusters near a row */
    uint32_t *some;     /* clusters near a group of rows */
    size_t nfound, capacity, some_room;
    double work;    /* tiles of the thread */
    double done;    /* tiles since the last build */
    double seconds; /* processor time */
    double speed;   /* tiles per second, or 0 */
    /* The largest displacement is measured since the list was last pruned (strayed) or built
     * (away). */
    double strayed;
    double away;
    double away2;   /* squared maximum */
    uint32_t atoms; /* in bins of the thread */
};

struct md {
    struct md_params p;
    struct md_info info;
    struct md_rows rows;
    struct md_move move;
    size_t n, nclusters, npad;
    double limit_move2, limit_away, limit_strayed, limit_force, v2_unit, v2_wanted;
    struct md_space space;
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3]; /* sorted: atom id[i] */
    int32_t *x;                                           /* lines */
    int32_t *total;                                       /* forces, mixed */
    int64_t *total_wide;                                  /* forces, double */
    uint32_t *id, *id_next;
    uint32_t *key, *bins;                           /* for sorting */
    uint32_t *list, *count;                         /* count: entries per row */
    uint32_t *inner;                                /* pruned list */
    size_t *begin, *all_end, list_room, inner_room; /* see md_rows */
    size_t *near;                                   /* ends of rows in `inner` or `list` */
    uint64_t todo;                                  /* steps of md_advance */
    unsigned want;                                  /* for md_totals */
    bool summed;                                    /* pair sums are done */
    struct pool *pool;
    int threads, nworkers; /* nworkers: existing */
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    int balanced;                 /* threads that share the rows; 0: not divided */
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn; /* a change wakes waiting threads */
    int asleep;
    void *frame; /* r, v of a sample */
    void **owned;
    char *capacity;                  /* free memory of the last block */
    size_t nowned, room_left, bytes; /* bytes: in all */
};

/* Runs part(m, t) for all threads t at the same time, so that a thread may wait for other threads.
 * A call of md_barrier returns after the call of the last thread. */
void md_team(struct md *m, void (*part)(struct md *m, int t));
void md_barrier(struct md *m);
void md_space_shape(struct md *m);
/* Sets the radius `reach` of the lists (in Å), and the distance `near` (in Å) below which two
 * clusters count as near. */
void md_space_reach(struct md *m, double reach, double near);
/* Sorts the atoms in space, finds neighbours, and divides the rows among the threads. If all pairs
 * are computed, the neighbours of a cluster are all later clusters. Every thread must call
 * md_list_build, which ends with a barrier. Returns 0, or -1 if memory ran out (m->info.err), with
 * the same result in all threads. */
int md_list_build(struct md *m, int t);

/* Removes from the lists of thread t all clusters that cannot come within the cutoff before an atom
 * moves farther than limit_strayed. Every thread must call md_list_prune. */
void md_list_prune(struct md *m, int t);

/* Builds lists and computes forces for the present positions. Returns 0 or -1. */
int md_prepare(struct md *m);
/* Advances the atoms by nsteps steps. If `want` contains MD_WANT_THERMO and the precision is
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
