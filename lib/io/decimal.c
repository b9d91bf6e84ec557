/* SPDX-License-Identifier: MIT */
/* To write x = m 2^e2, multiply x by 10^k. The product m 5^k 2^(e2+k) is an exact 128-bit integer
 * except for its shift. Dropping its fraction rounds it once. The digits restore x if they are
 * within half a unit of m, which is tested with the same integers. 64 bits can hold 5^k up to k =
 * 27. Numbers below 1e-13 (1e-22 for f32) or above 1e15 would need a larger k, and are written by
 * printf with an increasing number of digits. */
#include "io/decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef unsigned __int128 u128;

const double decimal_pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { POW5 = 27 };
/* clang-format off */
static const uint64_t pow5[POW5 + 1] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u,
    244140625u, 1220703125u, 6103515625u, 30517578125u, 152587890625u, 762939453125u,
    3814697265625u, 19073486328125u, 95367431640625u, 476837158203125u, 2384185791015625u,
    11920928955078125u, 59604644775390625u, 298023223876953125u, 1490116119384765625u,
    7450580596923828125u};
/* clang-format on */

static const char pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
    "9293949596979899";

/* Writes the digits of x so that they end before q. Returns a pointer to the first digit. */
static inline char *digits_before(char *q, uint64_t x)
{
    for (; x >= 100; x /= 100)
        memcpy(q -= 2, pairs + 2 * (x % 100), 2);
    if (x >= 10)
        memcpy(q -= 2, pairs + 2 * x, 2);
    else
        *--q = (char)('0' + x);
    return q;
}

size_t decimal_put_u64(char *p, uint64_t x)
{
    char buf[20], *end = buf + sizeof buf, *q = digits_before(end, x);
    memcpy(p, q, (size_t)(end - q));
    return (size_t)(end - q);
}

/* A positive number to be written, and its limits. */
struct binary {
    uint64_t m; /* x = m 2^e2 */
    int e2;
    double x;
    bool f32, edge; /* edge: m is a power of two, so the gap below is half the gap above */
    int first, last, plain;
};

/* Returns true if x >= 10^j, -27 <= j <= 22. */
static inline bool reaches(const struct binary *b, int j)
{
    return j >= 0 ? b->x >= decimal_pow10[j] : (u128)b->m * pow5[-j] >> (j - b->e2) != 0;
}

/* Writes r 10^-k (r < 10^18) as text, with an exponent from 10^plain on. */
static inline size_t put_decimal(char *p, uint64_t r, int k, int plain)
{
    enum { RUN = 17 }; /* copies of a fixed length are faster than copies of n <= 17 bytes */
    char buf[RUN + 1 + RUN] = {0}, *end = buf + RUN + 1, *start = p;
    for (; r % 100 == 0; r /= 100)
        k -= 2;
    if (r % 10 == 0) {
        r /= 10;
        k--;
    }
    char *q = digits_before(end, r);
    int n = (int)(end - q), x = n - 1 - k; /* n digits, and exponent x of the first */
    if (x < -4 || x >= plain) {
        *p++ = *q;
        *p = '.';
        memcpy(p + 1, q + 1, RUN);
        p += n > 1 ? n : 0;
        *p++ = 'e';
        *p++ = x < 0 ? '-' : '+';
        p += abs(x) < 10 ? (*p = '0', 1) : 0;
        p += decimal_put_u64(p, (uint64_t)abs(x));
    } else if (x < 0) {
        memcpy(p, "0.000", 5);
        memcpy(p + 1 - x, q, RUN);
        p += 1 - x + n;
    } else if (k > 0) {
        memcpy(p, q, RUN);
        p[x + 1] = '.';
        memcpy(p + x + 2, q + x + 1, RUN);
        p += n + 1;
    } else {
        memcpy(p, q, RUN);
        memset(p + n, '0', (size_t)-k);
        p += x + 1;
    }
    return (size_t)(p - start);
}

/* Writes the number with the C library, with the smallest number of digits that restores the
 * number, or the largest number of digits. */
