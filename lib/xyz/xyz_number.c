/* SPDX-License-Identifier: MIT */
#include "xyz/xyz_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const double xyz_pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t pow10_u64[20] = {1u,
                                       10u,
                                       100u,
                                       1000u,
                                       10000u,
                                       100000u,
                                       1000000u,
                                       10000000u,
                                       100000000u,
                                       1000000000u,
                                       10000000000u,
                                       100000000000u,
                                       1000000000000u,
                                       10000000000000u,
                                       100000000000000u,
                                       1000000000000000u,
                                       10000000000000000u,
                                       100000000000000000u,
                                       1000000000000000000u,
                                       10000000000000000000u};

enum { EXP_LIMIT = 100000 }; /* exponents are clamped here: far beyond what any format holds */

/* value = (neg ? -1 : 1) * m * 10^exp10, exactly unless `more` digits were dropped */
struct decimal {
    uint64_t m;
    int exp10, written; /* written: the exponent as it stood in the text */
    int neg, more;
    size_t mantissa_len; /* characters before the exponent */
};

static int is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Digits at s[*i..), up to 19 significant ones into m; returns how many stood there. */
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

static int scan(const char *s, size_t len, struct decimal *d)
{
    size_t i = 0;
    int kept = 0;
    *d = (struct decimal){0};
    if (len == 0 || len > XYZ_NUMBER_MAX)
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
    if (i < len && s[i] && strchr("eEdDqQ+-", s[i]) && scan_exponent(s, len, &i, d) != 0)
        return -1;
    return i == len ? 0 : -1;
}

/* v (not 0), with sticky standing for a tail below its last bit, rounded to `bits` bits: v ~ *q *
 * 2^return. */
static int round_bits(unsigned __int128 v, int sticky, int bits, uint64_t *q)
{
    uint64_t hi = (uint64_t)(v >> 64);
    int width = hi ? 128 - __builtin_clzll(hi) : 64 - __builtin_clzll((uint64_t)v);
    int shift = width - bits;
    if (shift <= 0) { /* callers with a tail always bring more bits than they keep */
        *q = (uint64_t)v;
        return 0;
    }
    unsigned __int128 one = 1, half = one << (shift - 1), rest = v & ((one << shift) - 1);
    *q = (uint64_t)(v >> shift);
    if (rest > half || (rest == half && (sticky || (*q & 1))))
        (*q)++;
    return shift;
}

/* m * 10^e, |e| <= 19, m > 0, rounded to `bits` bits by exact integer arithmetic: *q * 2^return. */
static int exact(uint64_t m, int e, int bits, uint64_t *q)
{
    if (e >= 0)
        return round_bits((unsigned __int128)m * pow10_u64[e], 0, bits, q);
    int up = 64 + __builtin_clzll(m);
    unsigned __int128 n = (unsigned __int128)m << up;
    uint64_t den = pow10_u64[-e];
    unsigned __int128 quot = n / den;
    return round_bits(quot, quot * den != n, bits, q) - up;
}

/* What is left over goes to the C library, with the exponent in a form that it knows. */
static void spell(const char *s, const struct decimal *d, char *buf)
{
    memcpy(buf, s, d->mantissa_len);
    sprintf(buf + d->mantissa_len, "e%d", d->written);
}

int xyz_number_f64(const char *s, size_t len, double *v)
{
    struct decimal d;
    if (scan(s, len, &d) != 0)
        return -1;
    double x;
    if (d.m == 0) {
        x = 0.0;
    } else if (!d.more && d.m <= (uint64_t)1 << 53 && d.exp10 >= -22 && d.exp10 <= 22) {
        x = d.exp10 < 0 ? (double)d.m / xyz_pow10[-d.exp10] : (double)d.m * xyz_pow10[d.exp10];
    } else if (!d.more && d.exp10 >= -19 && d.exp10 <= 19) {
        uint64_t q;
        int e = exact(d.m, d.exp10, 53, &q);
        x = ldexp((double)q, e);
    } else {
        char buf[XYZ_NUMBER_MAX + 16];
        spell(s, &d, buf);
        *v = strtod(buf, NULL);
        return isfinite(*v) ? 0 : -1;
    }
    *v = d.neg ? -x : x;
    return 0;
}

int xyz_number_f32(const char *s, size_t len, float *v)
{
    struct decimal d;
    if (scan(s, len, &d) != 0)
        return -1;
    float x;
    if (d.m == 0) {
        x = 0.0f;
    } else if (!d.more && d.exp10 >= -19 && d.exp10 <= 19) {
        uint64_t q;
        int e = exact(d.m, d.exp10, 24, &q);
        x = ldexpf((float)q, e);
    } else {
        char buf[XYZ_NUMBER_MAX + 16];
        spell(s, &d, buf);
        *v = strtof(buf, NULL);
        return isfinite(*v) ? 0 : -1;
    }
    *v = d.neg ? -x : x;
    return 0;
}

int xyz_number_u64(const char *s, size_t len, uint64_t max, uint64_t *v)
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

const char *xyz_number_reason(const char *s, size_t len)
{
    struct decimal d;
    if (len > XYZ_NUMBER_MAX)
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
    return scan(s, len, &d) == 0 ? "beyond the range of the number format" : "no number";
}
