/* SPDX-License-Identifier: MIT */
/* cis.h: computes the phase factor exp(2 pi i s) of a fractional coordinate s, with identical bits
 * on CPU and GPU. The coordinate s is reduced exactly to the range [-1/8, 1/8]. The Taylor series
 * of sine and cosine in x = 2 pi s end at x^15 and x^16, with an error of 5e-17 at x = pi/4. The
 * real and the imaginary part of exp(2 pi i s) each have an error below 4e-16. A product of h
 * factors exp(2 pi i s) has an error below 1e-15 |h|. */
#pragma once

#include <stdbool.h>

#include "base/box.h"
#include "base/hd.h"
#include "base/units.h"

HD void cis_2pi(double s, double *re, double *im)
{
    double r = s - box_nint_f64(s), quarter = box_nint_f64(4.0 * r);
    double x = 2.0 * UNITS_PI * (r - 0.25 * quarter), y = x * x;
    double c =
        1.0 + y * (-1.0 / 2 +
                   y * (1.0 / 24 +
                        y * (-1.0 / 720 +
                             y * (1.0 / 40320 + y * (-1.0 / 3628800 +
                                                     y * (1.0 / 479001600 +
                                                          y * (-1.0 / 87178291200.0 +
                                                               y * (1.0 / 20922789888000.0))))))));
    double t =
        x * (1.0 + y * (-1.0 / 6 +
                        y * (1.0 / 120 +
                             y * (-1.0 / 5040 +
                                  y * (1.0 / 362880 + y * (-1.0 / 39916800 +
                                                           y * (1.0 / 6227020800.0 +
                                                                y * (-1.0 / 1307674368000.0))))))));
    bool odd = quarter == 1.0 || quarter == -1.0, half = quarter == 2.0 || quarter == -2.0;
    double u = odd ? t : c, v = odd ? c : t;
    *re = half || quarter == 1.0 ? -u : u;
    *im = half || quarter == -1.0 ? -v : v;
}
