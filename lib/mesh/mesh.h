/* SPDX-License-Identifier: MIT */
/* mesh.h: splits a sum of 1/r over all images into a short-range and a long-range part, and chooses
 * the fastest mesh that gives the long-range part with a given error. The CPU and GPU programs
 * share this code. The weights in Fourier space are defined where a mesh is used (pair/split.h,
 * alpha/alpha_split.h). Sites are spread onto the mesh, and the field is gathered, by mesh_grid.h.
 *
 * The split is 1/r = (1 - Phi)/r + Phi/r, where Phi is the integral of psi from -r to r. The
 * function psi on [-R, R] may be any even function whose integral is 1. The first term, (1 -
 * Phi)/r, is 0 beyond R. The second term, Phi/r, is smooth and has the transform
 *     4 pi/k² psi^(k),  where psi^(k) = integral of psi(x) cos(kx).
 * In Ewald's method, psi is a Gaussian. Here, psi is proportional to (1 - x²) I_2(C sqrt(1 - x²))
 * with x = r/R. By Sonine's first integral, psi^ is proportional to i_2(z)/z² with z² = C² - (kR)²,
 * where i_2 is the modified spherical Bessel function. Apart from terms of order exp(-C), psi^
 * vanishes beyond about kR = C. A Gaussian with the same error extends twice as far in k. The sum
 * is not truncated in r, so that the only error is the error of the mesh.
 *
 * For the method, see Essmann et al, J Chem Phys 103 (1995) 8577. Sites are spread onto K_a points
 * along each cell vector by B-splines M_p of order p, whose transform is W = sinc(m/K)^p. */
#pragma once

#include "base/box.h"
#include "base/units.h"

C_LINKAGE_BEGIN

#define MESH_ORDER 10 /* highest spline order */

/* Contains parameters of the split that do not depend on the cell, in units of R. */
struct mesh {
    double shape;   /* the constant C */
    double unit;    /* normalises psi^ */
    double spacing; /* largest spacing */
    /* The expected rms error is `rms` for one site per R³, with the coefficient 1. */
    double rms;
    int order; /* p: 6, 8 or 10 */
};

/* Plans the cheapest mesh whose rms error is at most `max` for one site per R³, with the
 * coefficient 1. The cost is computed for `sites` sites per R³. Derivatives of the field lower the
 * order of the splines by `less`, which is 1 for dipoles. */
void mesh_plan(double max, double sites, int less, struct mesh *m);

/* Sets the number of points along each cell vector, for R = `reach` in Å. The numbers have no prime
 * factors above 7, and are at most slightly above MESH_POINTS, because a larger mesh would not fit
 * into any memory. */
#define MESH_POINTS 1000000
void mesh_points(const struct mesh *m, double reach, const struct box *b, int points[3]);

/* The weights of the waves minimise the error of the field of charges (Ballenegger et al, J Chem
 * Theory Comput 8 (2012) 936, after Hockney and Eastwood). The weight of a wave k is
 *     w(k) prod_a W_a²/B_a²,  where B = sum of W² over all aliases of the wave.
 * On the mesh, an atom also interacts with itself. The mean of the self-interaction over the
 * positions between the points is sum_k w(k) prod_a W_a²/B_a. The output of mesh_axis is filter[m]
 * = W²/B² and self[m] = W²/B of one axis, for splines of order `order` and m = 0 to K - 1 in the
 * order of the FFT. The weight of the wave K/2 is 0, because K/2 represents both signs of k. */
void mesh_axis(int order, int points, double *filter, double *self);

/* exp(-y) I_n(y) */
double mesh_bessel(int n, double y);
/* Computes the first `terms` coefficients of the Chebyshev interpolation of n values f at cos(pi (j
 * + 1/2)/n). */
void mesh_chebyshev(int n, const double *f, int terms, double *coef);
/* Converts a Chebyshev series of n <= MESH_TERMS terms to a polynomial, whose coefficients begin
 * with the lowest power. */
#define MESH_TERMS 26
void mesh_powers(int n, const double *coef, double *poly);

/* Returns the signed index of wave m in the order of the FFT (0, 1, ..., -2, -1). */
HD int mesh_signed(int m, int points)
{
    return 2 * m < points ? m : m - points;
}

/* Computes the wave vector in 1/Å from its indices m0, m1 and m2 along the reciprocal vectors. */
HD void mesh_vector(const struct box *b, int m0, int m1, int m2, double k[3])
{
    for (int a = 0; a < 3; a++)
        k[a] = 2.0 * UNITS_PI * (m0 * b->inv[a][0] + m1 * b->inv[a][1] + m2 * b->inv[a][2]);
}

/* Returns exp(-C) i_2(z)/z² for z² = t, up to a factor that does not depend on t. */
HD double mesh_bump(double c, double t)
{
    if (fabs(t) < 4.0) {
        double term = 1.0 / 15.0, sum = 0.0;
        for (int n = 0; n < 14; n++) {
            sum += term;
            term *= 0.5 * t / ((n + 1) * (2 * n + 7));
        }
        return exp(-c) * sum;
    }
    double z = sqrt(fabs(t)), z5 = z * z * z * z * z;
    if (t < 0)
        return exp(-c) * ((3.0 - z * z) * sin(z) - 3.0 * z * cos(z)) / z5;
    double up = z * z + 3.0 - 3.0 * z, down = z * z + 3.0 + 3.0 * z;
    return exp(z - c) * (up - down * exp(-2.0 * z)) / (2.0 * z5);
}

/* psi^ at kR */
HD double mesh_wave(const struct mesh *m, double kr)
{
    return mesh_bump(m->shape, m->shape * m->shape - kr * kr) / m->unit;
}

/* Computes the spline weights M_p(w + p - 1) to M_p(w) of the points 0 to p - 1, for a site at the
 * distance w after the first point, with 0 <= w < 1. The type T is double, or a vector type that is
 * passed by pointer. */
#define MESH_SPLINE(NAME, T)                                                                       \
    HD void NAME(int order, const T *past, T *v)                                                   \
    {                                                                                              \
        const T w = *past;                                                                         \
        v[0] = 1.0 - w;                                                                            \
        v[1] = w;                                                                                  \
        for (int p = 3; p <= order; p++) {                                                         \
            double d = 1.0 / (p - 1);                                                              \
            v[p - 1] = d * w * v[p - 2];                                                           \
            for (int l = 1; l < p - 1; l++)                                                        \
                v[p - l - 1] =                                                                     \
                    d * ((w + (double)l) * v[p - l - 2] + ((double)(p - l) - w) * v[p - l - 1]);   \
            v[0] = d * (1.0 - w) * v[0];                                                           \
        }                                                                                          \
    }
MESH_SPLINE(mesh_spline, double)

/* Returns the last mesh point before a site with the fractional coordinate s, from 0 to K - 1, and
 * sets *w to the distance of the site from the mesh point. */
HD int mesh_place(double s, int points, double *w)
{
    double u = (s - floor(s)) * points;
    int k = (int)u;
    *w = u - k;
    return k < points ? k : 0;
}

C_LINKAGE_END
