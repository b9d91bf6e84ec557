/* SPDX-License-Identifier: MIT */
/* md_cpu.h: internals of the CPU engine, shared only by md_cpu*.c. */
#ifndef MBF_MD_CPU_H
#define MBF_MD_CPU_H

#include <stdalign.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/pool.h"
#include "md/md.h"
#include "md/md_kernel.h"

#define MD_SEGMENT 64 /* clusters per unit of a thread's reach and of a pass */

/* Sums over atoms for a sample, in the units of md_totals. */
struct md_kinetics {
    __int128 v2, p[3], ab[6];
};

/* Results of one thread, on separate cache lines. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    struct md_sums sums;
    struct md_kinetics kinetics;
    bool failed;
    int32_t *f;  /* mixed: forces from this thread's rows, for md_fold; zero between evaluations */
    int64_t *fd; /* double: forces */
    unsigned char *seg; /* [segments]: 1 if this thread's rows reach the segment */
    uint32_t *found;    /* list build: clusters near each row; from malloc */
    uint32_t *some;     /* candidates near a group of rows; from malloc */
    size_t nfound, room, some_room;
    double work;    /* tiles of its rows */
    double done;    /* tiles computed since the last build */
    double seconds; /* processor time of `done` */
    double speed;   /* tiles per second, which differs between cores; 0: unknown */
    double strayed; /* largest possible move of an atom since this thread's rows were pruned */
    double away;    /* largest possible move of an atom since the list was built */
    double away2;   /* largest squared move of its atoms */
    uint32_t atoms; /* list build: atoms in this thread's bins */
};

struct md {
    struct md_params p;
    struct md_info info;
    struct md_rows rows;
    struct md_move move;
    size_t n, nclusters, npad;
    double limit_move2, limit_away, limit_strayed, limit_force, v2_unit, v2_wanted;
    struct md_space space;
    /* sorted state; id[i] is the number of the atom at place i */
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3];
    int32_t *x;          /* lines */
    int32_t *total;      /* lines of forces, mixed */
    int64_t *total_wide; /* the same, double */
    uint32_t *id, *id_next;
    uint32_t *key, *bins;   /* [n] place after the sort; [ncol nz + 2] */
    uint32_t *list, *count; /* list is from malloc; count[clusters]: entries per row */
    uint32_t *inner;        /* from malloc: the entries of list that are near at present */
    size_t *begin, *all_end, list_room,
        inner_room; /* begin: [clusters + 1]; all_end[clusters]: all nclusters */
    size_t *near;   /* [clusters]: end of each row in inner (cells: in list) */
    uint64_t todo;  /* steps of md_advance */
    unsigned want;  /* argument of md_totals */
    /* The team: thread t of `threads` has a worker, rows and atoms. */
    struct pool *pool;
    int threads, nworkers; /* threads in use; workers that exist */
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    /* Number of threads among which row_from divides the last list; 0: none. */
    int balanced;
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn; /* asleep: threads that sleep until turn changes */
    int asleep;
    void *frame; /* positions of a sample, space for f64; then velocities */
    void **owned;
    char *room;                      /* free space in the last owned block */
    size_t nowned, room_left, bytes; /* bytes: total handed out */
};

/* md_cpu_list.c: runs part(m, t) for t = 0..threads-1 simultaneously, so the threads may wait for
 * each other; md_barrier returns when all threads have reached it. */
void md_team(struct md *m, void (*part)(struct md *m, int t));
void md_barrier(struct md *m);
/* Sets the shape of the columns from the parameters. */
void md_space_shape(struct md *m);
/* Sets the reach of the lists and the distance that counts as near, both in Å. */
void md_space_reach(struct md *m, double reach, double near);
/* Sorts atoms by place, finds neighbours (all pairs: lists every cluster above each) and divides
 * the rows among threads, all from the present positions. Every thread of the team calls it. After
 * a final barrier all threads return the same value: 0, or -1 if memory ran out (m->info.err). */
int md_list_build(struct md *m, int t);

/* Reduces thread t's lists to the clusters that can come within the cutoff while no atom moves
 * farther than limit_strayed. Every thread of the team calls it. */
void md_list_prune(struct md *m, int t);

/* md_cpu_step.c: computes lists and forces of the present positions by the present method. Returns
 * 0 or -1. */
int md_prepare(struct md *m);
int md_advance(struct md *m, uint64_t nsteps);
void md_totals(struct md *m, unsigned want, struct md_thermo *t);

/* md_cpu_tune.c: chooses method, skin and threads for this start, builds lists and computes forces.
 * Returns 0 or -1. */
int md_tune(struct md *m, const double *r, const double *v);

/* Returns the start of part t when [0, n) is divided among `parts` in multiples of `unit`. */
static inline size_t md_share(size_t n, int t, int parts, size_t unit)
{
    size_t units = (n + unit - 1) / unit, at = units * (size_t)t / (size_t)parts * unit;
    return at < n ? at : n;
}

#endif
