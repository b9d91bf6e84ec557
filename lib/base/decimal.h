/* SPDX-License-Identifier: MIT */
/*
 * decimal.h: numbers to decimal text and back, correctly rounded, in the C locale whatever the
 * user's is. Every number that a tool writes or reads as text passes here.
 *
 * Why not std::to_chars and std::from_chars behind a C header: their digits are the same (powers of
 * two apart, where they save one now and then), but every tool would carry libstdc++ (+0.5 MB
 * static, +0.4 ms at each start shared), the layout below and Fortran's numbers would still be ours
 * to do, and before GCC 12 from_chars goes by way of strtod.
 */
#ifndef MBF_DECIMAL_H
#define MBF_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DECIMAL_TEXT 40       /* bytes that a number written here may take */
#define DECIMAL_READ_MAX 1000 /* longest number read, characters */

/*
 * x at p[DECIMAL_TEXT], without a NUL; returns the length. Digits 0: the fewest that read back as
 * exactly x, those nearest to x; an exponent (1.5e-05) below 1e-4 and from 1e16 on (f32: 1e15).
 * Digits 1..17: as printf's %.{digits}g has it. No zeros at the end of a fraction; nan, inf, -inf.
 */
size_t decimal_put_f64(char *p, double x, int digits);
size_t decimal_put_f32(char *p, float x, int digits);
size_t decimal_put_u64(char *p, uint64_t x);

/*
 * What is a number: [+-] digits [. digits] with at least one digit, then optionally an exponent, e
 * or E with an optionally signed whole number. DECIMAL_OURS also reads the nan, inf and -inf that
 * are written above. DECIMAL_FORTRAN does not, but takes d, D, q and Q for an exponent too, and the
 * sign alone before exactly three digits ("0.14-270", as Fortran writes them; not 12.5-3). Never hexadecimal, a decimal
 * comma, blanks, or the asterisks of an overflowed field.
 */
enum decimal_style { DECIMAL_OURS, DECIMAL_FORTRAN };

/*
 * The token s[0..len) as a number: the f64 (f32) nearest to the decimal itself, ties to even; an
 * f32 is never rounded by way of an f64. Return 0, or -1: it is none, or beyond the largest finite
 * one. Source of the fast path: W. D. Clinger, How to read floating point numbers accurately, PLDI
 * 1990.
 */
int decimal_get_f64(const char *s, size_t len, enum decimal_style style, double *v)
    __attribute__((warn_unused_result));
int decimal_get_f32(const char *s, size_t len, enum decimal_style style, float *v)
    __attribute__((warn_unused_result));

/* Whole number of digits only. Return 0, or -1 when it is none or above max. */
int decimal_get_u64(const char *s, size_t len, uint64_t max, uint64_t *v)
    __attribute__((warn_unused_result));

/* Why DECIMAL_FORTRAN does not take s[0..len): a phrase such as "a decimal comma"; never NULL. */
const char *decimal_reason(const char *s, size_t len);

/* 10^k, 0 <= k <= 22: all exact in an f64. */
extern const double decimal_pow10[23];

#ifdef __cplusplus
}
#endif
#endif
