/* SPDX-License-Identifier: MIT */
/*
 * xyz_number.h: decimal text to binary, correctly rounded (to nearest, ties to even), in the C
 * locale.
 *
 * What is a number: [+-] digits [. digits] with at least one digit, then optionally an exponent: e,
 * E, d, D, q or Q with an optionally signed whole number (Fortran writes D), or the sign alone
 * ("0.14-270", as Fortran writes three-digit exponents). Nothing else: no inf, NaN, hexadecimal,
 * decimal comma, or the asterisks of an overflowed field. Each result is the f32 (f64) nearest to
 * the decimal itself: an f32 is never rounded by way of an f64. Source of the fast path: W. D.
 * Clinger, How to read floating point numbers accurately, PLDI 1990.
 */
#ifndef MBF_XYZ_NUMBER_H
#define MBF_XYZ_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XYZ_NUMBER_MAX 1000 /* longest number taken, characters */

/* The token s[0..len) as a number. Return 0, or -1: xyz_number_reason() says why. */
int xyz_number_f64(const char *s, size_t len, double *v) __attribute__((warn_unused_result));
int xyz_number_f32(const char *s, size_t len, float *v) __attribute__((warn_unused_result));

/* Whole number of digits only. Return 0, or -1 when it is none or above max. */
int xyz_number_u64(const char *s, size_t len, uint64_t max, uint64_t *v)
    __attribute__((warn_unused_result));

/* Why s[0..len) is no number that we take: a phrase such as "a decimal comma"; never NULL. */
const char *xyz_number_reason(const char *s, size_t len);

/* 10^k, 0 <= k <= 22: all exact in an f64. */
extern const double xyz_pow10[23];

#ifdef __cplusplus
}
#endif
#endif
