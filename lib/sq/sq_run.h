/* SPDX-License-Identifier: MIT */
/* sq_run.h: runs sq-cpu or sq-gpu, which compute the static structure factor S(q) of a trajectory.
 * A run adds up the products of density waves in each shell of |q| and each block of steps, and
 * writes a CORR segment with the key data.axis (series.h).
 *
 * The density waves rho_A(q) are defined in waves_sum.h. Species A has N_A of the N atoms, the
 * fraction x_A = N_A/N, and the weight f_A(q), which is 1 by default. The means of f are <f> = sum
 * x_A f_A and <f²> = sum x_A f_A². The definition of Ashcroft and Langreth is
 *     S    = |sum f_A rho_A|² / (N <f²>) and
 *     S_AB = Re rho_A rho_B* / sqrt(N_A N_B).
 * The definition of Faber and Ziman is
 *     S    = 1 + (|sum f_A rho_A|² / N - <f²>) / <f>² and
 *     S_AB = 1 + (Re rho_A rho_B* / N - x_A [A = B]) / (x_A x_B).
 * For the definitions, see Ashcroft and Langreth, Phys Rev 156 (1967) 685, and Faber and Ziman,
 * Phil Mag 11 (1965) 153. Both definitions of S(q) are linear in the products of waves, so that a
 * run stores sums of products. The program that reads the stream computes averages over wave
 * vectors and steps. The wave vectors are chosen again when the cell changes (waves.h).
 *
 * The blocks of steps are defined in stats/blocks.h. Each requested block has 64 sub-blocks, or 4
 * to 64 if more than 16 blocks are requested. If the user requests no number of blocks, there are
 * at most STATS_BLOCKS_MAX sub-blocks, and each sub-block is a block. */
#pragma once

#include "stats/analysis.h"
#include "waves/waves_factors.h"

struct sq_choice {
    struct waves_choice waves;
    int faber_ziman; /* 0: Ashcroft and Langreth */
};

/* The options are a struct sq_choice, whose factors the caller owns. The output contains a function
 * S_AB for each pair of species that the user requests. */
extern const struct analysis sq_analysis;
