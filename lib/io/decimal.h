/* SPDX-License-Identifier: MIT */
/* decimal.h: converts numbers to decimal text and back, with correct rounding and always in the C
 * locale. Every number that a tool writes or reads as text passes through this module. The C++
 * functions std::to_chars and std::from_chars would give the same digits, except at powers of two,
 * where to_chars sometimes saves a digit. The C++ functions are not used because every tool would
 * then need libstdc++, and because they support neither the layout below nor Fortran numbers.
 * Before GCC 12, std::from_chars calls strtod. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

#define DECIMAL_TEXT 40       /* Largest size of a written number in bytes. */
#define DECIMAL_READ_MAX 1000 /* Length of the longest number that is read, in characters. */

/* These functions write x to p[DECIMAL_TEXT] without a NUL and return the length of the text. If
 * `digits` is 0, the text has the smallest number of digits that restores x exactly. Among texts of
 * equal length, the one nearest to x is written. Numbers with a magnitude below 1e-4, or of 1e16 or
 * more (1e15 for f32), are written with an exponent, as in 1.5e-05. If `digits` is 1 to 17, the
 * text is the same as from printf with %.{digits}g, without trailing zeros of a fraction. Numbers
 * that are not finite are written as nan, inf and -inf. */
size_t decimal_put_f64(char *p, double x, int digits);
size_t decimal_put_f32(char *p, float x, int digits);
size_t decimal_put_u64(char *p, uint64_t x);

/* A number has the syntax [+-] digits [. digits], with at least one digit. An exponent may follow:
 * e or E, and an integer with an optional sign. With the style DECIMAL_OURS, nan, inf and -inf are
 * also accepted. The style DECIMAL_FORTRAN also accepts d, D, q and Q as exponent letters.
 * DECIMAL_FORTRAN also accepts an exponent without a letter if it is a sign and exactly three
 * digits, as in 0.14-270. Neither DECIMAL_OURS nor DECIMAL_FORTRAN accepts hexadecimal numbers,
 * decimal commas, blanks, or the asterisks of an overflowed field. */
enum decimal_style { DECIMAL_OURS, DECIMAL_FORTRAN };

/* These functions convert the token s[0..len) to the nearest f64 or f32, with ties to even. The f32
 * is rounded directly from the decimal number and not via an f64. They return 0, or -1 if the token
 * is not a number or exceeds the largest finite number. The fast path follows Clinger, How to read
 * floating point numbers accurately, PLDI 1990. */
int decimal_get_f64(const char *s, size_t len, enum decimal_style style, double *v) MUST_USE;
int decimal_get_f32(const char *s, size_t len, enum decimal_style style, float *v) MUST_USE;

/* Reads an integer that consists of digits only. Returns 0, or -1 if the text contains other
 * characters or the integer exceeds max. */
int decimal_get_u64(const char *s, size_t len, uint64_t max, uint64_t *v) MUST_USE;

/* Returns a phrase for the reason why DECIMAL_FORTRAN rejects s[0..len), such as "a decimal comma".
 * The result is never NULL. */
const char *decimal_reason(const char *s, size_t len);

/* The powers 10^k for 0 <= k <= 22 are exact in an f64. */
extern const double decimal_pow10[23];
