/* SPDX-License-Identifier: MIT */
/*
 * The slope of mean square displacements of simulated walks whose diffusion coefficient is known.
 * Are the value and its error right, with windows that are chosen automatically or given? The
 * coverage of an ordinary least-squares fit to the same lags is printed for comparison. The
 * argument is the number of runs of each kind (default: 40; the calibration uses 200).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/blocks.h"
#include "stats/einstein_fit.h"
#include "tap.h"

#define STEPS 2400
#define LAGS 97
#define WALKERS 6
#define BLOCKS 120
/* From 200 runs, the coverage is known to 0.033, the mean pull to 0.07, and the width of the pulls
 * to 0.05. The limits are 0.63 to 0.73, 0.1, and 0.9 to 1.1, widened by twice these errors. */
#define COVERAGE_MIN (0.63 - 0.066)
#define COVERAGE_MAX (0.73 + 0.066)
#define MEAN_MAX 0.24
#define WIDTH_MIN 0.8
#define WIDTH_MAX 1.2

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

/* The weight in a step of the noise k steps earlier, ahead exp(-k/late) - back exp(-k/soon).
 * If it is 0, the motion is Brownian. */
struct memory {
    double back, soon, ahead, late;
};

/* Makes a walk along an axis, with <x²> = t (1 + sum of these weights)². */
static void walk(double *x, const struct memory *m)
{
    double soon = exp(-1.0 / m->soon), late = exp(-1.0 / m->late), back = 0.0, ahead = 0.0,
           at = 0.0;
    for (int t = -(int)(10.0 * m->late); t < STEPS; t++) {
        double w = normal(), v = w - m->back * back + m->ahead * ahead;
        back = soon * (back + w), ahead = late * (ahead + w);
        if (t >= 0)
            x[t] = at += v;
    }
}

/* Makes the series of a run (t, origins, msd, msd_se). Returns 0 or -1. */
static int make(struct series *s, const struct memory *memory)
{
    static double x[STEPS], y[BLOCKS][LAGS], n[BLOCKS][LAGS], a[BLOCKS], b[BLOCKS], dev[BLOCKS];
    if (series_alloc(s, FRAME_CORR, LAGS, 4, BLOCKS))
        return -1;
    s->errors.levels = 1;
    memset(y, 0, sizeof y);
    memset(n, 0, sizeof n);
    for (int k = 0; k < 3 * WALKERS; k++) {
        walk(x, memory);
        for (size_t t = 0; t < STEPS; t++)
            for (size_t l = 0; l < LAGS && t + l < STEPS; l++) {
                double d = x[t + l] - x[t];
                y[t * BLOCKS / STEPS][l] += d * d / WALKERS;
                n[t * BLOCKS / STEPS][l] += k == 0;
            }
    }
    for (size_t l = 0; l < LAGS; l++) {
        for (size_t k = 0; k < BLOCKS; k++)
            a[k] = y[k][l], b[k] = n[k][l];
        s->v[4 * l] = (double)l;
        s->v[4 * l + 1] = (double)(STEPS - l);
        s->v[4 * l + 2] = stats_ratio(BLOCKS, a, b, NULL, dev, 1);
        for (size_t k = 0; k < BLOCKS; k++)
            s->dev[(k * LAGS + l) * 4 + 2] = dev[k];
    }
    return 0;
}

/* Returns the slope by ordinary least squares of lags [from, to], as if lags were independent. */
static double ordinary(const struct series *s, const struct einstein *f, double *se)
{
    double n = 0, t = 0, y = 0, tt = 0, ty = 0, rest = 0;
    for (size_t l = (size_t)f->from; l <= (size_t)f->to; l++) {
        double v = s->v[4 * l + 2], x = (double)l;
        n++, t += x, y += v, tt += x * x, ty += x * v;
    }
    double slope = (n * ty - t * y) / (n * tt - t * t), start = (y - slope * t) / n;
    for (size_t l = (size_t)f->from; l <= (size_t)f->to; l++)
        rest += pow(s->v[4 * l + 2] - start - slope * (double)l, 2);
    *se = sqrt(rest / (n - 2) / (tt - t * t / n));
    return slope;
}