static size_t put_slow(char *p, const struct binary *b)
{
    char buf[DECIMAL_TEXT], digits[DECIMAL_TEXT];
    for (int d = b->first;; d++) {
        snprintf(buf, sizeof buf, "%.*e", d - 1, b->x);
        if (d < b->last && (b->f32 ? strtof(buf, NULL) != (float)b->x : strtod(buf, NULL) != b->x))
            continue;
        char *e = strchr(buf, 'e');
        digits[0] = buf[0];
        memcpy(digits + 1, buf + 2, (size_t)d - 1); /* skips the point */
        digits[d] = '\0';
        return put_decimal(p, strtoull(digits, NULL, 10), d - 1 - atoi(e + 1), b->plain);
    }
}

static inline size_t put_binary(char *p, const struct binary *b)
{
    const uint64_t middle = (uint64_t)1 << 63;
    int top = b->e2 + 63 - __builtin_clzll(b->m);
    int e10 = (top * 315653) >> 20; /* floor(top log10 2) for |top| < 1650, or one less */
    if (e10 + 1 < -POW5 || e10 + 1 > 22)
        return put_slow(p, b);
    e10 += reaches(b, e10 + 1);
    int d = b->first, k = d - 1 - e10, up = 64 + b->e2 + k;
    if (k < 0 || k > POW5 || up < 2)
        return put_slow(p, b);
    u128 scaled = (u128)b->m * pow5[k] << up; /* x 10^k in units of 2^-64 */
    u128 half = (u128)pow5[k] << (up - 1);    /* half a unit of m */
    for (;; d++, k++, scaled *= 10, half *= 10) {
        uint64_t r = (uint64_t)(scaled >> 64), rest = (uint64_t)scaled;
        bool above = rest > middle || (rest == middle && (r & 1));
        if (d == b->last || (above ? -rest : rest) < (b->edge && !above ? half / 2 : half))
            return put_decimal(p, r + above, k, b->plain); /* 5^k is odd, so there was no tie */
    }
}

/* Writes nan, infinity or zero. */
static size_t put_special(char *p, double x)
{
    const char *text = isnan(x) ? "nan" : x == 0.0 ? "-0" : "-inf";
    text += !isnan(x) && !signbit(x);
    size_t n = strlen(text);
    memcpy(p, text, n);
    return n;
}

/* Writes x, which is not 0 and is given by the fields of its number type. */
static inline size_t put_fields(char *p, double x, int digits, uint64_t fraction, int e, bool f32)
{
    size_t minus = signbit(x) != 0;
    struct binary b = {.m = fraction | (uint64_t)(e > 0) << (f32 ? 23 : 52),
                       .e2 = (e ? e : 1) - (f32 ? 150 : 1075),
                       .x = fabs(x),
                       .f32 = f32,
                       .edge = e > 1 && fraction == 0,
                       .first = digits ? digits
                                : !e   ? 1
                                : f32  ? FLT_DIG
                                       : DBL_DIG,
                       .last = digits ? digits
                               : f32  ? FLT_DECIMAL_DIG
                                      : DBL_DECIMAL_DIG,
                       .plain = digits ? digits
                                : f32  ? 15
                                       : 16};
    *p = '-';
    return minus + put_binary(p + minus, &b);
}

size_t decimal_put_f64(char *p, double x, int digits)
{
    uint64_t bits;
    if (!(fabs(x) <= DBL_MAX) || x == 0.0)
        return put_special(p, x);
    memcpy(&bits, &x, sizeof bits);
    return put_fields(p, x, digits, bits & 0xfffffffffffffull, (int)(bits >> 52 & 0x7ff), false);
}

size_t decimal_put_f32(char *p, float x, int digits)
{
    uint32_t bits;
    if (!(fabsf(x) <= FLT_MAX) || x == 0.0f)
        return put_special(p, (double)x);
    memcpy(&bits, &x, sizeof bits);
    return put_fields(p, (double)x, digits, bits & 0x7fffff, (int)(bits >> 23 & 0xff), true);
}

/* ---- reading */

