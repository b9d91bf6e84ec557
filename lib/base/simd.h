/* SPDX-License-Identifier: MIT */
/*
 * simd.h: hot loops built for three x86-64 levels and chosen at start; elsewhere for one.
 *
 * Every lib/X_simd.c is compiled three times, with SIMD_LEVEL 2, 3 and 4 and -march=x86-64-v2, -v3,
 * -v4. Its public names are written SIMD_NAME(x_verb), which gives x_verb_v2, x_verb_v3 and
 * x_verb_v4; the caller declares the three with SIMD_DECLARE and picks one with SIMD_PICK. All
 * levels must give the same bits (no contraction; a fused operation only where the product is
 * exact).
 *
 * On other processors there is level 2 alone, vectors of 128 bits as the compiler has them
 * (simd_x86.h; NEON on aarch64), which must give these bits, too.
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
#define SIMD_ELSEWHERE __attribute__((weak)) /* there is none */
#endif
/* SIMD_DECLARE(int, sum_f32, (const float *x, int n)); */
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret name##_v2 args;                                                                            \
    ret name##_v3 args SIMD_ELSEWHERE;                                                             \
    ret name##_v4 args SIMD_ELSEWHERE

/* 2, 3 or 4: the highest level that this processor has; the environment variable MBF_SIMD=v2|v3|v4
 * may lower it. */
int simd_level(void);
/* "x86-64-v2", "x86-64-v3 (AVX2)", "x86-64-v4 (AVX-512)"; "aarch64 (NEON)", "vectors of 128 bits" */
const char *simd_name(void);

#ifdef __cplusplus
}
#endif
#endif
