/* SPDX-License-Identifier: MIT */
#include "pair/split.h"

#include <string.h>

/* Computes psi at x = r/R without normalisation, and the derivative of psi. */
static double bump(double c, double x, double *slope)
{
    double q = x < 1.0 ? sqrt(1.0 - x * x) : 0.0;
    *slope = -x * c * q * mesh_bessel(1, c * q) * exp(c * (q - 1.0));
    return q * q * mesh_bessel(2, c * q) * exp(c * (q - 1.0));
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

double split_short_range(const struct split *s, double r)
{
    double x = r / s->reach;
    return x < 1.0 ? short_range_at(s->mesh.shape, bump_integral(s->mesh.shape, 1.0), x) : 0.0;
}

/* Computes g as a polynomial of n terms in v = 2 r/R - 1. */
static void fit(double c, int n, double *poly)
{
    double f[SPLIT_TERMS_F64], a[SPLIT_TERMS_F64], norm = bump_integral(c, 1.0);
    for (int j = 0; j < n; j++)
        f[j] = short_range_at(c, norm, 0.5 * (1.0 + cos(UNITS_PI * (j + 0.5) / n)));
    mesh_chebyshev(n, f, n, a);
    mesh_powers(n, a, poly);
}

double split_tail(double coef, double r1, double r2)
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

#define DENSE 0.8 /* atoms per sigma³ of a liquid, to estimate the cost */

void split_plan(double sigma, double reach, double error, struct split *s)
{
    double poly[SPLIT_TERMS_F64];
    double max = error * SPLIT_LIQUID * sqrt(4.0 * UNITS_PI / 45.0 * pow(reach / sigma, 3.0));
    memset(s, 0, sizeof *s);
    s->reach = reach;
    s->error = error;
    mesh_plan(max, DENSE * pow(reach / sigma, 3.0), 0, &s->mesh);
    s->rms = s->mesh.rms / pow(reach, 1.5);
    fit(s->mesh.shape, SPLIT_TERMS_F64, s->g_f64);
    fit(s->mesh.shape, SPLIT_TERMS_F32, poly);
    for (int k = 0; k < SPLIT_TERMS_F32; k++)
        s->g_f32[k] = (float)poly[k];
}
