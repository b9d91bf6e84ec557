/* SPDX-License-Identifier: MIT */
/* scatter.h: measures how much the time average of a quantity differs between points (atoms or
 * molecules) during a whole run. Such differences are invisible to errors from blocks, because they
 * are the same in all blocks.
 *
 * The quantity is a product of values at two times, s and s + L, for L = 0, 4, 16, 64 ... steps
 * (einstein_scale). Every SCATTER_EVERY-th step is a time origin, and at most SCATTER_POINTS points
 * of each kind are used. The origins are divided into segments, of which 16 to 32 are complete at
 * the end. An analysis of variance with two factors, point and segment, gives the variance of the
 * lasting differences between points. It is the variance between the time averages of the points,
 * minus the part that is expected if the segments are independent. Differences that last for less
 * than about 1/30 of the run, and changes that all points have in common, cancel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/box.h"
#include "stats/einstein_fit.h"
#include "stream/frame.h"

#define SCATTER_EVERY 4
#define SCATTER_POINTS 64

enum scatter_kind {
    SCATTER_PRODUCT,  /* products of x, y and z. E is relative to the squared value at L = 0 */
    SCATTER_LEGENDRE, /* P1 and P2 of the angle between unit vectors (rate) */
    SCATTER_SQUARE    /* squares of displacements (rate) */
};

struct scatter;
/* Measures points [first[k], first[k + 1]) of each kind k for L < lags, or for all
 * L if `lags` is 0. Point i is point order[i]
 * of a step, or point i if `order` is NULL. Returns NULL if memory runs out. */
struct scatter *scatter_open(enum scatter_kind kind, size_t kinds, const size_t *first,
                             const uint32_t *order, size_t lags);
double scatter_bytes(size_t kinds, const size_t *first, size_t lags);
/* Adds the next step with the values now[][3] of all points, minus `drift` unless it is NULL.
 * Unless `box` is NULL, the values are positions, which may be wrapped into the cell. */
void scatter_add(struct scatter *s, const void *now, bool wide, const double *drift,
                 const struct box *box);
/* Appends "name:N:E:E..." to data.scatter in `m`, or nothing if no E is known, for sum_k weight[k]
 * times the mean over the points of kind k. N is the number of points, and each E is the squared
 * error due to lasting differences within the kinds that have more than one point. The part is an
 * axis of products or squares (-1 for their sum), or 0 for P1 and 1 for P2. For kinds marked with
 * (rate), E is the squared relative error of a rate r if the squares are proportional to r, and P1
 * and P2 are functions of r t. Returns 0 or -1. */
int scatter_meta(const struct scatter *s, const char *name, const double *weight, int part,
                 struct meta *m) FRAME_MUST;
void scatter_free(struct scatter *s); /* NULL is allowed */
