/* SPDX-License-Identifier: MIT */
/* dielectric.h: computes the dielectric function and the absorption coefficient of a periodic cell
 * from the fluctuations of its dipole moment M, for conducting boundary conditions.
 *
 * With C(t), the mean of <M_x(0) M_x(t)> over the axes x, y and z, and K = 1/(eps_0 V kT), the
 * dielectric function is
 *     eps(w) = eps_inf + K [C(0) + i w int_0^inf C(t) exp(i w t) dt].
 * With C_J(t) = <J_x(0) J_x(t)>, where J = dM/dt is the current, the dielectric function is
 *     eps(w) = eps_inf + i K/w int_0^inf C_J(t) exp(i w t) dt.
 * If C_J comes from differences of M between steps at intervals dt, C_J is first multiplied by
 * (y/sin y)², with y = w dt/2. The limit w = 0 is eps(0) = eps_inf + K <M_x²>. The method is
 * described by Neumann, Mol Phys 50 (1983) 841, and by Neumann and Steinhauser, Chem Phys Lett 102
 * (1983) 508. The absorption coefficient at the wavenumber nu is alpha = 4 pi nu Im sqrt(eps).
 *
 * Integrals are trapezoidal sums plus i dt C(0) (1/y - cot y)/2, which corrects for the limit t =
 * 0. For differences of M, the correction is omitted, and C and C_J then give the same result. The
 * errors of alpha are linear functions of the errors of eps. */
#pragma once

#include "stats/spectrum.h"

struct dielectric_params {
    double temperature, volume, infinity; /* K, Å³, eps_inf */
    double e2;                            /* unit of M² in (e Å)² */
    bool current, difference;             /* input is C_J; C_J comes from differences of M */
    int window;                           /* enum spectrum_window, but not SPECTRUM_GAUSS */
};

/* Sets *volume to the volume in Å³ of the cell in META m, unless *volume is already a number.
 * Returns 0, or -1 and sets *e if the volume is unknown. */
int dielectric_volume(const struct meta *m, double *volume, struct err *e) FRAME_MUST;
/* Checks the unit of cf, and sets `e2`, `current`, `difference` and `volume` in p. If `light` is
 * set, the unit of cf must be the unit of a polarizability. Without `light`, if cf is a mean over
 * components, the components must belong to one vector. Returns 0, or -1 and sets *e. */
int dielectric_inspect(const struct meta *m, const struct series *cf, bool light,
                       struct dielectric_params *p, struct err *e) FRAME_MUST;
/* Computes the columns nu_cm-1, eps1, eps2 and alpha_cm-1 of a FRAME_SPEC array, and their standard
 * errors. The columns are averages over all functions in cf, which series_read returns and which
 * must belong to one vector. With C_J, there is no row at nu = 0. If *unsure is not 0
 * (spectrum_inspect), no standard errors are computed. Returns 0, or -1 and sets *e. */
int dielectric_compute(const struct series *cf, double dt_ps, const struct dielectric_params *p,
                       struct series *out, size_t *unsure, struct err *e) FRAME_MUST;
