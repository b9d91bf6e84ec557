/* SPDX-License-Identifier: MIT */
/*
 * window.h: the steps of a trajectory that lie in a window of time, both ends included: from the
 * first one that is not before `from` to the last before the first later than `to`. So steps are
 * neighbours also where times are no sequence, and what comes after `to` need not be read.
 *
 * A time that is off an end by no more than a thousandth of a stride is on it, since times are
 * printed with few digits (without a stride: by 1e-9 of itself).
 */
#ifndef MBF_WINDOW_H
#define MBF_WINDOW_H

#include <stdbool.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct window {
    double from, to; /* ps; NaN: open */
};

/* Is a time, ps, before the window, or behind it? dt: the stride, ps; NaN: unknown. */
bool window_before(const struct window *w, double time, double dt);
bool window_behind(const struct window *w, double time, double dt);
/* A step has no time: -1 with e. */
int window_no_time(struct err *e, const char *name, unsigned long long step);
/* No step lies in it: -1 with e, which names the times found around it; NaN: none. */
int window_empty(struct err *e, const char *name, const struct window *w, double before,
                 double behind);

#ifdef __cplusplus
}
#endif
#endif
