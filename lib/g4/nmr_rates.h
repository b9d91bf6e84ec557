/* SPDX-License-Identifier: MIT */
/*
 * nmr_rates.h: relaxation rates of nuclear spins by dipolar coupling to like spins, from the pair
 * function G2.
 *
 * F = (3 cos² theta - 1)/r³ of a pair is 2/sqrt(3)/sigma³ times beta of component zz (beta.h,
 * factor 3), and the five components have the same mean in an isotropic sample. The correlation
 * function of the field, averaged over the N spins and summed over the partners of each spin, is
 * therefore
 *     C(t) = (1/N) sum_{i != j} <F_ij F_ij'> = 8/(3 N sigma^6) G2(t)                     Å⁻⁶
 * multiplied by (3/p)² if beta has the prefactor p, and
 *     J(nu) = 2 integral_0^inf C(t) cos(2 pi nu t) dt                                   Å⁻⁶ ps
 *     R1 = K/6 [J(nu) + 4 J(2 nu)],   R2 = K/6 [3/2 J(0) + 5/2 J(nu) + J(2 nu)]
 *     K  = 3/2 (mu_0/4 pi)² gamma⁴ hbar² I(I + 1)
 * Sources: A. Abragam, The Principles of Nuclear Magnetism, 1961, VIII, eqs. 76 and 79, whose J(1)
 * and J(2) are 1/6 and 4/6 of J(0) = J in an isotropic sample; P. S. Hubbard, Rev. Mod. Phys. 33
 * (1961) 249. A pair at fixed distance r that rotates with correlation time tau has C = 4/5 r^-6
 * exp(-t/tau), hence R1 = (3/10) (mu_0/4 pi)² gamma⁴ hbar²/r^6 [tau/(1 + w² tau²) + 4 tau/(1 + 4 w²
 * tau²)] for I = 1/2.
 *
 * The integral over the available lags uses the trapezoidal rule. For spins that diffuse past each
 * other, C decays as t^(-3/2) at long times (L. P. Hwang, J. H. Freed, J. Chem. Phys. 63 (1975)
 * 4017), which makes J(nu) = J(0) - c sqrt(nu). With a tail, a t^(-3/2) + b t^(-5/2) is fitted to
 * the later half of the lags by least squares in C t^(3/2), and integrated from the last lag to
 * infinity with Fresnel integrals. All steps are linear in C, so the errors include the
 * correlations between lags.
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
    int nucleus;  /* index into nmr_nuclei */
    double spins; /* N; 0: taken from META (nmr_scale) */
    bool tail;
    double from, to; /* range in MHz; NaN: from 1, up to the last frequency within NMR_EXCESS */
    size_t decade;   /* number of frequencies per decade */
};

#define NMR_EXCESS 0.05 /* largest relative excess of R1 due to sampling; the table ends there */

/* Returns the relative excess of R1 at nu MHz due to samples dt ps apart. The sum over samples
 * folds J(nu + k/dt), for all k, onto J(nu). If J falls as 1/nu², as it finally does for any C with
 * a cusp at t = 0, the result is too large by the factor (x/sin x)² with x = pi nu dt, and by less
 * if J falls faster. In this regime J(2 nu) = J(nu)/4, so both terms of R1 have the same weight.
 * Returns INFINITY from 1/(4 dt) on, because J(2 nu) is beyond the Nyquist frequency. */
double nmr_excess(double nu, double dt_ps);
/* Returns the constant K of a nucleus, including the factor that converts Å⁻⁶ ps to 1/s. */
double nmr_factor(int nucleus);
/* Sets *scale to 8/(3 N sigma^6) (3/p)² from the META of a CORR segment of g4. N is spins if > 0,
 * otherwise the number of atoms of the only species, or of species A if data.pairs is "A-A".
 * Returns 0, or -1 and sets e: sigma is missing, or spins is 0 and META has weights, several
 * species or pairs of unlike species. */
int nmr_scale(const struct meta *m, double spins, double *scale, struct err *e) FRAME_MUST;
/* Computes the rates as FRAME_SPEC columns nu_MHz R1 R2 (and their _se) at 0 and at decade
 * frequencies per decade. cf is a CORR of series_read with a function G2. fit[0] is the integral of
 * the tail at nu = 0 over J(0), whether or not a tail is used; fit[1] is the fraction of the tail
 * that t^(-3/2) contributes at the last lag; both are NaN with too few lags. coarse is J(0) of
 * every second lag over J(0) of all lags, minus 1, about three times the relative error of J(0).
 * Returns 0, or -1 and sets e: no G2, too few lags for a tail, or p->to at 1/(4 dt) or beyond. */
int nmr_rates(const struct series *cf, double dt_ps, double scale, const struct nmr_params *p,
              struct series *out, double fit[2], double *coarse, struct err *e) FRAME_MUST;
/* v[0] = integral_1^inf u^(-3/2) cos(x u) du, and v[1] the same with u^(-5/2), for x >= 0. */
void nmr_tail_integrals(double x, double v[2]);

#ifdef __cplusplus
}
#endif
#endif
