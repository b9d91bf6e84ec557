/* SPDX-License-Identifier: MIT */
/*
 * md_engine.h: inside of the GPU engine of molecular dynamics, host side, shared by md_gpu*.cu
 * only.
 */
#ifndef MBF_MD_ENGINE_H
#define MBF_MD_ENGINE_H

#include <stdbool.h>

#include "base/gpu.h"
#include "md/md_launch.h"

struct md_brick; /* md_plan.h: plan and memory of the kernel for large systems */
struct brick_args;

struct md {
    struct md_params p;
    struct md_info info;
    bool small;
    int kind; /* template parameter of md_mixed */
    int device, sms, cluster_max;
    size_t ncoord;           /* 3 natoms replicas */
    struct md_launch job;    /* constants filled in */
    size_t bytes;            /* of device memory held, samples excepted */
    double *d_r[2], *d_v[2]; /* state and what a launch makes of it */
    int cur;
    double *d_forces;
    struct md_trouble *d_trouble, *trouble; /* trouble: pinned */
    /* samples of two launches: one is filled while the other is copied and handed out */
    void *d_frames[2], *frames[2]; /* positions of all frames, then their velocities */
    long long *d_totals[2], *totals[2];
    size_t frame_slots, total_slots;
    size_t frame_bytes, slot_bytes; /* a frame of all replicas; with its velocities */
    cudaStream_t stream, copy;
    cudaEvent_t copied[2], done; /* done: a launch; who waits sleeps, as many engines may run */
    double rate;                 /* steps a second, as seen */
    double list_every;           /* small systems in clusters: steps that a list lives; 0: none */
    struct md_brick *brick;
};

/*
 * md_gpu_run.cu: a launch of nsteps from the present state, `phase` steps after the beginning of a
 * run; start it; wait for it, making room and repeating where needed.
 */
struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t phase,
                                const struct md_samples *s, int buf);
int md_launch_once(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
int md_settle(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
void md_samples_free(struct md *m);

/* Device memory that counts in m->bytes, within the limit. 0 or -1. */
int md_take(struct md *m, void **p, size_t bytes, const char *what);

/*
 * Can the system run in one kernel of blocks that hold everything, with lists if it has more than
 * all_pairs atoms? Fills job.cluster, per_block, lanes. 1 or 0.
 */
int md_small_plan(struct md *m, size_t all_pairs);
int md_small_launch(struct md *m, const struct md_launch *j);
/*
 * After a launch of nsteps: was no list older than its skin allows? Learns how long lists may live.
 */
bool md_small_kept(struct md *m, uint64_t nsteps);

/* Plan and memory for large systems. 0 or -1 (m->err). */
int md_brick_open(struct md *m);
int md_brick_launch(struct md *m, const struct md_launch *j);
/*
 * After a launch whose trouble says that something did not fit: make room. 0, or -1 when that
 * cannot be.
 */
int md_brick_grow(struct md *m, const struct md_trouble *t);
int md_brick_calm(struct md *m, uint64_t nsteps); /* so many steps have gone well */
void md_brick_close(struct md_brick *b);
const struct brick_args *brick_args_of(const struct md *m);
const void *md_single_kernel_of(const struct md *m); /* md_gpu_single.cu */
const void *md_brick_kernel_of(const struct md *m);  /* md_gpu_brick.cu */

#endif
