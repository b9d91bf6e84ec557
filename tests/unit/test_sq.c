/* SPDX-License-Identifier: MIT */
/* Tests S(q): shells against integration, Debye's sum against all pairs, and the fit against a
 * power law. */
#include <stdlib.h>
#include <string.h>

#include "rdf/rdf_sq.h"
#include "tap.h"

static uint64_t state = 99;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Returns the mean of sin(qr)/(qr) over the shell by Gauss-Legendre, 5 points on 20 pieces. */
static double integrate(double q, double a, double b)
{
    static const double x[3] = {0.0, 0.5384693101056831, 0.9061798459386640};
    static const double w[3] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    double num = 0.0, den = 0.0, h = (b - a) / 20.0;
    for (int i = 0; i < 20; i++)
        for (int k = -2; k <= 2; k++) {
            double r = a + h * (i + 0.5 + 0.5 * (k < 0 ? -x[-k] : x[k])), u = q * r;
            double ww = w[abs(k)] * r * r;
            num += ww * (u > 1e-4 ? sin(u) / u : 1.0 - u * u / 6.0);
            den += ww;
        }
    return num / den;
}

static void check_shells(void)
{
    static const double at[][3] = {{0.01, 0.0, 0.05},   {3.0, 0.0, 0.1},      {5.0, 10.0, 10.05},
                                   {1e-3, 5.0, 5.01},   {0.05, 20.0, 20.001}, {20.0, 1.0, 1.5},
                                   {1.0, 1e-3, 2e-3},   {0.5, 0.9, 1.1},      {0.05, 30.0, 30.019},
                                   {0.05, 30.0, 30.021}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        tap_near(sq_shell(at[k][0], at[k][1], at[k][2]), integrate(at[k][0], at[k][1], at[k][2]),
                 1e-9, "mean of sin(qr)/(qr) over a shell");
    tap_near(sq_shell(0.0, 1.0, 2.0), 1.0, 0.0, "q = 0");
}

/* A cluster of 40 atoms in two blocks of one step each. The bins are so narrow that the place of a
 * pair in its bin does not matter. */
static void check_debye(void)
{
    enum { N = 40, BINS = 200000, NQ = 30 };
    struct sq_hist h = {.in = {.blocks = 2, .pairs = 1, .bins = BINS, .rmax = 20.0}};
    struct species_pair every = {SPECIES_EVERY, SPECIES_EVERY};
    double steps[2] = {1, 1}, s[NQ], cut[NQ], dev[2 * NQ], want[2][NQ];
    struct sq_params p = {SQ_DEBYE, SQ_NONE, NQ, 0.2, 2};
    struct err e;
    h.in.steps = steps;
    h.in.counts = calloc(2 * BINS, sizeof *h.in.counts);
    h.in.expected = calloc(2 * BINS, sizeof *h.in.expected);
    h.names.pairs = &every;
    h.names.npairs = 1;
    h.names.natoms = N;
    for (int b = 0; b < 2; b++) {
        double r[N][3];
        for (int i = 0; i < N; i++)
            for (int a = 0; a < 3; a++)
                r[i][a] = 10.0 * uniform();
        for (int k = 0; k < NQ; k++)
            want[b][k] = 1.0;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++) {
                double d = sqrt(pow(r[i][0] - r[j][0], 2) + pow(r[i][1] - r[j][1], 2) +
                                pow(r[i][2] - r[j][2], 2));
                h.in.counts[b * BINS + (int)(d * BINS / 20.0)]++;
                for (int k = 0; k < NQ; k++)
                    want[b][k] += 2.0 / N * sin(0.2 * (k + 1) * d) / (0.2 * (k + 1) * d);
            }
    }
    int ok = sq_compute(&h, &p, s, cut, dev, &e) == 0, good = 1;
    for (int k = 0; k < NQ && ok; k++) {
        double m = 0.5 * (want[0][k] + want[1][k]), se = 0.5 * fabs(want[0][k] - want[1][k]);
        /* 780 pairs with random errors of at most half a bin, 5e-5, times q */
        good &= fabs(s[k] - m) < 1e-4 && fabs(hypot(dev[k], dev[NQ + k]) - se) < 1e-4;
    }
    tap_ok(ok && good, "Debye's sum from the histogram, and its error, are those of the atoms");
    h.in.expected[0] = NAN;
    p.method = SQ_TRANSFORM;
    tap_ok(sq_compute(&h, &p, s, cut, dev, &e) == -1, "transform without a cell is refused");
    free(h.in.counts);
    free(h.in.expected);
}

static void check_fit(void)
{
    enum { NQ = 50 };
    struct sq_params p = {SQ_DEBYE, SQ_NONE, NQ, 0.02, 1};
    double s[NQ], dev[2 * NQ];
    struct sq_hist h = {.in = {.blocks = 2, .pairs = 1}};
    struct sq_fit f;
    if (errors_init(&h.in.errors, 0, 2, NULL))
        abort();
    for (int k = 0; k < NQ; k++) {
        double q = 0.02 * (k + 1);
        s[k] = 3.0 * pow(q, -1.7);
        dev[k] = 0.01 * s[k] * log(q); /* a block whose slope is off by 0.01 */
        dev[NQ + k] = 0.0;
    }
    long n = sq_fit(&h, &p, 0, s, dev, 0.1, 0.5, &f);
    tap_ok(n == 21, "points from 0.1 to 0.5, both ends in");
    tap_near(f.slope, -1.7, 1e-12, "slope of a power law");
    tap_near(f.slope_se, 0.01, 1e-12, "its error from the blocks");
    s[10] = -1.0;
    tap_ok(sq_fit(&h, &p, 0, s, dev, 0.1, 0.5, &f) == -1, "a negative S in the range is refused");
    tap_ok(sq_fit(&h, &p, 0, s, dev, 0.6, 0.63, &f) == -1, "fewer than three points are refused");
    errors_free(&h.in.errors);
}

int main(void)
{
    check_shells();
    check_debye();
    check_fit();
    return tap_done();
}
