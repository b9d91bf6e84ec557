/* SPDX-License-Identifier: MIT */
/* alpha_split.h: splits the lattice sum of T into a sum over pairs closer than R and a sum over
 * wave vectors. Both parts of the lattice sum include the traces of the tensors T. The code runs on
 * host and device.
 *
 * The split is 1/r = (1 - Phi)/r + Phi/r. The function psi of mesh/mesh.h, which vanishes beyond R,
 * determines Phi. For the minimum image d of a pair with r < R, the second derivatives are
 *     d_a d_b (1 - Phi)/r = (3 d_a d_b - r² delta_ab) (1/r⁵ - q(r)) + rho(r) delta_ab.
 * The sum over all images is
 *     sum of d_a d_b Phi/r = -(1/V) sum over k != 0 of w(k) k_a k_b cos(k r).
 * The functions are w = 4 pi/k² psi^ and q = (Phi - r Phi' + r² Phi''/3)/r⁵, and rho is 4 pi/3
 * times the screening charge -Phi''/(4 pi r). The functions q and rho are analytic in r². The sum
 * over k also includes the interaction of each site with itself, which the term rho(0) delta_ab
 * removes. The trace of T is due only to the background and equals 4 pi/V. Let x be r/R, let u be 1
 * - x² and z be C sqrt(u), and let n be twice the integral of (1 - x²) I_2(z) over x from 0 to 1.
 * All terms of
 *     q = 8/(3 n) integral over s from 0 to 1 of s⁴ (C²/4) I_0(z(s x)) / R⁵ and
 *     rho = 4/(3 n) (z/2) I_1(z) / R³
 * have the same sign, so no digits cancel.
 *
 * The error of a mesh is the rms error of the field at a site, divided by the external field. The
 * error of a mesh is computed for a liquid with alpha N/V = ALPHA_SPLIT_DENSE (0.09 in CS2). At
 * alpha N/V = 0.24, the dipoles of a liquid would diverge. For the error of a mesh, N R³/V is taken
 * to be ALPHA_SPLIT_SHORT_RANGE. With more than ALPHA_SPLIT_SHORT_RANGE neighbours, the error is
 * smaller. The error of Pi is smaller than the error of the field by a factor of sqrt(N), because
 * the errors at different sites are independent. Without a mesh, the error is the error of Pi in a
 * cubic cell of edge 2R. The interaction of a site with its own images is computed exactly, because
 * an error in it would be the same at all sites. */
#pragma once

#include <stddef.h>

#include "mesh/mesh.h"

C_LINKAGE_BEGIN

#define ALPHA_SPLIT_TERMS 24 /* largest number of terms of a polynomial */
#define ALPHA_SPLIT_DENSE 0.1
#define ALPHA_SPLIT_SHORT_RANGE 8.0
#define ALPHA_SPLIT_EXACT 3e-11 /* error of Pi if no mesh is used */
#define ALPHA_MESH_ERROR 1e-6
#define ALPHA_MESH_MIN 1e-9
#define ALPHA_MESH_MAX 1e-3
#define ALPHA_MESH_SHORT_RANGE 48.0 /* value of N R³/V at which the two sums take the same time */

/* Parameters of a split that do not depend on the cell. In units of R, the functions q and rho are
 * polynomials in v = 2 r²/R² - 1, whose coefficients are stored from the lowest power to the
 * highest. */
struct alpha_split {
    double shape, unit; /* C, and the unit of psi^ */
    double cut;         /* largest product k R if no mesh is used */
    double own;         /* rho(0) */
    int terms;
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
};

/* Chooses the smallest number of waves that keeps the error of Pi below `error` for nsites sites
 * without a mesh. */
void alpha_split_waves(double error, size_t nsites, struct alpha_split *s);
/* Chooses the spacing (in units of R), the order and the shape of a mesh whose field has the error
 * `error`. */
void alpha_split_mesh(double error, struct alpha_split *s, struct mesh *m);

/* The mesh spreads and gathers dipoles with the derivatives of splines of order p. The factor W_m
 * is the transform of the spline at the alias k_m of a wave k, which is a product over the axes. A
 * least-squares fit gives the weight of the wave k as
 *     w(k) W_0² k⁴ / (sum_m W_m² k_m²)².
 * The mean interaction of a site with itself is 1/V times the sum over waves of the fitted weight
 * times sum_m W_m² k_m k_m. The exact value of the interaction of a site with itself replaces the
 * mean value. The function alpha_split_axis computes moment[3][K] in the order of the FFT. The
 * moments are the sums of W², W² m and W² m² over the aliases m, divided by W_0². The aliases m are
 * integers that differ by multiples of K. For the wave K/2, the moments are set to 0, because this
 * wave represents both signs of k. */
void alpha_split_axis(int order, int points, double *moment);

/* Computes the six sums (xx xy xz yy yz zz) of W_m² k_m k_m / W_0² from the moments m of a wave. */
HD void alpha_split_slopes(const struct box *b, const double m[3][3], double t[6])
{
    const double unit = 4.0 * UNITS_PI * UNITS_PI;
    double g[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            g[i][j] = unit;
            for (int a = 0; a < 3; a++)
                g[i][j] *= m[a][i == j ? (a == i ? 2 : 0) : a == i || a == j];
        }
    for (int a = 0, n = 0; a < 3; a++)
        for (int c = a; c < 3; c++, n++) {
            t[n] = 0.0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    t[n] += g[i][j] * (b->inv[a][i] * b->inv[c][j]);
        }
}

/* Returns w(k) of a wave k != 0 for a split at R = reach. */
HD double alpha_split_wave(const struct alpha_split *s, double k2, double reach)
{
    double kr2 = k2 * (reach * reach);
    return 4.0 * UNITS_PI / k2 * (mesh_bump(s->shape, s->shape * s->shape - kr2) / s->unit);
}

/* Computes q R⁵ and rho R³ at x2 = (r/R)², which must be at most 1. */
HD void alpha_split_short_range(const struct alpha_split *s, double x2, double *q, double *rho)
{
    double v = (x2 + x2) - 1.0, a = s->q[s->terms - 1], b = s->rho[s->terms - 1];
    for (int k = s->terms - 2; k >= 0; k--) {
        a = a * v + s->q[k];
        b = b * v + s->rho[k];
    }
    *q = a;
    *rho = b;
}

C_LINKAGE_END
