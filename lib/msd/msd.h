/* SPDX-License-Identifier: MIT */
/* msd.h: computes mean square displacements and non-Gaussian parameters of points.
 *
 *     The mean square displacement is msd(k) = < |u(t + k) - u(t)|² >, in Å². The non-Gaussian
 *     parameter is alpha2(k) = 3 < |u(t + k) - u(t)|^4 > / (5 msd²) - 1 (Rahman, Phys Rev 136
 *     (1964) A405).
 *
 * Positions u must not jump across the cell (unwrap). A point is an atom or the centre of mass of a
 * molecule. The drift of the centre of mass of all atoms is subtracted as described in tracks.h.
 *
 * The output is CORR [B, lags, 1, F] (series.h). The key data.functions lists the F functions,
 * first for all points, and then for each kind of points (suffix _KIND) if there are several kinds.
 * The function "msd", in Å², tends to 2 d D t in d dimensions. The option --axes also gives the
 * functions "msd_x", "msd_y" and "msd_z". For alpha2, the output has the function 3/5 |du|^4, from
 * which programs that read the stream compute alpha2 (key data.excess). A block consists of
 * consecutive time origins. Each sum is taken over the time origins of a block, and each term is a
 * mean over points. The counts are numbers of time origins. The blocks also give the covariances
 * between lags. The number of origins per block is at least a 64th of the number of lags. */
#pragma once

#include "motion/motion.h"

/* The analysis, whose options are a struct motion_choice. */
extern const struct analysis msd_analysis;
