/* SPDX-License-Identifier: MIT */
/*
 * md_vec.h: vectors of the three x86-64 levels for md_simd.c: MD_LANES f32 or i32 numbers. Every operation is one IEEE or
 * one wrapping integer operation a lane, so the levels give the same bits.
 */
#ifndef MBF_MD_VEC_H
#define MBF_MD_VEC_H

#include <immintrin.h>
#include <stdint.h>

#define MD_INLINE static inline __attribute__((always_inline))

#if SIMD_LEVEL == 4
#define MD_LANES 16
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm; /* a bit a lane */
MD_INLINE vi vi_load(const int32_t *p) { return _mm512_loadu_si512(p); }
MD_INLINE void vi_store(int32_t *p, vi a) { _mm512_storeu_si512(p, a); }
MD_INLINE vi vi_set(int32_t a) { return _mm512_set1_epi32(a); }
MD_INLINE vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
MD_INLINE vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
MD_INLINE vf vf_of(vi a) { return _mm512_cvtepi32_ps(a); }
MD_INLINE vi vi_round(vf a) { return _mm512_cvtps_epi32(a); }
MD_INLINE vf vf_set(float a) { return _mm512_set1_ps(a); }
MD_INLINE vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
MD_INLINE vm vm_less(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
MD_INLINE vm vm_and(vm a, vm b) { return a & b; }
MD_INLINE vm vm_bits(uint32_t bits) { return (vm)bits; }
MD_INLINE uint32_t vm_mask(vm a) { return a; }
MD_INLINE vf vf_keep(vf a, vm m) { return _mm512_maskz_mov_ps(m, a); }
MD_INLINE int32_t vi_sum(vi a) { return _mm512_reduce_add_epi32(a); }
#elif SIMD_LEVEL == 3
#define MD_LANES 8
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;
MD_INLINE vi vi_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
MD_INLINE void vi_store(int32_t *p, vi a) { _mm256_storeu_si256((__m256i *)p, a); }
MD_INLINE vi vi_set(int32_t a) { return _mm256_set1_epi32(a); }
MD_INLINE vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
MD_INLINE vi vi_sub(vi a, vi b) { return _mm256_sub_epi32(a, b); }
MD_INLINE vf vf_of(vi a) { return _mm256_cvtepi32_ps(a); }
MD_INLINE vi vi_round(vf a) { return _mm256_cvtps_epi32(a); }
MD_INLINE vf vf_set(float a) { return _mm256_set1_ps(a); }
MD_INLINE vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
MD_INLINE vm vm_less(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
MD_INLINE vm vm_and(vm a, vm b) { return _mm256_and_ps(a, b); }
MD_INLINE vm vm_bits(uint32_t bits)
{
    __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int32_t)bits), lane);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, lane));
}
MD_INLINE uint32_t vm_mask(vm a) { return (uint32_t)_mm256_movemask_ps(a); }
MD_INLINE vf vf_keep(vf a, vm m) { return _mm256_and_ps(a, m); }
MD_INLINE int32_t vi_sum(vi a)
{
    __m128i b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4e));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0xb1));
    return _mm_cvtsi128_si32(b);
}
#else
#define MD_LANES 4
typedef __m128 vf;
typedef __m128i vi;
typedef __m128 vm;
MD_INLINE vi vi_load(const int32_t *p) { return _mm_loadu_si128((const __m128i *)p); }
MD_INLINE void vi_store(int32_t *p, vi a) { _mm_storeu_si128((__m128i *)p, a); }
MD_INLINE vi vi_set(int32_t a) { return _mm_set1_epi32(a); }
MD_INLINE vi vi_add(vi a, vi b) { return _mm_add_epi32(a, b); }
MD_INLINE vi vi_sub(vi a, vi b) { return _mm_sub_epi32(a, b); }
MD_INLINE vf vf_of(vi a) { return _mm_cvtepi32_ps(a); }
MD_INLINE vi vi_round(vf a) { return _mm_cvtps_epi32(a); }
MD_INLINE vf vf_set(float a) { return _mm_set1_ps(a); }
MD_INLINE vf vf_min(vf a, vf b) { return _mm_min_ps(a, b); }
MD_INLINE vm vm_less(vf a, vf b) { return _mm_cmplt_ps(a, b); }
MD_INLINE vm vm_and(vm a, vm b) { return _mm_and_ps(a, b); }
MD_INLINE vm vm_bits(uint32_t bits)
{
    __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    __m128i set = _mm_and_si128(_mm_set1_epi32((int32_t)bits), lane);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(set, lane));
}
MD_INLINE uint32_t vm_mask(vm a) { return (uint32_t)_mm_movemask_ps(a); }
MD_INLINE vf vf_keep(vf a, vm m) { return _mm_and_ps(a, m); }
MD_INLINE int32_t vi_sum(vi a)
{
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4e));
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0xb1));
    return _mm_cvtsi128_si32(a);
}
#endif

#endif
