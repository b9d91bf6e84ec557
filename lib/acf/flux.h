/* SPDX-License-Identifier: MIT */
/*
 * flux.h: which columns of a time series make the fluxes of a transport coefficient, and in which
 * units. A coefficient is
 *
 *     lambda = factor int_0^inf < J(0) J(t) > dt,  the mean over its components J.
 *
 *     viscosity             V/kT, J: the five traceless components of the pressure tensor: xy, xz,
 *                           yz, (xx-yy)/2, (2zz-xx-yy)/(2 sqrt 3), which are alike in a fluid: the
 *                           sum over all components of the symmetric traceless tensor, by 10
 *                           (P. J. Daivis, D. J. Evans, J. Chem. Phys. 100 (1994) 541);
 *                           the three off the diagonal where the input has no others
 *     bulk-viscosity        V/kT, J = (xx+yy+zz)/3 less its mean, or the pressure; at constant
 *                           energy and volume
 *     conductivity          1/(V kT), J: x, y, z of sum q v
 *     thermal-conductivity  1/(V kT²), J: x, y, z of the heat flux times V (LAMMPS' heat/flux); of
 *                           one kind of molecules, or else of what flows beside a flow of kinds
 *     none                  1, J: the columns
 */
#ifndef MBF_FLUX_H
#define MBF_FLUX_H

#include <stdbool.h>

#include "stream/meta.h"

#ifdef __cplusplus
extern "C" {
#endif

enum flux_property {
    FLUX_NONE,
    FLUX_VISCOSITY,
    FLUX_BULK_VISCOSITY,
    FLUX_CONDUCTIVITY,
    FLUX_THERMAL_CONDUCTIVITY
};
extern const char *const flux_properties[]; /* by enum, then NULL */

#define FLUX_COLUMNS 64 /* read at most */
#define FLUX_COMPS 64   /* components at most */

struct flux {
    enum flux_property property;
    size_t ncols, at[FLUX_COLUMNS]; /* columns of the input */
    size_t comps;
    double weight[FLUX_COMPS][6]; /* of the columns; none: component c is column c */
    bool plain;
    long temperature, volume; /* columns that hold them; -1: none */
};

/*
 * Columns by their names, or by `list` ("a,b,..."; NULL: found by name): xx to zz behind whatever
 * all have in common, as in pxx_bar, Pres-XX, v_pxx. 0, or -1 with e, which says what was looked
 * for.
 */
int flux_find(struct flux *f, enum flux_property property, const char *list, char (*const name)[48],
              size_t columns, struct err *e) __attribute__((warn_unused_result));
/* Components of a row of the input into to[comps * stride]. */
void flux_row(const struct flux *f, const double *row, double *to, size_t stride);

struct flux_unit {
    const char *in, *out; /* of the columns, of the coefficient */
    bool lj;              /* all reduced: k = 1, time in units of it */
};
/* Unit of the columns, from `said` (NULL: none was), the names of the columns, data.unit or
 * sys.units of m.
 * 0, or -1 with e. */
int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *said,
                   const struct meta *m, char (*const name)[48], struct err *e)
    __attribute__((warn_unused_result));
/* lambda in units of `out` over the integral, times in ps. T in K, V in Å³. */
double flux_factor(const struct flux *f, const struct flux_unit *u, double temperature,
                   double volume);
/* All units for a property, a list for messages. */
const char *flux_units(enum flux_property p, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
