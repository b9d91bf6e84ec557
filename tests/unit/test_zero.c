/* SPDX-License-Identifier: MIT */
/*
 * The spectrum at frequency 0 of autoregressive processes with a known sum of correlations. Checks
 * values and errors by pulls, (value - truth) / error. The argument is the number of processes
 * (default: 120; the calibration uses 1,000).
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/zero.h"
#include "tap.h"

#define KINDS 4
#define BEFORE 2000 /* steps until a process is stationary, 20 times its longest correlation time */
/* Limits for 1,000 processes, for which the mean of the pulls is known to 0.03, their width to
 * 0.022 and the coverage to 0.015. For fewer processes, 3 times their larger uncertainty is
 * added. */
#define MEAN_MAX 0.1
#define WIDTH_MIN 0.9
#define WIDTH_MAX 1.1
#define COVERAGE_MIN 0.63
#define COVERAGE_MAX 0.73

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

static double among(double a, double b) /* evenly distributed in the logarithm */
{
    return a * pow(b / a, uniform());
}

/* One process x_t = a x_t-1 + b x_t-2 + c noise, several of which are added. */
struct part {
    double a, b, c, x, y;
};

static double part_next(struct part *p)
{
    double x = p->a * p->x + p->b * p->y + p->c * normal();
    p->y = p->x;
    return p->x = x;
}

/* Returns sum_t C(t) of a sum of processes. */
static double truth_of(const struct part *p, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += pow(p[k].c / (1.0 - p[k].a - p[k].b), 2);
    return sum;
}

static struct part memory(double tau, double amount)
{
    double phi = exp(-1.0 / tau);
    return (struct part){.a = phi, .c = amount * (1.0 - phi)};
}

static struct part vibration(double tau, double omega, double c)
{
    double r = exp(-1.0 / tau);
    return (struct part){.a = 2.0 * r * cos(omega), .b = -r * r, .c = c};
}

/* Kinds: one decay, a vibration, a fast and a slow decay, and a decay with a strong vibration. */
static size_t kind(int which, struct part *p)
{
    double tau = which == 2 ? among(1, 8) : among(which == 0 ? 1 : 2, 40);
    if (which == 1) {
        p[0] = vibration(among(3, 40), among(0.03, 1.5), 1.0);
        return 1;
    }
    p[0] = memory(tau, 1.0);
    if (which == 2)
        p[1] = memory(fmin(tau * among(3, 20), 100.0), among(0.05, 2));
    if (which == 3) {
        double t = 5.0 + 35.0 * uniform();
        p[1] = vibration(t, 0.4 + 2.1 * uniform(), among(0.1, 10) * (1.0 - exp(-1.0 / t)));
    }
    return which == 2 || which == 3 ? 2 : 1;
}

/* Adds the power of the sine coefficients of a process to power[n]. */
static void make(struct part *p, size_t parts, size_t n, double *x, fftw_plan plan, double *power,
                 double share)
{
    for (size_t k = 0; k < parts; k++)
        p[k].x = p[k].y = 0.0;
    for (size_t t = 0; t < n + BEFORE; t++) {
        double sum = 0.0;
        for (size_t k = 0; k < parts; k++)
            sum += part_next(&p[k]);
        if (t >= BEFORE)
            x[t - BEFORE] = sum;
    }
    fftw_execute(plan);
    for (size_t k = 0; k < n; k++)
        power[k] += share * x[k] * x[k] / (2.0 * (double)n);
}

struct verdict {
    double n, none, sum, square, inside, worst;
};

static void see(struct verdict *v, double pull)
{
    if (isnan(pull)) {
        v->none++;
        return;
    }
    v->n++;
    v->sum += pull;
    v->square += pull * pull;
    v->inside += fabs(pull) < 1.0;
    v->worst = tap_max(v->worst, fabs(pull));
}

/* Returns the pull of one process, from its own runs. */
static double one(int which)
{
    static const size_t comps[] = {1, 3, 5, 20};
    struct part p[2];
    size_t parts = kind(which, p), n = (size_t)among(8000, 50000), c = comps[(int)(4 * uniform())];
    double *x = malloc(n * sizeof *x), *power = calloc(n, sizeof *power);
    fftw_plan plan = fftw_plan_r2r_1d((int)n, x, x, FFTW_RODFT10, FFTW_ESTIMATE);
    struct zero zero;
    struct err e;
    for (size_t k = 0; k < c; k++)
        make(p, parts, n, x, plan, power, 1.0 / (double)c);
    struct zero_run run = {power, n, (double)c, false};
    double pull =
        zero_frequency(&run, 1, &zero, &e) ? INFINITY : (zero.value - truth_of(p, parts)) / zero.se;
    fftw_destroy_plan(plan);
    free(x);
    free(power);
    return pull;
}

