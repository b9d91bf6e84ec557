/* SPDX-License-Identifier: MIT */
/* dielectric.h: computes the dielectric function and the absorption coefficient of a periodic cell
 * with conducting boundary conditions from the fluctuations of its dipole moment M.
 *
 * Let C be the mean of <M_x(0) M_x(t)> over the axes x, y and z, and let K be 1/(eps_0 V kT). The
 * dielectric function is then
 *     eps(w) = eps_inf + K [C(0) + i w int_0^inf C(t) exp(i w t) dt].
 * With C_J = <J_x(0) J_x(t)> for the current J = dM/dt, the dielectric function is
 *     eps(w) = eps_inf + i K/w int_0^inf C_J(t) exp(i w t) dt.
 * If C_J comes from differences of M between steps at intervals dt, C_J is first multiplied by
 * (y/sin y)², with y = w dt/2. At w = 0, the equation for C is eps(0) = eps_inf + K <M_x²>.
 * Sources: M. Neumann, Mol. Phys. 50 (1983) 841; M. Neumann and O. Steinhauser, Chem. Phys. Lett.
 * 102 (1983) 508. The absorption coefficient at the wavenumber nu is alpha = 4 pi nu Im sqrt(eps).
 *
 * Integrals are trapezoidal sums plus i dt C(0) (1/y - cot y)/2, which corrects for the limit t =
 * 0. For differences of M, the correction is omitted, and the result then agrees with the result
 * from M. The errors of alpha are computed as linear functions of the errors of eps. */
#pragma once

#include "stats/spectrum.h"

struct dielectric_params {
    double temperature, volume, infinity; /* in K, in Å³, and eps_inf */
    double e2;                            /* the unit of M² in (e Å)² */
    bool current, difference;             /* whether the input is C_J instead of C, and whether C_J
                                           * comes from differences of M */
    int window;                           /* window, an enum spectrum_window other than
                                           * SPECTRUM_GAUSS */
};

/* If *volume is NaN, sets it to the volume in Å³ of the cell that the META m states. Returns 0 on
 * success, or -1 with an error message in e if the volume is unknown. */
int dielectric_volume(const struct meta *m, double *volume, struct err *e) FRAME_MUST;
/* Checks the unit of cf, and sets the members `e2`, `current`, `difference` and `volume`. If the
 * flag `light` is set, the unit of cf must be the unit of a polarizability. If `light` is not set
 * and cf is a mean over components, the components must belong to one vector. Returns 0 on success,
 * or -1 with an error message in e. */
int dielectric_inspect(const struct meta *m, const struct series *cf, bool light,
                       struct dielectric_params *p, struct err *e) FRAME_MUST;
/* Computes the columns nu_cm-1, eps1, eps2 and alpha_cm-1 of a FRAME_SPEC array, and their standard
 * errors. The input cf holds the FRAME_CORR columns that series_read returns. The columns are
 * averaged over all functions, which must belong to one vector. With C_J, there is no row at nu =
 * 0. If *unsure is not 0 (spectrum_inspect), no standard errors are computed. Returns 0 on success,
 *    or
 * -1 with an error message in e. */
int dielectric_compute(const struct series *cf, double dt_ps, const struct dielectric_params *p,
                       struct series *out, size_t *unsure, struct err *e) FRAME_MUST;
