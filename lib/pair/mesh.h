/* SPDX-License-Identifier: MIT */
/* mesh.h: computes the sum of ewald.h over all partners of an atom at once, A_i = sum_j coef
 * Q_c(r_ij), on a mesh. The header defines the split into short-range and long-range parts, the
 * splines and the weights of the waves, for host and device.
 *
 * The split is 1/r = (1 - Phi)/r + Phi/r, where Phi is the integral of psi from -r to r. Any even
 * function psi on [-R, R] with integral 1 may be used. The first term is 0 beyond R. The second
 * term is smooth and has the transform
 *     4 pi/k² psi^(k),  psi^(k) = integral of psi(x) cos(kx).
 * In Ewald's method psi is a Gaussian. The traceless second derivatives of the first term are those
 * of 1/r times the function
 *     g(r) = 1 - Phi + r Phi' - r² Phi''/3 up to R, and 0 beyond R.
 * This short-range part is summed over neighbours. The long-range part is a sum over all waves k !=
 * 0 in the volume V,
 *     -4 pi/(3 V) coef sum_k form_c(k)/k² psi^(k) exp(ik r_i) sum_j exp(-ik r_j).
 * Here psi is proportional to (1 - x²) I_2(C sqrt(1 - x²)) with x = r/R. By Sonine's first
 * integral, psi^ is proportional to i_2(z)/z² with z² = C² - (kR)², where i_2 is the modified
 * spherical Bessel function. Apart from terms of order exp(-C), psi^ ends near kR = C. A Gaussian
 * cut off at the same error extends twice as far. No term is truncated in r, so the only error is
 * the error of the mesh.
 *
 * See Essmann et al., J. Chem. Phys. 103, 8577 (1995). Atoms are spread onto K_a points along each
 * cell vector by B-splines M_p of order p, whose transform is W = sinc(m/K)^p. The following
 * weights of the waves minimise the error. See Ballenegger et al., J. Chem. Theory Comput. 8, 936
 * (2012), after Hockney and Eastwood.
 *     w(k) prod_a W_a²/B_a²,  B = sum of W² over all aliases of the wave.
 * On the mesh an atom also interacts with itself. The mean of this interaction over the positions
 * between the points is sum_k w(k) prod_a W_a²/B_a, which is 0 in a cube but not in other cells.
 * This mean is subtracted. The mesh includes the interaction of an atom with its own images only to
 * its own accuracy, so the value of ewald_self replaces it.
 *
 * For randomly placed partners, the mean square error of A_i is N/V sum_k w² (1 - prod W⁴/B²), from
 * waves that the mesh does not represent completely (mesh_plan). In a liquid the error at small k
 * is smaller. Errors are relative to A_i of independent partners beyond sigma, which is sqrt(4 pi
 * rho/(45 sigma³)) coef. In a dense liquid A_i is about 0.4 times this value, and MESH_LIQUID is
 * deliberately smaller. */
#pragma once

#include "base/box.h"
#include "pair/beta.h"
#include "pair/ewald.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_ORDER 10     /* highest spline order */
#define MESH_TERMS_F32 18 /* terms of g; even */
#define MESH_TERMS_F64 26 /* and in double */
#define MESH_LIQUID 0.25  /* assumed relative A */
#define MESH_ERROR 1e-6   /* default */
#define MESH_ERROR_MIN 1e-8
#define MESH_ERROR_MAX 1e-3

/* Parameters that do not depend on the cell. The arrays g_f64 and g_f32 hold polynomials in 2
 * r/reach - 1, with the lowest power first. */
struct mesh {
    double reach;   /* R, Å */
    double shape;   /* C */
    double unit;    /* of psi^ */
    double spacing; /* largest spacing, Å */
    int order;      /* p: 6, 8 or 10 */
    double error;   /* relative, requested */
    double rms;     /* sqrt(Å³) */
    double g_f64[MESH_TERMS_F64];
    float g_f32[MESH_TERMS_F32];
};

/* Plans the cheapest mesh whose short-range part ends at `reach` (Å) and whose relative error of A
 * is `error`. The rms error of A_i is m->rms times sqrt(N/V) and the coefficient of xz. */
void mesh_plan(double sigma, double reach, double error, struct mesh *m);

/* Plans the cheapest mesh for a field of dipoles, which needs derivatives of the splines
 * (lib/alpha), in units of R. The argument `max` is the largest rms error at a site if there is
 * one unit dipole per unit volume. The cost is computed for `sites` dipoles per unit volume. Does
 * not set g_f64 and g_f32. */
void mesh_plan_slopes(double max, double sites, struct mesh *m);

/* Returns the part of the sum of beta² over pairs that a taper from r1 to r2 (Å) omits, per atom
 * and per unit density (1/Å³) of uniformly distributed atoms. The result is 2 pi coef²/15 times the
 * integral of (1 - f²)/r⁴ dr, with the coefficient of xz. The mean over directions is the same for
 * all five components. */
double mesh_tail(double coef, double r1, double r2);

/* Returns g at r without the approximation of the fit. This function is slow. */
double mesh_short_range(const struct mesh *m, double r);

/* Sets the number of points along each cell vector to a number without prime factors above 7. The
 * number is limited to slightly more than MESH_POINTS, which would exceed any memory. */
#define MESH_POINTS 1000000
void mesh_points(const struct mesh *m, const struct box *b, int points[3]);

/* Computes filter[m] = W²/B² and self[m] = W²/B of one axis for m = 0 to K - 1, in FFT order. The
 * wave at K/2 has both signs, and its weight is 0. */
