/* SPDX-License-Identifier: MIT */
/* md_cpu.h: inside of the CPU engine, shared by md_cpu*.c only. */
#ifndef MBF_MD_CPU_H
#define MBF_MD_CPU_H

#include <stdalign.h>
#include <stdbool.h>

#include "md.h"
#include "md_kernel.h"

#define MD_ERR 256
#define MD_CORE_ROOM 0.95 /* of lj_core: nearer than this no pair's numbers need to fit */
#define MD_SEGMENT 1024 /* atoms: unit in which a thread's share of the force array is cleared and added */

/* One thread's own results, on cache lines of its own. */
struct md_worker {
    alignas(128) struct md_moved moved;
    int64_t kinetic;
    int32_t *f[3];       /* mixed: forces from this thread's rows */
    int64_t *fd[3];      /* double */
    unsigned char *seg;  /* [segments]: 1 where f or fd is not zero everywhere */
    uint32_t *found, *kept; /* list build: blocks near each block, and of these near each atom; from malloc */
    size_t nfound, found_room, nkept, kept_room;
    uint32_t *stamp;     /* [blocks]: last row block that met this block */
};

struct md {
    struct md_params p;
    struct md_rows rows;
    struct md_move move;
    enum md_neighbours method;
    int lanes, shift;          /* W and log2 W */
    size_t n, nblocks, npad;
    double skin, limit_move2, limit_away2, limit_force, v2_unit;
    float list_rl2;            /* units²: (rc + skin)² and a little more */
    /* sorted state; id[i]: number of the atom at place i */
    double *r[3], *v[3], *ref[3], *r_next[3], *v_next[3];
    int32_t *x[3];
    uint32_t *id, *id_next;
    /* space: columns along z, and the bounding box of each block, position units */
    int ncol[2], nz;
    uint32_t *key, *bins, *column; /* [n], [ncol nz + 1], [ncol + 1] first atom of each column */
    int32_t *centre[3];
    float *half[3];
    uint32_t *list, *count;    /* list from malloc; count[n]: entries of each row */
    size_t *begin, *all_end, list_room; /* [n + 1]; all_end[nblocks]: nblocks, every one */
    /* threads */
    int threads;
    struct md_worker *worker;
    size_t *row_from, *atom_from; /* [threads + 1] */
    size_t nsegments;
    alignas(128) int waiting;
    alignas(128) int turn;
    uint64_t step, builds;
    void *frame;               /* a sample's positions, room for f64 */
    int status;
    char error[MD_ERR];
    void **owned;
    size_t nowned;
    size_t bytes;
};

/* md_cpu_list.c: sort, find neighbours, share rows among threads. All from the present positions. 0 or -1. */
int md_list_build(struct md *m);
/* Sort once and list every block above each (all pairs). */
int md_list_all(struct md *m);
/* md_cpu_space.c */
void md_space_shape(struct md *m);
void md_space_sort(struct md *m);
void md_space_bound(struct md *m);
void md_space_near(const struct md *m, struct md_worker *w, size_t block, float rl, float rl2, size_t limit);

/* md_cpu_step.c */
void md_forces_now(struct md *m); /* forces at the present positions into worker 0 */
int md_advance(struct md *m, uint64_t nsteps);
void md_totals(struct md *m, struct md_thermo *t);

/* md_cpu_tune.c: choose method and skin, build lists, compute forces. 0 or -1. */
int md_tune(struct md *m);

/* md_cpu.c: the method and skin from now on; lists and forces of the present positions. 0 or -1. */
int md_use(struct md *m, enum md_neighbours method, double skin);

/* md_cpu.c: memory that md_close frees; NULL when it is out or over max_mem. 64-byte aligned, zeroed. */
void *md_alloc(struct md *m, size_t count, size_t size);
int md_fail(struct md *m, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Share [0, n) of part t among `parts`, in multiples of `unit`. */
static inline size_t md_share(size_t n, int t, int parts, size_t unit)
{
    size_t units = (n + unit - 1) / unit, at = units * (size_t)t / (size_t)parts * unit;
    return at < n ? at : n;
}

#endif
