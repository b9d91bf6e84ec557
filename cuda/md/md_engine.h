/* SPDX-License-Identifier: MIT */
/*
 * md_engine.h: internals of the GPU engine of molecular dynamics, on the host, shared only by
 * md_gpu*.cu.
 */
#ifndef MBF_MD_ENGINE_H
#define MBF_MD_ENGINE_H

#include <stdbool.h>

#include "base/gpu.h"
#include "md/md_launch.h"

struct md_brick; /* md_plan.h: plan and memory of the kernels for large systems */
struct brick_args;

struct md {
    struct md_params p;
    struct md_info info;
    bool small;
    int kind; /* template parameter of md_mixed */
    int device, sms, cluster_max;
    size_t ncoord;           /* 3 natoms replicas */
    struct md_launch job;    /* launch arguments, constants filled in */
    size_t bytes;            /* device memory held, without samples */
    double *d_r[2], *d_v[2]; /* state, and its successor after a launch */
    int cur;
    double *d_forces;
    struct md_trouble *d_trouble, *trouble; /* trouble is pinned */
    /* Samples of two launches: one set is filled while the other is copied and passed on. */
    void *d_frames[2], *frames[2]; /* positions of all frames, then their velocities */
    long long *d_totals[2], *totals[2];
    size_t frame_slots, total_slots;
    size_t frame_bytes, slot_bytes; /* bytes of a frame of all replicas; with its velocities */
    cudaStream_t stream, copy;
    /* done: end of a launch; the host sleeps while waiting, because many engines may run */
    cudaEvent_t copied[2], done;
    double rate; /* measured steps per second */
    /* small systems in clusters: steps between list builds; 0: no lists */
    double list_every;
    struct md_brick *brick;
};

/* md_gpu_run.cu: functions that describe a launch of nsteps from the present state (`phase`
 * steps after the start of a run), start it, and wait for it, enlarging memory and repeating if
 * needed. */
struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t phase,
                                const struct md_samples *s, int buf);
int md_launch_once(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
int md_settle(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
void md_samples_free(struct md *m);

/* Allocates device memory, counted in m->bytes, within the limit. Returns 0 or -1. */
int md_take(struct md *m, void **p, size_t bytes, const char *what);

/* Reports whether the system fits one kernel whose blocks hold all atoms, with lists if it has more
 * than all_pairs atoms. Sets job.cluster, per_block and lanes. Returns 1 or 0. */
int md_small_plan(struct md *m, size_t all_pairs);
int md_small_launch(struct md *m, const struct md_launch *j);
/* Reports whether, in a launch of nsteps, all lists were still valid, and adjusts the interval of
 * list builds. */
bool md_small_kept(struct md *m, uint64_t nsteps);

/* Plans and allocates the memory for large systems. Returns 0, or -1 (m->err). */
int md_brick_open(struct md *m);
int md_brick_launch(struct md *m, const struct md_launch *j);
/* Enlarges memory after a launch that reported an overflow. Returns 0, or -1 if memory cannot be
 * enlarged. */
int md_brick_grow(struct md *m, const struct md_trouble *t);
int md_brick_calm(struct md *m, uint64_t nsteps); /* called after nsteps without overflow */
void md_brick_close(struct md_brick *b);
const struct brick_args *brick_args_of(const struct md *m);
const void *md_single_kernel_of(const struct md *m); /* md_gpu_single.cu */
const void *md_brick_kernel_of(const struct md *m);  /* md_gpu_brick.cu */

#endif
