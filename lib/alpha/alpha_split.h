/* SPDX-License-Identifier: MIT */
/*
 * alpha_split.h: T of all images as the sum of a part over pairs closer than R and a part over
 * waves, both with their traces. For host and device.
 *
 * 1/r = (1 - Phi)/r + Phi/r with the function psi of mesh.h, which ends at R. The second
 * derivatives, with d the minimum image of a pair and r < R, are
 *     short-range: d_a d_b (1 - Phi)/r = (3 d_a d_b - r² delta_ab) (1/r⁵ - q(r)) + rho(r) delta_ab
 *     long-range:  -(1/V) sum over k != 0 of w(k) k_a k_b cos(k r),  w = 4 pi/k² psi^
 * with q = (Phi - r Phi' + r² Phi''/3)/r⁵ and rho = 4 pi/3 times the screening charge, -Phi''/(4 pi
 * r). Both are analytic in r². The waves include each site and all its images; rho(0) delta_ab
 * corrects for the site itself, and own images need no correction. The trace is automatically that
 * of the background, 4 pi/V. In units of R, with x = r/R, u = 1 - x², z = C sqrt(u), and n twice
 * the integral of (1 - x²) I_2(z) over x from 0 to 1, all terms of
 *     q = 8/(3 n) integral over s from 0 to 1 of s⁴ (C²/4) I_0(z(s x)) / R⁵
 *     rho = 4/(3 n) (z/2) I_1(z) / R³
 * have the same sign, so nothing cancels.
 *
 * Errors are rms errors of the field at a site, relative to the external field, in a liquid of N
 * sites in V with alpha N/V = ALPHA_SPLIT_DENSE (CS2: 0.09; at 0.24 the dipoles diverge). For a
 * mesh, N R³/V = ALPHA_SPLIT_NEAR; more neighbours give a smaller error. The error of Pi is smaller
 * by sqrt(N), because the errors of sites are independent. The sum wave by wave takes this error of
 * Pi as its parameter, for a cube whose half edge is R. All sites have the same error from their
 * interaction with themselves, which is therefore replaced by the exact value.
 */
#ifndef MBF_ALPHA_SPLIT_H
#define MBF_ALPHA_SPLIT_H

#include "pair/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ALPHA_SPLIT_TERMS 24 /* largest number of terms of a polynomial */
#define ALPHA_SPLIT_DENSE 0.1
#define ALPHA_SPLIT_NEAR 8.0
#define ALPHA_SPLIT_EXACT 3e-11 /* error of Pi in the sum wave by wave */
#define ALPHA_MESH_ERROR 1e-6
#define ALPHA_MESH_LEAST 1e-9
#define ALPHA_MESH_MOST 1e-3
#define ALPHA_MESH_NEAR 48.0 /* N R³/V with a mesh, where both parts cost the same */

/* Everything that does not depend on the cell. The functions q and rho are polynomials in v = 2
 * r²/R² - 1, lowest power first, in units of R. */
struct alpha_split {
    double shape, unit; /* C; of psi^ */
    double cut;         /* waves up to kR = cut are summed one by one */
    double own;         /* rho(0) */
    int terms;
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
};

/* Chooses the smallest number of waves, summed one by one, for this error of Pi of nsites sites. */
void alpha_split_waves(double error, size_t nsites, struct alpha_split *s);
/* Chooses a mesh with this error of the field and range 1: spacing in units of R, order, shape. */
void alpha_split_mesh(double error, struct alpha_split *s, struct mesh *m);

/*
 * Weights of the waves of a mesh that spreads and gathers dipoles with the derivatives of splines
 * of order p. W_m are the transforms of the aliases k_m of a wave k, products over the axes. Least
 * squares give
 *     w(k) W_0² k⁴ / (sum_m W_m² k_m²)².
 * The mean interaction of a site with itself is then (1/V) times the sum of this weight times sum_m
 * W_m² k_m k_m; it is replaced by the exact value. Computes moment[3][K], m = 0..K-1 in FFT order:
 * sums over the aliases of W², W² m and W² m² divided by W_0²; m are the whole numbers of the
 * aliases, K apart. The wave at K/2 has both signs: all 0.
 */
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

/* w(k) of a wave k != 0 for a split at R. */
HD double alpha_split_wave(const struct alpha_split *s, double k2, double reach)
{
    double kr2 = k2 * (reach * reach);
    return 4.0 * UNITS_PI / k2 * (mesh_bump(s->shape, s->shape * s->shape - kr2) / s->unit);
}

/* q R⁵ and rho R³ at (r/R)² <= 1. */
HD void alpha_split_near(const struct alpha_split *s, double x2, double *q, double *rho)
{
    double v = (x2 + x2) - 1.0, a = s->q[s->terms - 1], b = s->rho[s->terms - 1];
    for (int k = s->terms - 2; k >= 0; k--) {
        a = a * v + s->q[k];
        b = b * v + s->rho[k];
    }
    *q = a;
    *rho = b;
}

#ifdef __cplusplus
}
#endif
#endif
