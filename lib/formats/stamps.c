/* SPDX-License-Identifier: MIT */
#include "formats/stamps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"

#define OFF_F64 2e-15 /* relative error of a few f64 roundings */

static struct stamps_range stamp(const struct stamps *s, size_t k, double relative, double absolute)
{
    double off = s->off[k] + absolute + (relative + OFF_F64) * fabs(s->t[k]);
    return (struct stamps_range){s->t[k] - off, s->t[k] + off};
}

struct stamps_range stamps_strides(const struct stamps *s, double relative, double absolute)
{
    struct stamps_range r = {-HUGE_VAL, HUGE_VAL};
    for (size_t j = 1; j < s->n; j++) {
        struct stamps_range b = stamp(s, j, relative, absolute);
        for (size_t i = 0; i < j; i++) {
            struct stamps_range a = stamp(s, i, relative, absolute);
            r.lo = fmax(r.lo, (b.lo - a.hi) / (double)(j - i));
            r.hi = fmin(r.hi, (b.hi - a.lo) / (double)(j - i));
        }
    }
    return r;
}

struct stamps_range stamps_begins(const struct stamps *s, double relative, double absolute,
                                  double stride)
{
    struct stamps_range r = {-HUGE_VAL, HUGE_VAL};
    for (size_t k = 0; k < s->n; k++) {
        struct stamps_range a = stamp(s, k, relative, absolute);
        r.lo = fmax(r.lo, a.lo - (double)k * stride);
        r.hi = fmin(r.hi, a.hi - (double)k * stride);
    }
    return r;
}

double stamps_decimal(struct stamps_range r, int *digits)
{
    char text[40];
    double c = r.lo <= 0.0 && r.hi >= 0.0
                   ? 0.0
                   : format_few_digits(0.5 * (r.lo + r.hi), 0.5 * (r.hi - r.lo));
    for (int n = 1; digits && n <= 17; n++) {
        snprintf(text, sizeof text, "%.*e", n - 1, c);
        *digits = n;
        if (strtod(text, NULL) == c)
            break;
    }
    return c;
}

bool stamps_unique(struct stamps_range r, double c, int digits)
{
    double next = pow(10.0, floor(log10(c) + 1e-12) + 1 - digits);
    return r.lo > 0.0 && c - next < r.lo && c + next > r.hi;
}

int stamps_decimals(double x)
{
    char text[40];
    for (int n = 0; n < 17; n++) {
        snprintf(text, sizeof text, "%.*e", n, x);
        if (strtod(text, NULL) == x) {
            int after = n - atoi(strchr(text, 'e') + 1);
            return after > 0 ? after : 0;
        }
    }
    return 17;
}
