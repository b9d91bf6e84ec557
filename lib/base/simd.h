/* SPDX-License-Identifier: MIT */
/* simd.h: compiles time-critical loops for three levels of x86-64 processors, and selects the level
 * of the processor when a program starts.
 *
 * Each file lib/X_simd.c is compiled three times, with SIMD_LEVEL 2, 3 and 4 and -march=x86-64-v2,
 * -v3 and -v4. The macro SIMD_NAME(x_verb) expands to the public name x_verb_v2, x_verb_v3 or
 * x_verb_v4. A caller declares all three functions with SIMD_DECLARE and selects one of them with
 * SIMD_PICK. Fused multiply-add may be used only where the product is exact, because all levels
 * must give the same bits.
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
#define SIMD_LEVELS(name) name##_v2
#endif
/* SIMD_DECLARE(int, sum_f32, (const float *x, int n)) declares sum_f32_v2, sum_f32_v3 and
 * sum_f32_v4. */
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret name##_v2 args;                                                                            \
    ret name##_v3 args;                                                                            \
    ret name##_v4 args

/* Returns the highest level (2, 3 or 4) that the processor supports. The environment variable
 * MBF_SIMD (v2, v3 or v4) can lower the level. */
int simd_level(void);
/* Returns the name of the level for messages, such as "x86-64-v3 (AVX2)", "aarch64 (NEON)" or
 * "vectors of 128 bits". */
const char *simd_name(void);

C_LINKAGE_END
