/* SPDX-License-Identifier: MIT */
/*
 * A number m 2^-s times 10^k is an exact integer product; shifting it right rounds it once. Whether
 * the digits read back as the same number is decided on the same integers: they must lie within
 * half a unit of m.
 */
#include "xyz/xyz_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t pow10_u64[20] = {1ull,
                                       10ull,
                                       100ull,
                                       1000ull,
                                       10000ull,
                                       100000ull,
                                       1000000ull,
                                       10000000ull,
                                       100000000ull,
                                       1000000000ull,
                                       10000000000ull,
                                       100000000000ull,
                                       1000000000000ull,
                                       10000000000000ull,
                                       100000000000000ull,
                                       1000000000000000ull,
                                       10000000000000000ull,
                                       100000000000000000ull,
                                       1000000000000000000ull,
                                       10000000000000000000ull};

static const char pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

/* Position of the first significant digit: 1 for 1 <= x < 10, 0 for 0.1 <= x < 1, ... for 0.001 <=
 * x < 1e9. */
static inline int leading(double x)
{
    if (x < 1.0)
        return x >= 0.1 ? 0 : x >= 0.01 ? -1 : -2;
    uint64_t whole = (uint64_t)x;
    int n = 1;
    while (whole >= pow10_u64[n])
        n++;
    return n;
}

/* r 10^-k, zeros at the end of the fraction left out. */
static inline char *put_decimal(char *p, uint64_t r, int k)
{
    char buf[24], *q = buf + sizeof buf;
    uint64_t whole = r / pow10_u64[k], part = r - whole * pow10_u64[k];
    while (k >= 2 && part % 100 == 0) {
        part /= 100;
        k -= 2;
    }
    if (k >= 1 && part % 10 == 0) {
        part /= 10;
        k--;
    }
    for (; k >= 2; k -= 2, part /= 100)
        memcpy(q -= 2, pairs + 2 * (part % 100), 2);
    if (k)
        *--q = (char)('0' + part);
    if (q != buf + sizeof buf)
        *--q = '.';
    for (; whole >= 100; whole /= 100)
        memcpy(q -= 2, pairs + 2 * (whole % 100), 2);
    if (whole >= 10)
        memcpy(q -= 2, pairs + 2 * whole, 2);
    else
        *--q = (char)('0' + whole);
    size_t n = (size_t)(buf + sizeof buf - q);
    memcpy(p, q, n);
    return p + n;
}

/* What the integers cannot do: very small and very large numbers. */
static size_t by_printf(char *p, double v, int digits, int f32)
{
    int last = f32 ? 9 : 17, d = digits ? digits : f32 ? 6 : 15;
    for (;; d++) {
        int n = snprintf(p, XYZ_TEXT_MAX, "%.*g", d, v);
        if (digits || d == last || (f32 ? strtof(p, NULL) == (float)v : strtod(p, NULL) == v))
            return (size_t)n;
    }
}

size_t xyz_text_f32(char *p, float v, int digits)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    float x = fabsf(v);
    char *start = p;
    if (bits >> 31)
        *p++ = '-';
    if (x == 0.0f) {
        *p++ = '0';
        return (size_t)(p - start);
    }
    if (!(x >= 1e-3f && x < 8388608.0f))
        return by_printf(start, (double)v, digits, 1);
    int lead = leading((double)x), d = digits ? digits : 6, last = digits ? digits : 9;
    if (d > 9 || d < lead)
        return by_printf(start, (double)v, digits, 1);
    uint64_t m = (bits & 0x7fffff) | 0x800000, r;
    int s = 150 - (int)((bits >> 23) & 0xff);
    for (;; d++) {
        uint64_t ten = pow10_u64[d - lead], prod = m * ten, half = s ? (uint64_t)1 << (s - 1) : 0;
        r = prod >> s;
        uint64_t rest = prod - (r << s);
        if (s && (rest > half || (rest == half && (r & 1))))
            r++;
        uint64_t back = r << s, off = back > prod ? back - prod : prod - back;
        if (d == last || (m == 0x800000 ? 4 * off < ten : 2 * off < ten))
            break;
    }
    return (size_t)(put_decimal(p, r, d - lead) - start);
}

size_t xyz_text_f64(char *p, double v, int digits)
{
    typedef unsigned __int128 u128;
    uint64_t bits, m, r;
    memcpy(&bits, &v, 8);
    double x = fabs(v);
    char *start = p;
    if (bits >> 63)
        *p++ = '-';
    if (x == 0.0) {
        *p++ = '0';
        return (size_t)(p - start);
    }
    if (!(x >= 1e-3 && x < 1e9))
        return by_printf(start, v, digits, 0);
    int lead = leading(x), d = digits ? digits : 15, last = digits ? digits : 17;
    if (d < lead)
        return by_printf(start, v, digits, 0);
    m = (bits & 0xfffffffffffffull) | (uint64_t)1 << 52;
    int s = 1075 - (int)((bits >> 52) & 0x7ff);
    for (;; d++) {
        u128 ten = pow10_u64[d - lead], prod = m * ten, half = (u128)1 << (s - 1);
        r = (uint64_t)(prod >> s);
        u128 rest = prod - ((u128)r << s);
        if (rest > half || (rest == half && (r & 1)))
            r++;
        u128 back = (u128)r << s, off = back > prod ? back - prod : prod - back;
        if (d == last || (m == (uint64_t)1 << 52 ? 4 * off < ten : 2 * off < ten))
            break;
    }
    return (size_t)(put_decimal(p, r, d - lead) - start);
}
