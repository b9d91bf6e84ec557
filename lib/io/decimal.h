/* SPDX-License-Identifier: MIT */
/* decimal.h: converts numbers to decimal text and back, with correct rounding and always in the C
 * locale. Every number that a tool writes or reads as text passes through decimal.h. The C++
 * functions std::to_chars and std::from_chars would make every tool depend on libstdc++, and
 * support neither the text layout of decimal_put_f64 nor Fortran numbers. The C++ functions give
 * the same digits as decimal.h, except that std::to_chars sometimes saves a digit at a power of
 * two. Before GCC 12, std::from_chars calls strtod, which depends on the locale. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

#define DECIMAL_TEXT 40       /* bytes per written number */
#define DECIMAL_READ_MAX 1000 /* longest number read */

/* Write x as text to p[DECIMAL_TEXT], without a NUL, and return the length of the text. If `digits`
 * is 0, the text has the smallest number of digits that restores x exactly, and is the nearest to x
 * of all texts with this number of digits. Magnitudes below 1e-4 or from 1e16 on (1e15 for f32) are
 * written with an exponent, as in 1.5e-05. If `digits` is 1 to 17, the text is the output of printf
 * with %.{digits}g, without trailing zeros of a fraction. Numbers that are not finite are written
 * as nan, inf and -inf. */
size_t decimal_put_f64(char *p, double x, int digits);
size_t decimal_put_f32(char *p, float x, int digits);
size_t decimal_put_u64(char *p, uint64_t x);

/* A number has the syntax [+-] digits [. digits], with at least one digit. An exponent may follow,
 * which is e or E and an integer with an optional sign. The style DECIMAL_OURS also accepts nan,
 * inf and -inf. The style DECIMAL_FORTRAN also accepts the exponent letters d, D, q and Q, and an
 * exponent that consists only of a sign and three digits, as in 0.14-270. Hexadecimal numbers,
 * decimal commas, blanks, and the asterisks of an overflowed field are not accepted in either
 * style. */
enum decimal_style { DECIMAL_OURS, DECIMAL_FORTRAN };

/* Convert the word s[0..len) to the nearest f64 or f32 number, with ties to even. An f32 number is
 * rounded directly from the decimal number instead of from an f64 number. Return 0, or -1 if the
 * word is not a number or exceeds the largest finite number. For the fast method, see Clinger, How
 * to read floating point numbers accurately, PLDI 1990. */
int decimal_get_f64(const char *s, size_t len, enum decimal_style style, double *v) MUST_USE;
int decimal_get_f32(const char *s, size_t len, enum decimal_style style, float *v) MUST_USE;

/* Reads an integer that consists of digits only. Returns 0, or -1 if the text contains other
 * characters or the integer exceeds `max`. */
int decimal_get_u64(const char *s, size_t len, uint64_t max, uint64_t *v) MUST_USE;

/* Returns a phrase that states why DECIMAL_FORTRAN rejects s[0..len), such as "a decimal comma"
 * (never NULL). */
const char *decimal_reason(const char *s, size_t len);

/* 10^k, exact in f64 */
extern const double decimal_pow10[23];
