/* SPDX-License-Identifier: MIT */
/*
 * fqt_run.h: a complete run of fqt-*. Correlates the waves and currents of all steps in blocks of
 * time origins, and writes a CORR segment with two axes (series.h).
 *
 * With rho, j and e_i of fqt_engine.h, averages over origins and the vectors of a shell, N_A atoms
 * of species A, weights f_A(q) (1 by default) and <f²> = sum N_A f_A² / N:
 *     F(q,t)    = <Re conj(R(q,0)) R(q,t)> / (N <f²>),  R = sum f_A rho_A
 *     F_AB(q,t) = <Re conj(rho_A(q,0)) rho_B(q,t)> / sqrt(N_A N_B), (A, B) and (B, A) averaged
 *     C_L, C_T  = the same for the part of the current along q, and for one across it, (Å/ps)²
 *     F_s(q,t)  = <sum_i f_i² Re exp(i q (r_i(t) - r_i(0)))> / (N <f²>), the part of F with i = j;
 *                 f²/<f²> is the mean over the vectors of the row; F_s_A covers the atoms of A.
 * F(q,0) is S of sq-* (Ashcroft-Langreth), F_s(q,0) is 1, and C(q,0) of one species is kT/m (Hansen
 * and McDonald, Theory of Simple Liquids, chapter 7). The cell must not change.
 *
 * Blocks are those of stats/blocks.h and consist of whole chunks of origins.
 */
#ifndef MBF_FQT_RUN_H
#define MBF_FQT_RUN_H

#include "fqt/fqt_engine.h"
#include "stats/analysis.h"
#include "waves/waves_factors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options specific to fqt-*. */
struct fqt_choice {
    struct waves_choice waves;
    bool line; /* use the multiples of `direction` instead of shells */
    int32_t direction[3];
    uint64_t lags;         /* 0: by tmax */
    double tmax;           /* ps; NaN: all lags */
    bool self, currents;   /* currents: the analysis also needs velocities */
    uint64_t self_vectors; /* largest number for each shell */
};

/* The choice is a struct fqt_choice, whose factors the caller owns. Each requested pair is a
 * function in addition to F. */
extern const struct analysis fqt_analysis;

#ifdef __cplusplus
}
#endif
#endif
