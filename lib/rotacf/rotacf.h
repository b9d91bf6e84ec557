/* SPDX-License-Identifier: MIT */
/* rotacf.h: computes correlation functions of the orientation of molecules, averaged over time
 * origins t. The function of one molecule, averaged over molecules, is C_l(k) = < P_l(u(t) . u(t +
 * k)) >, with P_1(x) = x and P_2(x) = (3 x² - 1)/2. The collective function of all N molecules is
 * M_l(k) = 1/N sum_ij < P_l(u_i(t) . u_j(t + k)) >. The unit vector u is the axis of a molecule
 * (axes.h). The functions of motion.h compute the sums. The output is a CORR segment of the form
 * described in msd.h. */
#pragma once

#include "motion/motion.h"

extern const struct analysis rotacf_analysis; /* The options are a struct motion_choice. */
