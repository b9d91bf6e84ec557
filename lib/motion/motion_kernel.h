/* SPDX-License-Identifier: MIT */
/* motion_kernel.h: what motion_window.c hands to the loop that is built for every level. */
#ifndef MBF_MOTION_KERNEL_H
#define MBF_MOTION_KERNEL_H

#include <stddef.h>

#include "base/simd.h"

#define MOTION_LANES 8 /* points are added up in so many sums */

/*
 * Sums over n points (a multiple of MOTION_LANES) of two steps, x of all, y of all, z of all, each
 * `stride` behind the other: of products into to[0..2], by axis. Of squared differences the same,
 * and with fourth their sum squared into to[3].
 */
SIMD_DECLARE(void, motion_products,
             (size_t n, size_t stride, const double *now, const double *then, double to[4]));
SIMD_DECLARE(void, motion_squares,
             (size_t n, size_t stride, const double *now, const double *then, int fourth,
              double to[4]));

#endif
