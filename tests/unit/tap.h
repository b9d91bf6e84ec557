/* SPDX-License-Identifier: MIT */
/* tap.h: prints the results of a unit test as TAP. Each test program ends with return
 * tap_done(). */
#ifndef MBF_TAP_H
#define MBF_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* Prints one test point. Returns ok, so that the caller can print more after a failure. */
__attribute__((format(printf, 2, 3), unused)) static int tap_ok(int ok, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    printf("%sok %d - ", ok ? "" : "not ", ++tap_count);
    vprintf(fmt, ap);
    printf("\n");
    va_end(ap);
    tap_failed += !ok;
    fflush(stdout);
    return ok;
}

/* |got - want| <= tol; NaN fails. */
__attribute__((unused)) static int tap_near(double got, double want, double tol, const char *what)
{
    int ok = fabs(got - want) <= tol;
    tap_ok(ok, "%s", what);
    if (!ok)
        printf("# got %.17g, expected %.17g within %g\n", got, want, tol);
    return ok;
}

/* The larger of two, NaN where one is: fmax would hide it. */
__attribute__((unused)) static double tap_max(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
