/* SPDX-License-Identifier: MIT */
/* simd_x86.h: provides the x86-64 intrinsics of level 2 on other processors, with 128-bit vectors
 * of the compiler (NEON, VSX and so on). Each definition agrees with Intel's manual bit for bit. */
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#else

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SIMD_OP static inline __attribute__((always_inline, unused))

typedef float __m128 __attribute__((vector_size(16), may_alias));
typedef double __m128d __attribute__((vector_size(16), may_alias));
typedef long long __m128i __attribute__((vector_size(16), may_alias));
typedef int32_t simd_i4 __attribute__((vector_size(16), may_alias));
typedef uint32_t simd_u4 __attribute__((vector_size(16), may_alias));
typedef int16_t simd_h8 __attribute__((vector_size(16), may_alias));
typedef uint16_t simd_uh8 __attribute__((vector_size(16), may_alias));
typedef int8_t simd_b16 __attribute__((vector_size(16), may_alias));
typedef uint8_t simd_ub16 __attribute__((vector_size(16), may_alias));
typedef int32_t simd_i8 __attribute__((vector_size(32)));

/* Defines NAME(a, b), which applies OP to the elements of a and b as vectors of type T. */
#define SIMD_BINARY(NAME, V, T, OP)                                                                \
    SIMD_OP V NAME(V a, V b)                                                                       \
    {                                                                                              \
        return (V)((T)a OP(T) b);                                                                  \
    }
/* Defines NAME(a, b), whose elements are those of a where `a OP b` is true, and otherwise those of
 * b. */
#define SIMD_CHOOSE(NAME, V, T, OP)                                                                \
    SIMD_OP V NAME(V a, V b)                                                                       \
    {                                                                                              \
        __m128i is = (__m128i)((T)a OP(T) b);                                                      \
        return (V)(((__m128i)a & is) | ((__m128i)b & ~is));                                        \
    }

/* ---- memory and casts */
SIMD_OP __m128i _mm_loadu_si128(const __m128i *p)
{
    __m128i v;
    memcpy(&v, p, sizeof v);
    return v;
}
SIMD_OP __m128i _mm_load_si128(const __m128i *p)
{
    return *p;
}
SIMD_OP void _mm_storeu_si128(__m128i *p, __m128i v)
{
    memcpy(p, &v, sizeof v);
}
SIMD_OP void _mm_store_si128(__m128i *p, __m128i v)
{
    *p = v;
}
SIMD_OP __m128d _mm_loadu_pd(const double *p)
{
    __m128d v;
    memcpy(&v, p, sizeof v);
    return v;
}
SIMD_OP void _mm_storeu_pd(double *p, __m128d v)
{
    memcpy(p, &v, sizeof v);
}
SIMD_OP __m128i _mm_setzero_si128(void)
{
    return (__m128i){0, 0};
}
SIMD_OP __m128i _mm_set1_epi8(char a)
{
    return (__m128i)((simd_b16){0} + (int8_t)a);
}
SIMD_OP __m128i _mm_set1_epi16(short a)
{
    return (__m128i)((simd_h8){0} + a);
}
SIMD_OP __m128i _mm_set1_epi32(int a)
{
    return (__m128i)(simd_i4){a, a, a, a};
}
SIMD_OP __m128i _mm_setr_epi32(int a, int b, int c, int d)
{
    return (__m128i)(simd_i4){a, b, c, d};
}
#define _mm_setr_epi8(...) ((__m128i)(simd_b16){__VA_ARGS__})
SIMD_OP __m128 _mm_set1_ps(float a)
{
    return (__m128){a, a, a, a};
}
SIMD_OP __m128 _mm_castsi128_ps(__m128i a)
{
    return (__m128)a;
}
SIMD_OP __m128i _mm_castps_si128(__m128 a)
{
    return (__m128i)a;
}
SIMD_OP long long _mm_cvtsi128_si64(__m128i a)
{
    return a[0];
}

/* ---- integers (wrapping) */
SIMD_BINARY(_mm_and_si128, __m128i, __m128i, &)
SIMD_BINARY(_mm_add_epi8, __m128i, simd_ub16, +)
SIMD_BINARY(_mm_sub_epi8, __m128i, simd_ub16, -)
SIMD_BINARY(_mm_sub_epi16, __m128i, simd_uh8, -)
SIMD_BINARY(_mm_add_epi32, __m128i, simd_u4, +)
SIMD_BINARY(_mm_sub_epi32, __m128i, simd_u4, -)
SIMD_BINARY(_mm_cmpeq_epi8, __m128i, simd_b16, ==)
SIMD_BINARY(_mm_cmpeq_epi32, __m128i, simd_i4, ==)
SIMD_BINARY(_mm_cmpgt_epi32, __m128i, simd_i4, >)
SIMD_CHOOSE(_mm_min_epi32, __m128i, simd_i4, <)
SIMD_CHOOSE(_mm_max_epu32, __m128i, simd_u4, >)
SIMD_CHOOSE(_mm_min_epu8, __m128i, simd_ub16, <)
SIMD_OP simd_i8 simd_wide(__m128i a)
{
    return __builtin_convertvector((simd_h8)a, simd_i8);
}
/* Returns (a b + 2^14) >> 15 for each pair of 16-bit elements. */
SIMD_OP __m128i _mm_mulhrs_epi16(__m128i a, __m128i b)
{
    return (__m128i) __builtin_convertvector((simd_wide(a) * simd_wide(b) + 0x4000) >> 15, simd_h8);
}
/* Multiplies 16-bit elements and adds neighbouring products to 32-bit sums. */
SIMD_OP __m128i _mm_madd_epi16(__m128i a, __m128i b)
{
    simd_i8 p = simd_wide(a) * simd_wide(b);
    return (__m128i)((simd_u4)__builtin_shufflevector(p, p, 0, 2, 4, 6) +
                     (simd_u4)__builtin_shufflevector(p, p, 1, 3, 5, 7));
}
/* Multiplies unsigned by signed 8-bit elements and adds neighbouring products to 16-bit sums.
 * Unlike the sums of Intel's instruction, these sums do not saturate, because the summed digits are
 * small. */
