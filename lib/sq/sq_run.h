/* SPDX-License-Identifier: MIT */
/*
 * sq_run.h: a complete run of sq-*. Sums the density waves of every step per shell of |q|, in
 * blocks of steps, and writes a CORR segment with data.axis (series.h).
 *
 * With rho_A(q) of sq_engine.h, N_A atoms of species A, x_A = N_A/N, weights f_A(q) (1 by default),
 * <f> = sum x_A f_A and <f²> = sum x_A f_A²:
 *
 *     Ashcroft-Langreth  S    = |sum f_A rho_A|² / (N <f²>)
 *                        S_AB = Re rho_A rho_B* / sqrt(N_A N_B)
 *     Faber-Ziman        S    = 1 + (|sum f_A rho_A|² / N - <f²>) / <f>²
 *                        S_AB = 1 + (Re rho_A rho_B* / N - x_A [A = B]) / (x_A x_B).
 *
 * See (Ashcroft and Langreth, Phys. Rev. 156, 685, 1967; Faber and Ziman, Phil. Mag. 11, 153,
 * 1965.) Both are linear in the products of waves, vector by vector, so sums are stored. The reader
 * of the stream averages over vectors and steps. The vectors are chosen again when the cell changes
 * (waves.h).
 *
 * Blocks are those of stats/blocks.h with 64 sub-blocks per requested block (4 for large numbers).
 * Without a requested number there are at most 64 sub-blocks, each of which is a block.
 */
#ifndef MBF_SQ_RUN_H
#define MBF_SQ_RUN_H

#include "sq/sq_engine.h"
#include "stats/analysis.h"
#include "waves/waves_factors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options specific to sq-*. */
struct sq_choice {
    struct waves_choice waves;
    int faber_ziman; /* 1: Faber-Ziman; 0: Ashcroft-Langreth */
};

/* The choice is a struct sq_choice, whose factors the caller owns. Each requested pair is a
 * function in addition to S. */
extern const struct analysis sq_analysis;

#ifdef __cplusplus
}
#endif
#endif
