/* SPDX-License-Identifier: MIT */
/* axes_unit.h: declares the loop of axes.c that is compiled for every SIMD level. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/simd.h"
#include "motion/axes.h"

#define AXES_SOME 64                 /* axes at once */
#define AXES_VALUES (3 + AXES_RANK2) /* components of u and Q */

/* Divides n vectors u[0..2] by their lengths, rounds the results to f32 unless f64 is set, and
 * computes the components of Q in u[3..7]. */
SIMD_DECLARE(void, axes_unit,
             (size_t n, bool f64, double u[AXES_VALUES][AXES_SOME], double length[AXES_SOME]));
