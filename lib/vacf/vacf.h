/* SPDX-License-Identifier: MIT */
/*
 * vacf.h: velocity autocorrelation functions.
 *
 *     vacf(k)         = < v(t) . v(t + k) >              over points and origins t, Å²/ps²
 *     mvv_3NkT_meV(k) = < sum_i m_i v_i(t) . v_i(t + k) >_t        weights of mass, meV
 *     wvv(k)          = < w v(t) . v(t + k) >            weights by name
 *
 * Lag 0 of vacf is 3 kT/m, that of mvv twice the kinetic energy, 3 N kT without constraints; the
 * integral of its spectrum (fft-spectrum) over both signs is the same: the density of states, kT a
 * degree of freedom. int vacf dt / 3 is D. Points are atoms or centres of mass of molecules; the drift
 * of the centre of mass of all atoms is taken off unless it is kept. CORR as msd.h has it; kinds have
 * a suffix _KIND, and axes _x, _y, _z.
 */
#ifndef MBF_VACF_H
#define MBF_VACF_H

#include "motion/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vacf_choice {
    struct motion_choice motion; /* tracks.weigh: of mass */
    struct weights weights;      /* by name; n 0: none */
    bool integral;               /* running integrals, too */
};
extern const struct analysis vacf_analysis;
const char *vacf_engine_name(void);

#ifdef __cplusplus
}
#endif
#endif
