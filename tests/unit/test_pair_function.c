/* SPDX-License-Identifier: MIT */
/* Tests tables of pair functions: the spline against a dense solution of its equations, for even
 * and uneven points, its slope and ends, and all batches bit for bit. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/box.h"
#include "pair/pair_function.h"
#include "tap.h"

enum { N = 24 };
static double r[N], v[N];

static void table(int uneven, const char *head, double sign, char *path)
{
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "# a comment\n%s\nr A-B # another\n", head);
    for (int k = 0; k < N; k++) {
        r[k] = 2.0 + 0.25 * k + (uneven ? 0.08 * sin(3.0 * k) : 0.0);
        v[k] = k < N - 1 ? exp(-0.6 * r[k]) * cos(2.0 * r[k]) * 5.0 : 0.0;
        fprintf(f, "%.17g %.17g\n", r[k], sign * v[k]);
    }
    fclose(f);
}

/* Computes second derivatives by Gaussian elimination of the full matrix. */
static void dense(double m[N])
{
    double a[N][N + 1];
    memset(a, 0, sizeof a);
    a[0][0] = a[N - 1][N - 1] = 1.0;
    for (int k = 1; k < N - 1; k++) {
        a[k][k - 1] = r[k] - r[k - 1];
        a[k][k] = 2.0 * (r[k + 1] - r[k - 1]);
        a[k][k + 1] = r[k + 1] - r[k];
        a[k][N] =
            6.0 * ((v[k + 1] - v[k]) / (r[k + 1] - r[k]) - (v[k] - v[k - 1]) / (r[k] - r[k - 1]));
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            double q = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = k; q != 0.0 && j <= N; j++)
                a[i][j] -= q * a[k][j];
        }
    for (int k = 0; k < N; k++)
        m[k] = a[k][N] / a[k][k];
}

static double spline(const double m[N], double x)
{
    int k = 0;
    while (k < N - 2 && r[k + 1] < x)
        k++;
    double h = r[k + 1] - r[k], a = r[k + 1] - x, b = x - r[k];
    return m[k] * a * a * a / (6 * h) + m[k + 1] * b * b * b / (6 * h) +
           (v[k] / h - m[k] * h / 6) * a + (v[k + 1] / h - m[k + 1] * h / 6) * b;
}

static struct meta *atoms(void)
{
    struct meta *m = meta_new();
    if (meta_set(m, "sys.species", "A 1 B 1") || meta_set(m, "sys.natoms", "2"))
        abort();
    return m;
}

static struct pair_function opened(char *path)
{
    struct pair_function f;
    struct err e = {0};
    struct meta *m = atoms();
    if (pair_function_read(path, &f, &e) || pair_function_bind(&f, m, 2, &e)) {
        printf("Bail out! %s\n", e.text);
        exit(1);
    }
    meta_free(m);
    return f;
}

static void test_spline(int uneven, double tolerance)
{
    char path[] = "/tmp/functionXXXXXX";
    double m[N], worst = 0.0, bend = 0.0, before = 0.0, single = 0.0, h = 1e-4;
    table(uneven, "rank 0\nunit A^3", 1.0, path);
    struct pair_function f = opened(path);
    dense(m);
    for (double x = r[0] + h; x < r[N - 1] - h; x += h) {
        double got = pair_function_at_f64(&f, 0, 1, 0, x, 0, 0), want = spline(m, x),
               slope = (got - pair_function_at_f64(&f, 1, 0, 0, x - h, 0, 0)) / h;
        worst = tap_max(worst, fabs(got - want));
        single = tap_max(single, fabs(pair_function_at_f32(&f, 0, 1, 0, (float)x, 0, 0) - got));
        bend = x > r[0] + 2 * h ? tap_max(bend, fabs(slope - before)) : 0.0;
        before = slope;
    }
    tap_near(worst, 0.0, tolerance,
             uneven ? "uneven points: the spline" : "even points: the spline");
    tap_near(single, 0.0, 3e-6, "the same in single precision");
    tap_ok(bend < 2e-3, "the slope does not jump: %g", bend);
    tap_ok(isnan(pair_function_at_f64(&f, 0, 1, 0, r[0] - 1e-3, 0, 0)),
           "NaN before the first point");
    tap_near(pair_function_at_f64(&f, 0, 1, 0, r[N - 1] + 1e-3, 0, 0), 0.0, 0.0, "0 after the end");
    tap_near(pair_function_at_f64(&f, 0, 1, 0, 1e9, 0, 0), 0.0, 0.0, "0 far away");
    tap_near(pair_function_at_f64(&f, 0, 0, 0, 0.1, 0, 0), 0.0, 0.0, "0 of a pair without column");
    pair_function_free(&f);
    unlink(path);
}

