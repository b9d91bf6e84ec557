/* SPDX-License-Identifier: MIT */
/*
 * numbers.h: private to lib/formats. Arrays of numbers from the bytes of a file, as vectors
 * (numbers_simd.c, three levels, same bits).
 *
 * What gives f32 returns the bits of the largest magnitude among them, so that nobody has to look at
 * them again: from NUMBERS_INF on one is infinite or NaN. Magnitudes compare as their bits do.
 */
#ifndef MBF_NUMBERS_H
#define MBF_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NUMBERS_INF 0x7f800000u

/* n f32 as they stand. */
SIMD_DECLARE(uint32_t, numbers_most, (const float *p, size_t n));
/* n f32 of the other byte order at p. */
SIMD_DECLARE(uint32_t, numbers_swap_f32, (const void *p, size_t n, float *to));
/* n rows [n][3] of f32 from three arrays, of the other byte order or not. */
SIMD_DECLARE(uint32_t, numbers_rows, (const void *const p[3], size_t n, bool swap, float *to));
/* n rows [n][3] of f32 from f64 that stand `at` bytes from the start of each row of `stride`. */
SIMD_DECLARE(uint32_t, numbers_narrow,
             (const void *p, const size_t at[3], size_t stride, size_t n, float *to));
/* n whole numbers from 0 to 2^53 that stand in f64, `stride` bytes apart: how many are such. */
SIMD_DECLARE(size_t, numbers_whole, (const void *p, size_t stride, size_t n, int64_t *to));
/* Is none of n f64 infinite or NaN? */
SIMD_DECLARE(bool, numbers_finite, (const double *p, size_t n));
/* Are the magnitudes of n f64 at most `limit`, and none of them NaN? */
SIMD_DECLARE(bool, numbers_within, (const double *p, size_t n, double limit));

#ifdef __cplusplus
}
#endif
#endif
