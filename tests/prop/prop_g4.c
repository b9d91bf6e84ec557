/* SPDX-License-Identifier: MIT */
/*
 * Laws of the correlation functions for random systems: the sum rule, translation, doubling of a
 * periodic cell, scaling with the prefactor, symmetry in time, and the mean of the five components
 * at lag 0. prop_g4 [SEED]
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "g4/g4.h"
#include "tap.h"

static uint64_t state;
static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

struct run {
    size_t n, steps, lags;
    double edge, prefactor;
    double *x;
    int reversed;
};

/* Computes the correlations of all five components in double. Free them with g4_result_free. */
static int correlate(const struct run *s, struct g4_result *r)
{
    struct g4_params p = {.input = FRAME_POSN,
                          .dtype = FRAME_F64,
                          .natoms = s->n,
                          .ncomp = 5,
                          .sum.rc2 = HUGE_VAL,
                          .blocks = 1,
                          .lags = s->lags,
                          .threads = 2};
    struct err e;
    int rc = 0;
    struct box b;
    double cell[9] = {s->edge, 0, 0, 0, s->edge, 0, 0, 0, s->edge};
    box_init(&b, cell, (const int[3]){1, 1, 1});
    for (int k = 0; k < 5; k++) {
        p.component[k] = k;
        p.coef[k] = beta_coef(k, 3.4, s->prefactor);
    }
    struct g4 *g = g4_open(&p, s->x, &b, &e);
    for (size_t t = 0; g && t < s->steps && !rc; t++)
        rc = g4_push(g, 1, s->x + 3 * s->n * (s->reversed ? s->steps - 1 - t : t), &b);
    rc = g && !rc ? g4_finish(g, r) : -1;
    g4_close(g);
    return rc;
}

static double value(const struct g4_result *r, size_t lag, int comp, int f)
{
    return r->sums[(lag * 5 + (size_t)comp) * G4_NFUNCTIONS + (size_t)f];
}

/* Returns the largest difference of any function, relative to G2(0), where b is multiplied by
 * `scale`. */
static double differ(const struct g4_result *a, const struct g4_result *b, double scale)
{
    double worst = 0;
    for (size_t l = 0; l < a->lags; l++)
        for (int c = 0; c < 5; c++)
            for (int f = 0; f < 4; f++) {
                double d =
                    fabs(value(a, l, c, f) - scale * value(b, l, c, f)) / value(a, 0, c, G4_G2);
                worst = d > worst || isnan(d) ? d : worst;
            }
    return worst;
}

static double sum_rule(const struct g4_result *r)
{
    double worst = 0;
    for (size_t l = 0; l < r->lags; l++)
        for (int c = 0; c < 5; c++) {
            double d =
                value(r, l, c, 0) - value(r, l, c, 1) - value(r, l, c, 2) - value(r, l, c, 3);
            d = fabs(d) / value(r, 0, c, G4_G2);
            worst = d > worst || isnan(d) ? d : worst;
        }
    return worst;
}

/* Returns 0.6 N s6 of all steps, for sigma 3.4 Å. */
static double second_moment(const struct run *s)
{
    double sum = 0;
    for (size_t t = 0; t < s->steps; t++)
        for (size_t i = 0; i < s->n; i++)
            for (size_t j = 0; j < i; j++) {
                double r2 = 0;
                for (size_t c = 0; c < 3; c++) {
                    double d = s->x[3 * (t * s->n + i) + c] - s->x[3 * (t * s->n + j) + c];
                    d -= s->edge * round(d / s->edge);
                    r2 += d * d;
                }
                sum += 0.6 * pow(3.4 * 3.4 / r2, 3);
            }
    return sum;
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    printf("# seed %llu\n", (unsigned long long)state);
    for (int round = 0; round < 6; round++) {
        struct run s = {.n = 2 + (size_t)(uniform() * 40),
                        .steps = 3 + (size_t)(uniform() * 60),
                        .prefactor = 3};
        s.lags = 1 + (size_t)(uniform() * (double)(s.steps - 1));
        s.edge = 8 + 10 * uniform();
        s.x = malloc(3 * s.n * s.steps * sizeof *s.x);
        for (size_t k = 0; k < 3 * s.n * s.steps; k++)
            s.x[k] = s.edge * uniform();
        struct g4_result a, b;
        if (!tap_ok(correlate(&s, &a) == 0, "N=%zu T=%zu lags=%zu", s.n, s.steps, s.lags))
            break;
        tap_ok(sum_rule(&a) < 1e-12, "  G = G2 + G3 + G4");
        double g2 = 0;
        for (int c = 0; c < 5; c++)
            g2 += value(&a, 0, c, G4_G2) / 5;
        tap_ok(fabs(g2 / second_moment(&s) - 1) < 1e-10,
               "  mean of the components at lag 0: 0.6 N s6");
        s.prefactor = 1;
        tap_ok(correlate(&s, &b) == 0 && differ(&a, &b, 9) < 1e-12, "  prefactor 1: a ninth");
        g4_result_free(&b);
        s.prefactor = 3;
        s.reversed = 1;
        tap_ok(correlate(&s, &b) == 0 && differ(&a, &b, 1) < 1e-12, "  the same backwards in time");
        g4_result_free(&b);
        s.reversed = 0;
        for (size_t k = 0; k < s.n * s.steps; k++) {
            s.x[3 * k] += 1.25;
            s.x[3 * k + 2] -= 3 * s.edge;
        }
        /* random atoms come close, so that a move by 1e-15 of 50 Å is amplified by r^-5 of the
         * nearest pair */
        tap_ok(correlate(&s, &b) == 0 && differ(&a, &b, 1) < 1e-8,
               "  moved as a whole, and by whole cells");
        g4_result_free(&b);
        g4_result_free(&a);
        free(s.x);
    }
    return tap_done();
}