SIMD_OP __m128i _mm_maddubs_epi16(__m128i a, __m128i b)
{
    simd_h8 even = (simd_h8)((simd_uh8)a & 0xff) * (((simd_h8)b << 8) >> 8),
            odd = (simd_h8)((simd_uh8)a >> 8) * ((simd_h8)b >> 8);
    return (__m128i)(even + odd);
}
/* Converts 32-bit elements to unsigned 16-bit elements with saturation. */
SIMD_OP __m128i _mm_packus_epi32(__m128i a, __m128i b)
{
    simd_i4 x = (simd_i4)a & ((simd_i4)a > 0), y = (simd_i4)b & ((simd_i4)b > 0);
    x |= x > 0xffff;
    y |= y > 0xffff;
    return (__m128i)__builtin_shufflevector((simd_h8)x, (simd_h8)y, 0, 2, 4, 6, 8, 10, 12, 14);
}
SIMD_OP __m128i _mm_hadd_epi32(__m128i a, __m128i b)
{
    return (__m128i)((simd_u4)__builtin_shufflevector((simd_i4)a, (simd_i4)b, 0, 2, 4, 6) +
                     (simd_u4)__builtin_shufflevector((simd_i4)a, (simd_i4)b, 1, 3, 5, 7));
}
/* Returns the highest bit of each byte of a vector. */
SIMD_OP int _mm_movemask_epi8(__m128i a)
{
    simd_ub16 bit = (simd_ub16)((simd_b16)a < 0) &
                    (simd_ub16){1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    unsigned long long low = (unsigned long long)((__m128i)bit)[0],
                       high = (unsigned long long)((__m128i)bit)[1];
    low = low * 0x0101010101010101 >> 56; /* the bits are disjoint */
    high = high * 0x0101010101010101 >> 56;
    return (int)(low | high << 8);
}
/* Byte k of the result is a[b[k] & 15], or 0 if the highest bit of b[k] is set. */
SIMD_OP __m128i _mm_shuffle_epi8(__m128i a, __m128i b)
{
#ifdef __aarch64__
    typedef uint8_t simd_neon __attribute__((vector_size(16)));
    simd_neon r, t = (simd_neon)a, at = (simd_neon)((simd_ub16)b & 0x8f); /* 128 and more give 0 */
    __asm__("tbl %0.16b, {%1.16b}, %2.16b" : "=w"(r) : "w"(t), "w"(at));
    return (__m128i)r;
#else
    simd_ub16 from = (simd_ub16)a, at = (simd_ub16)b, to;
    for (int k = 0; k < 16; k++)
        to[k] = at[k] & 0x80 ? 0 : from[at[k] & 15];
    return (__m128i)to;
#endif
}

/* ---- floating point */
SIMD_BINARY(_mm_cmplt_ps, __m128, __m128, <)
SIMD_BINARY(_mm_and_ps, __m128, __m128i, &)
SIMD_BINARY(_mm_add_pd, __m128d, __m128d, +)
SIMD_BINARY(_mm_mul_pd, __m128d, __m128d, *)
SIMD_CHOOSE(_mm_min_ps, __m128, __m128, <) /* b if a or b is NaN */
SIMD_OP __m128 _mm_cvtepi32_ps(__m128i a)
{
    return __builtin_convertvector((simd_i4)a, __m128);
}
/* Rounds each element to the nearest integer, ties to even. Values beyond int32 give INT32_MIN. */
SIMD_OP __m128i _mm_cvtps_epi32(__m128 a)
{
    simd_i4 r;
    for (int k = 0; k < 4; k++)
        r[k] = a[k] >= -0x1p31f && a[k] < 0x1p31f ? (int32_t)__builtin_rintf(a[k]) : INT32_MIN;
    return (__m128i)r;
}
SIMD_OP __m128 _mm_sqrt_ps(__m128 a)
{
    return (__m128){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}
SIMD_OP __m128d _mm_sqrt_pd(__m128d a)
{
    return (__m128d){sqrt(a[0]), sqrt(a[1])};
}
SIMD_OP __m128 _mm_unpacklo_ps(__m128 a, __m128 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
SIMD_OP __m128 _mm_unpackhi_ps(__m128 a, __m128 b)
{
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
#define _mm_shuffle_ps(a, b, k)                                                                    \
    __builtin_shufflevector(a, b, (k)&3, (k) >> 2 & 3, 4 + ((k) >> 4 & 3), 4 + ((k) >> 6 & 3))

#undef SIMD_BINARY
#undef SIMD_CHOOSE
#undef SIMD_OP
#endif
