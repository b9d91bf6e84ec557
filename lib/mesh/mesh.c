/* SPDX-License-Identifier: MIT */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"

/* ---- functions for fits ---- */

double mesh_bessel(int n, double y)
{
    double term = 1.0, sum = 0.0;
    for (int k = 1; k <= n; k++)
        term *= 0.5 * y / k;
    for (int k = 0; term > 1e-18 * sum; k++) {
        sum += term;
        term *= 0.25 * y * y / ((k + 1.0) * (k + 1.0 + n));
    }
    return exp(-y) * sum;
}

void mesh_chebyshev(int n, const double *f, int terms, double *coef)
{
    for (int i = 0; i < terms; i++) {
        coef[i] = 0.0;
        for (int j = 0; j < n; j++)
            coef[i] += (i ? 2.0 : 1.0) / n * cos(UNITS_PI * i * (j + 0.5) / n) * f[j];
    }
}

void mesh_powers(int n, const double *coef, double *poly)
{
    double t[MESH_TERMS + 1] = {1.0}, last[MESH_TERMS + 1] = {0}; /* powers of T_i and T_i-1 */
    memset(poly, 0, (size_t)n * sizeof *poly);
    for (int i = 0; i < n; i++) {
        double next[MESH_TERMS + 1] = {0};
        for (int k = 0; k < n; k++) {
            poly[k] += coef[i] * t[k];
            next[k + 1] += (i ? 2.0 : 1.0) * t[k];
            next[k] -= last[k];
        }
        memcpy(last, t, sizeof last);
        memcpy(t, next, sizeof t);
    }
}

/* ---- one axis ---- */

#define ALIASES 8

/* Returns B/W² - 1 at m/K = x, which is the contribution of other aliases of a wave vector. */
static double axis_others(int order, double x)
{
    double sum = 0.0;
    for (int m = 1; m <= ALIASES; m++)
        sum += pow(x / (m + x), 2 * order) + pow(x / (m - x), 2 * order);
    return sum;
}

void mesh_axis(int order, int points, double *filter, double *self)
{
    for (int k = 0; k < points; k++) {
        double x = abs(mesh_signed(k, points)) / (double)points, all = axis_others(order, x) + 1.0;
        double w = k ? pow(sin(UNITS_PI * x) / (UNITS_PI * x), order) : 1.0;
        filter[k] = 2 * k == points ? 0.0 : 1.0 / (w * w * all * all);
        self[k] = 2 * k == points ? 0.0 : 1.0 / all;
    }
}

void mesh_points(const struct mesh *m, double reach, const struct box *b, int points[3])
{
    for (int k = 0; k < 3; k++) {
        double n =
            ceil(sqrt(b->h[k][0] * b->h[k][0] + b->h[k][1] * b->h[k][1] + b->h[k][2] * b->h[k][2]) /
                 (m->spacing * reach));
        points[k] = (int)fft_size((size_t)fmin(fmax(n, 2.0 * m->order), MESH_POINTS));
    }
}

/* ---- the plan ---- */

#define STEPS 500  /* intervals of an integral over k */
#define WAVES 60.0 /* kR beyond C where the integral ends (the remainder is exp(-C)) */

/* Computes 1 - W⁴/B² on an axis, for m/K from 0 to 1/2. */
static void axis_loss(int order, double *loss)
{
    for (int k = 0; k <= STEPS; k++) {
        double e = axis_others(order, 0.5 * k / STEPS);
        loss[k] = e * (2.0 + e) / ((1.0 + e) * (1.0 + e));
    }
}

/* Computes the integral of psi^² over the plane perpendicular to k_a R = d n, and returns d. */
static double plan_across(double c, double *across)
{
    double d = (c + WAVES) / STEPS, unit = mesh_bump(c, c * c), sum = 0.0, last = 0.0;
    for (int k = STEPS; k >= 0; k--) {
        double kr = k * d, w = mesh_bump(c, c * c - kr * kr) / unit;
        double now = 2.0 * UNITS_PI * w * w * kr;
        sum += 0.5 * (now + last) * d;
        last = now;
        across[k] = sum;
    }
    return d;
}

/* Returns the expected rms error for coef = 1, unit density and R = 1. The square of form/k² of any
 * component is at most 1/3 of coef² of xz. The loss of a product is at most the sum of the losses
 * of its factors. */
static double plan_error(double d, const double *across, const double *loss, double spacing)
{
    double sum = 0.0, size = 4.0 * UNITS_PI / 3.0;
    for (int k = 0; k <= STEPS; k++) {
        double theta = k * d * spacing / UNITS_PI * STEPS;
        int at = theta < STEPS ? (int)theta : STEPS;
        double l = at < STEPS ? loss[at] + (theta - at) * (loss[at + 1] - loss[at]) : 1.0;
        sum += (k ? 2.0 : 1.0) * across[k] * l * d;
    }
    return sqrt(size * size / 3.0 / pow(2.0 * UNITS_PI, 3.0) * 3.0 * sum);
}

/* Returns the largest spacing, in units of R, with an error of at most `max`, or 0 if there is
 * none. */
static double plan_spacing(double d, const double *across, const double *loss, double max)
{
    double low = 0.0, high = 2.0;
    for (int k = 0; k < 16; k++) {
        double mid = 0.5 * (low + high);
        if (plan_error(d, across, loss, mid) > max)
            high = mid;
        else
            low = mid;
    }
    return low;
}

#define POINT_COST 60.0 /* cost of a mesh point in two transforms, in products of splines */

void mesh_plan(double max, double sites, int less, struct mesh *m)
{
    double loss[3][STEPS + 1], across[STEPS + 1], cost = HUGE_VAL;
    memset(m, 0, sizeof *m);
    for (int k = 0; k < 3; k++)
        axis_loss(6 + 2 * k - less, loss[k]);
    for (double c = 6.0; c < 40.0; c += 0.5) {
        double d = plan_across(c, across);
        for (int k = 0; k < 3; k++) {
            int order = 6 + 2 * k;
            double h = plan_spacing(d, across, loss[k], max);
            double all = order * order * order + POINT_COST / sites * pow(1.0 / h, 3.0);
            if (h > 0 && all < cost) {
                cost = all;
                m->order = order;
                m->shape = c;
                m->spacing = h;
                m->rms = plan_error(d, across, loss[k], h);
            }
        }
    }
    m->unit = mesh_bump(m->shape, m->shape * m->shape);
}
