/* SPDX-License-Identifier: MIT */
/*
 * md_plan.h: the host part of the bricks: shape, sizes and memory. Shared by md_gpu_plan.cu and
 * md_gpu_brick.cu.
 */
#ifndef MBF_MD_PLAN_H
#define MBF_MD_PLAN_H

#include "md/md_brick.h"
#include "md/md_engine.h"

#define PLAN_OWNED 24

struct md_brick {
    struct brick_args args;
    double skin;
    double more_staged, more_own,
        more_list; /* capacity beyond the estimate, enlarged after an overflow */
    /* steps since the last overflow; steps required before the estimate is tried again */
    uint64_t calm, patience;
    bool held;                /* the next launch may continue in the memory as it is */
    size_t pos_bytes;         /* size of P::pos */
    size_t shared_max, bytes; /* shared memory of a block; device memory held */
    void *owned[PLAN_OWNED];
    int nowned;
};

#endif
