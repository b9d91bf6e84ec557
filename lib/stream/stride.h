/* SPDX-License-Identifier: MIT */
/* stride.h: defines tolerances for evenly spaced times, as fractions of the time per step. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define STRIDE_PRINTED 1e-3 /* for printed times */
#define STRIDE_EXACT 1e-6   /* Larger differences are written as TIME frames. */
/* The tolerance is for formats in which a missing frame shifts the times by whole steps. */
#define STRIDE_MISSING 0.1

/* Returns true if time[0] and dt determine all n times, or if all times are NaN. */
static inline bool stride_gives(const double *time, size_t n, double dt)
{
    for (size_t k = 1; k < n; k++) {
        double want = time[0] + (double)k * dt;
        if (!(isnan(time[k]) && isnan(want)) && !(fabs(time[k] - want) <= STRIDE_EXACT * dt))
            return false;
    }
    return true;
}
