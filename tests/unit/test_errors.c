/* SPDX-License-Identifier: MIT */
/*
 * Standard errors by blocking. Tests the errors of series with a known correlation time for many
 * seeds, NaN for errors that cannot be known, several runs, and Student's t against tables.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/blocks.h"
#include "stats/errors.h"
#include "tap.h"

#define SERIES 2000
#define STEPS 1600 /* 100 blocks of 16 */
/* From 50 independent pieces, the correlation time is known only to a factor. Intervals are right,
 * but their squares vary widely. */
#define RMS_MAX 1.28
#define COVERAGE_MAX 0.76 /* 0.73, and three errors of 2,000 series */

static uint64_t state = 1;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(2.0 * M_PI * uniform());
}

/* Variance of the mean of n steps of a series of variance 1 with correlations phi^k. */
static double variance(double phi, double n)
{
    return ((1.0 + phi) / (1.0 - phi) -
            2.0 * phi * (1.0 - pow(phi, n)) / (n * (1.0 - phi) * (1.0 - phi))) /
           n;
}

/* Makes a series x_t = phi x_t-1 + noise in blocks. Returns its mean, and sets the sums and counts
 * of the blocks. */
static double make(double phi, size_t steps, struct stats_blocks *b, double *y, double *n)
{
    double x = normal(), sum = 0.0;
    stats_blocks_init_levels(b, 1, 0, 0);
    stats_blocks_settle(b, steps);
    for (size_t k = 0; k < stats_blocks_taken(b, steps); k++)
        y[k] = n[k] = 0.0;
    for (size_t t = 0; t < steps; t++, x = phi * x + sqrt(1.0 - phi * phi) * normal()) {
        y[stats_blocks_index(b, t)] += x;
        n[stats_blocks_index(b, t)] += 1.0;
        sum += x;
    }
    return sum / (double)steps;
}

struct verdict {
    double known, rms, coverage; /* fraction of known errors and, of these, rms(se) / truth and the
                                  * fraction with |mean| < se */
};

static struct verdict calibrate(double phi, size_t steps)
{
    double y[STATS_BLOCKS_MAX], n[STATS_BLOCKS_MAX], dev[STATS_BLOCKS_MAX], sum = 0.0;
    size_t known = 0, covered = 0;
    struct stats_blocks b;
    struct errors e;
    state = 1;
    for (int s = 0; s < SERIES; s++) {
        double mean = make(phi, steps, &b, y, n);
        size_t blocks = stats_blocks_taken(&b, steps);
        if (!s && errors_init(&e, 1, blocks, NULL))
            abort();
        (void)stats_ratio(blocks, y, n, NULL, dev, 1);
        struct error got = errors_of(&e, dev, 1, n);
        if (isnan(got.se))
            continue;
        known++;
        covered += fabs(mean) < got.se;
        sum += got.se * got.se;
    }
    errors_free(&e);
    double truth = sqrt(variance(phi, (double)steps));
    return (struct verdict){(double)known / SERIES, sqrt(sum / (double)known) / truth,
                            (double)covered / (double)known};
}

static void series(void)
{
    for (int k = 0; k < 5; k++) { /* from no memory to 50 independent pieces in a series */
        double phi = (double[]){0.0, 0.5, 0.8, 0.9, 0.94}[k];
        struct verdict v = calibrate(phi, STEPS);
        tap_ok(v.known > 0.8 && v.rms > 0.9 && v.rms < RMS_MAX && v.coverage > 0.63 &&
                   v.coverage < COVERAGE_MAX,
               "phi %.2f: rms(se) %.3f of the truth, coverage %.3f, known %.3f", phi, v.rms,
               v.coverage, v.known);
    }
    struct verdict odd = calibrate(0.5, 1111);
    tap_ok(odd.known > 0.95 && odd.rms > 0.9 && odd.rms < 1.2, "an odd number of blocks: %.3f",
           odd.rms);
    struct verdict few = calibrate(0.995, STEPS), none = calibrate(0.999, STEPS),
                   tiny = calibrate(0.0, 9);
    tap_ok(few.known > 0.9 && few.coverage > 0.63 && few.coverage < 0.8,
           "four independent pieces: an error is stated in %.3f, coverage %.3f", few.known,
           few.coverage);
    tap_ok(none.known < 0.6 && none.coverage > 0.5, "less than one: in %.3f, coverage %.3f",
           none.known, none.coverage);
    tap_ok(tiny.known == 1.0 && tiny.coverage > 0.63 && tiny.coverage < COVERAGE_MAX,
           "nine steps: in %.3f, coverage %.3f", tiny.known, tiny.coverage);
}

