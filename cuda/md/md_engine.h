/* SPDX-License-Identifier: MIT */
/* md_engine.h: host declarations of the GPU engine for molecular dynamics, shared by md_gpu*.cu. */
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
    size_t ncoord;           /* 3 * natoms * replicas */
    struct md_launch job;    /* launch arguments */
    size_t bytes;            /* memory used, in bytes, without the samples */
    double *d_r[2], *d_v[2]; /* state before and state after a launch */
    int cur;
    double *d_forces;
    struct md_trouble *d_trouble, *trouble; /* The member `trouble` is in pinned host memory. */
    /* Samples of two launches. The device fills one buffer while the other buffer is copied to the
     * host. */
    void *d_frames[2], *frames[2]; /* positions and velocities of all sampled frames */
    long long *d_totals[2], *totals[2];
    size_t frame_slots, total_slots;
    size_t frame_bytes, slot_bytes; /* size of a frame in bytes, without and with velocities */
    cudaStream_t stream, copy;
    /* The host sleeps until the event `done`, because several engines may share the processor. */
    cudaEvent_t copied[2], done;
    double rate; /* steps per second */
    /* number of steps after which small systems in clusters rebuild their lists, or 0 if they use
     * no lists */
    double list_every;
    struct md_brick *brick;
};

/* Functions in md_gpu_run.cu that start launches. The function md_next_launch describes a launch of
 * nsteps steps that begins `phase` steps after the start of a run. The function md_launch_once
 * starts this launch. The function md_settle waits for the launch and repeats it with more memory
 * if necessary. */
struct md_launch md_next_launch(struct md *m, uint64_t nsteps, uint64_t phase,
                                const struct md_samples *s, int buf);
int md_launch_once(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
int md_settle(struct md *m, const struct md_launch *j, size_t ntotals, int buf);
void md_samples_free(struct md *m);

/* Allocates device memory within the limit and adds its size to m->bytes. Returns 0 or -1. */
int md_take(struct md *m, void **p, size_t bytes, const char *what);

/* If the blocks of one kernel can hold all atoms, sets job.cluster, job.per_block and job.lanes and
 * returns 1. Otherwise returns 0. Lists are used if the system has more than `all_pairs` atoms. */
int md_small_plan(struct md *m, size_t all_pairs);
int md_small_launch(struct md *m, const struct md_launch *j);
/* Returns true if all lists remained valid for nsteps. Adjusts the number of steps between builds
 * of the neighbour lists. */
bool md_small_kept(struct md *m, uint64_t nsteps);

/* Plans and allocates the memory for large systems. Returns 0 on success, or -1 with an error
 * message in m->err. */
int md_brick_open(struct md *m);
int md_brick_launch(struct md *m, const struct md_launch *j);
/* Enlarges memory after a launch that reported an overflow. Returns 0 on success, or -1 on
 * failure. */
int md_brick_grow(struct md *m, const struct md_trouble *t);
int md_brick_calm(struct md *m, uint64_t nsteps); /* records that nsteps steps had no overflow */
void md_brick_close(struct md_brick *b);
const struct brick_args *brick_args_of(const struct md *m);
const void *md_single_kernel_of(const struct md *m); /* in md_gpu_single.cu */
const void *md_brick_kernel_of(const struct md *m);  /* in md_gpu_brick.cu */