static void calibrate(const char *what, struct memory memory, int runs, double from, double to,
                      double max)
{
    double all = 1.0 - memory.back / expm1(1.0 / memory.soon) +
                 memory.ahead / expm1(1.0 / memory.late),
           truth = 3.0 * all * all, sum = 0, square = 0, inside = 0, wrong = 0, n = 0;
    int none = 0;
    for (int k = 0; k < runs; k++) {
        struct series s;
        struct einstein f = {.from = from, .to = to, .dimensions = 3, .points = WALKERS};
        struct err e;
        double se, slope, pull;
        if (make(&s, &memory) || einstein_fit(&s, 2, &f, &e) || isnan(f.se)) {
            none++;
        } else {
            pull = (f.slope - truth) / f.se;
            sum += pull, square += pull * pull, inside += fabs(pull) < 1.0, n++;
            slope = ordinary(&s, &f, &se);
            wrong += fabs(slope - truth) < se;
        }
        series_free(&s);
    }
    double mean = sum / n, width = sqrt(square / n - mean * mean),
           few = runs < 200 ? sqrt(200.0 / runs) : 1.0;
    printf("# %s: %g runs, mean pull %.3f, width %.3f, coverage %.3f; ordinary: coverage %.3f; "
           "none %d\n",
           what, n, mean, width, inside / n, wrong / n, none);
    tap_ok(n >= (isnan(from) ? 0.75 : 0.95) * runs, "%s: an answer with an error", what);
    tap_ok(fabs(mean) < max * few, "  the mean pull is 0");
    tap_ok(width > 1.0 - (1.0 - WIDTH_MIN) * few && width < 1.0 + (WIDTH_MAX - 1.0) * few,
           "  pulls are 1 wide");
    tap_ok(inside / n > 0.68 - (0.68 - COVERAGE_MIN) * few &&
               inside / n < 0.68 + (COVERAGE_MAX - 0.68) * few,
           "  an error covers what it says");
    tap_ok(wrong / n < 0.4, "  that of ordinary least squares does not");
}

#define FRAMES_MAX 400
#define UNEVEN_STEPS 4097

/* Makes the series of random walks <x²> = t per axis at these times, which are whole numbers, with
 * a row for each lag up to `max`. The squared noise <e²> of every position is `blur`. Returns 0 or
 * -1. */
static int make_uneven(struct series *s, const double *time, size_t frames, double max, double blur)
{
    static double x[FRAMES_MAX], y[BLOCKS][UNEVEN_STEPS], n[BLOCKS][UNEVEN_STEPS], a[BLOCKS],
        b[BLOCKS], dev[BLOCKS];
    size_t blocks = frames < 40 ? frames : 40, rows = 0, row = 0;
    memset(y, 0, sizeof y);
    memset(n, 0, sizeof n);
    for (int k = 0; k < 3 * WALKERS; k++) {
        double at = 0.0;
        for (size_t t = 0; t < frames; t++) {
            at += t ? sqrt(time[t] - time[t - 1]) * normal() : 0.0;
            x[t] = at + sqrt(blur) * normal();
        }
        for (size_t t = 0; t < frames; t++)
            for (size_t u = t; u < frames && time[u] - time[t] <= max; u++) {
                double d = x[u] - x[t];
                y[t * blocks / frames][(size_t)(time[u] - time[t])] += d * d / WALKERS;
                n[t * blocks / frames][(size_t)(time[u] - time[t])] += k == 0;
            }
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass && series_alloc(s, FRAME_CORR, rows, 4, blocks))
            return -1;
        for (size_t l = 0; l < UNEVEN_STEPS; l++) {
            double all = 0.0;
            for (size_t k = 0; k < blocks; k++) {
                a[k] = y[k][l], b[k] = n[k][l];
                all += b[k];
            }
            rows += pass == 0 && all > 0.0;
            if (pass == 0 || all == 0.0)
                continue;
            s->v[4 * row] = (double)l;
            s->v[4 * row + 1] = all;
            s->v[4 * row + 2] = stats_ratio(blocks, a, b, NULL, dev, 1);
            for (size_t k = 0; k < blocks; k++)
                s->dev[(k * rows + row) * 4 + 2] = dev[k];
            row++;
        }
    }
    s->errors.levels = 1;
    return 0;
}

