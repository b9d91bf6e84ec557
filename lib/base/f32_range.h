/* SPDX-License-Identifier: MIT */
/* f32_range.h: finds coordinates that are too large for f32. Adjacent f32 numbers are at least
 * 0.002 Å apart beyond 16384 Å, and 1 Å apart at 1e7 Å. Differences between such large f32
 * coordinates are meaningless, although every coordinate looks valid. Text and f64 positions beyond
 * 16384 Å are therefore not converted to f32. Positions are not made smaller by wrapping, because
 * the displacements of unwrapped trajectories would be lost. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define F32_RANGE 16384.0f /* Å */
#define F32_RANGE_ADVICE                                                                           \
    "expected a position within 16384 Å of the origin, where f32 resolves 0.001 Å (use --dtype " \
    "f64 for positions farther out)"

/* Returns the index of the first of n numbers with |v| > F32_RANGE, or n without such a number. */
static inline size_t f32_range_find(const float *v, size_t n)
{
    const float edge = F32_RANGE;
    uint32_t max, beyond = 0, w;
    memcpy(&max, &edge, sizeof max);
    for (size_t k = 0; k < n; k++) {
        memcpy(&w, v + k, sizeof w);
        beyond |= (w & 0x7fffffffu) > max;
    }
    for (size_t k = 0; beyond && k < n; k++)
        if (v[k] > edge || v[k] < -edge)
            return k;
    return n;
}
