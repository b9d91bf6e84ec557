/* SPDX-License-Identifier: MIT */
/*
 * sq_run.h: a whole run of sq-*: density waves of every step to sums a shell of |q|, in blocks of
 * steps, and the CORR segment with data.axis that holds them (series.h).
 *
 * With rho_A(q) of sq_engine.h, N_A atoms of species A, x_A = N_A/N, weights f_A(q) (1 where none
 * are given), <f> = sum x_A f_A, <f²> = sum x_A f_A²:
 *
 *     Ashcroft-Langreth  S    = |sum f_A rho_A|² / (N <f²>)
 *                        S_AB = Re rho_A rho_B* / sqrt(N_A N_B)
 *     Faber-Ziman        S    = 1 + (|sum f_A rho_A|² / N - <f²>) / <f>²
 *                        S_AB = 1 + (Re rho_A rho_B* / N - x_A [A = B]) / (x_A x_B)
 *
 * (Ashcroft and Langreth, Phys. Rev. 156, 685, 1967; Faber and Ziman, Phil. Mag. 11, 153, 1965.)
 * Both are linear in the products of waves, vector by vector, so they are summed; the average over
 * vectors and steps is taken when somebody reads the stream. The vectors are chosen anew where the
 * cell changes (waves.h).
 *
 * Blocks are those of stats/blocks.h with 64 sub-blocks a wanted block (4 where they are many);
 * without a wanted number at most 64 sub-blocks, and each is a block.
 */
#ifndef MBF_SQ_RUN_H
#define MBF_SQ_RUN_H

#include "sq/sq_engine.h"
#include "stats/analysis.h"
#include "waves/waves_factors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What sq-* alone can choose. */
struct sq_choice {
    struct waves_choice waves;
    int faber_ziman; /* 1: that convention; 0: Ashcroft-Langreth */
};

/* choice: a struct sq_choice, whose factors stay the caller's. Of wanted pairs each is a function
 * beside S. */
extern const struct analysis sq_analysis;

#ifdef __cplusplus
}
#endif
#endif
