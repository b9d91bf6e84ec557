/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

#include <stdlib.h>

#ifdef __x86_64__
static int simd_detect(void)
{
    __builtin_cpu_init();
    int level = 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        level = 3;
    if (level == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        level = 4;
    const char *want = getenv("MBF_SIMD");
    if (want && want[0] == 'v' && want[1] >= '2' && want[1] < '0' + level && want[2] == '\0')
        level = want[1] - '0';
    return level;
}
#else
static int simd_detect(void)
{
    return 2;
}
#endif

int simd_level(void)
{
    static int level; /* every thread would write the same value */
    int l = __atomic_load_n(&level, __ATOMIC_RELAXED);
    if (l == 0) {
        l = simd_detect();
        __atomic_store_n(&level, l, __ATOMIC_RELAXED);
    }
    return l;
}

const char *simd_name(void)
{
#ifdef __x86_64__
    static const char *const names[] = {"x86-64-v2", "x86-64-v3 (AVX2)", "x86-64-v4 (AVX-512)"};
    return names[simd_level() - 2];
#elif defined(__aarch64__)
    return "aarch64 (NEON)";
#else
    return "vectors of 128 bits";
#endif
}
