/* SPDX-License-Identifier: MIT */
/* alpha_split.h: splits the lattice sum of the dipole tensor T into a sum over pairs closer than R
 * and a sum over wave vectors, on CPU and GPU. The short-range and the long-range sum include the
 * traces of T.
 *
 * The split is 1/r = (1 - Phi)/r + Phi/r, where Phi is determined by the function psi of
 * mesh/mesh.h, which vanishes beyond R. For the minimum image r of a pair closer than R, the
 * short-range part is
 *     d_a d_b (1 - Phi)/r = (3 r_a r_b - r² delta_ab) (1/r⁵ - q(r)) + rho(r) delta_ab.
 * The lattice sum of the long-range part is
 *     sum d_a d_b Phi/r = -(1/V) sum over k != 0 of w(k) k_a k_b cos(k r).
 * Here w is 4 pi/k² psi^, q is (Phi - r Phi' + r² Phi''/3)/r⁵, and rho is 4 pi/3 times the
 * screening charge -Phi''/(4 pi r). The functions q and rho are analytic in r². The sum over k
 * includes the interaction of each site with itself, which is removed by the term rho(0) delta_ab.
 * The trace of T is 4 pi/V, due only to the neutralising background. With x = r/R, z(x) = C sqrt(1
 * - x²) and n = 2 int_0^1 (1 - x²) I_2(z(x)) dx, all terms of the power series of
 *     q = 8/(3 n) int_0^1 s⁴ (C²/4) I_0(z(s x)) ds / R⁵ and
 *     rho = 4/(3 n) (z/2) I_1(z) / R³
 * have the same sign, so that no digits cancel.
 *
 * The error of a mesh is the rms error of the field at a site, divided by the external field. The
 * error of a mesh is computed for a liquid with alpha N/V = ALPHA_SPLIT_DENSE and N R³/V =
 * ALPHA_SPLIT_SHORT_RANGE, and is smaller with more neighbours within R. For comparison, alpha N/V
 * is 0.09 in CS2, and the dipoles of a liquid would diverge at 0.24. The error of Pi is smaller
 * than the error of the field by a factor of sqrt(N), because the errors at different sites are
 * independent. Without a mesh, the error is defined as the error of Pi in a cubic cell of edge 2R.
 * The interaction of a site with its own images is computed exactly, because an error would be
 * equal at all sites. */
#pragma once

#include <stddef.h>

#include "mesh/mesh.h"

C_LINKAGE_BEGIN

#define ALPHA_SPLIT_TERMS 24 /* terms of a polynomial */
#define ALPHA_SPLIT_DENSE 0.1
#define ALPHA_SPLIT_SHORT_RANGE 8.0
#define ALPHA_SPLIT_EXACT 3e-11 /* error of Pi without a mesh */
#define ALPHA_MESH_ERROR 1e-6
#define ALPHA_MESH_MIN 1e-9
#define ALPHA_MESH_MAX 1e-3
#define ALPHA_MESH_SHORT_RANGE 48.0 /* N R³/V at which the two sums take equal time */

/* A split for any cell. In units of R, q and rho are polynomials in v = 2 r²/R² - 1, whose
 * coefficients begin with the lowest power. */
struct alpha_split {
    double shape, unit; /* C, and the unit of psi^ */
    double cut;         /* largest k R without a mesh */
    double own;         /* rho(0) */
    int terms;
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
};

/* Chooses the fewest waves for an error of Pi below `error` with nsites sites and without a
 * mesh. */
void alpha_split_waves(double error, size_t nsites, struct alpha_split *s);
/* Chooses the spacing in units of R, the order and the shape of a mesh with the error `error`. */
void alpha_split_mesh(double error, struct alpha_split *s, struct mesh *m);

/* Dipoles are spread onto the mesh and gathered from it with the derivatives of splines of order p.
 * For each alias k_m of a wave k, the factor W_m is the Fourier transform of the spline at k_m. W_m
 * is the product of three factors, one per axis. The least-squares weight of the wave k is
 *     w(k) W_0² k⁴ / (sum_m W_m² k_m²)².
 * On average, the mesh includes the interaction of a site with itself, which is 1/V times the sum
 * over all waves of the weight times sum_m W_m² k_m k_m. The average is replaced by the exact
 * interaction of the site. The function alpha_split_axis computes moment[3][K] in the order of the
 * FFT: the sums of W², W² m and W² m² over the aliases m, which differ by multiples of K, divided
 * by W_0². The moments of the wave K/2, which stands for k and -k, are set to 0. */
void alpha_split_axis(int order, int points, double *moment);

/* Computes the six sums t (xx xy xz yy yz zz) of W_m² k_m k_m / W_0² from the moments m of a
 * wave. */
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

/* Returns the Fourier weight w(k) of a wave k != 0 for a split at R = reach. */
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
