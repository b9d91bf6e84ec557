/* SPDX-License-Identifier: MIT */
#include "formats/numbers.h"

#include "base/simd_x86.h"
#include <stdint.h>
#include <string.h>

static inline uint32_t larger(uint32_t max, uint32_t bits)
{
    bits &= 0x7fffffffu;
    return bits > max ? bits : max;
}

uint32_t SIMD_NAME(numbers_max)(const float *p, size_t n)
{
    uint32_t max = 0, v;
    for (size_t k = 0; k < n; k++) {
        memcpy(&v, p + k, 4);
        max = larger(max, v);
    }
    return max;
}

static uint32_t swap_f32(const void *p, size_t n, float *restrict to)
{
    const char *restrict from = p;
    uint32_t max = 0, v;
    for (size_t k = 0; k < n; k++) {
        memcpy(&v, from + 4 * k, 4);
        v = __builtin_bswap32(v);
        memcpy(to + k, &v, 4);
        max = larger(max, v);
    }
    return max;
}

uint32_t SIMD_NAME(numbers_swap_here)(float *p, size_t n)
{
    uint32_t max = 0, v;
    for (size_t k = 0; k < n; k++) {
        memcpy(&v, p + k, 4);
        v = __builtin_bswap32(v);
        memcpy(p + k, &v, 4);
        max = larger(max, v);
    }
    return max;
}

static inline __attribute__((always_inline)) uint32_t
scale_all(const void *p, size_t n, bool wide, bool swap, double scale, bool f64, void *to)
{
    const char *restrict from = p;
    float *restrict f = to, y;
    double *restrict d = to, x;
    for (size_t k = 0; k < n; k++) {
        uint32_t v;
        uint64_t w;
        if (wide) {
            memcpy(&w, from + 8 * k, 8);
            w = swap ? __builtin_bswap64(w) : w;
            memcpy(&x, &w, 8);
        } else {
            memcpy(&v, from + 4 * k, 4);
            v = swap ? __builtin_bswap32(v) : v;
            memcpy(&y, &v, 4);
            x = (double)y;
        }
        if (f64)
            d[k] = x * scale;
        else
            f[k] = (float)(x * scale);
    }
    return 0;
}

uint32_t SIMD_NAME(numbers_scale)(const void *p, size_t n, bool wide, bool swap, double scale,
                                  bool f64, void *to)
{
    if (wide)
        return f64 ? scale_all(p, n, true, swap, scale, true, to)
                   : scale_all(p, n, true, swap, scale, false, to);
    if (f64)
        return scale_all(p, n, false, swap, scale, true, to);
    if (scale != 1.0)
        return scale_all(p, n, false, swap, scale, false, to);
    if (swap)
        return swap_f32(p, n, to);
    memcpy(to, p, 4 * n);
    return 0;
}

/* Interleaves one vector each of x, y and z into three vectors of rows. */
#if SIMD_LEVEL >= 4
enum { WIDE = 16 };
typedef __m512i wide;
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define SWAP(v)                                                                                    \
    _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, \
                                                                8, 15, 14, 13, 12)))
#define LARGER(m, v) _mm512_max_epu32(m, _mm512_and_si512(v, _mm512_set1_epi32(0x7fffffff)))
static inline void interleave(wide x, wide y, wide z, wide to[3])
{
    /* value g of 48 belongs to atom g / 3, so merge x and y first, then z */
#define XY(g) ((g) % 3 == 2 ? 0 : (g) / 3 + 16 * ((g) % 3))
#define WITH_Z(g) ((g) % 3 == 2 ? 16 + (g) / 3 : (g) % 16)
#define FOUR(f, g) f(g), f((g) + 1), f((g) + 2), f((g) + 3)
#define ALL(f, g) (wide)(__v16si){FOUR(f, g), FOUR(f, (g) + 4), FOUR(f, (g) + 8), FOUR(f, (g) + 12)}
#define MIX(g)                                                                                     \
    _mm512_permutex2var_epi32(_mm512_permutex2var_epi32(x, ALL(XY, g), y), ALL(WITH_Z, g), z)
    to[0] = MIX(0);
    to[1] = MIX(16);
    to[2] = MIX(32);
}
#else
enum { WIDE = 4 };
typedef __m128i wide;
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define SWAP(v)                                                                                    \
    _mm_shuffle_epi8(v, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12))
#define LARGER(m, v) _mm_max_epu32(m, _mm_and_si128(v, _mm_set1_epi32(0x7fffffff)))
#define PICK(a, b, k0, k1, k2, k3) _mm_shuffle_ps(a, b, (k0) | (k1) << 2 | (k2) << 4 | (k3) << 6)
static inline void interleave(wide xi, wide yi, wide zi, wide to[3])
{
    __m128 x = _mm_castsi128_ps(xi), y = _mm_castsi128_ps(yi), z = _mm_castsi128_ps(zi);
    __m128 low = _mm_unpacklo_ps(x, y), high = _mm_unpackhi_ps(x, y);
    to[0] = _mm_castps_si128(PICK(low, PICK(z, low, 0, 0, 2, 2), 0, 1, 0, 2));
    to[1] = _mm_castps_si128(PICK(PICK(low, z, 3, 3, 1, 1), high, 0, 2, 0, 1));
    to[2] =
        _mm_castps_si128(PICK(PICK(z, high, 2, 2, 2, 2), PICK(high, z, 3, 3, 3, 3), 0, 2, 0, 2));
}
#endif