/* Are D and its error of a random walk right at these times? */
static void calibrate_uneven(const char *what, const double *time, size_t frames, double max,
                             double blur, int runs, double from, double to)
{
    double sum = 0, square = 0, inside = 0, n = 0, mean, width,
           few = runs < 200 ? sqrt(200.0 / runs) : 1.0;
    for (int k = 0; k < runs; k++) {
        struct series s = {0};
        struct einstein f = {.from = from,
                             .to = to,
                             .dimensions = 3,
                             .points = WALKERS,
                             .time = time,
                             .steps = frames};
        struct err e;
        if (make_uneven(&s, time, frames, max, blur) == 0 && einstein_fit(&s, 2, &f, &e) == 0 &&
            !isnan(f.se)) {
            double pull = (f.slope - 3.0) / f.se;
            sum += pull, square += pull * pull, inside += fabs(pull) < 1.0, n++;
        }
        series_free(&s);
    }
    mean = sum / n;
    width = sqrt(square / n - mean * mean);
    printf("# %s: %g runs, mean pull %.3f, width %.3f, coverage %.3f\n", what, n, mean, width,
           inside / n);
    tap_ok(n >= 0.95 * runs, "%s: an answer with an error", what);
    /* with one logarithmic run, 400 runs have a mean pull of 0.2 */
    tap_ok(fabs(mean) < 1.5 * MEAN_MAX * few, "  the mean pull is 0");
    tap_ok(width > 1.0 - (1.0 - WIDTH_MIN) * few && width < 1.0 + (WIDTH_MAX - 1.0) * few,
           "  pulls are 1 wide");
    tap_ok(inside / n > 0.68 - (0.68 - COVERAGE_MIN) * few &&
               inside / n < 0.68 + (COVERAGE_MAX - 0.68) * few,
           "  an error covers what it says");
}

/* The covariances from the times of equal steps are those of equal steps, except for the ends of
 * the run, which change them by about a lag divided by the length of the run. */
static void equal_steps(void)
{
    static double time[STEPS];
    struct series s = {0};
    struct einstein even = {.from = 1.0, .to = 4.0, .dimensions = 3, .points = 6, .scales = 1},
                    f = {.from = 1.0,
                         .to = 4.0,
                         .dimensions = 3,
                         .points = 6,
                         .time = time,
                         .steps = STEPS};
    struct err e;
    int made = series_alloc(&s, FRAME_CORR, LAGS, 4, 0) == 0;
    for (size_t t = 0; t < STEPS; t++)
        time[t] = (double)t;
    for (size_t l = 0; made && l < LAGS; l++) {
        s.v[4 * l] = (double)l;
        s.v[4 * l + 1] = (double)(STEPS - l);
        s.v[4 * l + 2] = 3.0 * (double)l + 0.1 * sin((double)l);
    }
    tap_ok(made && einstein_fit(&s, 2, &even, &e) == 0 && einstein_fit(&s, 2, &f, &e) == 0,
           "equal steps, given as times");
    tap_near(f.slope / even.slope, 1.0, 1e-4, "  have the same slope");
    tap_near(f.se / even.se, 1.0, 0.003, "  and the same error");
    time[STEPS - 1] += 0.5;
    tap_ok(einstein_fit(&s, 2, &f, &e) != 0 && strstr(e.text, "pairs of frames at lag 1 ps"),
           "times that do not give the numbers of pairs are refused");
    time[STEPS - 1] -= 0.5;
    for (size_t l = 0; made && l < 6; l++) { /* the window has lags 1 to 4 */
        char want[64];
        snprintf(want, sizeof want, "pairs of frames at lag %zu ps", l);
        s.v[4 * l + 1] += 1.0;
        bool refused = einstein_fit(&s, 2, &f, &e) != 0 && strstr(e.text, want);
        tap_ok(refused == (l % 5 > 0), "a pair too many at lag %zu is %s", l,
               l % 5 ? "refused" : "outside the window");
        s.v[4 * l + 1] -= 1.0;
        f.from = 1.0;
    }
    series_free(&s);
}

static void uneven(int runs)
{
    double time[FRAMES_MAX];
    size_t n = 0;
    equal_steps();
    for (int cycle = 0; cycle < 40; cycle++) /* 0 1 2 4 8 16 20 21 22 24 28 36 40 ... */
        for (int k = 0; k < 6; k++)
            time[n++] = 20.0 * cycle + (k ? (double)(1 << (k - 1)) : 0.0);
    calibrate_uneven("logarithmic cycles, window chosen", time, n, 300.0, 0.0, runs, NAN, NAN);
    calibrate_uneven("logarithmic cycles, window given", time, n, 300.0, 0.0, runs, 4.0, 60.0);
    n = 0;
    for (int cycle = 0; cycle < 8; cycle++)
        for (int k = 0; k < 5; k++)
            time[n++] = 20.0 * cycle + (k ? (double)(1 << (k - 1)) : 0.0);
    calibrate_uneven("few cycles, window chosen", time, n, INFINITY, 0.0, runs, NAN, NAN);
    calibrate_uneven("few cycles, window given", time, n, INFINITY, 0.0, runs, 2.0, 30.0);
    n = 0;
    for (double t = 0.0; t < 4096.0; t = fmax(t + 1.0, floor(1.1 * t)))
        time[n++] = t;
    calibrate_uneven("one logarithmic run, window chosen", time, n, INFINITY, 0.0, runs, NAN, NAN);
    calibrate_uneven("one logarithmic run, window given", time, n, INFINITY, 0.0, runs, 4.0,
                     2000.0);
    n = 0;
    for (double t = 0.0; n < 200; t += 1.0 + floor(9.0 * uniform()))
        time[n++] = t;
    calibrate_uneven("irregular times, window chosen", time, n, 200.0, 0.0, runs, NAN, NAN);
    calibrate_uneven("irregular times, window given", time, n, 200.0, 3.0, runs, 10.0, 100.0);
}

