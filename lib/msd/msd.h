/* SPDX-License-Identifier: MIT */
/* msd.h: computes mean square displacements and non-Gaussian parameters of points.
 *
 *     The mean square displacement is msd(k) = < |u(t + k) - u(t)|² >, in Å². The non-Gaussian
 *     parameter is alpha2(k) = 3 < |u(t + k) - u(t)|^4 > / (5 msd²) - 1 (Rahman, Phys Rev 136
 *     (1964) A405).
 *
 * Positions u must not jump across the cell (unwrap). Points are atoms or centres of mass of
 * molecules. The drift of the centre of mass of all atoms is subtracted as described in tracks.h.
 *
 * The output is CORR [B, lags, 1, F] (series.h). The key data.functions lists the F functions,
 * first for all points, and then for each kind of points (suffix _KIND) if there are several kinds.
 * The function "msd", in Å², tends to 2 d D t in d dimensions. With the option --axes, the
 * functions "msd_x", "msd_y" and "msd_z" are added. For alpha2, the function 3/5 |du|^4 is added,
 * from which programs that read the stream compute alpha2 (key data.excess). A block consists of
 * consecutive time origins. Each sum is taken over the time origins of a block, and each term is a
 * mean over points. Counts are numbers of time origins. The blocks also give the covariances
 * between lags. The number of origins per block is at least a 64th of the number of lags. */
#pragma once

#include "motion/motion.h"

/* The argument `choice` of the member open is a struct motion_choice. */
extern const struct analysis msd_analysis;
