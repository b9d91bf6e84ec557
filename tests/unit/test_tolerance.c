/* SPDX-License-Identifier: MIT */
/* Tests when two columns agree. */
#include <string.h>

#include "stats/tolerance.h"
#include "tap.h"

static const struct tolerance defaults = {NAN, NAN, NAN};

/* Returns the result for a point (a, b) with errors, after a point (1, 1) that sets the scale. */
static int judge(struct tolerance t, double a, double b, double se)
{
    struct tolerance_column c = {.has_se = se > 0.0};
    tolerance_point(&c, &t, 0, 1.0, 1.0, 0.0, INFINITY);
    tolerance_point(&c, &t, 1, a, b, sqrt(2.0) * se, INFINITY);
    return tolerance_judge(&c, &t);
}

static void test_values(void)
{
    struct tolerance rel = {1e-3, NAN, NAN}, abs_only = {NAN, 1e-3, NAN}, strict = {1e-3, 0.0, NAN};
    tap_ok(judge(defaults, 2.0, 2.0 * (1 + 1e-10), 0) == 1, "defaults: 1e-10 agrees");
    tap_ok(judge(defaults, 2.0, 2.0 * (1 + 1e-8), 0) == 0, "defaults: 1e-8 differs");
    tap_ok(judge(defaults, 1e-12, -1e-12, 0) == 1, "defaults: small against the column is 0");
    tap_ok(judge(defaults, 1e-7, -1e-7, 0) == 0, "defaults: 1e-7 of the column is not");
    tap_ok(judge(rel, 0.5, 0.5009, 0) == 1 && judge(rel, 2.0, 2.01, 0) == 0, "--rtol");
    tap_ok(judge(rel, 1e-4, -1e-4, 0) == 1, "--rtol also of the column");
    tap_ok(judge(strict, 1e-4, -1e-4, 0) == 0, "--rtol with --atol 0 is strict");
    tap_ok(judge(abs_only, 5.0, 5.0009, 0) == 1 && judge(abs_only, 5.0, 5.0011, 0) == 0, "--atol");
    tap_ok(judge(defaults, INFINITY, INFINITY, 0) == 1, "infinity equals itself");
    tap_ok(judge(defaults, INFINITY, 1.0, 0) == 0 && judge(rel, -INFINITY, INFINITY, 0) == 0,
           "and nothing else");
}

static void test_errors(void)
{
    struct tolerance k3 = {NAN, NAN, 3.0};
    /* the combined error is sqrt(2) 0.1 */
    tap_ok(judge(k3, 1.0, 1.42, 0.1) == 1, "within three combined errors");
    tap_ok(judge(k3, 1.0, 1.43, 0.1) == 0, "beyond them");
    tap_ok(judge(k3, 1.0, 9.0, 0.0) == -1, "a column without errors is not judged");
}

static void test_nan(void)
{
    struct tolerance loose = {1.0, 1e300, NAN};
    struct tolerance_column se = {.undefined = true};
    tap_ok(judge(loose, NAN, 1.0, 0) == 0 && judge(loose, 1.0, NAN, 0) == 0,
           "NaN never equals a number");
    tap_ok(judge(loose, NAN, NAN, 0) == 0, "nor NaN");
    tolerance_point(&se, &defaults, 0, NAN, NAN, 0, INFINITY);
    tap_ok(tolerance_judge(&se, &defaults) == 1 && se.nan_both == 1,
           "an error that neither has is counted");
    tolerance_point(&se, &defaults, 1, NAN, 1.0, 0, INFINITY);
    tap_ok(tolerance_judge(&se, &defaults) == 0, "one that only one has differs");
}

static void test_exact(void)
{
    struct tolerance one = {NAN, 1.0, NAN};
    struct tolerance_column c = {.exact = true}, d = c;
    tolerance_point(&c, &defaults, 7, 1e15, 1e15 + 1, 0, INFINITY);
    tap_ok(tolerance_judge(&c, &defaults) == 0, "integers must be equal");
    tolerance_point(&d, &one, 7, 1e15, 1e15 + 1, 0, INFINITY);
    tap_ok(tolerance_judge(&d, &one) == 1, "unless a tolerance is given");
    tap_ok(c.at_abs == 7 && c.max_abs == 1.0 && c.points == 1, "where and how much");
}

static void test_statistics(void)
{
    struct tolerance_column c = {0};
    tolerance_point(&c, &defaults, 0, 1.0, 2.0, 0, INFINITY);
    tolerance_point(&c, &defaults, 1, 10.0, 12.5, 0, INFINITY);
    tolerance_point(&c, &defaults, 2, 0.0, 0.0, 0, INFINITY);
    tap_near(c.max_rel, 0.5, 0, "largest relative error, of the larger of the two");
    tap_near(c.sum_rel / 3, 0.7 / 3, 1e-15, "mean relative error");
    tap_ok(c.max_abs == 2.5 && c.at_abs == 1, "largest absolute error and its place");
}

static void test_where(void)
{
    struct tolerance_table t = {.type = FRAME_PAIR, .natoms = 4, .per_step = 6};
    static const char *const pairs[6] = {"0-1", "0-2", "0-3", "1-2", "1-3", "2-3"};
    char text[64], want[64];
    int good = 1;
    for (uint64_t k = 0; k < 6; k++) {
        tolerance_where(&t, NULL, 5 * 6 + k, text, sizeof text);
        snprintf(want, sizeof want, "5:%s", pairs[k]);
        good &= strcmp(text, want) == 0;
    }
    tap_ok(good, "pairs are named by their atoms");
}

int main(void)
{
    test_values();
    test_errors();
    test_nan();
    test_exact();
    test_statistics();
    test_where();
    return tap_done();
}
