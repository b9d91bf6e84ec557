/* SPDX-License-Identifier: MIT */
/* stride.h: tolerances for times that should be evenly spaced, in strides. */
#ifndef MBF_STRIDE_H
#define MBF_STRIDE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define STRIDE_PRINTED 1e-3 /* still evenly spaced: times printed with few digits */
#define STRIDE_EXACT 1e-6   /* beyond this, the times of a block are written out */
#define STRIDE_MISSING 0.1  /* for other formats, where a missing frame is a whole stride */

/* Returns true if the first of n times (ps) and dt determine all n times, or if all times are
 * unknown (NaN). */
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
