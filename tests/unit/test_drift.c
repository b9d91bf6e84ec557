/* SPDX-License-Identifier: MIT */
/* A sample that changed is reported, and one that did not change is not, whatever its correlation
 * time. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "stats/drift.h"
#include "stats/errors.h"
#include "stats/series.h"
#include "stream/meta.h"
#include "tap.h"

#define BLOCKS 128
#define RUNS 2000
/* Largest number of alarms in stationary runs. Of 10,000 other runs, 1.3 in 1000 gave an alarm for
 * correlation times of 2 blocks, 2.9 for 4, 9.5 for 8 and 24 for 16. The limits are four standard
 * deviations above these numbers. */
#define ALARMS 8

static bool squared;

/* Makes run k of a process with a correlation time of tau blocks (or none for 0). Its mean is 5,
 * and 5 + step from block `at` on. */
static void make(double *y, double *n, uint64_t k, double tau, double step, size_t at)
{
    double keep = tau > 0.0 ? exp(-1.0 / tau) : 0.0, x = 0.0, g[2];
    for (size_t b = 0; b < 2 * BLOCKS; b++) { /* the first half removes the start */
        rng_normal2(rng_at(7, RNG_TEST, k, (uint32_t)b), g);
        x = keep * x + sqrt(1.0 - keep * keep) * g[0];
        if (b >= BLOCKS) {
            n[b - BLOCKS] = b + 1 < 2 * BLOCKS ? 16.0 : 3.0;
            y[b - BLOCKS] =
                n[b - BLOCKS] * ((squared ? x * x : 5.0 + x) + (b - BLOCKS >= at ? step : 0.0));
        }
    }
}

static int alarms(double tau, double step, size_t at)
{
    double y[BLOCKS], n[BLOCKS];
    struct drift d;
    int warned = 0;
    for (uint64_t k = 0; k < RUNS; k++) {
        make(y, n, k, tau, step, at);
        drift_find(&d, BLOCKS, y, n, squared);
        warned += d.chance < DRIFT_CHANCE;
    }
    return warned;
}

/* Changes the pairs of one pair of species in one bin at a time. */
static int warned_of_hist(void)
{
    enum { PAIRS = 2, BINS = 3, ALL = PAIRS * BINS };
    static uint64_t counts[BLOCKS * ALL];
    double y[BLOCKS], n[BLOCKS], rmax = 3.0;
    char text[512];
    struct meta *m = meta_new();
    int warned = 0;
    if (!m || meta_set_f64(m, "data.rmax", &rmax, 1) != 0)
        return -1;
    for (int k = 0; k < ALL; k++) {
        make(y, n, 3, 1.0, 0.0, 0);
        for (size_t b = 0; b < BLOCKS; b++)
            for (int i = 0; i < ALL; i++)
                counts[b * ALL + (size_t)i] =
                    (uint64_t)(1000.0 * y[b] * (i == k && b > 40 ? 1e6 : 1.0));
        warned += drift_hist(m, BLOCKS, PAIRS, BINS, counts, n, 1, text, sizeof text);
    }
    meta_free(m);
    return warned;
}

/* Counts the warnings for runs of ROWS rows of S(q). Each row is the sum of its own fluctuation and
 * of a fluctuation that all rows have in common. It begins higher by `start`, and the difference
 * decays in the first tenth. */
static int warned_of_rows(double common, double start, char *text, size_t size)
{
    enum { ROWS = 20 };
    static double sums[BLOCKS * ROWS * 2];
    static uint64_t counts[BLOCKS * ROWS];
    double y[BLOCKS], n[BLOCKS], all[BLOCKS];
    struct meta *m = meta_new();
    int warned = 0;
    if (!m || meta_set(m, "data.axis", "q_A-1") || meta_set(m, "data.functions", "q S"))
        return -1;
    for (uint64_t k = 0; k < RUNS / 2; k++) {
        make(all, n, k, 2.0, 0.0, 0);
        for (size_t r = 0; r < ROWS; r++) {
            make(y, n, (k + 1) << 20 | r, 2.0, 0.0, 0);
            for (size_t b = 0; b < BLOCKS; b++) {
                size_t i = b * ROWS + r;
                double rise = b < BLOCKS / 10 ? start * exp(-(double)b / 8.0) : 0.0;
                counts[i] = (uint64_t)n[b];
                sums[2 * i] = (double)r * n[b];
                sums[2 * i + 1] = y[b] + common * all[b] + n[b] * rise;
            }
        }
        warned += drift_corr(m, BLOCKS, ROWS, 1, 2, counts, sums, text, size);
    }
    meta_free(m);
    return warned;
}

/* Returns whether a change of G2, averaged over two components, is found if each component
 * fluctuates far more than the average, and all functions of g4-cpu are in the table. */
static bool warned_of_g2(char *text, size_t size)
{
    double y[BLOCKS], n[BLOCKS], sums[BLOCKS * 8];
    uint64_t counts[BLOCKS];
    struct meta *m = meta_new();
    if (!m || meta_set(m, "data.functions", "G G2 G3 G4") || meta_set(m, "data.component", "xz zz"))
        return false;
    for (size_t k = 0; k < 8; k++) { /* G2_xz and G2_zz are numbers 1 and 5 */
        make(y, n, k == 5 ? 1 : k, 1.0, 0.0, 0);
        for (size_t b = 0; b < BLOCKS; b++) {
            double mean = 20.0 + (b > 80 ? 0.1 : 0.0) + 0.01 * (double)(b % 3);
            counts[b] = (uint64_t)n[b];
            sums[b * 8 + k] = k == 1 ? mean * n[b] + y[b] : k == 5 ? mean * n[b] - y[b] : y[b];
        }
    }
    bool warned = drift_corr(m, BLOCKS, 1, 2, 4, counts, sums, text, size);
    meta_free(m);
    return warned;
}

