/* SPDX-License-Identifier: MIT */
/* md_plan.h: host declarations for the bricks, shared by md_gpu_plan.cu and md_gpu_brick.cu. */
#pragma once

#include "md/md_brick.h"
#include "md/md_engine.h"

#define PLAN_OWNED 24

struct md_brick {
    struct brick_args args;
    double skin;
    /* Factors by which capacities exceed the estimates. The factors increase after an overflow. */
    double more_staged, more_own, more_list;
    /* Steps since the last overflow, and steps until the estimate is tried again. */
    uint64_t calm, patience;
    bool held;                /* whether the memory holds the present state */
    size_t pos_bytes;         /* size of P::pos */
    size_t shared_max, bytes; /* bytes per block, and bytes in total */
    void *owned[PLAN_OWNED];
    int nowned;
};
