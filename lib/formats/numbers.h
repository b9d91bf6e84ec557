/* SPDX-License-Identifier: MIT */
/* numbers.h: converts arrays of numbers from a file with SIMD. Private to lib/formats. The three
 * SIMD levels of numbers_simd.c give identical bits. Functions that write f32 numbers return the
 * bits of the number with the largest magnitude as an integer. A larger magnitude gives a larger
 * integer. If the integer for the largest magnitude is NUMBERS_INF or more, a number is infinite or
 * NaN. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#define NUMBERS_INF 0x7f800000u

/* Scans n f32 numbers without converting them. */
SIMD_DECLARE(uint32_t, numbers_max, (const float *p, size_t n));
/* Reverses the byte order of n f32 numbers at p in place. */
SIMD_DECLARE(uint32_t, numbers_swap_here, (float *p, size_t n));
/* Converts the n numbers at p to f32 or f64 numbers. The input numbers are f64 if `wide` is true,
 * and otherwise f32. Set the flag `swap` if the byte order of the input numbers is reversed. Each
 * number is multiplied by `scale` in f64 and rounded once. Returns 0 if the largest magnitude is
 * not known. */
SIMD_DECLARE(uint32_t, numbers_scale,
             (const void *p, size_t n, bool wide, bool swap, double scale, bool f64, void *to));
/* Interleaves three arrays of n f32 numbers into rows [n][3], and reverses their byte order if
 * `swap` is true. */
SIMD_DECLARE(uint32_t, numbers_rows, (const void *const p[3], size_t n, bool swap, float *to));
/* Writes rows [n][3] of f32 numbers. The input consists of rows of `stride` bytes, with f64 numbers
 * at the offsets at[3] of each row. */
SIMD_DECLARE(uint32_t, numbers_narrow,
             (const void *p, const size_t at[3], size_t stride, size_t n, float *to));
/* Converts n f64 numbers, which are `stride` bytes apart, to integers. Returns the number of
 * leading numbers that are integers from 0 to 2^53. */
SIMD_DECLARE(size_t, numbers_whole, (const void *p, size_t stride, size_t n, int64_t *to));
/* Returns true if all n f64 numbers have magnitudes of at most `limit`. If any number is NaN,
 * returns false. */
SIMD_DECLARE(bool, numbers_within, (const double *p, size_t n, double limit));
