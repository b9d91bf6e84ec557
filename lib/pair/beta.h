/* SPDX-License-Identifier: MIT */
/* beta.h: computes the polarizability anisotropy beta of a pair of atoms in the first-order
 * dipole-induced-dipole model, on host and device.
 *
 * The tensor is T_ab(r) = sigma³ (3 r_a r_b - r² delta_ab) / r⁵, where r is the minimum image of
 * r_i - r_j (Dawid 2019, equation 1). The five traceless components are scaled so that their mean
 * squares agree in an isotropic fluid. The components are T_xz, T_xy, T_yz, (T_xx - T_yy)/2 and (2
 * T_zz - T_xx - T_yy)/(2 sqrt 3). Each component is coef * q(x, y, z) / r⁵, where q is a quadratic
 * form. The published equation has the prefactor 3, and the published program uses the prefactor 1.
 * Beta is dimensionless, even in r, and 0 beyond the cutoff. Each operation is a single IEEE
 * operation, fused only by fma functions, so that beta is the same, bit for bit, on device and host
 * and at any SIMD level. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hd.h"

/* Each row contains the name of a component of beta on the command line and in data.component, its
 * form as text, and its parity. The parity is 1 if the component is even along each axis of an
 * orthorhombic cell, and 0 if the component is odd along two axes. In a periodic cube, components
 * of the same parity are equivalent, but components of different parity may differ. */
#define BETA_EACH(X, MORE)                                                                         \
    X(BETA_XZ, "xz", "xz", 0, MORE)                                                                \
    X(BETA_XY, "xy", "xy", 0, MORE)                                                                \
    X(BETA_YZ, "yz", "yz", 0, MORE)                                                                \
    X(BETA_XX_YY, "xx-yy", "(xx-yy)/2", 1, MORE)                                                   \
    X(BETA_ZZ, "zz", "(2zz-xx-yy)/(2 sqrt 3)", 1, MORE)
#define BETA_ENUM(C, NAME, WORDS, EVEN, NONE) C,
enum beta_component { BETA_EACH(BETA_ENUM, ) BETA_NCOMPONENTS };

#define BETA_NAME_OF(C, NAME, WORDS, EVEN, NONE) NAME,
#define BETA_NAMES BETA_EACH(BETA_NAME_OF, )
#define BETA_WORDS_OF(C, NAME, WORDS, EVEN, NONE) ", " WORDS
#define BETA_WORDS BETA_EACH(BETA_WORDS_OF, )

/* Calls CALL(n, component) with compile-time constants, for code that computes one component (n is
 * 1) or all components of beta (n is BETA_NCOMPONENTS and `component` is 0). */
#define BETA_CASE(C, NAME, WORDS, EVEN, CALL)                                                      \
    case C:                                                                                        \
        CALL(1, C);                                                                                \
        break;
#define BETA_SWITCH(n, component, CALL)                                                            \
    switch ((n) == 1 ? (component) : BETA_NCOMPONENTS) {                                           \
        BETA_EACH(BETA_CASE, CALL)                                                                 \
    default: CALL(BETA_NCOMPONENTS, 0);                                                            \
    }

#define BETA_EVEN_OF(C, NAME, WORDS, EVEN, NONE) | (EVEN) << (C)
HD int beta_even(int component)
{
    return (0 BETA_EACH(BETA_EVEN_OF, )) >> component & 1;
}

/* Returns a b + c with a single rounding, without an fma instruction, with the same bits as fmaf(a,
 * b, c). The product is exact in double precision, and the sum is rounded to odd, so that rounding
 * to float is correct (Boldo and Melquiond, IEEE Trans Comput 57 (2008) 462). */
HD float beta_fma_emulated(float a, float b, float c)
{
    double p = (double)a * b, s = p + c, back = s - p, rest = (p - (s - back)) + (c - back);
    int64_t u, some = rest != 0.0 ? -1 : 0, away = (rest > 0.0 ? -1 : 0) ^ (s > 0.0 ? -1 : 0);
    memcpy(&u, &s, sizeof u);
    u += some & ((u & 1) - 1) & (1 | away); /* no branch */
    memcpy(&s, &u, sizeof s);
    return (float)s;
}

#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__aarch64__)
#define BETA_FMA(a, b, c) fmaf(a, b, c)
#define BETA_FMA_EXACT(a, b, c) fmaf(a, b, c)
#else
#define BETA_FMA(a, b, c) beta_fma_emulated(a, b, c)
#define BETA_FMA_EXACT(a, b, c) ((float)((double)(a) * (b) + (c))) /* if exact in double */
#endif

/* Returns the coefficient of a component in Å³, for sigma in Å and a prefactor, which is 3 in Dawid
 * 2019. */
HD double beta_coef(int component, double sigma, double prefactor)
{
    double s3 = prefactor * (sigma * sigma * sigma);
    return component == BETA_XX_YY ? 0.5 * s3 : component == BETA_ZZ ? s3 / (2.0 * sqrt(3.0)) : s3;
}