/* 96 blocks in several runs. Each block passes a part of its edge to the next one, x + u' - u,
 * where u is `carry` times as large as x. */
static void edges(double carry, int nruns, const char *text)
{
    double y[96], dev[96], ones[96], sum = 0.0, blocks = 96.0;
    size_t known = 0, covered = 0;
    struct errors e;
    state = 1;
    tap_ok(errors_init(&e, 1, 96, text) == 0, "%d runs", nruns);
    for (int s = 0; s < SERIES; s++) {
        double mean = 0.0, u = 0.0;
        for (int b = 0; b < 96; b++) {
            double next = b % (96 / nruns) == 96 / nruns - 1 ? 0.0 : carry * normal();
            y[b] = normal() + next - u;
            u = next;
            ones[b] = 1.0;
            mean += y[b] / blocks;
        }
        (void)stats_ratio(96, y, ones, NULL, dev, 1);
        struct error got = errors_of(&e, dev, 1, NULL);
        known += !isnan(got.se);
        covered += fabs(mean) < got.se;
        sum += isnan(got.se) ? 0.0 : got.se * got.se;
    }
    errors_free(&e);
    double rms = sqrt(sum / (double)known * blocks), coverage = (double)covered / (double)known;
    tap_ok(known > 0.98 * SERIES && rms > 0.9 && rms < 1.2 && coverage > 0.63 &&
               coverage < COVERAGE_MAX,
           "edges of %g: rms(se) %.3f of the truth, coverage %.3f", carry, rms, coverage);
}

/* Many short runs, each correlated over its whole length. Their sums contain information that their
 * cosines do not. */
static void short_runs(void)
{
    char text[96] = "";
    double y[160], dev[160], ones[160], sum = 0.0, phi = 0.97;
    size_t known = 0, covered = 0;
    struct errors e;
    state = 1;
    for (int r = 0; r < 20; r++)
        strcat(text, r ? " 8" : "8");
    tap_ok(errors_init(&e, 1, 160, text) == 0, "20 runs");
    for (int s = 0; s < SERIES; s++) {
        double mean = 0.0, x = 0.0;
        for (int b = 0; b < 160; b++) {
            x = b % 8 ? phi * x + sqrt(1.0 - phi * phi) * normal() : normal();
            mean += (y[b] = x) / 160.0;
            ones[b] = 1.0;
        }
        (void)stats_ratio(160, y, ones, NULL, dev, 1);
        struct error got = errors_of(&e, dev, 1, NULL);
        known += !isnan(got.se);
        covered += fabs(mean) < got.se;
        sum += isnan(got.se) ? 0.0 : got.se * got.se;
    }
    errors_free(&e);
    double rms = sqrt(sum / (double)known / variance(phi, 8.0) * 20.0),
           coverage = (double)covered / (double)known;
    tap_ok(known > 0.9 * SERIES && rms > 0.9 && rms < 1.25 && coverage > 0.63 && coverage < 0.73,
           "short runs: rms(se) %.3f of the truth, coverage %.3f, known %.3f", rms, coverage,
           (double)known / SERIES);
}