/* Tests two columns that change and a constant one. */
static void warned_of_constants(char *text, size_t size)
{
    static double v[3][BLOCKS];
    struct drift d;
    for (int b = 0; b < BLOCKS; b++) {
        double g[2];
        rng_normal2(rng_at(7, RNG_TEST, 0, (uint32_t)b), g);
        v[0][b] = 5.0;
        v[1][b] = g[0] + (b < BLOCKS / 2 ? 0.0 : 3.0);
        v[2][b] = g[1] + (b < BLOCKS / 2 ? 0.0 : 3.0);
    }
    drift_means(&d, BLOCKS, 3, v[0], NULL);
    (void)drift_print(&d, "the mean", text, size);
}

int main(void)
{
    static const double memory[] = {0.0, 1.0, 4.0, 8.0, 16.0};
    static const int limit[] = {ALARMS, ALARMS, 15, 36, 75};
    double y[BLOCKS], n[BLOCKS];
    char text[512], what[120];
    struct drift d;
    for (int k = 0; k < 10; k++) { /* both the process and its square */
        squared = k >= 5;
        int warned = alarms(memory[k % 5], 0.0, 0);
        snprintf(what, sizeof what, "correlation time of %g blocks%s: %d alarms in %d runs",
                 memory[k % 5], squared ? ", squares" : "", warned, RUNS);
        tap_ok(warned <= limit[k % 5], "%s", what);
    }
    squared = false;
    int found = 0;
    for (uint64_t k = 0; k < RUNS; k++) { /* the first tenth decays to equilibrium */
        make(y, n, k, 1.0, 0.0, 0);
        for (size_t b = 0; b < BLOCKS / 10; b++)
            y[b] += n[b] * 20.0 * exp(-(double)b / 4.0);
        drift_find(&d, BLOCKS, y, n, squared);
        found += d.chance < DRIFT_CHANCE && d.t < 0.0 && d.part < 0.2;
    }
    tap_ok(found > RUNS * 90 / 100, "a bad start is found in %d of %d runs", found, RUNS);
    for (size_t at = BLOCKS / 8; at < BLOCKS; at += BLOCKS / 4) {
        int warned = alarms(1.0, 4.0, at);
        tap_ok(warned > RUNS * 86 / 100, "a step of 4 at block %zu is told in %d of %d runs", at,
               warned, RUNS);
    }
    make(y, n, 1, 1.0, -4.0, 40);
    drift_find(&d, BLOCKS, y, n, squared);
    tap_ok(d.t < -9.0 && fabs(d.part - 40.0 / BLOCKS) < 0.04 && fabs(d.before - 5.0) < 1.0 &&
               fabs(d.after - 1.0) < 1.0,
           "where and by how much: %.3g, %.3g to %.3g, %.3g errors", d.part, d.before, d.after,
           d.t);
    tap_ok(drift_print(&d, "U", text, sizeof text) && strstr(text, "U is 4.9") &&
               strstr(text, "and 0.8"),
           "it is said: %s", text);
    make(y, n, 1, 1.0, 2.0, 40);
    drift_find(&d, BLOCKS, y, n, squared);
    tap_ok(d.chance > 1e-12 && fabs(d.chance / (2 * 13 * errors_tail(d.t, 14)) - 1.0) < 1e-12,
           "its chance is that of any of 13 cuts, of two kinds: %.3g", d.chance);
    drift_find(&d, 15, y, n, squared);
    tap_ok(isnan(d.t) && d.chance == 1.0 && !drift_print(&d, "U", text, sizeof text) && !*text,
           "15 blocks tell nothing");
    for (size_t b = 0; b < BLOCKS; b++)
        y[b] = 3.0 * n[b];
    drift_find(&d, BLOCKS, y, n, squared);
    tap_ok(!drift_print(&d, "U", text, sizeof text), "nor does what never moves");
    for (int k = 0; k < 3; k++) {
        int warned = warned_of_rows((double)k, 0.0, text, sizeof text);
        tap_ok(warned <= 6, "20 rows, common fluctuation %d: %d alarms in %d runs", k, warned,
               RUNS / 2);
    }
    found = warned_of_rows(0.0, 5.0, text, sizeof text);
    tap_ok(found > RUNS / 2 * 90 / 100,
           "a start that is 5 too high in 20 rows is found in %d of %d runs", found, RUNS / 2);
    tap_ok(strstr(text, "S(q) at q = ") && strstr(text, "the largest change of 20 values"),
           "it is said: %s", text);
    warned_of_constants(text, sizeof text);
    tap_ok(strstr(text, "the largest change of 2 values") != NULL,
           "values that never move are not tested: %s", text);
    bool warned_g2 = warned_of_g2(text, sizeof text);
    tap_ok(warned_g2 && strncmp(text, "G2(0) is ", 9) == 0, "G2 averaged over the components: %s",
           text);
    tap_ok(warned_of_hist() == 6, "every pair of species and bin counts in g(r)");
    return tap_done();
}