/* Returns the quadratic form of a component of beta, in Å². */
HD float beta_form_f32(int component, float x, float y, float z)
{
    switch (component) {
    case BETA_XZ: return x * z;
    case BETA_XY: return x * y;
    case BETA_YZ: return y * z;
    case BETA_XX_YY: return BETA_FMA(-y, y, x * x);
    default: return BETA_FMA(z + z, z, -BETA_FMA(y, y, x * x));
    }
}

HD double beta_form_f64(int component, double x, double y, double z)
{
    switch (component) {
    case BETA_XZ: return x * z;
    case BETA_XY: return x * y;
    case BETA_YZ: return y * z;
    case BETA_XX_YY: return x * x - y * y;
    default: return 2.0 * (z * z) - (x * x + y * y);
    }
}

/* Compute r⁻⁵ from r² in Å², with a relative error below 3.5e-7 (rms 8.6e-8), or NaN if r² is 0.
 * The reciprocal square root starts from the bits of r². A cubic step with minimax coefficients
 * reduces the error of the root to 2.5e-5, and a linear step reduces the error of the fifth power
 * to 1.1e-8. The values h and r2 * y2 are close to 1, so that sums with h and r2 * y2 are exact in
 * double precision. There are no divisions and no tables, so that the bits are the same on every
 * machine. */
HD float beta_root_f32(float r2) /* 1/r to 2.5e-5 */
{
    uint32_t u;
    float y;
#ifdef __CUDA_ARCH__
    u = 0x5f375a86u - (__float_as_uint(r2) >> 1);
    y = __uint_as_float(u);
#else
    memcpy(&u, &r2, sizeof u);
    u = 0x5f375a86u - (u >> 1);
    memcpy(&y, &u, sizeof y);
#endif
    float h = r2 * (y * y);
    return y * BETA_FMA_EXACT(-h, BETA_FMA_EXACT(-0.375502115f, h, 1.25210015f), 1.87659825f);
}

HD float beta_rm5_f32(float r2)
{
    float y = beta_root_f32(r2), y2 = y * y;
    return (y * (y2 * y2)) * BETA_FMA_EXACT(-2.5f, r2 * y2, 3.5f);
}

HD double beta_rm5_f64(double r2)
{
    return 1.0 / ((r2 * r2) * sqrt(r2));
}

HD float beta_r2_f32(float x, float y, float z)
{
    return BETA_FMA(z, z, BETA_FMA(y, y, x * x));
}

HD double beta_r2_f64(double x, double y, double z)
{
    return (x * x + y * y) + z * z;
}

/* A taper multiplies beta by a switching function f, which is 1 up to r1, 0 beyond r2, and twice
 * continuously differentiable. Between r1 and r2, f = 1 - u³ (10 - 15 u + 6 u²) with u = (r -
 * r1)/(r2 - r1). Beta is continuous, because the minimum image of a pair changes only beyond r2,
 * where beta is exactly 0. */
struct beta_taper_f32 {
    /* The coefficients of u/2 = slope r + shift are `slope` and `shift`, and rc2 is r2². */
    float slope, shift, rc2;
};
struct beta_taper_f64 {
    double slope, shift, rc2;
};

/* Sets a switching function between r1 and r2 (in Å), or no taper if r2 is HUGE_VAL. */
HD void beta_taper_set(double r1, double r2, struct beta_taper_f64 *d, struct beta_taper_f32 *f)
{
    int none = r2 > 1e100;
    d->slope = none ? 0.0 : 0.5 / (r2 - r1);
    d->shift = none ? 0.0 : -0.5 * r1 / (r2 - r1);
    d->rc2 = r2 * r2;
    f->slope = (float)d->slope;
    f->shift = (float)d->shift;
    f->rc2 = none ? HUGE_VALF : (float)d->rc2;
}

/* Returns the switching function at r <= r2, and stores r⁻⁵ in *rm5. No comparison is needed,
 * because the sum of u/2 and |u/2| is u above r1 and 0 below r1. */
HD float beta_switch_f32(float r2, float slope, float shift, float *rm5)
{
    float y = beta_root_f32(r2), y2 = y * y, t = r2 * y2;
    *rm5 = (y * (y2 * y2)) * BETA_FMA_EXACT(-2.5f, t, 3.5f);
    float u = BETA_FMA((r2 * y) * BETA_FMA_EXACT(-0.5f, t, 1.5f), slope, shift);
    u = u + fabsf(u);
    return BETA_FMA(-(u * (u * u)), BETA_FMA(BETA_FMA(6.0f, u, -15.0f), u, 10.0f), 1.0f);
}

HD double beta_switch_f64(double r2, double slope, double shift)
{
    double u = sqrt(r2) * slope + shift;
    u = u + fabs(u);
    return 1.0 - (u * (u * u)) * (10.0 + u * (6.0 * u - 15.0));
}
