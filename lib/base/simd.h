/* SPDX-License-Identifier: MIT */
/*
 * simd.h: hot loops built for three x86-64 levels and chosen at start; other processors have one
 * level.
 *
 * Every lib/X_simd.c is compiled three times, with SIMD_LEVEL 2, 3 and 4 and -march=x86-64-v2, -v3
 * and -v4. Its public names are written SIMD_NAME(x_verb), which gives x_verb_v2, x_verb_v3 and
 * x_verb_v4. The caller declares all three with SIMD_DECLARE and selects one with SIMD_PICK. All
 * levels must give the same bits (no contraction; a fused operation only if the product is exact).
 *
 * Other processors have only level 2, with the compiler's vectors of 128 bits (simd_x86.h; NEON on
 * aarch64), which must give the same bits.
 */
#ifndef MBF_SIMD_H
#define MBF_SIMD_H

#ifdef __cplusplus
extern "C" {
#endif

#define SIMD_CAT_(a, b) a##_v##b
#define SIMD_CAT(a, b) SIMD_CAT_(a, b)
#define SIMD_NAME(x) SIMD_CAT(x, SIMD_LEVEL)

#ifdef __x86_64__
#define SIMD_PICK(name) (simd_level() >= 4 ? name##_v4 : simd_level() == 3 ? name##_v3 : name##_v2)
#define SIMD_ELSEWHERE
#else
#define SIMD_PICK(name) (name##_v2)
#define SIMD_ELSEWHERE __attribute__((weak)) /* not built */
#endif
/* Example: SIMD_DECLARE(int, sum_f32, (const float *x, int n)); */
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret name##_v2 args;                                                                            \
    ret name##_v3 args SIMD_ELSEWHERE;                                                             \
    ret name##_v4 args SIMD_ELSEWHERE

/* Returns 2, 3 or 4, the highest level of this processor; the environment variable
 * MBF_SIMD=v2|v3|v4 can lower it. */
int simd_level(void);
/* Returns the name of the level: "x86-64-v2", "x86-64-v3 (AVX2)", "x86-64-v4 (AVX-512)", "aarch64
 * (NEON)" or "vectors of 128 bits". */
const char *simd_name(void);

#ifdef __cplusplus
}
#endif
#endif
