/* SPDX-License-Identifier: MIT */
/*
 * series_text.c: shortest decimals that read back exactly, fast.
 *
 * A number x is tried with more and more digits: D = round(x 10^s), and D / 10^s must round to x
 * again. With up to 15 digits of a double both D and 10^s (s <= 22) are exact, so one division
 * decides (Clinger 1990). Beyond that, and for floats, the division is done in the next wider
 * format: when it ends clearly inside or outside of half the gap to the neighbours of x the answer
 * is certain, and the narrow band between is left to strtod.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series.h"

enum {
    EXACT_F64 = 22,
    EXACT_WIDE = 27
}; /* largest powers of ten that double and 64-bit long double hold exactly */

static const double pow10_f64[EXACT_F64 + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const long double pow10_wide[EXACT_WIDE + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

size_t series_text_u64(char *p, uint64_t x)
{
    static const char two[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                              "34353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374757677787980818283"
                              "84858687888990919293949596979899";
    char buf[20], *q = buf + sizeof buf;
    while (x >= 100) {
        q -= 2;
        memcpy(q, two + 2 * (x % 100), 2);
        x /= 100;
    }
    if (x >= 10) {
        q -= 2;
        memcpy(q, two + 2 * x, 2);
    } else {
        *--q = (char)('0' + x);
    }
    size_t n = (size_t)(buf + sizeof buf - q);
    memcpy(p, q, n);
    return n;
}

/* d * 10^-s as text: plain for exponents -4..15, else with an exponent. d > 0. */
static size_t put_decimal(char *p, uint64_t d, int s)
{
    char digits[20], *q = p;
    while (d % 10 == 0) {
        d /= 10;
        s--;
    }
    int n = (int)series_text_u64(digits, d), x = n - 1 - s;
    if (x < -4 || x > 15) {
        *q++ = digits[0];
        if (n > 1) {
            *q++ = '.';
            memcpy(q, digits + 1, (size_t)n - 1);
            q += n - 1;
        }
        q += sprintf(q, "e%c%02d", x < 0 ? '-' : '+', abs(x));
    } else if (x < 0) {
        memcpy(q, "0.0000", 6);
        q += 1 - x;
        memcpy(q, digits, (size_t)n);
        q += n;
    } else if (s <= 0) {
        memcpy(q, digits, (size_t)n);
        memset(q + n, '0', (size_t)-s);
        q += n - s;
    } else {
        memcpy(q, digits, (size_t)x + 1);
        q[x + 1] = '.';
        memcpy(q + x + 2, digits + x + 1, (size_t)(n - x - 1));
        q += n + 1;
    }
    return (size_t)(q - p);
}

/* floor(log10 x), x > 0 and normal; next to a power of ten below 1 it may be one off, which costs a
 * digit at most. */
static int exponent10(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e2 = (int)(bits >> 52) - 1023;
    int e = (e2 * 315653) >> 20; /* floor(e2 log10 2), |e2| < 1650: right, or one too small */
    if (e + 1 <= EXACT_F64 && e + 1 >= -EXACT_F64)
        e += e + 1 >= 0 ? x >= pow10_f64[e + 1] : x * pow10_f64[-e - 1] >= 1.0;
    return e;
}

/* Nearest integer of 0 <= x < 2^51 in one addition each way. */
static double round_f64(double x)
{
    return (x + 6755399441055744.0) - 6755399441055744.0;
}

/* The slow way, and the last word: the fewest digits in %.*g that read back. */
static size_t put_slow(char *p, double x, int single, int first, int last)
{
    char buf[SERIES_TEXT];
    int n = 0;
    for (int digits = first; digits <= last; digits++) {
        n = snprintf(buf, sizeof buf, "%.*g", digits, x);
        if (single ? strtof(buf, NULL) == (float)x : strtod(buf, NULL) == x)
            break;
    }
    memcpy(p, buf, (size_t)n);
    return (size_t)n;
}

static size_t put_special(char *p, double x, size_t sign)
{
    const char *text = isnan(x) ? "nan" : x == 0.0 ? "0" : "inf";
    if (isnan(x))
        sign = 0;
    memcpy(p + sign, text, strlen(text));
    return sign + strlen(text);
}

/* 1: certain that back rounds to x, 0: certain that not, -1: too close to say. gap_lo, gap_hi: to
 * the neighbours of x. */
static int reads_back(long double back, double x, double gap_lo, double gap_hi)
{
    long double diff = fabsl(back - (long double)x);
    if (diff < 0.4995L * fminl(gap_lo, gap_hi))
        return 1;
    return diff > 0.5005L * fmaxl(gap_lo, gap_hi) ? 0 : -1;
}

size_t series_text_f64(char *p, double x)
{
    size_t sign = signbit(x) && !isnan(x);
    *p = '-';
    x = fabs(x);
    if (!isnormal(x) || isinf(x))
        return isnan(x) || isinf(x) || x == 0.0 ? put_special(p, x, sign)
                                                : sign + put_slow(p + sign, x, 0, 1, 17);
    int e = exponent10(x), s = 14 - e;
    if (s >= -EXACT_F64 && s <= EXACT_F64) {
        double d = round_f64(s >= 0 ? x * pow10_f64[s] : x / pow10_f64[-s]);
        if ((s >= 0 ? d / pow10_f64[s] : d * pow10_f64[-s]) == x && d <= 1e15)
            return sign + put_decimal(p + sign, (uint64_t)d, s);
    }
    uint64_t bits;
    double lo, hi;
    memcpy(&bits, &x, sizeof bits);
    bits--;
    memcpy(&lo, &bits, sizeof lo);
    bits += 2;
    memcpy(&hi, &bits, sizeof hi);
    for (int digits = s >= -EXACT_F64 && s <= EXACT_F64 ? 16 : 15; digits <= 17; digits++) {
        s = digits - 1 - e;
        if (s < -EXACT_WIDE || s > EXACT_WIDE || isinf(hi))
            return sign + put_slow(p + sign, x, 0, 15, 17);
        long double d = rintl(s >= 0 ? x * pow10_wide[s] : x / pow10_wide[-s]);
        int ok = reads_back(s >= 0 ? d / pow10_wide[s] : d * pow10_wide[-s], x, x - lo, hi - x);
        if (ok < 0)
            return sign + put_slow(p + sign, x, 0, digits, 17);
        if (ok)
            return sign + put_decimal(p + sign, (uint64_t)d, s);
    }
    return sign + put_slow(p + sign, x, 0, 17, 17);
}

size_t series_text_f32(char *p, float xf)
{
    double x = fabs((double)xf);
    size_t sign = signbit(xf) && !isnan(xf);
    *p = '-';
    if (isnan(x) || isinf(x) || x == 0.0)
        return put_special(p, x, sign);
    if (x < 1e-12 || x > 1e15) /* 10^s of nine digits stays exact in a double between these */
        return sign + put_slow(p + sign, x, 1, 1, 9);
    uint32_t bits;
    float lo, hi, one = (float)x;
    memcpy(&bits, &one, sizeof bits);
    bits--;
    memcpy(&lo, &bits, sizeof lo);
    bits += 2;
    memcpy(&hi, &bits, sizeof hi);
    double gap_lo = x - lo, gap_hi = hi - x;
    double inside = 0.4995 * (gap_lo < gap_hi ? gap_lo : gap_hi);
    double outside = 0.5005 * (gap_lo < gap_hi ? gap_hi : gap_lo);
    int e = exponent10(x);
    for (int digits = 6; digits <= 9; digits++) {
        int s = digits - 1 - e;
        /* compared at the scale of d: the product's rounding is 2^-29 of a gap, far inside the band
         */
        double scale = s >= 0 ? pow10_f64[s] : 1.0 / pow10_f64[-s];
        double y = x * scale, d = round_f64(y), diff = fabs(d - y);
        if (diff < inside * scale)
            return sign + put_decimal(p + sign, (uint64_t)d, s);
        if (diff <= outside * scale)
            return sign + put_slow(p + sign, x, 1, digits, 9);
    }
    return sign + put_slow(p + sign, x, 1, 9, 9);
}
