/* SPDX-License-Identifier: MIT */
/*
 * window.h: selects the steps of a trajectory in a time window, both ends included: from the first
 * step not before `from` to the last step before the first step later than `to`. The selected steps
 * are therefore consecutive even if times are not in order, and nothing after `to` needs to be
 * read.
 *
 * A time within a thousandth of a stride of an end counts as equal to it, since times are printed
 * with few digits (without a stride: within 1e-9 of the end itself).
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

/* Returns true if a time (ps) is before or after the window. dt is the stride, ps; NaN: unknown. */
bool window_before(const struct window *w, double time, double dt);
bool window_behind(const struct window *w, double time, double dt);
/* Sets e for a step without a time and returns -1. */
int window_no_time(struct err *e, const char *name, unsigned long long step);
/* Sets e for a window without steps, naming the times found around it (NaN: none); returns -1. */
int window_empty(struct err *e, const char *name, const struct window *w, double before,
                 double behind);

#ifdef __cplusplus
}
#endif
#endif