/* Rare events: the error of a count of one is one. */
static void events(void)
{
    struct errors e;
    double dev[100];
    for (int k = 0; k < 5; k++) {
        int n = (int[]){1, 2, 3, 10, 50}[k];
        for (int b = 0; b < 100; b++)
            dev[b] = ((b * 37) % 100 < n) - n / 100.0;
        tap_ok(errors_init(&e, 1, 100, NULL) == 0, "100 blocks");
        struct error it = errors_of(&e, dev, 1, NULL);
        double count = sqrt(n);
        if (n <= 10) /* the 50 pieces alternate nearly evenly, and their sum scatters less */
            tap_ok(it.se > 0.7 * count && it.se < 2.0 * count, "%d events: %.3f of their root", n,
                   it.se / count);
        /* 2 / (variance of ln se^2 among the models + 2 / their dof), for these models and
         * priors */
        tap_near(it.dof, (double[]){39.20, 6.641, 9.787, 31.24, 7.85}[k], 0.005 * it.dof,
                 "  its degrees of freedom");
        errors_free(&e);
    }
}

/* All seven rows of the band that begins at row 69 are used, so each changes the errors of the
 * others. */
static void band(void)
{
    enum { ROWS = 90, BLOCKS = 60, FROM = 69, TO = 76 };
    static double dev[ROWS * BLOCKS];
    struct errors_column c = {
        .dev = dev, .rows = ROWS, .next = BLOCKS, .stride = 1, .lags = true, .block = 10.0};
    struct error was[ROWS], is[ROWS];
    struct errors e;
    for (size_t k = 0; k < ROWS * BLOCKS; k++)
        dev[k] = normal();
    tap_ok(errors_init(&e, 1, BLOCKS, NULL) == 0 && errors_column(&e, &c, was) == 0, "a column");
    for (size_t k = FROM; k < TO; k++) {
        double *row = dev + k * BLOCKS, kept[BLOCKS];
        memcpy(kept, row, sizeof kept);
        for (size_t b = 0; b < BLOCKS; b++)
            row[b] = b < BLOCKS / 2 ? -1.0 : 1.0;
        size_t other = k == FROM ? FROM + 1 : FROM;
        tap_ok(errors_column(&e, &c, is) == 0 && is[other].se != was[other].se,
               "row %zu changes the error of row %zu", k, other);
        memcpy(row, kept, sizeof kept);
    }
    errors_free(&e);
}

static void runs(void)
{
    struct errors e;
    double dev[128] = {1.0, -2.0, 0.5, 0.25};
    char text[] = "8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8";
    dev[8] = 1.0, dev[16] = -2.0, dev[24] = 0.5;
    tap_ok(errors_init(&e, 1, 127, text) == -1, "runs that do not add up");
    errors_free(&e);
    tap_ok(errors_init(&e, 0, 4, NULL) == 0 && errors_of(&e, dev, 8, NULL).dof == 3.0 &&
               fabs(errors_of(&e, dev, 8, NULL).se - sqrt(dev[0] * dev[0] + dev[8] * dev[8] +
                                                          dev[16] * dev[16] + dev[24] * dev[24])) <
                   1e-15,
           "wanted blocks are what they are");
    errors_free(&e);
    for (int b = 0; b < 128; b++)
        dev[b] = 0.0;
    tap_ok(errors_init(&e, 1, 128, NULL) == 0 && errors_of(&e, dev, 1, NULL).se == 0.0,
           "a number that does not vary");
    errors_free(&e);
}

/* In many blocks, smooth functions of time have less power than rounding errors. */
static void many_blocks(void)
{
    enum { RUNS = 16, EACH = 512, BLOCKS = RUNS * EACH };
    static double dev[BLOCKS];
    char text[4 * RUNS + 1] = "";
    struct errors e;
    state = 4;
    for (int k = 0; k < RUNS; k++)
        strcat(text, k ? " 512" : "512");
    for (int b = 0; b < BLOCKS; b++)
        dev[b] = normal() + (b ? 0.5 * dev[b - 1] : 0.0);
    tap_ok(errors_init(&e, 1, BLOCKS, text) == 0, "16 runs of 512 blocks");
    tap_near(errors_of(&e, dev, 1, NULL).se / sqrt(variance(0.5, BLOCKS) / 0.75) / BLOCKS, 1.0, 0.1,
             "their error");
    errors_free(&e);
}