/* An msd of 1e9 points with almost no noise, whose slope is 2 up to lag `bend` and 1 after it. */
static void bent(double bend)
{
    struct series s = {0};
    struct einstein f = {.from = NAN, .to = NAN, .dimensions = 3, .points = 1e9};
    struct err e;
    int made = series_alloc(&s, FRAME_CORR, LAGS, 4, BLOCKS) == 0;
    for (size_t l = 0; made && l < LAGS; l++) {
        s.v[4 * l] = (double)l;
        s.v[4 * l + 1] = (double)(STEPS - l);
        s.v[4 * l + 2] = (double)l + fmin((double)l, bend);
        for (size_t k = 0; k < BLOCKS; k++)
            s.dev[(k * LAGS + l) * 4 + 2] = 1e-6 * normal() * (double)l;
    }
    s.errors.levels = 1;
    tap_ok(made && einstein_fit(&s, 2, &f, &e) == 0, "straight from lag %g on", bend);
    tap_ok(f.from >= bend && f.from <= 1.3 * bend + 1.0 && f.to == LAGS - 1,
           "  the window begins there, at %g, and ends with the last lag", f.from);
    tap_near(f.slope, 1.0, 1e-4, "  with the slope behind the bend");
    tap_near(f.start, bend, 1e-3, "  and the intercept of this line");
    f.from = bend;
    f.to = 40.0;
    tap_ok(made && einstein_fit(&s, 2, &f, &e) == 0 && fabs(f.slope - 1.0) < 1e-9 &&
               fabs(f.start / bend - 1.0) < 1e-9,
           "  as in a window that is given");
    series_free(&s);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 40;
    struct series s = {0};
    struct einstein f = {.from = NAN, .to = NAN, .dimensions = 3, .points = 1};
    struct err e;
    const struct memory none = {0.0, 1.0, 0.0, 1.0};
    calibrate("Brownian, window chosen", none, runs, NAN, NAN, MEAN_MAX);
    calibrate("with a memory of 3 steps, window chosen", (struct memory){0.0, 1.0, 1.0, 3.0}, runs,
              NAN, NAN, MEAN_MAX);
    /* 0.76 to 0.80 of its final value from lag 2 to 5, so that the rest cannot be known */
    calibrate("a slope that rests before it goes on, window chosen",
              (struct memory){0.25, 1.5, 0.05, 6.0}, runs, NAN, NAN, 2.0 * MEAN_MAX);
    calibrate("Brownian, window given", none, runs, 4.0, 60.0, MEAN_MAX);
    calibrate("Brownian, lags of one to three blocks", none, runs, 20.0, 60.0, MEAN_MAX);
    uneven(runs);
    bent(2.0);
    bent(9.0);
    bent(16.0);
    /* 2.837297 kT/(6 pi eta L): 300 K, 1 mPa s, 2 nm */
    tap_near(einstein_images(300.0, 1e-3, 20.0),
             2.837297 * 1.380649e-23 * 300.0 / (6.0 * M_PI * 1e-3 * 2e-9) * 1e8, 1e-9,
             "images of the cell");
    tap_ok(einstein_dimensions("msd_y") == 1 && einstein_dimensions("msd_x_Ar") == 1 &&
               einstein_dimensions("msd") == 3 && einstein_dimensions("msd_Ar") == 3 &&
               einstein_dimensions("msd_xe") == 3,
           "dimensions of a column");
    einstein_atoms(&f, "60 a:5:0.1 b:4:0.1 40 a:5:0.2", "b", 100.0, 1.0);
    tap_ok(f.scales == 0, "the scatter of one of two runs is not that of both");
    einstein_atoms(&f, "60 a:5:0.1 b:4:0.1 40 a:5:0.2", "a", 100.0, 1.0);
    tap_ok(f.scales == 1 && f.points == 5, "the scatter of two runs");
    tap_near(f.scatter[0], 0.36 * 0.1 + 0.16 * 0.2, 1e-15,
             "weighted by the squares of their steps");
    tap_ok(series_alloc(&s, FRAME_CORR, 3, 4, 4) == 0 && einstein_fit(&s, 2, &f, &e) != 0 &&
               strstr(e.text, "at least 4 lags"),
           "too few lags are refused");
    series_free(&s);
    return tap_done();
}
