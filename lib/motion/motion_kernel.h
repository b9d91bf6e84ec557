/* SPDX-License-Identifier: MIT */
/* motion_kernel.h: declares the loops of motion_window.c that are compiled for every SIMD level. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

#define MOTION_LANES 8 /* partial sums */

/* Sum over n points of two steps, where n is a multiple of MOTION_LANES. The arrays x, y and z of a
 * step begin `stride` numbers apart. Products for x, y and z are added to to[0..2] by
 * motion_products, and squared differences by motion_squares, which also adds (dx² + dy² + dz²)² to
 * to[3] if the flag `fourth` is set. */
SIMD_DECLARE(void, motion_products,
             (size_t n, size_t stride, const double *now, const double *then, double to[4]));
SIMD_DECLARE(void, motion_squares,
             (size_t n, size_t stride, const double *now, const double *then, int fourth,
              double to[4]));