/* Blocks without samples at the end of a run: the error is that of the shorter run. */
static void empty(void)
{
    double dev[100] = {0.0}, n[100] = {0.0};
    struct errors all, filled;
    state = 2;
    for (int b = 0; b < 80; b++) {
        dev[b] = normal() + (b ? 0.5 * dev[b - 1] : 0.0);
        n[b] = 3.0;
    }
    tap_ok(errors_init(&all, 1, 100, NULL) == 0 && errors_init(&filled, 1, 80, NULL) == 0,
           "100 blocks and 80");
    struct error want = errors_of(&filled, dev, 1, NULL), counted = errors_of(&all, dev, 1, n),
                 seen = errors_of(&all, dev, 1, NULL);
    tap_ok(want.se > 0.0 && counted.se == want.se && counted.dof == want.dof,
           "20 without samples: %g, expected %g", counted.se, want.se);
    tap_ok(seen.se == want.se && seen.independent == want.independent,
           "20 without deviations: %g, expected %g", seen.se, want.se);
    errors_free(&all);
    errors_free(&filled);
}

/* A column of noise in which some rows never vary. The errors of these rows are 0, and the errors
 * of the other rows are the roots of their squares. */
static void constant_rows(void)
{
    enum { ROWS = 31, BLOCKS = 100 }; /* the last band has two rows */
    double dev[BLOCKS * ROWS], far = 0.0;
    struct error out[ROWS];
    struct errors e;
    struct errors_column c = {.dev = dev, .rows = ROWS, .next = 1, .stride = ROWS};
    bool zero = true;
    state = 3;
    for (int k = 0; k < BLOCKS * ROWS; k++)
        dev[k] = k % ROWS >= 10 && k % ROWS < 14 ? 0.0 : normal();
    if (!tap_ok(errors_init(&e, 1, BLOCKS, NULL) == 0 && errors_column(&e, &c, out) == 0,
                "a column"))
        return;
    for (size_t k = 0; k < ROWS; k++)
        if (k >= 10 && k < 14)
            zero &= out[k].se == 0.0;
        else
            far = tap_max(far, fabs(log(out[k].se / sqrt(errors_square(&e, dev + k, ROWS)))));
    tap_ok(zero, "rows that do not vary have no error");
    tap_ok(far < 0.7, "errors of noise: at most %.0f %% from those of independent blocks",
           100.0 * far);
    for (int b = 60; b < BLOCKS; b++)
        dev[b * ROWS] = 0.0;
    e.levels = 0; /* blocks that the user chose */
    tap_ok(errors_column(&e, &c, out) == 0 && out[0].independent == 60.0 && out[0].dof == 59.0 &&
               out[1].dof == 99.0 && out[10].dof == 99.0,
           "wanted blocks: as many samples as there are blocks with a deviation");
    errors_free(&e);
}

/* Two-sided, as in any table of Student's t. */
static void student(void)
{
    tap_near(errors_quantile(0.05, 1.0), 12.7062047362, 1e-9, "t 0.05, 1");
    tap_near(errors_quantile(0.01, 2.0), 9.92484320092, 1e-9, "t 0.01, 2");
    tap_near(errors_quantile(0.001, 9.0), 4.78091258593, 1e-9, "t 0.001, 9");
    tap_near(errors_quantile(0.05, 120.0), 1.97993040505, 1e-9, "t 0.05, 120");
    tap_near(errors_quantile(0.05, INFINITY), 1.95996398454, 1e-9, "normal");
    tap_near(errors_quantile(0.75, 1.0), 0.414213562373, 1e-9, "t 0.75, 1"); /* tan(pi / 8) */
    tap_near(errors_tail(1.0, 1.0), 0.5, 1e-12, "Cauchy");
    tap_near(errors_tail(0.1, 30.0), 0.921010, 1e-6, "the middle");
    tap_near(errors_dof(1.0, 4.0, 1.0, 4.0), 8.0, 1e-12, "two alike");
    tap_ok(isinf(errors_dof(1.0, 0.0, 2.0, 0.0)), "not known: as if many");
}

int main(void)
{
    series();
    edges(0.3, 1, NULL);
    edges(1.0, 1, NULL);
    edges(1.0, 2, "48 48");
    short_runs();
    events();
    band();
    runs();
    many_blocks();
    empty();
    constant_rows();
    student();
    return tap_done();
}
