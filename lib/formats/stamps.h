/* SPDX-License-Identifier: MIT */
/*
 * stamps.h: the time between frames that rounded time stamps determine.
 *
 * Stamp k is the time of frame k to within off[k]. A stride d is possible if a t0 exists with
 * |t0 + k d - t[k]| <= off[k] for all k. The possible strides are the interval from the largest
 * (low[j] - high[i]) / (j - i) to the smallest (high[j] - low[i]) / (j - i) over all i < j.
 */
#ifndef MBF_STAMPS_H
#define MBF_STAMPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STAMPS_MAX = 256 };

struct stamps {
    size_t n;
    double t[STAMPS_MAX], off[STAMPS_MAX]; /* ps */
};

struct stamps_range {
    double lo, hi; /* lo > hi: there is none */
};

/* The possible strides, if each stamp may also be off by `relative` of itself and by `absolute` ps. */
struct stamps_range stamps_strides(const struct stamps *s, double relative, double absolute);
/* The same: the possible times of the first frame for a given stride. */
struct stamps_range stamps_begins(const struct stamps *s, double relative, double absolute,
                                  double stride);
/* The decimal with the fewest digits in r, r.lo <= r.hi; *digits: their number (NULL: not wanted). */
double stamps_decimal(struct stamps_range r, int *digits);
/* Is c the only decimal in r with so many digits or fewer? */
bool stamps_unique(struct stamps_range r, double c, int digits);
/* Digits after the decimal point of x, as few as tell it from other f64. */
int stamps_decimals(double x);

#ifdef __cplusplus
}
#endif
#endif
