/* SPDX-License-Identifier: MIT */
/* msd.h: computes mean square displacements and non-Gaussian parameters of points. The mean square
 * displacement is msd(k) = < |u(t + k) - u(t)|² >, in Å². The non-Gaussian parameter is alpha2(k) =
 * 3 < |u(t + k) - u(t)|^4 > / (5 msd²) - 1 (Rahman, Phys Rev 136 (1964) A405).
 *
 * The positions u must not jump across the cell (unwrap). A point is an atom or the centre of mass
 * of a molecule. The drift of the centre of mass is subtracted as described in tracks.h.
 *
 * The output is an array CORR [B, lags, 1, F] (series.h). The key data.functions lists the F
 * functions: first the functions of all points and then, if there are several kinds of points, the
 * functions of each kind (suffix _KIND). The function "msd", in Å², tends to 2 d D t in d
 * dimensions. The option --axes adds the functions "msd_x", "msd_y" and "msd_z". For alpha2, the
 * output contains the function 3/5 |du|^4. Programs that read the stream compute alpha2 from 3/5
 * |du|^4 (key data.excess). A block consists of consecutive time origins. For each block, means
 * over the points are summed over the time origins, whose number is the count. The blocks also give
 * the covariances between different lags. A block has at least one time origin per 64 lags. */
#pragma once

#include "motion/motion.h"

/* The options of msd-cpu are a struct motion_choice. */
extern const struct analysis msd_analysis;
