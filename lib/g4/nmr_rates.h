/* SPDX-License-Identifier: MIT */
/* nmr_rates.h: computes dipolar relaxation rates of like nuclear spins from the pair function G2,
 * or quadrupolar rates from the reorientation function C_2.
 *
 * For a pair, F = (3 cos² theta - 1)/r³ is 2/sqrt(3)/sigma³ times the component zz of beta with
 * prefactor 3 (beta.h). In an isotropic sample, the five components have the same correlation
 * function. The correlation function of the field, averaged over the N spins and summed over the
 * partners of each spin, is therefore
 *     C(t) = (1/N) sum_{i != j} <F_ij F_ij'> = 8/(3 N sigma^6) G2(t), in Å⁻⁶.
 * If beta has the prefactor p instead of 3, C is multiplied by (3/p)². The spectral density is
 *     J(nu) = 2 integral_0^inf C(t) cos(2 pi nu t) dt, in Å⁻⁶ ps.
 * With K = 3/2 (mu_0/4 pi)² gamma⁴ hbar² I(I + 1), the rates are
 *     R1 = K/6 [J(nu) + 4 J(2 nu)] and
 *     R2 = K/6 [3/2 J(0) + 5/2 J(nu) + J(2 nu)].
 * For the rates, see Abragam, The Principles of Nuclear Magnetism, 1961, chapter VIII, equations 76
 * and 79, and Hubbard, Rev Mod Phys 33 (1961) 249. J is Abragam's function J(0), and his functions
 * J(1) and J(2) are 1/6 and 4/6 of J(0) in an isotropic sample. A pair at fixed distance r that
 * rotates with correlation time tau has C = 4/5 r^-6 exp(-t/tau). For I = 1/2 and w = 2 pi nu, the
 * rate of a rotating pair is
 *     R1 = (3/10) (mu_0/4 pi)² gamma⁴ hbar²/r^6 [tau/(1 + w² tau²) + 4 tau/(1 + 4 w² tau²)].
 *
 * Quadrupolar rates apply to a nucleus with spin I, coupling constant chi = e²qQ/h and asymmetry
 * eta. The field gradient at the nucleus rotates with the axis of C_2. The equations for R1 and R2
 * hold with
 *     J(nu) = 2 int C_2 cos(2 pi nu t) dt and
 *     K = 9 pi²/50 (2 I + 3)/(I² (2 I - 1)) (1 + eta²/3) chi².
 * At low frequencies, the quadrupolar rates are R1 = R2 = 3 pi²/10 (2 I + 3)/(I² (2 I - 1)) (1 +
 * eta²/3) chi² tau_2 (Abragam, chapter VIII, equation 137). Except at low frequencies, the
 * quadrupolar rates hold only for I = 1.
 *
 * The integral over the available lags is computed by the trapezoidal rule. For spins that diffuse
 * past each other, C decays as t^(-3/2) at long times (Hwang and Freed, J Chem Phys 63 (1975)
 * 4017), and therefore J(nu) = J(0) - c sqrt(nu) at low frequencies. With the option --tail, the
 * function a t^(-3/2) + b t^(-5/2) is fitted to the later half of the lags by least squares in C
 * t^(3/2). The fit is integrated from the last lag to infinity with Fresnel integrals. The fit and
 * the integrals are linear in C, so the standard errors include the correlations between lags. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/series.h"
#include "stream/meta.h"

/* Each row contains the name of a nucleus, gamma in 1e6 rad/(s T), and 2 I (Harris et al, Pure Appl
 * Chem 73 (2001) 1795). */
#define NMR_NUCLEI(ROW)                                                                            \
    ROW("1H", 267.5221900, 1)                                                                      \
    ROW("2H", 41.0662791, 2)                                                                       \
    ROW("3He", -203.801587, 1)                                                                     \
    ROW("7Li", 103.977013, 3)                                                                      \
    ROW("13C", 67.2828400, 1)                                                                      \
    ROW("14N", 19.3377920, 2)                                                                      \
    ROW("17O", -36.2808000, 5)                                                                     \
    ROW("19F", 251.8148000, 1)                                                                     \
    ROW("23Na", 70.8084930, 3)                                                                     \
    ROW("31P", 108.3940000, 1)                                                                     \
    ROW("129Xe", -74.5210300, 1)
extern const char *const nmr_nuclei[]; /* ends with NULL */

struct nmr_params {
    int nucleus;  /* in nmr_nuclei */
    double spins; /* N, or 0 to use META */
    bool tail;
    double coupling, asymmetry; /* e²qQ/h in kHz (NaN: dipolar rates), eta */
    /* Frequencies range from `from` (1 MHz if NaN) to `to` in MHz. If `to` is NaN, the largest
     * frequency is the last at which nmr_excess is at most NMR_EXCESS. */
    double from, to;
    size_t decade; /* frequencies per decade */
};

#define NMR_EXCESS 0.05 /* limit of nmr_excess */

/* Returns the function from which the rates p follow, "G2" or "C_2". */
const char *nmr_function(const struct nmr_params *p);
/* Returns the relative error of R1 at the frequency nu (in MHz) if C is sampled at intervals of
 * dt_ps (in ps). R1 is too large, because J(nu) of the sampled C includes J(nu + k/dt) for all
 * integers k. If C has a cusp at t = 0, J falls as 1/nu² at high frequencies, and the sampled J is
 * too large by the factor (x/sin x)² with x = pi nu dt. If J falls faster than 1/nu², the sampled J
 * is closer to J. Where J falls as 1/nu², J(2 nu) = J(nu)/4, so that both terms of R1 have the same
 * weight. Returns INFINITY for nu >= 1/(4 dt), because 2 nu is then beyond the Nyquist
 * frequency. */
double nmr_excess(double nu, double dt_ps);
/* Sets *scale to 8/(3 N sigma^6) (3/p)², with sigma and p from the META of a CORR segment of g4.
 * The number of spins N is `spins`. If `spins` is 0, N is the number of atoms of the only species,
 * or of species A if data.pairs is "A-A". If sigma is missing, or if `spins` is 0 and META has
 * weights, several species or pairs of unlike species, returns -1 with an error message in e.
 * Otherwise, returns 0. */
int nmr_scale(const struct meta *m, double spins, double *scale, struct err *e) FRAME_MUST;
/* Computes the rates at frequency 0 and at p->decade frequencies per decade, as the FRAME_SPEC
 * columns nu_MHz, R1 and R2 and their standard errors. The input cf is a CORR segment that contains
 * a function G2. For quadrupolar rates, cf contains a function C_2, and `scale` is not used. The
 * integral of the tail divided by J(0) is stored in fit[0], whether or not the tail is used. The
 * fraction of the tail from the term t^(-3/2) at the last lag is stored in fit[1]. The numbers
 * fit[] are NaN for C_2, or if there are too few lags. The relative change of J(0) if only every
 * second lag is used is stored in *coarse, which is about three times the relative error of J(0).
 * If cf does not contain the function, has too few lags for a tail, or if p->to is at least 1/(4
 * dt), returns -1 with an error message in e. Otherwise, returns 0. */
int nmr_rates(const struct series *cf, double dt_ps, double scale, const struct nmr_params *p,
              struct series *out, double fit[2], double *coarse, struct err *e) FRAME_MUST;
