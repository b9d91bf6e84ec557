/* SPDX-License-Identifier: MIT */
/*
 * stride.h: how far times may be off the stride of their trajectory, in strides.
 */
#ifndef MBF_STRIDE_H
#define MBF_STRIDE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define STRIDE_PRINTED 1e-3 /* still one stride apart: times that were printed with few digits */
#define STRIDE_EXACT 1e-6   /* further off, and the times of a block are written out */
#define STRIDE_MISSING 0.1  /* of text and other programs' files: a missing frame is a whole one */

/* Do the first of n times (ps) and dt say them all? Unknown times, NaN, need no saying either. */
static inline bool stride_says(const double *time, size_t n, double dt)
{
    for (size_t k = 1; k < n; k++) {
        double want = time[0] + (double)k * dt;
        if (!(isnan(time[k]) && isnan(want)) && !(fabs(time[k] - want) <= STRIDE_EXACT * dt))
            return false;
    }
    return true;
}

#endif
