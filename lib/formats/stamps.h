/* SPDX-License-Identifier: MIT */
/* stamps.h: determines the time between frames (the stride) from rounded times of frames (the
 * stamps). The stamp t[k] differs from the true time of frame k by at most off[k]. A stride d is
 * possible if a time t0 exists with |t0 + k d - t[k]| <= off[k] for all k. Every pair of stamps i <
 * j limits the possible strides. With low = t - off and high = t + off, the stride is at least
 * (low[j] - high[i]) / (j - i) and at most (high[j] - low[i]) / (j - i). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { STAMPS_MAX = 256 };

struct stamps {
    size_t n;
    double t[STAMPS_MAX], off[STAMPS_MAX]; /* ps */
};

struct stamps_range {
    double lo, hi; /* empty if lo > hi */
};

/* Returns the range of possible strides, if the error of each stamp is increased by `absolute` ps
 * plus `relative` times the stamp. */
struct stamps_range stamps_strides(const struct stamps *s, double relative, double absolute);
/* Returns the range of possible times of the first frame for a given stride, if the error of each
 * stamp is increased as in stamps_strides. */
struct stamps_range stamps_begins(const struct stamps *s, double relative, double absolute,
                                  double stride);
/* Returns the number with the fewest decimal digits in the range r, where r.lo <= r.hi. Unless
 * NULL, *digits becomes the number of digits. */
double stamps_decimal(struct stamps_range r, int *digits);
/* Returns true if the range r, which contains c, has r.lo > 0 and lies between the two neighbours
 * of c among numbers of `digits` digits. */
bool stamps_unique(struct stamps_range r, double c, int digits);
/* Returns the smallest number of decimals that distinguishes x from every other f64 number. */
int stamps_decimals(double x);
