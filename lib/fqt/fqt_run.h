/* SPDX-License-Identifier: MIT */
/* fqt_run.h: correlates the density waves and currents of a trajectory in blocks of time origins,
 * for fqt-cpu or fqt-gpu, and writes a CORR segment with two axes (series.h).
 *
 * The functions rho and j are defined in fqt_engine.h. Averages are taken over time origins and
 * over the wave vectors of a shell. Species A has N_A atoms and the weight f_A(q), which is 1 by
 * default. Let <f²> be sum N_A f_A² / N, and let R be sum f_A rho_A.
 * - F(q,t) = <Re conj(R(q,0)) R(q,t)> / (N <f²>).
 * - F_AB(q,t) = <Re conj(rho_A(q,0)) rho_B(q,t)> / sqrt(N_A N_B), as the mean of (A, B) and (B, A).
 * - C_L and C_T are defined like F and F_AB, for the current along q or perpendicular to q, in
 * (Å/ps)². C_T is the mean over the two directions perpendicular to q.
 * - F_s(q,t) = <sum_i f_i² Re exp(i q (r_i(t) - r_i(0)))> / (N <f²>). The ratio f²/<f²> is averaged
 * over the wave vectors of a shell. F_s_A contains only the atoms of species A.
 *
 * At t = 0, F is the Ashcroft-Langreth structure factor of sq-*, F_s is 1, and C_L and C_T of a
 * single species are kT/m (Hansen and McDonald, Theory of Simple Liquids, chapter 7). The cell must
 * be constant.
 *
 * Blocks of time origins consist of whole chunks (stats/blocks.h). */
#pragma once

#include "fqt/fqt_engine.h"
#include "stats/analysis.h"
#include "waves/waves_factors.h"

struct fqt_choice {
    struct waves_choice waves;
    bool line; /* only along `direction` */
    int32_t direction[3];
    uint64_t lags;         /* 0: `tmax` applies */
    double tmax;           /* ps; NaN: all lags */
    bool self, currents;   /* currents: needs v */
    uint64_t self_vectors; /* largest per shell */
};

/* The options of fqt-cpu and fqt-gpu are a struct fqt_choice, whose factors the caller owns. The
 * output has one function F_AB for each requested pair of species. */
extern const struct analysis fqt_analysis;
