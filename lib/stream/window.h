/* SPDX-License-Identifier: MIT */
/* window.h: selects the steps of a trajectory in a time window [from, to]. The selection begins
 * with the first step at or after `from`, and ends before the next step after `to`. The selected
 * steps are therefore consecutive even if times are not in order, and reading can stop at the end
 * of the selection.
 *
 * Because times are often printed with few digits, a time counts as equal to a limit of the window
 * if it differs from the limit by less than a thousandth of the time between steps or, if this time
 * is unknown, by less than 1e-9 of the limit. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

C_LINKAGE_BEGIN

struct window {
    double from, to; /* ps; NaN: no limit */
};

/* The functions window_before and window_behind return true if a time is before or after the
 * window. The time dt between steps may be NaN. */
bool window_before(const struct window *w, double time, double dt);
bool window_behind(const struct window *w, double time, double dt);
/* Reports in e that the window contains no steps, and returns -1. The arguments `before` and
 * `behind` are the times nearest to the window on either side, or NaN. */
int window_empty(struct err *e, const char *name, const struct window *w, double before,
                 double behind);

C_LINKAGE_END
