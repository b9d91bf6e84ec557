/* SPDX-License-Identifier: MIT */
#include "alpha/alpha_split.h"

#include <stdlib.h>
#include <string.h>

#define NODES 40 /* number of nodes of Gauss quadrature from 0 to 1 */

struct rule {
    double x[NODES], w[NODES];
};

static void gauss(struct rule *g)
{
    for (int k = 0; k < NODES; k++) {
        double x = cos(UNITS_PI * (k + 0.75) / (NODES + 0.5)), slope = 0.0;
        for (int again = 0; again < 8; again++) {
            double p = 1.0, last = 0.0;
            for (int n = 1; n <= NODES; n++) {
                double next = ((2 * n - 1) * x * p - (n - 1) * last) / n;
                last = p;
                p = next;
            }
            slope = NODES * (x * p - last) / (x * x - 1.0);
            x -= p / slope;
        }
        g->x[k] = 0.5 * (1.0 + x);
        g->w[k] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

/* Computes both functions at x² < 1, in units of R. The argument `unit` is n exp(-C). */
static void short_range_at(double c, double unit, const struct rule *g, double x2, double *q,
                           double *rho)
{
    double sum = 0.0, z = c * sqrt(1.0 - x2);
    for (int k = 0; k < NODES; k++) {
        double s2 = g->x[k] * g->x[k], y = c * sqrt(1.0 - s2 * x2);
        sum += g->w[k] * s2 * s2 * (0.25 * c * c) * mesh_bessel(0, y) * exp(y - c);
    }
    *q = 8.0 / (3.0 * unit) * sum;
    *rho = 4.0 / (3.0 * unit) * 0.5 * z * mesh_bessel(1, z) * exp(z - c);
}

#define POINTS 64 /* number of points of an interpolation */

/* Fits polynomials so that their errors, and the error of T, are below `error` in units of R. */
static void fit(double error, struct alpha_split *s)
{
    struct rule g;
    double f[2][POINTS], a[2][ALPHA_SPLIT_TERMS], unit = 0.0;
    gauss(&g);
    for (int k = 0; k < NODES; k++) {
        double u = 1.0 - g.x[k] * g.x[k], z = s->shape * sqrt(u);
        unit += 2.0 * g.w[k] * u * mesh_bessel(2, z) * exp(z - s->shape);
    }
    short_range_at(s->shape, unit, &g, 0.0, f[0], &s->own);
    for (int j = 0; j < POINTS; j++) {
        double v = cos(UNITS_PI * (j + 0.5) / POINTS);
        short_range_at(s->shape, unit, &g, 0.5 * (1.0 + v), &f[0][j], &f[1][j]);
    }
    for (int k = 0; k < 2; k++)
        mesh_chebyshev(POINTS, f[k], ALPHA_SPLIT_TERMS, a[k]);
    double left = 0.0;
    for (s->terms = ALPHA_SPLIT_TERMS; s->terms > 2; s->terms--) {
        left += fabs(a[0][s->terms - 1]) + fabs(a[1][s->terms - 1]);
        if (left > error)
            break;
    }
    mesh_powers(s->terms, a[0], s->q);
    mesh_powers(s->terms, a[1], s->rho);
}

/* Returns the rms error of a field in units of R³, for a unit dipole per unit volume. */
static double max_of(double error, double near)
{
    return error / ALPHA_SPLIT_DENSE * sqrt(near);
}

#define STEP 0.04  /* step of kR in an integral over waves */
#define WAVES 60.0 /* value of kR beyond which the integrand vanishes */

/* Returns the smallest kR beyond which the waves add an error of at most `max`. */
static double min_cut(double c, double max)
{
    double unit = mesh_bump(c, c * c), sum = 0.0, kr = c + WAVES;
    for (; kr > 0.0; kr -= STEP) {
        double w = mesh_bump(c, c * c - kr * kr) / unit;
        sum += 8.0 / 3.0 * w * w * kr * kr * STEP;
        if (sum > max * max)
            break;
    }
    return kr;
}

void alpha_split_waves(double error, size_t nsites, struct alpha_split *s)
{
    double n = fmin((double)nsites, 1e6), cut = HUGE_VAL;
    double max = max_of(error * sqrt(n), n / 8.0);
    memset(s, 0, sizeof *s);
    for (double c = 4.0; c < 40.0; c += 0.5) {
        double k = min_cut(c, max);
        if (k < cut) {
            cut = k;
            s->shape = c;
        }
    }
    s->cut = cut;
    s->unit = mesh_bump(s->shape, s->shape * s->shape);
    fit(max, s);
}

void alpha_split_mesh(double error, struct alpha_split *s, struct mesh *m)
{
    double max = max_of(error, ALPHA_SPLIT_SHORT_RANGE);
    memset(s, 0, sizeof *s);
    mesh_plan(max / 3.0, ALPHA_MESH_SHORT_RANGE, 1, m);
    s->shape = m->shape;
    s->unit = m->unit;
    fit(0.1 * max, s);
}

#define ALIASES 8

void alpha_split_axis(int order, int points, double *moment)
{
    for (int k = 0; k < points; k++) {
        int n = mesh_signed(k, points);
        double sum[3] = {0};
        for (int m = -ALIASES; m <= ALIASES; m++) {
            double at = n + (double)m * points, w = m == 0 ? 1.0 : n ? pow(n / at, 2 * order) : 0.0;
            sum[0] += w;
            sum[1] += w * at;
            sum[2] += w * at * at;
        }
        for (int c = 0; c < 3; c++)
            moment[(size_t)c * (size_t)points + (size_t)k] = 2 * k == points ? 0.0 : sum[c];
    }
}
