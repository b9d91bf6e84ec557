/* SPDX-License-Identifier: MIT */
/* beta_plain.h: beta of one pair by the plain formulas, to compare with the functions of pair.h. */
#pragma once

#include "pair/beta.h"

/* Returns beta of one component, for the minimum-image difference (x, y, z) in Å and the squared
 * cutoff rc2. If rc2 is HUGE_VAL, there is no cutoff. */
static inline float beta_f32(int component, float coef, float x, float y, float z, float rc2)
{
    float r2 = beta_r2_f32(x, y, z);
    float v = (coef * beta_form_f32(component, x, y, z)) * beta_rm5_f32(r2);
    return r2 <= rc2 ? v : 0.0f;
}

static inline double beta_f64(int component, double coef, double x, double y, double z, double rc2)
{
    double r2 = beta_r2_f64(x, y, z);
    double v = (coef * beta_form_f64(component, x, y, z)) * beta_rm5_f64(r2);
    return r2 <= rc2 ? v : 0.0;
}
