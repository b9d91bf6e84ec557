/* SPDX-License-Identifier: MIT */
/* numbers.h: converts arrays of numbers from a file with SIMD. Private to lib/formats. The three
 * SIMD levels of numbers_simd.c give identical bits. Functions that write f32 numbers return the
 * largest magnitude, as an integer with the bits of the f32 number. If any number is infinite or
 * NaN, the integer is NUMBERS_INF or more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#define NUMBERS_INF 0x7f800000u

SIMD_DECLARE(uint32_t, numbers_max, (const float *p, size_t n));
/* Reverses the bytes of each of n f32 numbers. */
SIMD_DECLARE(uint32_t, numbers_swap_here, (float *p, size_t n));
/* Converts n numbers, which are f64 if `wide` is true and otherwise f32, to f64 or f32 numbers. Set
 * the flag `swap` if the byte order of the input is reversed. Each number is multiplied by `scale`
 * in f64 and rounded once. Returns 0 if the largest magnitude is not known. */
SIMD_DECLARE(uint32_t, numbers_scale,
             (const void *p, size_t n, bool wide, bool swap, double scale, bool f64, void *to));
/* Interleaves three arrays of n f32 numbers into rows [n][3], and reverses the byte order if `swap`
 * is true. */
SIMD_DECLARE(uint32_t, numbers_rows, (const void *const p[3], size_t n, bool swap, float *to));
/* Rounds the f64 numbers at the offsets at[3] of n rows, which are `stride` bytes apart, to f32
 * rows [n][3]. */
SIMD_DECLARE(uint32_t, numbers_narrow,
             (const void *p, const size_t at[3], size_t stride, size_t n, float *to));
/* Converts n f64 numbers, which are `stride` bytes apart, to integers. Returns the number of
 * leading numbers that are integers from 0 to 2^53. */
SIMD_DECLARE(size_t, numbers_whole, (const void *p, size_t stride, size_t n, int64_t *to));
/* Returns true if all n f64 numbers have magnitudes of at most `limit`, and none is NaN. */
SIMD_DECLARE(bool, numbers_within, (const double *p, size_t n, double limit));
