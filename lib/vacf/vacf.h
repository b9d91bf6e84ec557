/* SPDX-License-Identifier: MIT */
/* vacf.h: computes velocity autocorrelation functions, averaged over time origins t and over
 * points, which are atoms or the centres of mass of molecules.
 *
 *   - Without weights, the function is vacf(k) = < v(t) . v(t + k) >, in Å²/ps².
 *   - With mass weighting, the function is mvv_3NkT_meV(k) = < sum_i m_i v_i(t) . v_i(t + k) >_t,
 *     in meV.
 *   - With given weights w, the function is wvv(k) = < w v(t) . v(t + k) >.
 *
 * At lag 0, vacf is 3 kT/m, and mvv is twice the kinetic energy, which is 3 N kT without
 * constraints. The integral of the spectrum of mvv (fft-spectrum) over both signs of the frequency
 * is also twice the kinetic energy. The spectrum of mvv is thus the density of states, with kT per
 * degree of freedom. The diffusion coefficient D is a third of the integral of vacf over time. The
 * drift of the centre of mass of all atoms is subtracted as described in tracks.h. The output is a
 * CORR segment as in msd.h, with the suffix _KIND for kinds of points and _x, _y, _z for axes. */
#pragma once

#include "motion/motion.h"

struct vacf_choice {
    struct motion_choice motion; /* The member tracks.weigh selects mass weighting. */
    struct weights weights;      /* n = 0: not given */
    bool integral;               /* also running integrals */
};
extern const struct analysis vacf_analysis;
