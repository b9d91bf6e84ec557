/* SPDX-License-Identifier: MIT */
#include "formats/numbers.h"

#include <stdint.h>
#include <string.h>

void SIMD_NAME(numbers_swap_f32)(const void *p, size_t n, float *restrict to)
{
    const char *restrict from = p;
    for (size_t k = 0; k < n; k++) {
        uint32_t v;
        memcpy(&v, from + 4 * k, 4);
        v = __builtin_bswap32(v);
        memcpy(to + k, &v, 4);
    }
}

static inline __attribute__((always_inline)) void rows(const void *const p[3], size_t n, bool swap,
                                                       float *restrict to)
{
    const char *restrict x = p[0], *restrict y = p[1], *restrict z = p[2];
    for (size_t k = 0; k < n; k++) {
        uint32_t v[3];
        memcpy(&v[0], x + 4 * k, 4);
        memcpy(&v[1], y + 4 * k, 4);
        memcpy(&v[2], z + 4 * k, 4);
        for (int a = 0; a < 3 && swap; a++)
            v[a] = __builtin_bswap32(v[a]);
        memcpy(to + 3 * k, v, 12);
    }
}

void SIMD_NAME(numbers_rows)(const void *const p[3], size_t n, bool swap, float *to)
{
    if (swap)
        rows(p, n, true, to);
    else
        rows(p, n, false, to);
}

void SIMD_NAME(numbers_narrow)(const void *p, const size_t at[3], size_t stride, size_t n,
                               float *restrict to)
{
    const char *restrict x = (const char *)p + at[0], *restrict y = (const char *)p + at[1],
                         *restrict z = (const char *)p + at[2];
    for (size_t k = 0; k < n; k++) {
        double v[3];
        memcpy(&v[0], x + stride * k, 8);
        memcpy(&v[1], y + stride * k, 8);
        memcpy(&v[2], z + stride * k, 8);
        to[3 * k] = (float)v[0];
        to[3 * k + 1] = (float)v[1];
        to[3 * k + 2] = (float)v[2];
    }
}

size_t SIMD_NAME(numbers_whole)(const void *p, size_t stride, size_t n, int64_t *restrict to)
{
    const char *restrict from = p;
    for (size_t k = 0; k < n; k++) {
        double v;
        memcpy(&v, from + stride * k, 8);
        bool good = v >= 0.0 && v <= 9007199254740992.0;
        to[k] = good ? (int64_t)v : -1;
        if (!good || (double)to[k] != v)
            return k;
    }
    return n;
}

bool SIMD_NAME(numbers_finite)(const void *p, size_t n, bool f64)
{
    const uint32_t *w = p;
    const uint64_t *d = p;
    uint32_t bad = 0;
    uint64_t bad64 = 0;
    for (size_t k = 0; k < n && !f64; k++)
        bad |= (w[k] & 0x7f800000u) == 0x7f800000u;
    for (size_t k = 0; k < n && f64; k++)
        bad64 |= (d[k] & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    return !bad && !bad64;
}
