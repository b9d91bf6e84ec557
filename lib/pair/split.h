/* SPDX-License-Identifier: MIT */
/* split.h: splits the lattice sum of beta (ewald.h) into a short-range part and a long-range part
 * on a mesh (mesh/mesh.h), on host and device. Together, the two parts give the sum over all
 * partners of atom i, A_i = sum_j coef Q_c(r_ij).
 *
 * The traceless second derivatives of (1 - Phi)/r equal the second derivatives of 1/r times the
 * function
 *     g(r) = 1 - Phi + r Phi' - r² Phi''/3 up to R, and 0 beyond R.
 * The short-range part is summed over the neighbours of an atom. The long-range part is a sum over
 * all wave vectors k != 0 in the volume V,
 *     -4 pi/(3 V) coef sum_k form_c(k)/k² psi^(k) exp(ik r_i) sum_j exp(-ik r_j).
 *
 * The mean interaction of an atom with itself on the mesh (mesh_axis), which is 0 only in a cube,
 * is subtracted. The interaction of an atom with its own images is taken from ewald_self, which is
 * more accurate than the mesh.
 *
 * For randomly placed partners, the mean square error of A_i is N/V sum_k w² (1 - prod W⁴/B²), with
 * w, W and B of mesh_axis. The error is due to waves that the mesh represents incompletely
 * (mesh_plan). In a liquid, the error at small k is smaller than for randomly placed partners. The
 * relative error is the error divided by sqrt(4 pi rho/(45 sigma³)) coef, the rms value of A_i for
 * independent partners beyond sigma. In a dense liquid, A_i is about 0.4 times as large as for
 * independent partners. The constant SPLIT_LIQUID is smaller than 0.4, so that the relative error
 * of a liquid is not underestimated. */
#pragma once

#include "mesh/mesh.h"
#include "pair/beta.h"
#include "pair/ewald.h"

C_LINKAGE_BEGIN

#define SPLIT_TERMS_F32 18 /* terms of g; even */
#define SPLIT_TERMS_F64 26
#define SPLIT_LIQUID 0.25
#define SPLIT_ERROR 1e-6
#define SPLIT_ERROR_MIN 1e-8
#define SPLIT_ERROR_MAX 1e-3

/* Parameters of the split that do not depend on the cell. The arrays g_f64 and g_f32 contain the
 * coefficients of g as a polynomial in 2 r/R - 1, lowest power first. */
struct split {
    double reach; /* R, Å */
    double error; /* requested, relative */
    double rms;   /* see split_plan */
    struct mesh mesh;
    double g_f64[SPLIT_TERMS_F64];
    float g_f32[SPLIT_TERMS_F32];
};

/* Finds the cheapest mesh for a short-range part that ends at `reach` (in Å) and for the relative
 * error `error` of A_i. The rms error of A_i is then s->rms, in Å^(-3/2), times sqrt(N/V) times the
 * value of coef for the component xz. */
void split_plan(double sigma, double reach, double error, struct split *s);

/* Returns by how much a taper f(r) from r1 to r2 (in Å) reduces the sum of beta² over all pairs,
 * per atom and divided by the number density in 1/Å³. For uniformly distributed atoms, the
 * reduction is 2 pi coef²/15 times the integral of (1 - f²)/r⁴ dr, for each of the five components.
 * The argument `coef` belongs to the component xz. */
double split_tail(double coef, double r1, double r2);

/* Returns g(r) exactly, without the polynomials. The function is slow. */
double split_short_range(const struct split *s, double r);

/* Returns -4 pi psi^(k)/(3 V k²) for a wave vector k != 0. In the sum over waves, the caller
 * multiplies this weight by form_c(k) and by the correction factors of the mesh (mesh_axis). */
HD double split_weight(const struct split *s, const double k[3], double volume)
{
    double k2 = beta_r2_f64(k[0], k[1], k[2]);
    return -4.0 * UNITS_PI / (3.0 * volume) / k2 * mesh_wave(&s->mesh, sqrt(k2) * s->reach);
}

/* ---- short range ---- */

