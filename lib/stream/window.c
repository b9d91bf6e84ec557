/* SPDX-License-Identifier: MIT */
#include "stream/window.h"

#include <math.h>
#include <stdio.h>

#include "stream/stride.h"

#define OF_TIME 1e-9 /* relative rounding error of printed times if no stride is known */

static double slack(double end, double dt)
{
    return isnan(dt) ? OF_TIME * fabs(end) : STRIDE_PRINTED * dt + 1e-12 * fabs(end);
}

bool window_before(const struct window *w, double time, double dt)
{
    return time < w->from - slack(w->from, dt);
}

bool window_behind(const struct window *w, double time, double dt)
{
    return time > w->to + slack(w->to, dt);
}

int window_empty(struct err *e, const char *name, const struct window *w, double before,
                 double behind)
{
    char wanted[64] = "no step at all", found[96] = "no step at all";
    int n = isnan(w->from) ? 0 : snprintf(wanted, sizeof wanted, " from %.10g ps", w->from);
    if (!isnan(w->to))
        snprintf(wanted + n, sizeof wanted - (size_t)n, " to %.10g ps", w->to);
    if (!isnan(before) && !isnan(behind))
        snprintf(found, sizeof found, "only the neighbouring steps at %.10g ps and %.10g ps",
                 before, behind);
    else if (!isnan(before))
        snprintf(found, sizeof found, "the last step at %.10g ps", before);
    else if (!isnan(behind))
        snprintf(found, sizeof found, "the first step at %.10g ps", behind);
    return err_in(e, ERR_BAD, name, 0, "expected steps%s, found %s", wanted, found);
}