enum { EXP_LIMIT = 100000 }; /* exponents are clamped here, far beyond any format */

/* value = (neg ? -1 : 1) * m * 10^exp10, which is exact unless `more` digits were dropped */
struct decimal {
    uint64_t m;
    int exp10, written; /* written: the exponent in the text */
    int neg, more;
    size_t mantissa_len; /* characters before the exponent */
};

static int is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Reads the digits at s[*i..), and up to 19 significant digits into m. Returns their number. */
static int scan_digits(const char *s, size_t len, size_t *i, struct decimal *d, int *kept,
                       int fraction)
{
    int n = 0;
    for (; *i < len && is_digit(s[*i]); (*i)++, n++) {
        unsigned digit = (unsigned)(s[*i] - '0');
        if (*kept < 19) {
            d->m = d->m * 10 + digit;
            *kept += d->m != 0;
            d->exp10 -= fraction;
        } else {
            d->more |= digit != 0;
            d->exp10 += !fraction;
        }
    }
    return n;
}

static int scan_exponent(const char *s, size_t len, size_t *i, struct decimal *d)
{
    if (strchr("eEdDqQ", s[*i]))
        (*i)++;
    int neg = 0, e = 0;
    if (*i < len && (s[*i] == '-' || s[*i] == '+'))
        neg = s[(*i)++] == '-';
    if (*i >= len)
        return -1;
    for (; *i < len && is_digit(s[*i]); (*i)++)
        if (e < EXP_LIMIT)
            e = e * 10 + (s[*i] - '0');
    d->written = neg ? -e : e;
    d->exp10 += d->written;
    return 0;
}

static int scan(const char *s, size_t len, enum decimal_style style, struct decimal *d)
{
    const char *exponent = style == DECIMAL_FORTRAN ? "eEdDqQ+-" : "eE";
    size_t i = 0;
    int kept = 0;
    *d = (struct decimal){0};
    if (len == 0 || len > DECIMAL_READ_MAX)
        return -1;
    if (s[0] == '-' || s[0] == '+')
        d->neg = s[i++] == '-';
    int n = scan_digits(s, len, &i, d, &kept, 0);
    if (i < len && s[i] == '.') {
        i++;
        n += scan_digits(s, len, &i, d, &kept, 1);
    }
    if (n == 0)
        return -1;
    d->mantissa_len = i;
    if (i < len && (s[i] == '-' || s[i] == '+') && len - i != 4) /* as in the incomplete 12.5-3 */
        return -1;
    if (i < len && s[i] && strchr(exponent, s[i]) && scan_exponent(s, len, &i, d) != 0)
        return -1;
    return i == len ? 0 : -1;
}

/* Rounds v, which is not 0, to `bits` bits. If v has a tail below its last bit, `sticky` must be
 * set. With the returned exponent e, v is about *q * 2^e. */
static int round_bits(u128 v, int sticky, int bits, uint64_t *q)
{
    uint64_t hi = (uint64_t)(v >> 64);
    int width = hi ? 128 - __builtin_clzll(hi) : 64 - __builtin_clzll((uint64_t)v);
    int shift = width - bits;
    if (shift <= 0) { /* callers with a tail always have more bits than they keep */
        *q = (uint64_t)v;
        return 0;
    }
    u128 one = 1, half = one << (shift - 1), rest = v & ((one << shift) - 1);
    *q = (uint64_t)(v >> shift);
    if (rest > half || (rest == half && (sticky || (*q & 1))))
        (*q)++;
    return shift;
}

/* Computes m * 10^e for |e| <= 19 and m > 0, rounded to `bits` bits with exact integer arithmetic.
 * The result is *q times 2 to the power of the returned number. */
static int exact(uint64_t m, int e, int bits, uint64_t *q)
{
    if (e >= 0)
        return round_bits(((u128)m * pow5[e]) << e, 0, bits, q);
    int up = 64 + __builtin_clzll(m);
    u128 n = (u128)m << up;
    uint64_t den = pow5[-e] << -e; /* 10^19 < 2^64 */
    u128 quot = n / den;
    return round_bits(quot, quot * den != n, bits, q) - up;
}

