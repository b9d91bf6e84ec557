/* SPDX-License-Identifier: MIT */
#include "pair/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"

/* ---- the function psi ---- */

/* exp(-y) I_n(y) */
static double bessel(int n, double y)
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

/* psi at x = r/R without normalisation, and its derivative. */
static double bump(double c, double x, double *slope)
{
    double q = x < 1.0 ? sqrt(1.0 - x * x) : 0.0;
    *slope = -x * c * q * bessel(1, c * q) * exp(c * (q - 1.0));
    return q * q * bessel(2, c * q) * exp(c * (q - 1.0));
}

#define PANELS 600 /* intervals of Simpson's rule for psi */

static double bump_integral(double c, double to)
{
    double sum = 0.0, d, h = to / PANELS;
    for (int k = 0; k <= PANELS; k++)
        sum += (k == 0 || k == PANELS ? 1.0 : k % 2 ? 4.0 : 2.0) * bump(c, k * h, &d);
    return sum * h / 3.0;
}

static double short_range_at(double c, double norm, double x)
{
    double slope, psi = bump(c, x, &slope);
    return 1.0 - (bump_integral(c, x) - x * psi + x * x * slope / 3.0) / norm;
}

double mesh_short_range(const struct mesh *m, double r)
{
    double x = r / m->reach;
    return x < 1.0 ? short_range_at(m->shape, bump_integral(m->shape, 1.0), x) : 0.0;
}

/* g as a polynomial of n terms in v = 2 r/R - 1, by Chebyshev interpolation. */
static void near_fit(double c, int n, double *poly)
{
    double f[MESH_TERMS_F64], a[MESH_TERMS_F64 + 1] = {0}, b[MESH_TERMS_F64 + 1] = {0};
    double norm = bump_integral(c, 1.0);
    for (int j = 0; j < n; j++)
        f[j] = short_range_at(c, norm, 0.5 * (1.0 + cos(UNITS_PI * (j + 0.5) / n)));
    memset(poly, 0, (size_t)n * sizeof *poly);
    a[0] = 1.0; /* powers of T_i */
    for (int i = 0; i < n; i++) {
        double w = 0.0, next[MESH_TERMS_F64 + 1] = {0};
        for (int j = 0; j < n; j++)
            w += (i ? 2.0 : 1.0) / n * cos(UNITS_PI * i * (j + 0.5) / n) * f[j];
        for (int k = 0; k < n; k++) {
            poly[k] += w * a[k];
            next[k + 1] += (i ? 2.0 : 1.0) * a[k];
            next[k] -= b[k];
        }
        memcpy(b, a, sizeof b);
        memcpy(a, next, sizeof a);
    }
}

double mesh_tail(double coef, double r1, double r2)
{
    double sum = 0.0, h = (r2 - r1) / PANELS;
    struct beta_taper_f64 d;
    struct beta_taper_f32 f;
    beta_taper_set(r1, r2, &d, &f);
    for (int k = 0; k < PANELS; k++) {
        double r = r1 + (k + 0.5) * h, w = beta_switch_f64(r * r, d.slope, d.shift);
        sum += (1.0 - w * w) / (r * r * r * r) * h;
    }
    return 2.0 * UNITS_PI * coef * coef / 15.0 * (sum + 1.0 / (3.0 * r2 * r2 * r2));
}

/* ---- one axis ---- */

#define ALIASES 8

/* B/W² - 1 at m/K = x: the contribution of other aliases of the wave. */
static double axis_others(int order, double x)
{
    double sum = 0.0;
    for (int m = 1; m <= ALIASES; m++)
        sum += pow(x / (m + x), 2 * order) + pow(x / (m - x), 2 * order);
    return sum;
}

void mesh_axis(const struct mesh *m, int points, double *filter, double *self)
{
    for (int k = 0; k < points; k++) {
        double x = abs(mesh_signed(k, points)) / (double)points,
               all = axis_others(m->order, x) + 1.0;
        double w = k ? pow(sin(UNITS_PI * x) / (UNITS_PI * x), m->order) : 1.0;
        filter[k] = 2 * k == points ? 0.0 : 1.0 / (w * w * all * all);
        self[k] = 2 * k == points ? 0.0 : 1.0 / all;
    }
}

void mesh_points(const struct mesh *m, const struct box *b, int points[3])
{
    for (int k = 0; k < 3; k++) {
        double n =
            ceil(sqrt(b->h[k][0] * b->h[k][0] + b->h[k][1] * b->h[k][1] + b->h[k][2] * b->h[k][2]) /
                 m->spacing);
        points[k] = (int)fft_size((size_t)fmin(fmax(n, 2.0 * m->order), MESH_POINTS));
    }
}

/* ---- the plan ---- */

#define STEPS 500  /* intervals of an integral over k */
#define WAVES 60.0 /* kR beyond C where it ends; the remainder is exp(-C) */

/* 1 - W⁴/B² on an axis, m/K from 0 to 1/2. */
static void axis_loss(int order, double *loss)
{
    for (int k = 0; k <= STEPS; k++) {
        double e = axis_others(order, 0.5 * k / STEPS);
        loss[k] = e * (2.0 + e) / ((1.0 + e) * (1.0 + e));
    }
}

/* Integral of psi^² over the plane perpendicular to k_a R = d n; returns d. */
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

/* Expected rms error for unit coef and density, R = 1. The square of form/k² of any component is at
 * most 1/3 of coef² of xz. The loss of a product is at most the sum of the losses of its
 * factors. */
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

/* Returns the largest spacing, in units of R, with an error of at most `max`; 0: none. */
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

#define POINT_COST 60.0 /* cost of a mesh point (two transforms) relative to a product of splines */
#define DENSE 0.8       /* atoms per sigma³ of a liquid, for the cost */

/* Chooses the cheapest mesh with error `max` at unit density, R = 1, for `sites` sites per unit
 * volume. `less` is the reduction of the spline order by differentiation. */
static void plan_cheapest(double max, double sites, int less, struct mesh *m)
{
    double loss[3][STEPS + 1], across[STEPS + 1], cost = HUGE_VAL;
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

void mesh_plan(double sigma, double reach, double error, struct mesh *m)
{
    double poly[MESH_TERMS_F64];
    double max = error * MESH_LIQUID * sqrt(4.0 * UNITS_PI / 45.0 * pow(reach / sigma, 3.0));
    memset(m, 0, sizeof *m);
    m->reach = reach;
    m->error = error;
    plan_cheapest(max, DENSE * pow(reach / sigma, 3.0), 0, m);
    m->spacing *= reach;
    m->rms /= pow(reach, 1.5);
    near_fit(m->shape, MESH_TERMS_F64, m->g_f64);
    near_fit(m->shape, MESH_TERMS_F32, poly);
    for (int k = 0; k < MESH_TERMS_F32; k++)
        m->g_f32[k] = (float)poly[k];
}

void mesh_plan_slopes(double max, double sites, struct mesh *m)
{
    memset(m, 0, sizeof *m);
    m->reach = 1.0;
    m->error = max;
    plan_cheapest(max / 3.0, sites, 1, m);
    m->rms *= 3.0;
}
