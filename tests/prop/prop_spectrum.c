/* SPDX-License-Identifier: MIT */
/* * Compares the standard errors of a spectrum with a Monte Carlo simulation of many correlation
 * functions, each the mean of B noisy blocks whose noise is correlated along the lags. In each bin,
 * the mean of se² must equal the variance of I over the samples. Errors that ignore the
 * correlations would be far from it. */
#include <stdlib.h>
#include <string.h>

#include "../unit/tap.h"
#include "stats/spectrum.h"

enum { LAGS = 24, BLOCKS = 8, SAMPLES = 4000 };
/* Variances of 4000 samples scatter by sqrt(2/4000) = 2.2 %. The limit for 13 bins is five times
 * this value.
 */
#define SCATTER 0.11

static uint64_t state;
static double gauss(void)
{
    double sum = -6.0; /* twelve uniform numbers have the variance 1 */
    for (int k = 0; k < 12; k++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (double)(state >> 11) * 0x1p-53;
    }
    return sum;
}

/* A CF from blocks of unequal weight n_b, with noise of variance 1/n_b that is correlated over four
 * lags. */
static void sample(struct series *s)
{
    double n[BLOCKS], y[BLOCKS][LAGS];
    for (int b = 0; b < BLOCKS; b++) {
        double walk = gauss();
        n[b] = 100 + 5 * b;
        for (int k = 0; k < LAGS; k++) {
            y[b][k] = n[b] * (exp(-0.2 * k) + walk / sqrt(n[b]));
            walk = 0.75 * walk + sqrt(1 - 0.75 * 0.75) * gauss();
        }
    }
    for (int k = 0; k < LAGS; k++) {
        double sum = 0, total = 0;
        for (int b = 0; b < BLOCKS; b++) {
            sum += y[b][k];
            total += n[b];
        }
        s->v[4 * k + 2] = sum / total;
        s->v[4 * k + 3] = 1.0;
        for (int b = 0; b < BLOCKS; b++)
            s->dev[(b * LAGS + k) * 4 + 2] =
                sqrt(BLOCKS / (BLOCKS - 1.0)) * (y[b][k] - s->v[4 * k + 2] * n[b]) / total;
    }
}

int main(int argc, char **argv)
{
    struct series cf;
    struct spectrum_params p = {.window = SPECTRUM_HANN,
                                .pad = 1.0,
                                .unit = SPECTRUM_THZ,
                                .quantum = SPECTRUM_HARMONIC,
                                .temperature = 100.0};
    double sum[64] = {0}, sum2[64] = {0}, se2[64] = {0}, bad = 0.0;
    size_t rows = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 20190917;
    printf("# seed %llu\n", (unsigned long long)state);
    if (series_alloc(&cf, FRAME_CORR, LAGS, 4, BLOCKS) != 0)
        return 3;
    cf.nsets = cf.nfunctions = 1;
    strcpy(cf.name[2], "G");
    strcpy(cf.name[3], "G_se");
    cf.se[2] = 3;
    for (int i = 0; i < SAMPLES; i++) {
        struct spectrum s;
        struct err e;
        sample(&cf);
        if (spectrum_compute(&cf, 0.1, &p, &s, &e) != 0)
            return 3;
        rows = s.s.rows;
        for (size_t j = 0; j < rows && j < 64; j++) {
            const double *v = s.s.v + j * s.s.cols;
            sum[j] += v[1];
            sum2[j] += v[1] * v[1];
            se2[j] += v[2] * v[2];
        }
        spectrum_free(&s);
    }
    for (size_t j = 0; j < rows && j < 64; j += 2) {
        double var = (sum2[j] - sum[j] * sum[j] / SAMPLES) / (SAMPLES - 1),
               ratio = se2[j] / SAMPLES / var;
        bad = fmax(bad, fabs(ratio - 1.0));
    }
    tap_near(bad, 0.0, SCATTER,
             "mean squared error = variance of the spectrum, at every other frequency");
    series_free(&cf);
    return tap_done();
}