/* Writes the number for the C library, with the exponent in standard form. */
static void spell(const char *s, const struct decimal *d, char *buf)
{
    memcpy(buf, s, d->mantissa_len);
    sprintf(buf + d->mantissa_len, "e%d", d->written);
}

/* Reads the words that decimal_put_f64 writes for nan and infinity. */
static int special(const char *s, size_t len, double *v)
{
    static const char *const word[] = {"nan", "inf", "-inf"};
    static const double value[] = {NAN, HUGE_VAL, -HUGE_VAL};
    for (int k = 0; k < 3; k++)
        if (len == strlen(word[k]) && memcmp(s, word[k], len) == 0) {
            *v = value[k];
            return 0;
        }
    return -1;
}

/* Reads a number and rounds it once, to f32 or to f64. */
static inline int get(const char *s, size_t len, enum decimal_style style, bool f32, double *v)
{
    struct decimal d;
    if (scan(s, len, style, &d) != 0)
        return style == DECIMAL_OURS ? special(s, len, v) : -1;
    double x;
    if (d.m == 0) {
        x = 0.0;
    } else if (!f32 && !d.more && d.m <= (uint64_t)1 << 53 && d.exp10 >= -22 && d.exp10 <= 22) {
        x = d.exp10 < 0 ? (double)d.m / decimal_pow10[-d.exp10]
                        : (double)d.m * decimal_pow10[d.exp10];
    } else if (!d.more && d.exp10 >= -19 && d.exp10 <= 19) { /* 1e-19 to 2e38, normal in f32 */
        uint64_t q;
        int e = exact(d.m, d.exp10, f32 ? FLT_MANT_DIG : DBL_MANT_DIG, &q);
        x = ldexp((double)q, e);
    } else {
        char buf[DECIMAL_READ_MAX + 16];
        spell(s, &d, buf);
        *v = f32 ? (double)strtof(buf, NULL) : strtod(buf, NULL);
        return isfinite(*v) ? 0 : -1;
    }
    *v = d.neg ? -x : x;
    return 0;
}

int decimal_get_f64(const char *s, size_t len, enum decimal_style style, double *v)
{
    return get(s, len, style, false, v);
}

int decimal_get_f32(const char *s, size_t len, enum decimal_style style, float *v)
{
    double x;
    if (get(s, len, style, true, &x) != 0)
        return -1;
    *v = (float)x;
    return 0;
}

int decimal_get_u64(const char *s, size_t len, uint64_t max, uint64_t *v)
{
    uint64_t x = 0;
    if (len == 0)
        return -1;
    for (size_t i = 0; i < len; i++) {
        uint64_t digit = (uint64_t)(unsigned char)(s[i] - '0');
        if (digit > 9 || x > (UINT64_MAX - digit) / 10)
            return -1;
        x = x * 10 + digit;
    }
    *v = x;
    return x <= max ? 0 : -1;
}

const char *decimal_reason(const char *s, size_t len)
{
    struct decimal d;
    if (len > DECIMAL_READ_MAX)
        return "longer than any number";
    if (memchr(s, '*', len))
        return "the asterisks of a Fortran field that overflowed: the value was never written";
    size_t sign = len > 0 && (s[0] == '-' || s[0] == '+');
    if (len - sign >= 3 && strncasecmp(s + sign, "nan", 3) == 0)
        return "not a number: the run that wrote it had gone wrong";
    if (len - sign >= 3 && strncasecmp(s + sign, "inf", 3) == 0)
        return "infinite: the run that wrote it had gone wrong";
    if (memchr(s, ',', len))
        return "a decimal comma: rewrite it with a point";
    if (len - sign > 2 && s[sign] == '0' && (s[sign + 1] == 'x' || s[sign + 1] == 'X'))
        return "hexadecimal";
    if (memchr(s, '\0', len))
        return "zero bytes: a hole in the file";
    return scan(s, len, DECIMAL_FORTRAN, &d) == 0 ? "beyond the range of the number format"
                                                  : "no number";
}
