/* SPDX-License-Identifier: MIT */
/* flux.h: finds the columns of a time series that hold the fluxes of a transport coefficient, and
 * the units of the columns. The transport coefficient lambda is an average over the components J of
 * the flux:
 *     lambda = factor int_0^inf < J(0) J(t) > dt.
 *   - Property "viscosity" has the factor V/kT. The fluxes J are the five traceless components of
 *     the pressure tensor: xy, xz, yz, (xx-yy)/2 and (2zz-xx-yy)/(2 sqrt 3). In a fluid, the five
 *     components are equivalent. The mean of their five correlations is a tenth of the sum over all
 *     components of the symmetric traceless tensor (Daivis and Evans, J Chem Phys 100 (1994) 541).
 *     If the input has only the three off-diagonal components, only these components are used.
 *   - Property "bulk-viscosity" has the factor V/kT. The flux J is (xx+yy+zz)/3 minus its mean, or
 *     the pressure, at constant energy and volume.
 *   - Property "conductivity" has the factor 1/(V kT). The fluxes J are the x, y and z components
 *     of sum q v.
 *   - Property "thermal-conductivity" has the factor 1/(V kT²), for molecules of one kind. The
 *     fluxes J are the x, y and z components of the heat flux times V (LAMMPS heat/flux).
 *   - Property "none" has the factor 1. The fluxes J are the columns of the input. */
#pragma once

#include <stdbool.h>

#include "base/unit_names.h"
#include "stream/meta.h"

enum flux_property {
    FLUX_NONE,
    FLUX_VISCOSITY,
    FLUX_BULK_VISCOSITY,
    FLUX_CONDUCTIVITY,
    FLUX_THERMAL_CONDUCTIVITY
};
extern const char *const flux_properties[]; /* names in the order of the enum, then NULL */

#define FLUX_COLUMNS 64 /* largest number of columns of a property */
#define FLUX_COMPS 64   /* components of a flux */

struct flux {
    enum flux_property property;
    size_t ncols, at[FLUX_COLUMNS]; /* columns of the input */
    size_t comps;
    double weight[FLUX_COMPS][6]; /* [comps][columns] */
    bool plain;                   /* component c is column c */
    long temperature;             /* index of the temperature column, or -1 */
    size_t nvolume, volume[3];    /* indices of the columns V, or Lx, Ly and Lz */
};

/* Metadata (META) of a time series, and the column names in data.columns. */
struct flux_input {
    const struct meta *meta;
    char (*name)[48];
    size_t columns;
};

/* Finds the columns of a property by their names. Uses the columns that `list` names, such as
 * "a,b", unless it is NULL. A column name consists of a common prefix and a component, such as xx
 * or yz, as in pxx_bar, Pres-XX, v_pxx or c_press[1]. The order of the list does not matter if the
 * names contain the components. Returns 0, or -1 and sets *e if a column is missing or a name
 * contradicts the property. */
int flux_find(struct flux *f, enum flux_property property, const char *list,
              const struct flux_input *in, struct err *e) MUST_USE;
/* Writes the flux components of one row of the input to to[comps * stride]. */
void flux_row(const struct flux *f, const double *row, double *to, size_t stride);

/* Whether a flux is given for the whole cell, per volume or per atom. */
enum flux_scale { FLUX_UNKNOWN, FLUX_TOTAL, FLUX_DENSITY, FLUX_PER_ATOM };
extern const char *const flux_scales[]; /* names in the order of the enum, then NULL */

struct flux_unit {
    const char *in, *out; /* unit of the columns; unit of lambda, or NULL for property "none" */
    char square[UNIT_TEXT + 4]; /* for property "none", such as (bar)^2, or 1 if it is unknown */
    bool lj;                    /* reduced units, k = 1 */
    double factor;              /* converts the flux to Pa, A m, W m or LJ units */
    double length;              /* length unit in Å, if the flux is per volume */
    enum flux_scale scale;
    double natoms;     /* for a flux per atom */
    double kelvin, a3; /* units of temperature in K and of volume in Å³, or NaN */
};
/* Finds the units of the columns and the normalisation of the flux. If `unit` is NULL, the unit
 * comes from the column names or from the key data.units, data.unit or sys.units. If `scale` is
 * FLUX_UNKNOWN, the normalisation comes from the key data.fluxes or follows from the unit. If
 * `natoms` is NaN, the number of atoms comes from the key sys.natoms. Returns 0, or -1 and sets *e
 * if the unit or the normalisation is unknown or contradictory. */
int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *unit,
                   enum flux_scale scale, double natoms, const struct flux_input *in,
                   struct err *e) MUST_USE;
/* Returns the factor by which the time integral over ps is multiplied to give lambda in the unit
 * `out`. The temperature has the unit K, and the volume has the unit Å³. */
double flux_factor(const struct flux *f, const struct flux_unit *u, double temperature,
                   double volume);
