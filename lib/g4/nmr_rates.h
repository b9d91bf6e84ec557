/* SPDX-License-Identifier: MIT */
/*
 * nmr_rates.h: relaxation rates of nuclear spins by dipolar coupling to like spins, from the pair
 * function of the tensor.
 *
 * F = (3 cos² theta - 1)/r³ of a pair is 2/sqrt(3)/sigma³ times beta of component zz (beta.h, factor
 * 3), and the five components have one mean in an isotropic sample. So the field's function, a mean
 * over the N spins and a sum over the partners of each, is
 *     C(t) = (1/N) sum_{i != j} <F_ij F_ij'> = 8/(3 N sigma^6) G2(t)                     Å⁻⁶
 * with times (3/p)² where beta has the prefactor p, and
 *     J(nu) = 2 integral_0^inf C(t) cos(2 pi nu t) dt                                   Å⁻⁶ ps
 *     R1 = K/6 [J(nu) + 4 J(2 nu)],   R2 = K/6 [3/2 J(0) + 5/2 J(nu) + J(2 nu)]
 *     K  = 3/2 (mu_0/4 pi)² gamma⁴ hbar² I(I + 1)
 * (A. Abragam, The Principles of Nuclear Magnetism, 1961, VIII, eqs. 76 and 79, whose J(1) and
 * J(2) are 1/6 and 4/6 of J(0) = J in an isotropic sample; P. S. Hubbard, Rev. Mod. Phys. 33 (1961) 249). A pair at
 * one distance r that turns with tau has C = 4/5 r^-6 exp(-t/tau), hence R1 = (3/10) (mu_0/4 pi)²
 * gamma⁴ hbar²/r^6 [tau/(1 + w² tau²) + 4 tau/(1 + 4 w² tau²)] for I = 1/2.
 *
 * The integral is a trapezoid over the lags there are. Spins that diffuse past each other remember
 * as t^(-3/2) in the end, whatever they are (L. P. Hwang, J. H. Freed, J. Chem. Phys. 63 (1975)
 * 4017), which makes J(nu) = J(0) - c sqrt(nu): with a tail, a t^(-3/2) + b t^(-5/2) is fitted to the
 * later half of the lags, least squares of C t^(3/2), and integrated from the last lag on to
 * infinity by Fresnel's integrals. All is linear in C, so errors go through it with the correlations
 * between lags.
 */
#ifndef MBF_NMR_RATES_H
#define MBF_NMR_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"
#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, gamma in 1e6 rad/(s T), 2 I: R. K. Harris et al., Pure Appl. Chem. 73 (2001) 1795 */
#define NMR_NUCLEI(ROW)                                                                            \
    ROW("1H", 267.5221900, 1)                                                                      \
    ROW("2H", 41.0662791, 2)                                                                       \
    ROW("3He", -203.801587, 1)                                                                     \
    ROW("7Li", 103.977013, 3)                                                                      \
    ROW("13C", 67.2828400, 1)                                                                      \
    ROW("19F", 251.8148000, 1)                                                                     \
    ROW("23Na", 70.8084930, 3)                                                                     \
    ROW("31P", 108.3940000, 1)                                                                     \
    ROW("129Xe", -74.5210300, 1)
extern const char *const nmr_nuclei[]; /* ends with NULL */

struct nmr_params {
    int nucleus;  /* of nmr_nuclei */
    double spins; /* N; 0: of META (nmr_scale) */
    bool tail;
    double from, to; /* MHz, NaN: 1, and the last one within NMR_EXCESS */
    size_t decade;   /* frequencies in one */
};

#define NMR_EXCESS 0.05 /* of R1: what sampling may add to it, before the table ends */

/*
 * How much too large R1 is at nu MHz, as a part of it, of samples dt ps apart. The sum over the samples
 * folds J(nu + k/dt), for all k, onto J(nu). Where J falls as 1/nu², as that of any C with a cusp at 0
 * in the end, it comes out (x/sin x)² times too large, x = pi nu dt: less than that where J falls faster.
 * J(2 nu) = J(nu)/4 there, so that both weigh the same in R1. INFINITY from 1/(4 dt) on: J(2 nu) is beyond the
 * Nyquist frequency.
 */
double nmr_excess(double nu, double dt_ps);
/* K of a nucleus, times what makes 1/s of Å⁻⁶ ps. */
double nmr_factor(int nucleus);
/*
 * 8/(3 N sigma^6) (3/p)², of the META of a CORR segment of g4, N: the atoms of its one species, of
 * data.pairs "A-A" those of A; spins > 0: so many instead. -1 with e: no sigma; without spins, weights, several
 * species or pairs of unlike ones.
 */
int nmr_scale(const struct meta *m, double spins, double *scale, struct err *e) FRAME_MUST;
/*
 * Rates as FRAME_SPEC columns nu_MHz R1 R2 (and their _se): at 0 and at decade frequencies per decade. cf:
 * CORR of series_read with a function G2. fit [2]: the integral of a tail at nu = 0 over J(0),
 * wanted or not, and a t^(-3/2)'s share of it at the last lag; NaN: too few lags. coarse: J(0) of
 * every second lag over that of all, less 1: some three times what is wrong with J(0). 0, or -1 with e: no G2, too few lags for a tail, p->to at 1/(4 dt) or beyond.
 */
int nmr_rates(const struct series *cf, double dt_ps, double scale, const struct nmr_params *p,
              struct series *out, double fit[2], double *coarse, struct err *e) FRAME_MUST;
/* integral_1^inf u^(-3/2) cos(x u) du and that of u^(-5/2), x >= 0. */
void nmr_tail_integrals(double x, double v[2]);

#ifdef __cplusplus
}
#endif
#endif
