/* SPDX-License-Identifier: MIT */
/* md_cpu.h: inside of the CPU engine, shared by md_cpu*.c only. */
#ifndef MBF_MD_CPU_H
#define MBF_MD_CPU_H

#include <stdalign.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/pool.h"
#include "md/md.h"
#include "md/md_kernel.h"

#define MD_SEGMENT 64 /* clusters: unit in which a thread's reach is known, and of a pass */

/* Sums over atoms for a sample, in units of md_totals. */
struct md_kinetics {
    __int128 v2, p[3], ab[6];
};

/* One thread's own results, on cache lines of its own. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    struct md_sums sums;
    struct md_kinetics kinetics;
    bool failed;
    int32_t *f;  /* mixed: forces from this thread's rows, for md_fold; zero between evaluations */
    int64_t *fd; /* double */
    unsigned char *seg; /* [segments]: 1 where this thread's rows reach */
    uint32_t *found;    /* list build: clusters near each row; from malloc */
    uint32_t *some;     /* and what may be near a group of rows; from malloc */
    size_t nfound, room, some_room;
    double work;    /* tiles of its rows */
    double done;    /* of those, computed since the last build, */
    double seconds; /* and the processor's time for them */
    double speed;   /* tiles a second: cores differ, those that share one most; 0: not known */
    double strayed; /* what atoms can have moved since this thread's rows were pruned, */
    double away;    /* and since the list was built; */
    double away2;   /* what its own have, squared */
    uint32_t atoms; /* list build: in this thread's bins */
};

struct md {
    struct md_params p;
    struct md_info info;
    struct md_rows rows;
    struct md_move move;
    size_t n, nclusters, npad;
    double limit_move2, limit_away, limit_strayed, limit_force, v2_unit, v2_wanted;
    struct md_space space;
    /* sorted state; id[i]: number of the atom at place i */
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3];
    int32_t *x;          /* lines */
    int32_t *total;      /* lines of forces; mixed */
    int64_t *total_wide; /* double */
    uint32_t *id, *id_next;
    uint32_t *key, *bins;   /* [n] place after the sort; [ncol nz + 2] */
    uint32_t *list, *count; /* list from malloc; count[clusters]: entries of each row */
    uint32_t *inner;        /* from malloc: what is near for now, at the same places */
    size_t *begin, *all_end, list_room,
        inner_room; /* [clusters + 1]; all_end[clusters]: nclusters, each */
    size_t *near;   /* [clusters]: end of each row in inner; by cells: in list */
    uint64_t todo;  /* steps of md_advance */
    unsigned want;  /* of md_totals */
    /* the team: thread t of `threads` has its worker, rows and atoms */
    struct pool *pool;
    int threads, nworkers; /* in use, and there */
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    int balanced;                 /* threads for which row_from shares the last list; 0: none */
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn; /* and who sleeps until it changes */
    int asleep;
    void *frame; /* a sample's positions, room for f64; velocities after them */
    void **owned;
    char *room;                      /* in the last of them: what is free */
    size_t nowned, room_left, bytes; /* bytes: handed out */
};

/*
 * md_cpu_list.c: run part(m, t) for t = 0..threads-1, all at once, so that they may wait for each
 * other: md_barrier returns when all threads are there.
 */
void md_team(struct md *m, void (*part)(struct md *m, int t));
void md_barrier(struct md *m);
/* Shape of the columns, from the parameters. */
void md_space_shape(struct md *m);
/* How far lists reach, and what is near for now: distances in Å. */
void md_space_reach(struct md *m, double reach, double near);
/* Sort by place, find neighbours (or list every cluster above each: all pairs), share rows among
 * threads; all from the present positions. By every thread of the team; on return, after a barrier,
 * all have the same answer: 0, or -1 (memory; m->info.err). */
int md_list_build(struct md *m, int t);

/* Look, from now on, only at those clusters of thread t's lists that can come within the cutoff while
 * no atom moves farther than limit_strayed. By every thread of the team. */
void md_list_prune(struct md *m, int t);

/* md_cpu_step.c: lists and forces of the present positions, by the present method. 0 or -1. */
int md_prepare(struct md *m);
int md_advance(struct md *m, uint64_t nsteps);
void md_totals(struct md *m, unsigned want, struct md_thermo *t);

/* md_cpu_tune.c: choose method, skin and threads for this start, build lists, compute forces. 0 or
 * -1. */
int md_tune(struct md *m, const double *r, const double *v);

/* Share [0, n) of part t among `parts`, in multiples of `unit`. */
static inline size_t md_share(size_t n, int t, int parts, size_t unit)
{
    size_t units = (n + unit - 1) / unit, at = units * (size_t)t / (size_t)parts * unit;
    return at < n ? at : n;
}

#endif
