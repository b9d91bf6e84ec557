/* SPDX-License-Identifier: MIT */
/* pair.h: computes beta of one pair of atoms for every form of sum, on host and device. For all
 * forms of sum,
 *     beta = coef q(d) r^-5 f(r),  0 beyond a cutoff.
 * Here d is the minimum-image difference of two wrapped positions, q is the quadratic form of a
 * component (beta.h) and f is a function that depends on the form of the sum. Loops over pairs call
 * pair_beta, or its parts pair_radial and pair_end if several components share r, with the form of
 * the sum and the component as compile-time constants. The factor of a pair (factors.h) is applied
 * separately.
 *
 * The CPU code has three kinds of loops. Rows are loops over adjacent partners, tiles are loops
 * over a batch of steps in two halves, and lists are loops over adjacent steps. Each kind has its
 * own layout of positions, because a common layout would require copies. For SUM_IMAGES, rows and
 * tiles compute many pairs together, so that the polynomial is loaded only once (ewald_lanes.h). On
 * a device, beta is computed in tables (pair_gpu_table.cu). */
#pragma once

#include "pair/sum.h"

/* Calls X(form) for each form of sum that uses a single image. */
#define PAIR_EACH_FORM(X) X(SUM_NEAREST) X(SUM_TAPERED)

/* Compute r^-5 and f from r² for the taper t of the cell. For SUM_NEAR, t->slope is 2/reach. */
HD void pair_radial_f32(enum sum_form form, const struct beta_taper_f32 *t, const struct split *m,
                        float r2, float *rm5, float *f)
{
    if (form == SUM_TAPERED) {
        *f = beta_switch_f32(r2, t->slope, t->shift, rm5);
    } else if (form == SUM_NEAR) {
        *f = split_short_range_f32(m, r2, t->slope, rm5);
    } else {
        *rm5 = beta_rm5_f32(r2);
        *f = 1.0f;
    }
}

HD void pair_radial_f64(enum sum_form form, const struct beta_taper_f64 *t, const struct split *m,
                        double r2, double *rm5, double *f)
{
    *rm5 = beta_rm5_f64(r2);
    *f = form == SUM_TAPERED ? beta_switch_f64(r2, t->slope, t->shift)
         : form == SUM_NEAR  ? split_short_range_f64(m, r2, t->slope)
                             : 1.0;
}

/* Computes beta from w = coef q, r^-5 and f. The flag `in` is true if r² <= t->rc2. */
#define PAIR_DEFINE(T, S)                                                                          \
    HD T pair_end_##S(T w, T rm5, T f, int in)                                                     \
    {                                                                                              \
        T v = (w * rm5) * f;                                                                       \
        return in ? v : 0;                                                                         \
    }                                                                                              \
    HD T pair_beta_##S(enum sum_form form, const struct beta_taper_##S *t, const struct split *m,  \
                       int component, T coef, T x, T y, T z)                                       \
    {                                                                                              \
        T r2 = beta_r2_##S(x, y, z), rm5, f;                                                       \
        pair_radial_##S(form, t, m, r2, &rm5, &f);                                                 \
        return pair_end_##S(coef * beta_form_##S(component, x, y, z), rm5, f, r2 <= t->rc2);       \
    }
PAIR_DEFINE(float, f32)
PAIR_DEFINE(double, f64)