/* Compares the batches of each SIMD level with single pairs, for all ranks. */
#define BATCH(T, S, NAME, RUN)                                                                     \
    static void batch_##S##_##NAME(const struct pair_function *f, int components)                  \
    {                                                                                              \
        static const int all[] = {0, 1, 2, 3, 4};                                                  \
        static struct function_##S b;                                                              \
        int bad = 0;                                                                               \
        for (int l = 0; l < FUNCTION_BATCH; l++) {                                                 \
            b.at[l] = f->start[l % 2 ? 1 : 2];                                                     \
            for (int k = 0; k < 3; k++)                                                            \
                b.d[k][l] = (T)(sin(1.7 * l + k) * (0.5 + 0.02 * l));                              \
        }                                                                                          \
        RUN(f, FUNCTION_BATCH, components, all, &b);                                               \
        for (int k = 0; k < components * FUNCTION_BATCH; k++) {                                    \
            int c = k / FUNCTION_BATCH, l = k % FUNCTION_BATCH;                                    \
            T want =                                                                               \
                pair_function_at_##S(f, l % 2 ? 0 : 1, l % 2, c, b.d[0][l], b.d[1][l], b.d[2][l]); \
            bad += isnan(want) ? !isnan(b.v[c][l]) : want != b.v[c][l];                            \
        }                                                                                          \
        tap_ok(bad == 0, "rank %d " #S " " #NAME ": bits of a batch", f->rank);                    \
    }
BATCH(float, f32, level, SIMD_PICK(function_run_f32))
BATCH(double, f64, level, SIMD_PICK(function_run_f64))
BATCH(float, f32, v2, function_run_f32_v2)
BATCH(double, f64, v2, function_run_f64_v2)

static void test_rank(const char *head, int components)
{
    char path[] = "/tmp/functionXXXXXX";
    table(0, head, 1.0, path);
    struct pair_function f = opened(path);
    batch_f32_level(&f, components);
    batch_f64_level(&f, components);
    batch_f32_v2(&f, components);
    batch_f64_v2(&f, components);
    double d[3] = {2.1, 1.3, -0.7}, s = f.rank == 1 ? -1.0 : 1.0, x = 2.1 * 2.1 + 1.3 * 1.3 + 0.49,
           u = pair_function_at_f64(&f, 1, 0, 0, d[0], d[1], d[2]), m[N],
           q[] = {1, 2.1, 2.1 * -0.7};
    dense(m);
    tap_near(u, q[f.rank] * spline(m, sqrt(x)) / pow(x, 0.5 * f.rank), 1e-15,
             "a value from A to B points from A to B");
    tap_near(pair_function_at_f64(&f, 0, 1, 0, d[0], d[1], d[2]), s * u, 0.0,
             "sign of the other order");
    pair_function_free(&f);
    unlink(path);
}

/* Two tables that differ in one number or in the order of the species have different METAs. */
static void test_meta(void)
{
    char path[] = "/tmp/functionXXXXXX", other[] = "/tmp/functionXXXXXX", first[200];
    struct meta *m = atoms();
    for (int k = 0; k < 2; k++) {
        char *p = k ? other : path;
        table(0, "rank 1\nunit D", k ? -1.0 : 1.0, p);
        struct pair_function f = opened(p);
        if (pair_function_meta(&f, m))
            abort();
        const char *text = meta_get(m, "data.function");
        if (!k)
            snprintf(first, sizeof first, "%s", text);
        else
            tap_ok(strcmp(first, text) != 0 && strncmp(first, text, 40) == 0, "META: %s", text);
        pair_function_free(&f);
        unlink(p);
    }
    meta_free(m);
}

int main(void)
{
    test_spline(0, 1e-14);
    test_spline(1, 2e-5); /* cells with a point inside have the value and slope at their ends */
    test_rank("rank 0\nunit 1", 1);
    test_rank("rank 1\nunit e*A", 3);
    test_rank("rank 2\nunit A^3", 5);
    test_meta();
    return tap_done();
}
