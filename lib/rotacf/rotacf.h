/* SPDX-License-Identifier: MIT */
/*
 * rotacf.h: reorientation of molecules, averaged over molecules and time origins t.
 *
 *     C_l(k) = < P_l(u(t) . u(t + k)) >, with P_1(x) = x and P_2(x) = (3 x² - 1)/2.
 *
 * The unit vector u is the axis of a molecule: a bond A-B, or the normal of the plane A-B-C. For
 * the bonds, the minimum image is used. The sums are computed as described in motion.h. The output
 * is a CORR segment as in msd.h.
 */
#pragma once

#include "motion/motion.h"

extern const struct analysis rotacf_analysis; /* its choice is a struct motion_choice */
