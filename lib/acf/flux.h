/* SPDX-License-Identifier: MIT */
/*
 * flux.h: find the columns of a time series that are the fluxes of a transport coefficient, and
 * their units. A coefficient is
 *
 *     lambda = factor int_0^inf < J(0) J(t) > dt,  averaged over the components J.
 *
 *     viscosity             V/kT, J: the five traceless components of the pressure tensor: xy, xz,
 *                           yz, (xx-yy)/2, (2zz-xx-yy)/(2 sqrt 3), equivalent in a fluid: a tenth
 *                           of the sum over all components of the symmetric traceless tensor
 *                           (P. J. Daivis, D. J. Evans, J. Chem. Phys. 100 (1994) 541);
 *                           or the three off-diagonal components, if the input has only these
 *     bulk-viscosity        V/kT, J = (xx+yy+zz)/3 minus its mean, or the pressure; at constant
 *                           energy and volume
 *     conductivity          1/(V kT), J: x, y, z of sum q v
 *     thermal-conductivity  1/(V kT²), J: x, y, z of the heat flux times V (LAMMPS heat/flux); for
 *                           molecules of one kind
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
extern const char *const flux_properties[]; /* names by enum, then NULL */

#define FLUX_COLUMNS 64 /* largest number of columns read */
#define FLUX_COMPS 64   /* largest number of components */

struct flux {
    enum flux_property property;
    size_t ncols, at[FLUX_COLUMNS]; /* columns of the input */
    size_t comps;
    double weight[FLUX_COMPS][6]; /* weights of the columns; if plain, component c is column c */
    bool plain;
    long temperature, volume; /* columns of temperature and volume; -1: none */
};

/* A time series: its META and the names in data.columns. */
struct flux_input {
    const struct meta *meta;
    char (*name)[48];
    size_t columns;
};

/* Finds the columns of a property by their names, or takes them from `list` ("a,b,..."; NULL:
 * search by name). Names end in xx to zz after a common prefix, as in pxx_bar, Pres-XX, v_pxx or
 * c_press[1]. If the names in a list state their components, the names count and not their order.
 * Returns 0, or -1 and sets e if a column is missing or a name contradicts the property. */
int flux_find(struct flux *f, enum flux_property property, const char *list,
              const struct flux_input *in, struct err *e) __attribute__((warn_unused_result));
/* Writes the components of one row of the input to to[comps * stride]. */
void flux_row(const struct flux *f, const double *row, double *to, size_t stride);

/* Normalisation of the columns of a current or heat flux: whole cell, per volume or per atom. */
enum flux_scale { FLUX_UNKNOWN, FLUX_TOTAL, FLUX_DENSITY, FLUX_PER_ATOM };
extern const char *const flux_scales[]; /* names by enum, then NULL */

struct flux_unit {
    const char *in, *out; /* units of the columns and of the coefficient */
    bool lj;              /* reduced Lennard-Jones units: k = 1, reduced time */
    double factor;        /* factor to convert a column to Pa, A m, W m or lj units */
    double length;        /* unit of length in a flux per volume, Å */
    enum flux_scale scale;
    double natoms;     /* number of atoms for a flux per atom */
    double kelvin, a3; /* units of the columns of temperature and volume; NaN: unknown */
};
/* Finds the units and the normalisation of the columns. The unit comes from `unit` (NULL: not
 * given), the column names, data.units, data.unit or sys.units. The normalisation comes from
 * `scale` and natoms (FLUX_UNKNOWN, NaN: not given), data.fluxes and sys.natoms, or from a unit
 * that implies it. Returns 0, or -1 and sets e if unit or normalisation is unknown or
 * contradictory. */
int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *unit,
                   enum flux_scale scale, double natoms, const struct flux_input *in, struct err *e)
    __attribute__((warn_unused_result));
/* Returns the factor from the integral over time in ps to lambda in units of `out`, for T in K and
 * V in Å³. */
double flux_factor(const struct flux *f, const struct flux_unit *u, double temperature,
                   double volume);
/* Writes a list of all units of a property to text, for messages. */
const char *flux_units(enum flux_property p, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