void mesh_axis(const struct mesh *m, int points, double *filter, double *self);

/* ---- waves ---- */

/* Returns the signed index of wave m, which is 0, 1, .. -2, -1 in FFT order. */
HD int mesh_signed(int m, int points)
{
    return 2 * m < points ? m : m - points;
}

/* Computes the wave vector in 1/Å from the indices m0, m1 and m2 along the cell vectors. */
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

/* Returns psi^ at kR. */
HD double mesh_wave(const struct mesh *m, double kr)
{
    return mesh_bump(m->shape, m->shape * m->shape - kr * kr) / m->unit;
}

/* Returns -4 pi/(3 V k²) psi^, the weight of the wave k != 0 without the factors of form and
 * mesh. */
HD double mesh_weight(const struct mesh *m, const double k[3], double volume)
{
    double k2 = beta_r2_f64(k[0], k[1], k[2]);
    return -4.0 * UNITS_PI / (3.0 * volume) / k2 * mesh_wave(m, sqrt(k2) * m->reach);
}

/* ---- splines ---- */

/* Computes the weights M_p(w + p - 1), .. M_p(w + 1), M_p(w) of the points 0 to p - 1 for an atom
 * at the distance 0 <= w < 1 after the first point. T is double or a vector type, which is passed
 * by pointer. */
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

/* Returns the last mesh point before an atom along an axis, from 0 to K - 1, and sets *w to the
 * distance of the atom past that point. The fractional coordinate of the atom is s. */
HD int mesh_place(double s, int points, double *w)
{
    double u = (s - floor(s)) * points;
    int k = (int)u;
    *w = u - k;
    return k < points ? k : 0;
}

/* ---- short range ---- */

/* One step of the even and the odd powers. All steps are written out, so that surrounding loops
 * vectorize. */
#define MESH_HORNER(MADD, k)                                                                       \
    even = MADD(even, w, g[k]);                                                                    \
    odd = MADD(odd, w, g[(k) + 1]);
#define MESH_MADD(a, b, c) ((a) * (b) + (c))

HD float mesh_short_range_f32(const struct mesh *m, float r2, float slope, float *rm5)
{
    float y = beta_root_f32(r2), y2 = y * y, t = r2 * y2;
    *rm5 = (y * (y2 * y2)) * BETA_FMA_EXACT(-2.5f, t, 3.5f);
    float v = BETA_FMA((r2 * y) * BETA_FMA_EXACT(-0.5f, t, 1.5f), slope, -1.0f), w = v * v;
    const float *g = m->g_f32;
    float even = g[16], odd = g[17];
    MESH_HORNER(BETA_FMA, 14)
    MESH_HORNER(BETA_FMA, 12)
    MESH_HORNER(BETA_FMA, 10)
    MESH_HORNER(BETA_FMA, 8)
    MESH_HORNER(BETA_FMA, 6)
    MESH_HORNER(BETA_FMA, 4)
    MESH_HORNER(BETA_FMA, 2)
    MESH_HORNER(BETA_FMA, 0)
    return BETA_FMA(odd, v, even);
}

HD double mesh_short_range_f64(const struct mesh *m, double r2, double slope)
{
    double v = sqrt(r2) * slope - 1.0, w = v * v;
    const double *g = m->g_f64;
    double even = g[24], odd = g[25];
    MESH_HORNER(MESH_MADD, 22)
    MESH_HORNER(MESH_MADD, 20)
    MESH_HORNER(MESH_MADD, 18)
    MESH_HORNER(MESH_MADD, 16)
    MESH_HORNER(MESH_MADD, 14)
    MESH_HORNER(MESH_MADD, 12)
    MESH_HORNER(MESH_MADD, 10)
    MESH_HORNER(MESH_MADD, 8)
    MESH_HORNER(MESH_MADD, 6)
    MESH_HORNER(MESH_MADD, 4)
    MESH_HORNER(MESH_MADD, 2)
    MESH_HORNER(MESH_MADD, 0)
    return odd * v + even;
}

/* Returns the contribution of a pair to the mesh, which is Q_c of all images minus the short-range
 * part of the nearest image, in 1/Å³. The vector d is the difference of two positions wrapped into
 * the cell b, and e is the fit of this cell without Q_self. Near r = 0 both terms diverge as 1/r³.
 * There the other images and (1 - g)/r⁵ are constant, and are computed at the distance
 * MESH_CLOSE. */
#define MESH_CLOSE 0.03 /* Å */
HD double mesh_far_f64(const struct mesh *m, const struct ewald_f64 *e, const struct box *b,
                       int component, const double d[3])
{
    double n[3] = {d[0], d[1], d[2]}, c[3];
    box_image(b, n);
    double r = sqrt(beta_r2_f64(n[0], n[1], n[2])), s = r < MESH_CLOSE ? MESH_CLOSE / r : 1.0;
    for (int k = 0; k < 3; k++)
        c[k] = r > 0.0 ? s * n[k] : k ? 0.0 : MESH_CLOSE;
    double r2 = beta_r2_f64(c[0], c[1], c[2]), rm5 = beta_rm5_f64(r2);
    double g = r2 <= m->reach * m->reach ? mesh_short_range_f64(m, r2, 2.0 / m->reach) : 0.0;
    return (ewald_one_f64(e, component, c[0], c[1], c[2]) -
            rm5 * beta_form_f64(component, c[0], c[1], c[2])) +
           (1.0 - g) * rm5 * beta_form_f64(component, n[0], n[1], n[2]);
}

#ifdef __cplusplus
}
#endif