static inline __attribute__((always_inline)) uint32_t rows(const void *const p[3], size_t n,
                                                           bool swap, float *restrict to)
{
    const char *restrict x = p[0], *restrict y = p[1], *restrict z = p[2];
    uint32_t v[WIDE] = {0}, max = 0;
    wide m = LOAD(v);
    size_t k = 0;
    for (; k + WIDE <= n; k += WIDE) {
        wide in[3] = {LOAD(x + 4 * k), LOAD(y + 4 * k), LOAD(z + 4 * k)}, out[3];
        for (int a = 0; a < 3; a++) {
            in[a] = swap ? SWAP(in[a]) : in[a];
            m = LARGER(m, in[a]);
        }
        interleave(in[0], in[1], in[2], out);
        for (int a = 0; a < 3; a++)
            STORE(to + 3 * k + WIDE * a, out[a]);
    }
    STORE(v, m);
    for (int a = 0; a < WIDE; a++)
        max = larger(max, v[a]);
    for (; k < n; k++) {
        memcpy(&v[0], x + 4 * k, 4);
        memcpy(&v[1], y + 4 * k, 4);
        memcpy(&v[2], z + 4 * k, 4);
        for (int a = 0; a < 3; a++) {
            v[a] = swap ? __builtin_bswap32(v[a]) : v[a];
            max = larger(max, v[a]);
        }
        memcpy(to + 3 * k, v, 12);
    }
    return max;
}

uint32_t SIMD_NAME(numbers_rows)(const void *const p[3], size_t n, bool swap, float *to)
{
    return swap ? rows(p, n, true, to) : rows(p, n, false, to);
}

uint32_t SIMD_NAME(numbers_narrow)(const void *p, const size_t at[3], size_t stride, size_t n,
                                   float *restrict to)
{
    const char *restrict x = (const char *)p + at[0], *restrict y = (const char *)p + at[1],
                         *restrict z = (const char *)p + at[2];
    uint32_t max = 0;
    size_t k = 0;
#if SIMD_LEVEL >= 3
    if (at[1] == at[0] + 8 && at[2] == at[0] + 16) {
        /* stores four values, of which the next row overwrites the fourth */
        const __m128i three = _mm_setr_epi32(0x7fffffff, 0x7fffffff, 0x7fffffff, 0);
        __m128i m = _mm_setzero_si128();
        for (; k + 1 < n; k++) {
            __m128 f = _mm256_cvtpd_ps(_mm256_loadu_pd((const double *)(x + stride * k)));
            m = _mm_max_epu32(m, _mm_and_si128(_mm_castps_si128(f), three));
            _mm_storeu_ps(to + 3 * k, f);
        }
        uint32_t w[4];
        _mm_storeu_si128((__m128i *)w, m);
        for (int a = 0; a < 3; a++)
            max = larger(max, w[a]);
    }
#endif
    for (; k < n; k++) {
        double v[3];
        uint32_t w[3];
        memcpy(&v[0], x + stride * k, 8);
        memcpy(&v[1], y + stride * k, 8);
        memcpy(&v[2], z + stride * k, 8);
        float f[3] = {(float)v[0], (float)v[1], (float)v[2]};
        memcpy(w, f, 12);
        for (int a = 0; a < 3; a++)
            max = larger(max, w[a]);
        memcpy(to + 3 * k, f, 12);
    }
    return max;
}

size_t SIMD_NAME(numbers_whole)(const void *p, size_t stride, size_t n, int64_t *restrict to)
{
    const char *restrict from = p;
    size_t k = 0;
#if SIMD_LEVEL >= 4
    const __m512i at = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                          _mm512_set1_epi64((int64_t)stride));
    for (; k + 8 <= n; k += 8) {
        __m512d v = _mm512_i64gather_pd(at, from + stride * k, 1);
        __m512i i = _mm512_cvttpd_epi64(v);
        if ((_mm512_cmp_pd_mask(_mm512_cvtepi64_pd(i), v, _CMP_EQ_OQ) &
             _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GE_OQ) &
             _mm512_cmp_pd_mask(v, _mm512_set1_pd(9007199254740992.0), _CMP_LE_OQ)) != 0xff)
            break;
        _mm512_storeu_si512(to + k, i);
    }
#endif
    for (; k < n; k++) {
        double v;
        memcpy(&v, from + stride * k, 8);
        bool good = v >= 0.0 && v <= 9007199254740992.0;
        to[k] = good ? (int64_t)v : -1;
        if (!good || (double)to[k] != v)
            return k;
    }
    return n;
}

bool SIMD_NAME(numbers_within)(const double *p, size_t n, double limit)
{
    int64_t bad = 0, edge, w;
    memcpy(&edge, &limit, sizeof edge);
    for (size_t k = 0; k < n; k++) {
        memcpy(&w, p + k, 8);
        bad |= edge - (w & INT64_MAX); /* negative beyond the limit */
    }
    return bad >= 0;
}
