/* SPDX-License-Identifier: MIT */
/* xyz_text.h: numbers to decimal text, correctly rounded (ties to even), fast. */
#ifndef MBF_XYZ_TEXT_H
#define MBF_XYZ_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XYZ_TEXT_MAX 32 /* bytes that one number may take */

/*
 * v (finite) at p, without a NUL. digits 1..17: so many significant ones, rounded; 0: the fewest
 * that read back as exactly v. Zeros at the end of a fraction are left out. Returns the length, at
 * most XYZ_TEXT_MAX.
 */
size_t xyz_text_f32(char *p, float v, int digits);
size_t xyz_text_f64(char *p, double v, int digits);

#ifdef __cplusplus
}
#endif
#endif
