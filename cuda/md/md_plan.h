/* SPDX-License-Identifier: MIT */
/* md_plan.h: declarations for the division into bricks, shared by md_gpu_plan.cu and
 * md_gpu_brick.cu. */
#pragma once

#include "md/md_brick.h"
#include "md/md_engine.h"

#define PLAN_OWNED 24

struct md_brick {
    struct brick_args args;
    double skin;
    /* Factors by which the capacities exceed the estimated sizes. After an overflow, the factors
     * increase. */
    double more_staged, more_own, more_list;
    /* number of steps since the last overflow, and number of steps after which the estimate is
     * tried again */
    uint64_t calm, patience;
    bool held;                /* whether the device memory holds the present state */
    size_t pos_bytes;         /* size of P::pos */
    size_t shared_max, bytes; /* number of bytes per block, and number of bytes in total */
    void *owned[PLAN_OWNED];
    int nowned;
};
