/* SPDX-License-Identifier: MIT */
/*
 * decimal.h: conversion of numbers to decimal text and back, correctly rounded and always in the C
 * locale. Every number that a tool writes or reads as text passes through this module.
 *
 * std::to_chars and std::from_chars would give the same digits (except at powers of two, where they
 * sometimes save one), but they would link libstdc++ into every tool, would leave the layout below
 * and Fortran numbers to us, and before GCC 12 from_chars uses strtod.
 */
#ifndef MBF_DECIMAL_H
#define MBF_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DECIMAL_TEXT 40       /* largest number of bytes of a written number */
#define DECIMAL_READ_MAX 1000 /* longest number that is read, in characters */

/* Write x to p[DECIMAL_TEXT] without a NUL and return the length. With digits 0, the text has the
 * fewest digits that read back as exactly x, and of those the digits nearest to x; it has an
 * exponent (1.5e-05) below 1e-4 and from 1e16 on (f32: 1e15). With digits 1 to 17, the text is that
 * of printf's %.{digits}g. Fractions have no trailing zeros. Other values are nan, inf and -inf. */
size_t decimal_put_f64(char *p, double x, int digits);
size_t decimal_put_f32(char *p, float x, int digits);
size_t decimal_put_u64(char *p, uint64_t x);

/* Syntax of a number: [+-] digits [. digits] with at least one digit, optionally followed by an
 * exponent, e or E with an optionally signed integer. DECIMAL_OURS also reads nan, inf and -inf as
 * written above. DECIMAL_FORTRAN does not, but accepts d, D, q and Q as exponent letters, and a
 * sign alone before exactly three digits (0.14-270, as Fortran writes it; not 12.5-3). Neither
 * reads hexadecimal numbers, decimal commas, blanks, or the asterisks of an overflowed field. */
enum decimal_style { DECIMAL_OURS, DECIMAL_FORTRAN };

/* Convert the token s[0..len) to the f64 (f32) nearest to the decimal number, ties to even; an f32
 * is never rounded via an f64. Return 0, or -1 if the token is not a number or exceeds the largest
 * finite number. Source of the fast path: W. D. Clinger, How to read floating point numbers
 * accurately, PLDI 1990. */
int decimal_get_f64(const char *s, size_t len, enum decimal_style style, double *v)
    __attribute__((warn_unused_result));
int decimal_get_f32(const char *s, size_t len, enum decimal_style style, float *v)
    __attribute__((warn_unused_result));

/* Reads an integer that consists of digits only. Returns 0, or -1 if it is not one or exceeds
 * max. */
int decimal_get_u64(const char *s, size_t len, uint64_t max, uint64_t *v)
    __attribute__((warn_unused_result));

/* Returns the reason why DECIMAL_FORTRAN rejects s[0..len), a phrase such as "a decimal comma";
 * never NULL. */
const char *decimal_reason(const char *s, size_t len);

/* Powers 10^k for 0 <= k <= 22, all exact in an f64. */
extern const double decimal_pow10[23];

#ifdef __cplusplus
}
#endif
#endif
