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

#include "base/unit_names.h"
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

/* A time series: its META and the names in data.columns. */
struct flux_input {
    const struct meta *meta;
    char (*name)[48];
    size_t columns;
};

/*
 * Columns by their names, or by `list` ("a,b,..."; NULL: found by name): xx to zz behind whatever
 * all have in common, as in pxx_bar, Pres-XX, v_pxx, c_press[1]. Where the names in a list state the
 * components, those count and not their order. 0, or -1 with e: what was looked for; a name that
 * contradicts the property.
 */
int flux_find(struct flux *f, enum flux_property property, const char *list,
              const struct flux_input *in, struct err *e) __attribute__((warn_unused_result));
/* Components of a row of the input into to[comps * stride]. */
void flux_row(const struct flux *f, const double *row, double *to, size_t stride);

/* What the columns of a current or heat flux hold: that of the whole cell, per volume, per atom. */
enum flux_scale { FLUX_UNKNOWN, FLUX_TOTAL, FLUX_DENSITY, FLUX_PER_ATOM };
extern const char *const flux_scales[]; /* by enum, then NULL */

struct flux_unit {
    const char *in, *out; /* of the columns, of the coefficient */
    bool lj;              /* all reduced: k = 1, time in units of it */
    double factor;        /* of a column, in Pa, A m, W m, or of lj */
    double length;        /* of a flux per volume: the unit of length in it, Å */
    enum flux_scale scale;
    double natoms;     /* per atom: of how many */
    double kelvin, a3; /* units of the columns of temperature and volume; NaN: not known */
};
/* Units of the columns, from `unit` (NULL: not given), their names, data.units, data.unit or sys.units;
 * scale from `scale` and natoms (FLUX_UNKNOWN, NaN: not given), data.fluxes and sys.natoms, or a unit
 * that states it. 0, or -1 with e: not known, or contradictory. */
int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *unit,
                   enum flux_scale scale, double natoms, const struct flux_input *in, struct err *e)
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
