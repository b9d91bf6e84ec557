/* SPDX-License-Identifier: MIT */
/*
 * alpha_split.h: T of all images in two parts, one of pairs nearer than R and one of waves, both with
 * their traces. Host and device.
 *
 * 1/r = (1 - Phi)/r + Phi/r by the bump of mesh.h, which ends at R. Second derivatives, d the nearest
 * image of a pair, r < R:
 *     near: d_a d_b (1 - Phi)/r = (3 d_a d_b - r² delta_ab) (1/r⁵ - q(r)) + rho(r) delta_ab
 *     far:  -(1/V) sum over k != 0 of w(k) k_a k_b cos(k r),  w = 4 pi/k² psi^
 * with q = (Phi - r Phi' + r² Phi''/3)/r⁵ and rho = 4 pi/3 of the charge that screens, -Phi''/(4 pi r):
 * both are analytic in r². The waves hold each site and all its images: of the site itself rho(0)
 * delta_ab is given back, and own images are right without more. The trace is that of the
 * background, 4 pi/V, by itself. In units of R, with x = r/R, u = 1 - x², z = C sqrt(u), n twice the
 * integral of (1 - x²) I_2(z) over x from 0 to 1:
 *     q = 8/(3 n) integral over s from 0 to 1 of s⁴ (C²/4) I_0(z(s x)) / R⁵
 *     rho = 4/(3 n) (z/2) I_1(z) / R³
 * all terms of one sign, no cancellation.
 *
 * Errors, rms, of the field at a site against that from outside, in a liquid of N sites in V with
 * alpha N/V = ALPHA_SPLIT_DENSE (CS2: 0.09; at 0.24 dipoles induce each other without end): of a mesh
 * with N R³/V = ALPHA_SPLIT_NEAR, less with more neighbours. That of Pi is less by the root of N, the
 * errors of sites being independent, and is what waves one by one are told, in a cube whose half edge
 * is R. Waves err alike in what each site has of itself, which is better put in its place.
 */
#ifndef MBF_ALPHA_SPLIT_H
#define MBF_ALPHA_SPLIT_H

#include "pair/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ALPHA_SPLIT_TERMS 24 /* most, of a polynomial */
#define ALPHA_SPLIT_DENSE 0.1
#define ALPHA_SPLIT_NEAR 8.0
#define ALPHA_SPLIT_EXACT 3e-11 /* error of Pi by waves one by one */
#define ALPHA_MESH_ERROR 1e-6
#define ALPHA_MESH_LEAST 1e-9
#define ALPHA_MESH_MOST 1e-3
#define ALPHA_MESH_NEAR 48.0 /* N R³/V beside a mesh: where both parts cost alike */

/* Nothing of it depends on the cell. q, rho: polynomials in v = 2 r²/R² - 1, lowest power first, in
 * units of R. */
struct alpha_split {
    double shape, unit; /* C; of psi^ */
    double cut;         /* waves up to kR = cut count, one by one */
    double own;         /* rho(0) */
    int terms;
    double q[ALPHA_SPLIT_TERMS], rho[ALPHA_SPLIT_TERMS];
};

/* Fewest waves, one by one, for this error of the Pi of so many sites. */
void alpha_split_waves(double error, size_t nsites, struct alpha_split *s);
/* A mesh with this error of the field, whose reach is 1: spacing in units of R, order, shape. */
void alpha_split_mesh(double error, struct alpha_split *s, struct mesh *m);

/*
 * The weights of the waves of a mesh that meets dipoles by the slopes of splines of order p: where
 * W_m are the transforms of the aliases k_m of a wave k, products over the axes, least squares give
 *     w(k) W_0² k⁴ / (sum_m W_m² k_m²)²
 * and a site then does to itself, in the mean over its places, (1/V) sum of that times
 * sum_m W_m² k_m k_m: to be replaced by what it should.
 * moment[3][K], m = 0..K-1 in the order of a transform: sums over the aliases of W², W² m, W² m²
 * over W_0²; m whole numbers, K m + .. of aliases. The wave at K/2 has two signs: all 0.
 */
void alpha_split_axis(int order, int points, double *moment);

/* The six sums, xx xy xz yy yz zz, of W_m² k_m k_m / W_0² of a wave; m: three moments of each axis. */
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

/* w(k) of a wave k != 0 in a split at R. */
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
