/* SPDX-License-Identifier: MIT */
/* motion_kernel.h: interface of motion_window.c to the loop that is compiled for every SIMD
 * level. */
#ifndef MBF_MOTION_KERNEL_H
#define MBF_MOTION_KERNEL_H

#include <stddef.h>

#include "base/simd.h"

#define MOTION_LANES 8 /* number of partial sums over points */

/* motion_products and motion_squares sum over n points (a multiple of MOTION_LANES) of two steps;
 * the x, y and z arrays of a step are `stride` apart. motion_products adds the products of each
 * axis to to[0..2]. motion_squares adds the squared differences and, with fourth, the squares of
 * their sums to to[3]. */
SIMD_DECLARE(void, motion_products,
             (size_t n, size_t stride, const double *now, const double *then, double to[4]));
SIMD_DECLARE(void, motion_squares,
             (size_t n, size_t stride, const double *now, const double *then, int fourth,
              double to[4]));

#endif
