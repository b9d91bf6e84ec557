/* SPDX-License-Identifier: MIT */
/* motion_kernel.h: declares the loops of motion_window.c that are compiled for every SIMD level. */
#pragma once

#include <stddef.h>

#include "base/simd.h"

#define MOTION_LANES 8 /* partial sums over points */

/* The functions below sum over n points of two steps, where n is a multiple of MOTION_LANES. The
 * arrays x, y and z of a step begin `stride` numbers apart. The function motion_products adds the
 * products for x, y and z to the sums to[0..2], and motion_squares adds the squared differences. If
 * the flag `fourth` is set, motion_squares also adds (dx² + dy² + dz²)² to the sum to[3]. */
SIMD_DECLARE(void, motion_products,
             (size_t n, size_t stride, const double *now, const double *then, double to[4]));
SIMD_DECLARE(void, motion_squares,
             (size_t n, size_t stride, const double *now, const double *then, int fourth,
              double to[4]));
