/* SPDX-License-Identifier: MIT */
/*
 * msd.h: mean square displacements and what is not Gaussian in them.
 *
 *     msd(k)    = < |u(t + k) - u(t)|² >                       over points and origins t, Å²
 *     alpha2(k) = 3 < |u(t + k) - u(t)|^4 > / (5 msd²) - 1     (A. Rahman, Phys. Rev. 136 (1964) A405)
 *
 * of positions u that do not jump across the cell (unwrap). Points are atoms, or centres of mass of
 * molecules; the drift of the centre of mass of all atoms is taken off unless it is kept.
 *
 * CORR [B, lags, 1, F] (series.h), F functions in data.functions: for all points, and then for each
 * kind where there are several (suffix _KIND), msd (Å²; 2 d D t in d dimensions); with apart msd_x,
 * msd_y, msd_z; with alpha2 the sum of 3/5 |du|^4, which data.excess makes alpha2 of when it is read.
 * Counts are origins; a sum is over origins, the mean over points taken. Blocks are of origins, at
 * least a 64th of the lags long, and follow each other in time: covariances between lags are those
 * of the blocks.
 */
#ifndef MBF_MSD_H
#define MBF_MSD_H

#include "motion/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Choice: a struct motion_choice. */
extern const struct analysis msd_analysis;
const char *msd_engine_name(void);

#ifdef __cplusplus
}
#endif
#endif