/* Applies Horner's method to even and odd powers separately. Each step is a separate statement, so
 * that the compiler can vectorize the loop over atoms. */
#define SPLIT_HORNER(MADD, k)                                                                      \
    even = MADD(even, w, g[k]);                                                                    \
    odd = MADD(odd, w, g[(k) + 1]);
#define SPLIT_MADD(a, b, c) ((a) * (b) + (c))

HD float split_short_range_f32(const struct split *s, float r2, float slope, float *rm5)
{
    float y = beta_root_f32(r2), y2 = y * y, t = r2 * y2;
    *rm5 = (y * (y2 * y2)) * BETA_FMA_EXACT(-2.5f, t, 3.5f);
    float v = BETA_FMA((r2 * y) * BETA_FMA_EXACT(-0.5f, t, 1.5f), slope, -1.0f), w = v * v;
    const float *g = s->g_f32;
    float even = g[16], odd = g[17];
    SPLIT_HORNER(BETA_FMA, 14)
    SPLIT_HORNER(BETA_FMA, 12)
    SPLIT_HORNER(BETA_FMA, 10)
    SPLIT_HORNER(BETA_FMA, 8)
    SPLIT_HORNER(BETA_FMA, 6)
    SPLIT_HORNER(BETA_FMA, 4)
    SPLIT_HORNER(BETA_FMA, 2)
    SPLIT_HORNER(BETA_FMA, 0)
    return BETA_FMA(odd, v, even);
}

HD double split_short_range_f64(const struct split *s, double r2, double slope)
{
    double v = sqrt(r2) * slope - 1.0, w = v * v;
    const double *g = s->g_f64;
    double even = g[24], odd = g[25];
    SPLIT_HORNER(SPLIT_MADD, 22)
    SPLIT_HORNER(SPLIT_MADD, 20)
    SPLIT_HORNER(SPLIT_MADD, 18)
    SPLIT_HORNER(SPLIT_MADD, 16)
    SPLIT_HORNER(SPLIT_MADD, 14)
    SPLIT_HORNER(SPLIT_MADD, 12)
    SPLIT_HORNER(SPLIT_MADD, 10)
    SPLIT_HORNER(SPLIT_MADD, 8)
    SPLIT_HORNER(SPLIT_MADD, 6)
    SPLIT_HORNER(SPLIT_MADD, 4)
    SPLIT_HORNER(SPLIT_MADD, 2)
    SPLIT_HORNER(SPLIT_MADD, 0)
    return odd * v + even;
}

/* Returns the long-range part of Q_c of a pair in 1/Å³, which is Q_c of all images minus the
 * short-range part of the nearest image. The vector d is the difference of two positions in the
 * cell b, and e is the fit for this cell, without Q_self. As r approaches 0, Q_c and the
 * short-range part both diverge as 1/r³. Below r = SPLIT_CLOSE, the sum over all other images and
 * (1 - g)/r⁵ are nearly constant, so their values at r = SPLIT_CLOSE are used. */
#define SPLIT_CLOSE 0.03 /* Å */
HD double split_far_f64(const struct split *s, const struct ewald_f64 *e, const struct box *b,
                        int component, const double d[3])
{
    double n[3] = {d[0], d[1], d[2]}, c[3];
    box_image(b, n);
    double r = sqrt(beta_r2_f64(n[0], n[1], n[2])), far = r < SPLIT_CLOSE ? SPLIT_CLOSE / r : 1.0;
    for (int k = 0; k < 3; k++)
        c[k] = r > 0.0 ? far * n[k] : k ? 0.0 : SPLIT_CLOSE;
    double r2 = beta_r2_f64(c[0], c[1], c[2]), rm5 = beta_rm5_f64(r2);
    double g = r2 <= s->reach * s->reach ? split_short_range_f64(s, r2, 2.0 / s->reach) : 0.0;
    return (ewald_one_f64(e, component, c[0], c[1], c[2]) -
            rm5 * beta_form_f64(component, c[0], c[1], c[2])) +
           (1.0 - g) * rm5 * beta_form_f64(component, n[0], n[1], n[2]);
}

C_LINKAGE_END
