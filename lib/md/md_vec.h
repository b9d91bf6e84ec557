/* SPDX-License-Identifier: MIT */
/* md_vec.h: defines vector operations for the three x86-64 levels of md_simd.c and md_list_simd.c.
 * A tile of 4 x 4 pairs consists of MD_PARTS vectors. If the vectors of a tile are joined, lane 4 a
 * + b contains the pair of row a and column b. Every operation is a single IEEE operation or a
 * single modular integer operation per lane, so that all levels give the same bits. */
#pragma once

#include "base/simd_x86.h"
#include <stdint.h>

#define MD_INLINE static inline __attribute__((always_inline))

#if SIMD_LEVEL == 4
#define MD_PARTS 1
#define MD_LANES 16
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm; /* one bit per lane */
#define MD_OP(name) _mm512_##name
#elif SIMD_LEVEL == 3
#define MD_PARTS 2
#define MD_LANES 8
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;
#define MD_OP(name) _mm256_##name
#else
#define MD_PARTS 4
#define MD_LANES 4
typedef __m128 vf;
typedef __m128i vi;
typedef __m128 vm;
#define MD_OP(name) _mm_##name
#endif

/* The intrinsics below have the same form on all levels. */
#define vi_add MD_OP(add_epi32)
#define vi_sub MD_OP(sub_epi32)
#define vi_set MD_OP(set1_epi32)
#define vi_min MD_OP(min_epi32)
#define vf_of MD_OP(cvtepi32_ps)
#define vi_round MD_OP(cvtps_epi32)
#define vf_set MD_OP(set1_ps)
#define vf_sqrt MD_OP(sqrt_ps)
#define vf_min MD_OP(min_ps)
/* Operations on both 16-bit halves of each lane give differences, products divided by 2^15, and
 * sums of squares. */
#define vi_sub16 MD_OP(sub_epi16)
#define vi_times16 MD_OP(mulhrs_epi16)
MD_INLINE vi vi_squares16(vi a)
{
    return MD_OP(madd_epi16)(a, a);
}
/* a, a + 1, ... */
MD_INLINE vi vi_from(int32_t a)
{
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vi b;
    __builtin_memcpy(&b, lane, sizeof b);
    return vi_add(MD_OP(set1_epi32)(a), b);
}
/* Vectors are loaded and stored at multiples of the vector size, except by vi_store_any. */
MD_INLINE vi vi_load(const int32_t *p)
{
    return *(const vi *)p;
}
MD_INLINE void vi_store(int32_t *p, vi a)
{
    *(vi *)p = a;
}
MD_INLINE void vi_store_any(int32_t *p, vi a)
{
    __builtin_memcpy(p, &a, sizeof a);
}

#if SIMD_LEVEL == 4
MD_INLINE vm vm_less(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
MD_INLINE vm vm_and(vm a, vm b)
{
    return a & b;
}
MD_INLINE vm vm_part(uint32_t bits, int part)
{
    return (void)part, (vm)bits;
}
MD_INLINE int vi_any_less(vi a, vi b)
{
    return _mm512_cmplt_epi32_mask(a, b) != 0;
}
MD_INLINE vf vf_keep(vf a, vm m)
{
    return _mm512_maskz_mov_ps(m, a);
}
/* A vector of MD_LANES numbers consists of rows of four columns. Each row of vi_columns is p[0..3],
 * and all numbers in row k of vi_rows are p[MD_LANES / 4 * part + k]. */
MD_INLINE vi vi_columns(const int32_t *p)
{
    return _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)p));
}
MD_INLINE vi vi_rows(const int32_t *p, int part)
{
    (void)part;
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), vi_columns(p));
}
/* Returns the sum of the vectors of a tile. The MD_LANES / 4 rows of a vector are added by
 * vi_fold. */
MD_INLINE vi vi_parts(const vi *a)
{
    return *a;
}
MD_INLINE __m128i vi_fold(vi a)
{
    __m256i b = _mm256_add_epi32(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1));
}
/* Combines the vectors a so that vi_fold gives the sums of the rows. */
MD_INLINE vi vi_row_sums(const vi *a)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), *a);
}
#else
#define vm_and MD_OP(and_ps)
#define vf_keep MD_OP(and_ps)
MD_INLINE vm vm_part(uint32_t bits, int part)
{
    static const int32_t bit[8] __attribute__((aligned(32))) = {1, 2, 4, 8, 16, 32, 64, 128};
    vi lane = vi_load(bit);
    return (vm)MD_OP(cmpeq_epi32)(vi_set((int32_t)(bits >> (MD_LANES * part))) & lane, lane);
}
MD_INLINE int vi_any_less(vi a, vi b)
{
    return MD_OP(movemask_epi8)(MD_OP(cmpgt_epi32)(b, a)) != 0;
}
#if SIMD_LEVEL == 3
MD_INLINE vm vm_less(vf a, vf b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
MD_INLINE vi vi_columns(const int32_t *p)
{
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)p));
}
MD_INLINE vi vi_rows(const int32_t *p, int part)
{
    return _mm256_setr_m128i(_mm_set1_epi32(p[2 * part]), _mm_set1_epi32(p[2 * part + 1]));
}
MD_INLINE vi vi_parts(const vi *a)
{
    return vi_add(a[0], a[1]);
}
MD_INLINE __m128i vi_fold(vi a)
{
    return _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}
MD_INLINE vi vi_row_sums(const vi *a)
{
    return _mm256_permutevar8x32_epi32(_mm256_hadd_epi32(a[0], a[1]), /* rows 0 0 2 2 1 1 3 3 */
                                       _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
}
#else
#define vm_less _mm_cmplt_ps
MD_INLINE vi vi_columns(const int32_t *p)
{
    return _mm_load_si128((const __m128i *)p);
}
MD_INLINE vi vi_rows(const int32_t *p, int part)
{
    return _mm_set1_epi32(p[part]);
}
MD_INLINE vi vi_parts(const vi *a)
{
    return vi_add(vi_add(a[0], a[1]), vi_add(a[2], a[3]));
}
MD_INLINE __m128i vi_fold(vi a)
{
    return a;
}
MD_INLINE vi vi_row_sums(const vi *a)
{
    return _mm_hadd_epi32(_mm_hadd_epi32(a[0], a[1]), _mm_hadd_epi32(a[2], a[3]));
}
#endif
#endif

/* Adds b to a in the lanes where x < 0. */
MD_INLINE vi vi_add_where(vi a, vi x, vi b)
{
#if SIMD_LEVEL == 4
    return _mm512_mask_add_epi32(a, _mm512_movepi32_mask(x), a, b);
#else
    return vi_add(a, MD_OP(cmpgt_epi32)(vi_set(0), x) & b);
#endif
}