static double width(const struct verdict *v)
{
    return sqrt(v->square / v->n - pow(v->sum / v->n, 2));
}

/* Spectra without noise, as of very many columns. One family describes each of them exactly. S(0)
 * is then that of the formula, which the other families change by at most 0.1 %. */
static void exact(void)
{
    enum { STEPS = 20000 };
    double *power = malloc(STEPS * sizeof *power);
    struct zero_run run = {power, STEPS, 300.0, false};
    struct zero z = {0};
    struct err e;
    for (int k = 0; k < 6; k++) {
        for (size_t j = 1; j < STEPS; j++) {
            double s = 2.0 * sin(0.5 * M_PI * (double)j / STEPS), x = s * s,
                   of[] = {3.0,
                           3.0 / (1.0 + 400.0 * x),
                           2.8 / (1.0 + 1e4 * x) + 0.2,
                           3.0 / (1.0 - 150.0 * x + 1e4 * x * x),
                           3.0 * exp(-200.0 * x),
                           3.0 * (1.0 + 500.0 * x) / (1.0 + 100.0 * x + 4e4 * x * x)};
            power[j - 1] = of[k];
        }
        tap_ok(zero_frequency(&run, 1, &z, &e) == 0, "formula %d", k);
        tap_near(z.value, 3.0, 1.5e-3 * 3.0, "  its S(0)");
        if (k == 1) /* half of S(0) at x = 1/400, 2 pi f = 1/20; the search has steps of 25 % */
            tap_ok(z.time > 16.0 && z.time < 25.0, "  its correlation time: %.1f", z.time);
    }
    free(power);
}

/* Tests a constant series and a short series. */
static int refused(void)
{
    double power[128] = {0};
    struct zero z;
    struct err e;
    struct zero_run flat = {power, 128, 1.0, false}, brief = {power, 32, 1.0, false};
    return zero_frequency(&flat, 1, &z, &e) != 0 && strstr(e.text, "constant") &&
           zero_frequency(&brief, 1, &z, &e) != 0 && strstr(e.text, "64 steps");
}

/* Fits the spectrum of one exponential, computed by the formula without noise, so that a fit that
 * stops before its maximum is noticed. Returns |value - truth| / truth. */
static double off_formula(double tau)
{
    enum { N = 20000 };
    static double power[N];
    struct part p = memory(tau, 1.0);
    struct zero_run run = {power, N, 300.0, false};
    struct zero z;
    struct err e;
    for (size_t k = 0; k < N; k++)
        power[k] = p.c * p.c / (1.0 + p.a * p.a - 2.0 * p.a * cos(M_PI * (double)(k + 1) / N));
    return zero_frequency(&run, 1, &z, &e) ? INFINITY : fabs(z.value / truth_of(&p, 1) - 1.0);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 120;
    struct verdict kinds[KINDS + 1] = {0};
    for (int k = 0; k < runs; k++) {
        double pull = one(k % KINDS);
        see(&kinds[k % KINDS], pull);
        see(&kinds[KINDS], pull);
    }
    struct verdict *all = &kinds[KINDS];
    for (int k = 0; k <= KINDS; k++) {
        struct verdict *v = &kinds[k];
        printf("# kind %d: %g pulls, mean %.3f, width %.3f, coverage %.3f, worst %.1f, none %g\n",
               k, v->n, v->sum / v->n, width(v), v->inside / v->n, v->worst, v->none);
    }
    double few = runs < 1000 ? 3.0 / sqrt(all->n) : 0.0;
    tap_ok(fabs(all->sum / all->n) < MEAN_MAX + few, "the mean pull is 0");
    tap_ok(width(all) > WIDTH_MIN - few && width(all) < WIDTH_MAX + few, "pulls are 1 wide");
    tap_ok(all->inside / all->n > COVERAGE_MIN - 0.5 * few &&
               all->inside / all->n < COVERAGE_MAX + 0.5 * few,
           "an interval of one error holds the truth as often as it says");
    tap_ok(all->none < 0.05 * runs, "few runs are too short");
    exact();
    tap_ok(refused(), "what has no spectrum is refused");
    for (double tau = 10.0; tau < 31.0; tau += 10.0) {
        double off = off_formula(tau);
        tap_ok(off < 1e-4, "the exact spectrum of a memory of %g steps: off by %.2g", tau, off);
    }
    return tap_done();
}
