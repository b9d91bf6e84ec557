/* SPDX-License-Identifier: MIT */
/* stride.h: defines tolerances for evenly spaced times, as fractions of a stride. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define STRIDE_PRINTED 1e-3 /* tolerance for times that are printed with few digits */
#define STRIDE_EXACT 1e-6   /* difference above which times are written as TIME frames */
/* tolerance for formats in which a missing frame shifts times by a stride */
#define STRIDE_MISSING 0.1

/* Returns true if the first time and dt determine all n times in ps, or if all times are NaN. */
static inline bool stride_gives(const double *time, size_t n, double dt)
{
    for (size_t k = 1; k < n; k++) {
        double want = time[0] + (double)k * dt;
        if (!(isnan(time[k]) && isnan(want)) && !(fabs(time[k] - want) <= STRIDE_EXACT * dt))
            return false;
    }
    return true;
}
