/* SPDX-License-Identifier: MIT */
/*
 * pair.h: beta of one pair of atoms, by any form: the one place that knows how each is computed.
 * Host and device.
 *
 *     beta = coef q(d) r^-5 f(r),  0 beyond an end,
 *
 * d the difference of two wrapped positions, taken to its nearest image, q the quadratic form of a
 * component (beta.h), f what the form multiplies it by. Who loops over pairs, be it rows of a table,
 * tiles or lists, on a CPU or a device, takes form and component as numbers that are known when it is
 * compiled, and goes through pair_beta, or, where several components share r, through its parts:
 * pair_radial and pair_end. The factor of a pair (factors.h) comes on top.
 *
 * The loops stay three on a CPU: partners side by side in rows, a batch of steps in two halves in
 * tiles, steps side by side in lists; positions lie so for each, and one layout for all would copy
 * them. SUM_IMAGES is not one image: many pairs at once, whose polynomial is then loaded once
 * (ewald_lanes.h), in rows and tiles; on a device by tables (pair_gpu_table.cu).
 */
#ifndef MBF_PAIR_H
#define MBF_PAIR_H

#include "pair/sum.h"

/* Forms of one image of which there are tables, tiles and kernels: X(form). */
#define PAIR_EACH_FORM(X) X(SUM_NEAREST) X(SUM_TAPERED)

/* What r² gives of a form: r^-5 and f. t: of the cell; with SUM_NEAR its slope is 2/reach of m. */
HD void pair_radial_f32(enum sum_form form, const struct beta_taper_f32 *t, const struct mesh *m,
                        float r2, float *rm5, float *f)
{
    if (form == SUM_TAPERED) {
        *f = beta_switch_f32(r2, t->slope, t->shift, rm5);
    } else if (form == SUM_NEAR) {
        *f = mesh_near_f32(m, r2, t->slope, rm5);
    } else {
        *rm5 = beta_rm5_f32(r2);
        *f = 1.0f;
    }
}

HD void pair_radial_f64(enum sum_form form, const struct beta_taper_f64 *t, const struct mesh *m,
                        double r2, double *rm5, double *f)
{
    *rm5 = beta_rm5_f64(r2);
    *f = form == SUM_TAPERED ? beta_switch_f64(r2, t->slope, t->shift)
         : form == SUM_NEAR  ? mesh_near_f64(m, r2, t->slope)
                             : 1.0;
}

/* beta from w = coef q and those two; in: r² <= t->rc2. */
#define PAIR_DEFINE(T, S)                                                                          \
    HD T pair_end_##S(T w, T rm5, T f, int in)                                                     \
    {                                                                                              \
        T v = (w * rm5) * f;                                                                       \
        return in ? v : 0;                                                                         \
    }                                                                                              \
    HD T pair_beta_##S(enum sum_form form, const struct beta_taper_##S *t, const struct mesh *m,   \
                       int component, T coef, T x, T y, T z)                                       \
    {                                                                                              \
        T r2 = beta_r2_##S(x, y, z), rm5, f;                                                       \
        pair_radial_##S(form, t, m, r2, &rm5, &f);                                                 \
        return pair_end_##S(coef * beta_form_##S(component, x, y, z), rm5, f, r2 <= t->rc2);       \
    }
PAIR_DEFINE(float, f32)
PAIR_DEFINE(double, f64)

#endif
