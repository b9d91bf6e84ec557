/* SPDX-License-Identifier: MIT */
/* vacf.h: computes velocity autocorrelation functions, averaged over points and time origins t.
 *
 *     Without weights:  vacf(k) = < v(t) . v(t + k) >, in Å²/ps².
 *     Mass-weighted:    mvv_3NkT_meV(k) = < sum_i m_i v_i(t) . v_i(t + k) >_t, in meV.
 *     Given weights w:  wvv(k) = < w v(t) . v(t + k) >.
 *
 * At lag 0, vacf is 3 kT/m. At lag 0, mvv is twice the kinetic energy. Without constraints, this is
 * 3 N kT. The integral of the spectrum of mvv (fft-spectrum) over both signs of the frequency has
 * the same value. The spectrum of mvv is thus the density of states, with kT per degree of freedom.
 * The integral of vacf over time, divided by 3, is D. A point is an atom or the centre of mass of a
 * molecule. The drift of the centre of mass of all atoms is subtracted as described in tracks.h.
 * The output is a CORR segment as in msd.h, with the suffix _KIND for kinds of points and _x, _y,
 * _z for axes. */
#pragma once

#include "motion/motion.h"

struct vacf_choice {
    struct motion_choice motion; /* tracks.weigh is set for mass weighting */
    struct weights weights;      /* weights by species name, or n = 0 if no weights are given */
    bool integral;               /* whether to compute running integrals */
};
extern const struct analysis vacf_analysis;
