/* SPDX-License-Identifier: MIT */
/* md_engine.h: host declarations of the CUDA engine for molecular dynamics, for md_gpu*.cu. */
#pragma once

#include <stdbool.h>

#include "base/gpu.h"
#include "md/md_launch.h"

struct md_brick; /* defined in md_plan.h */
struct brick_args;

struct md {
    struct md_params p;
    struct md_info info;
    bool small;
    int kind; /* KIND of md_mixed */
    int device, sms, cluster_max;
    size_t ncoord; /* 3 * natoms * replicas */
    struct md_launch job;
    size_t bytes;            /* device memory in use, without the samples */
    double *d_r[2], *d_v[2]; /* state before and state after a launch */
    int cur;
    double *d_forces;
    struct md_trouble *d_trouble, *trouble; /* trouble: pinned */
    /* Samples of two launches: the device fills one buffer while the other is copied to the
     * host. */
    void *d_frames[2], *frames[2]; /* positions and velocities */
    long long *d_totals[2], *totals[2];
    size_t frame_slots, total_slots;
    size_t frame_bytes, slot_bytes; /* bytes of a frame, without and with velocities */
    cudaStream_t stream, copy;
    /* The host sleeps until `done`, because several engines may share the processor. */
    cudaEvent_t copied[2], done;
    double rate; /* time steps per second */
    /* Time steps between two builds of the lists of a small system, or 0 without lists. */
    double list_every;
    struct md_brick *brick;
};

/* Returns the arguments of a launch of nsteps steps, which begins `phase` steps after the
 * start of a run. */
struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t phase,
                                const struct md_samples *s, int buf);
int md_launch_once(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
/* Waits for the launch j, and repeats j with more memory if necessary. */
int md_settle(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
void md_samples_free(struct md *m);

/* Allocates device memory within the limit, and adds its size to m->bytes. Returns 0 or -1. */
int md_take(struct md *m, void **p, size_t bytes, const char *what);

/* If the blocks of one kernel can hold all atoms, sets job.cluster, job.per_block and job.lanes and
 * returns 1. Otherwise returns 0. Neighbour lists are used for more than `all_pairs` atoms. */
int md_small_plan(struct md *m, size_t all_pairs);
int md_small_launch(struct md *m, const struct md_launch *j);
/* Returns whether all neighbour lists remained valid for nsteps time steps. Adjusts the number of
 * time steps between two builds of the lists. */
bool md_small_kept(struct md *m, uint64_t nsteps);

/* Plans and allocates the memory for large systems. Returns 0, or -1 and sets m->err. */
int md_brick_open(struct md *m);
int md_brick_launch(struct md *m, const struct md_launch *j);
/* Enlarges the memory after a launch that exceeded a capacity. Returns 0 or -1. */
int md_brick_grow(struct md *m, const struct md_trouble *t);
/* Records that nsteps time steps exceeded no capacity; may replan the memory. Returns 0 or -1. */
int md_brick_calm(struct md *m, uint64_t nsteps);
void md_brick_close(struct md_brick *b);
const struct brick_args *brick_args_of(const struct md *m);
const void *md_single_kernel_of(const struct md *m); /* md_gpu_single.cu */
const void *md_brick_kernel_of(const struct md *m);  /* md_gpu_brick.cu */
