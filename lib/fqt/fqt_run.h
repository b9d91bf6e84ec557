/* SPDX-License-Identifier: MIT */
/* fqt_run.h: a complete run of fqt-cpu or fqt-gpu. The run correlates the density waves and
 * currents in blocks of time origins, and writes a CORR segment with two axes (series.h).
 *
 * The functions rho and j are defined in fqt_engine.h. Averages are taken over time origins and
 * over the wave vectors of a shell. Species A has N_A atoms and the weight f_A(q), which is 1 by
 * default. Let <f²> be sum N_A f_A² / N, and let R be sum f_A rho_A. The functions are as follows.
 *   - F(q,t) = <Re conj(R(q,0)) R(q,t)> / (N <f²>).
 *   - F_AB(q,t) = <Re conj(rho_A(q,0)) rho_B(q,t)> / sqrt(N_A N_B), as the mean of (A, B) and
 *     (B, A).
 *   - C_L and C_T are defined like F and F_AB, for the current along q or perpendicular to q, in
 *     (Å/ps)².
 *   - F_s(q,t) = <sum_i f_i² Re exp(i q (r_i(t) - r_i(0)))> / (N <f²>).
 * In F_s, the ratio f²/<f²> is averaged over the wave vectors of a shell. The function F_s_A
 * contains only the atoms of species A. C_T is the mean over the two directions perpendicular to q.
 *
 * At t = 0, F is the Ashcroft-Langreth structure factor of sq-*, F_s is 1, and C_L and C_T of a
 * single species are kT/m (Hansen and McDonald, Theory of Simple Liquids, chapter 7). The cell is
 * constant.
 *
 * The blocks of time origins are defined in stats/blocks.h and consist of whole chunks. */
#pragma once

#include "fqt/fqt_engine.h"
#include "stats/analysis.h"
#include "waves/waves_factors.h"

/* Options that only fqt-cpu and fqt-gpu have. */
struct fqt_choice {
    struct waves_choice waves;
    bool line; /* whether all wave vectors are along `direction` */
    int32_t direction[3];
    uint64_t lags;         /* 0: `tmax` applies */
    double tmax;           /* largest time lag in ps, or NaN to compute all lags */
    bool self, currents;   /* currents: needs v */
    uint64_t self_vectors; /* largest number per shell */
};

/* The analysis of fqt-cpu and fqt-gpu, whose options are a struct fqt_choice. The caller owns the
 * factors in this struct. The output has one function F_AB for each requested pair of species. */
extern const struct analysis fqt_analysis;
