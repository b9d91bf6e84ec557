/* SPDX-License-Identifier: MIT */
/* md_cpu.h: inside of the CPU engine, shared by md_cpu*.c only. */
#ifndef MBF_MD_CPU_H
#define MBF_MD_CPU_H

#include <stdalign.h>
#include <stdbool.h>

#include "md/md.h"
#include "md/md_kernel.h"

#define MD_ERR 256
#define MD_CORE_ROOM 0.95 /* of lj_core: nearer than this no pair's numbers need to fit */
#define MD_SEGMENT 256    /* clusters: unit in which a thread's reach is known */

/* One thread's own results, on cache lines of its own. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    int32_t *f;  /* mixed: forces from this thread's rows, for md_fold; zero but during a force
                   evaluation */
    int64_t *fd; /* double */
    unsigned char *seg; /* [segments]: 1 where this thread's rows reach */
    uint32_t *found;    /* list build: clusters near each row; from malloc */
    size_t nfound, room;
    uint32_t *stamp; /* [clusters]: last row that met this cluster */
};

struct md {
    struct md_params p;
    struct md_rows rows;
    struct md_move move;
    enum md_neighbours method;
    size_t n, nclusters, npad;
    double skin, limit_move2, limit_away2, limit_force, v2_unit, v2_wanted;
    struct md_space space;
    /* sorted state; id[i]: number of the atom at place i */
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3];
    int32_t *x;          /* lines */
    int32_t *total;      /* lines of forces; mixed */
    int64_t *total_wide; /* double */
    uint32_t *id, *id_next;
    uint32_t *key, *bins;   /* [n] place after the sort; [ncol nz + 2] */
    uint32_t *list, *count; /* list from malloc; count[clusters]: entries of each row */
    size_t *begin, *all_end,
        list_room; /* [clusters + 1]; all_end[clusters]: nclusters, every one */
    /* threads */
    int threads, nworkers; /* in use, and there */
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn;
    uint64_t step, builds;
    void *frame; /* a sample's positions, room for f64 */
    int status;
    char error[MD_ERR];
    void **owned;
    size_t nowned;
    size_t bytes;
};

/* md_cpu_list.c: sort, find neighbours, share rows among threads. All from the present positions. 0
 * or -1. */
int md_list_build(struct md *m);
/* Sort once and list every block above each (all pairs). */
int md_list_all(struct md *m);
/* md_cpu_space.c */
void md_space_shape(struct md *m);
void md_space_sort(struct md *m);

/* md_cpu_step.c */
void md_forces_now(struct md *m); /* total forces at the present positions */
int md_advance(struct md *m, uint64_t nsteps);
void md_totals(struct md *m, struct md_thermo *t);

/* md_cpu_tune.c: choose method, skin and threads for this start, build lists, compute forces. 0 or
 * -1. */
int md_tune(struct md *m, const double *r, const double *v);

/* md_cpu.c: take a state; what is used from now on, with lists and forces of the present positions.
 * 0 or -1. */
void md_load(struct md *m, const double *r, const double *v);
int md_use(struct md *m, enum md_neighbours method, double skin, int threads);

/* md_cpu.c: memory that md_close frees; NULL when it is out or over max_mem. 64-byte aligned,
 * zeroed. */
void *md_alloc(struct md *m, size_t count, size_t size);
int md_fail(struct md *m, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Share [0, n) of part t among `parts`, in multiples of `unit`. */
static inline size_t md_share(size_t n, int t, int parts, size_t unit)
{
    size_t units = (n + unit - 1) / unit, at = units * (size_t)t / (size_t)parts * unit;
    return at < n ? at : n;
}

#endif
