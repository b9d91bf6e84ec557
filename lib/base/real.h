/* SPDX-License-Identifier: MIT */
/* real.h: reads and writes arrays of floats or doubles, such as those of a stream. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns element k of the array p, which holds doubles if f64 is true, and otherwise floats. */
static inline double real_at(const void *p, bool f64, size_t k)
{
    return f64 ? ((const double *)p)[k] : (double)((const float *)p)[k];
}

/* Sets element k of the array p, which holds doubles if f64 is true, and otherwise floats. */
static inline void real_set(void *p, bool f64, size_t k, double v)
{
    if (f64)
        ((double *)p)[k] = v;
    else
        ((float *)p)[k] = (float)v;
}

/* Sets r to the vector p[i][3]. */
static inline void real_vector(const void *p, bool f64, size_t i, double r[3])
{
    for (size_t a = 0; a < 3; a++)
        r[a] = real_at(p, f64, 3 * i + a);
}
