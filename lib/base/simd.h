/* SPDX-License-Identifier: MIT */
/* simd.h: compiles time-critical loops for three x86-64 levels and selects a level at the start of
 * a program. For processors other than x86-64, the loops are compiled for one level only.
 *
 * Each file lib/X_simd.c is compiled three times, with SIMD_LEVEL 2, 3 and 4 and -march=x86-64-v2,
 * -v3 and -v4. The macro SIMD_NAME(x_verb) expands to the public name x_verb_v2, x_verb_v3 or
 * x_verb_v4. The caller declares all three functions with SIMD_DECLARE and selects a function with
 * SIMD_PICK. The macro SIMD_LEVELS lists the levels that are built. All levels must give the same
 * bits. Fused multiply-add may therefore be used only where the product is exact.
 *
 * Processors other than x86-64 have only level 2, with 128-bit vectors of the compiler
 * (simd_x86.h), such as NEON on aarch64. Level 2 must give the same bits on all processors. */
#pragma once

#include "base/hd.h"

C_LINKAGE_BEGIN

#define SIMD_CAT_(a, b) a##_v##b
#define SIMD_CAT(a, b) SIMD_CAT_(a, b)
#define SIMD_NAME(x) SIMD_CAT(x, SIMD_LEVEL)

#ifdef __x86_64__
#define SIMD_PICK(name) (simd_level() >= 4 ? name##_v4 : simd_level() == 3 ? name##_v3 : name##_v2)
#define SIMD_LEVELS(name) name##_v2, name##_v3, name##_v4
#else
#define SIMD_PICK(name) (name##_v2)
#define SIMD_LEVELS(name) name##_v2 /* the others are not built */
#endif
/* For example, SIMD_DECLARE(int, sum_f32, (const float *x, int n)) declares sum_f32_v2 to
 * sum_f32_v4. */
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret name##_v2 args;                                                                            \
    ret name##_v3 args;                                                                            \
    ret name##_v4 args

/* Returns the highest level of this processor, which is 2, 3 or 4. The environment variable
 * MBF_SIMD (v2, v3 or v4) can lower the level. */
int simd_level(void);
/* Returns the name of the level, such as "x86-64-v3 (AVX2)", "aarch64 (NEON)" or "vectors of 128
 * bits". */
const char *simd_name(void);

C_LINKAGE_END
