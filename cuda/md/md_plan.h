/* SPDX-License-Identifier: MIT */
/* md_plan.h: plans and keeps the device memory for large systems. */
#pragma once

#include "md/md_brick.h"
#include "md/md_engine.h"

#define PLAN_OWNED 24

struct md_brick {
    struct brick_args args;
    double skin;
    /* Factors that enlarge the capacities after an overflow. */
    double more_staged, more_own, more_list;
    /* Time steps since the last overflow, and until smaller capacities are tried again. */
    uint64_t calm, patience;
    bool held; /* The device memory holds the current state. */
    size_t pos_bytes;
    size_t shared_max, bytes; /* per block; in total */
    void *owned[PLAN_OWNED];
    int nowned;
};
