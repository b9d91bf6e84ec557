/* SPDX-License-Identifier: MIT */
/*
 * msd.h: mean square displacements and their non-Gaussian parameter.
 *
 *     msd(k)    = < |u(t + k) - u(t)|² >                       over points and origins t, Å²
 *     alpha2(k) = 3 < |u(t + k) - u(t)|^4 > / (5 msd²) - 1     (A. Rahman, Phys. Rev. 136 (1964) A405)
 *
 * Positions u must not jump across the cell (unwrap). Points are atoms or centres of mass of
 * molecules. The drift of the centre of mass of all atoms is subtracted unless it is kept.
 *
 * The output is CORR [B, lags, 1, F] (series.h) with the F functions of data.functions: for all
 * points, then for each kind if there are several (suffix _KIND). The functions are msd (Å²; 2 d D
 * t in d dimensions); with apart also msd_x, msd_y and msd_z; with alpha2 also the sum of 3/5
 * |du|^4, from which readers compute alpha2 (data.excess). Counts are numbers of origins; a sum is
 * over origins, after averaging over points. Blocks are consecutive blocks of origins, at least a
 * 64th of the lags long, so covariances between lags come from the blocks.
 */
#ifndef MBF_MSD_H
#define MBF_MSD_H

#include "motion/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The choice is a struct motion_choice. */
extern const struct analysis msd_analysis;
const char *msd_engine_name(void);

#ifdef __cplusplus
}
#endif
#endif
