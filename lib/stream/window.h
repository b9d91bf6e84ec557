/* SPDX-License-Identifier: MIT */
/* window.h: selects the steps of a trajectory in a time window [from, to]. The selection begins
 * with the first step at or after `from`, and ends before the next step after `to`. The selected
 * steps are therefore consecutive even if times are not in order, and reading can stop at the end
 * of the selection.
 *
 * Because times are often printed with few digits, a time counts as equal to a limit of the window
 * if both differ by less than a thousandth of a stride or, if the stride is unknown, by less than
 * 1e-9 of the limit. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

C_LINKAGE_BEGIN

struct window {
    double from, to; /* limits of the window in ps, or NaN for no limit */
};

/* The following functions return true if a time is before or after the window. The stride dt may be
 * NaN if it is unknown. */
bool window_before(const struct window *w, double time, double dt);
bool window_behind(const struct window *w, double time, double dt);
/* Sets e to the error that the window contains no steps, and returns -1. The arguments `before` and
 * `behind` are the times nearest to the window on either side, or NaN. */
int window_empty(struct err *e, const char *name, const struct window *w, double before,
                 double behind);

C_LINKAGE_END
