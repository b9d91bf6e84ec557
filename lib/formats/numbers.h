/* SPDX-License-Identifier: MIT */
/* numbers.h: SIMD conversion of arrays of numbers in a file. Private to lib/formats. The three SIMD
 * levels of numbers_simd.c give identical bits.
 *
 * Functions that write f32 return the bits of the largest magnitude, which saves a second pass over
 * the data. Magnitudes compare like their bits; at NUMBERS_INF or above, a number is infinite or
 * NaN. */
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

/* Scans n f32 without conversion. */
SIMD_DECLARE(uint32_t, numbers_most, (const float *p, size_t n));
/* Converts n f32 at p from the other byte order. */
SIMD_DECLARE(uint32_t, numbers_swap_f32, (const void *p, size_t n, float *to));
/* Interleaves three arrays of n f32 into rows [n][3], with a byte swap if swap is set. */
SIMD_DECLARE(uint32_t, numbers_rows, (const void *const p[3], size_t n, bool swap, float *to));
/* Writes rows [n][3] of f32 from the f64 at offsets at[3] in each row of `stride` bytes. */
SIMD_DECLARE(uint32_t, numbers_narrow,
             (const void *p, const size_t at[3], size_t stride, size_t n, float *to));
/* Converts f64, `stride` bytes apart, to integers. Returns the number of leading values (at most n)
 * that are integers from 0 to 2^53. */
SIMD_DECLARE(size_t, numbers_whole, (const void *p, size_t stride, size_t n, int64_t *to));
/* Returns whether all n f64 are finite. */
SIMD_DECLARE(bool, numbers_finite, (const double *p, size_t n));
/* Returns whether all n f64 have magnitudes of at most `limit`; false if a value is NaN. */
SIMD_DECLARE(bool, numbers_within, (const double *p, size_t n, double limit));

#ifdef __cplusplus
}
#endif
#endif
