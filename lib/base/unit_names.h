/* SPDX-License-Identifier: MIT */
/*
 * unit_names.h: units by the names that tables, axes and LAMMPS unit styles use, and the unit in
 * the name of a column: "Time[fs]", "Volume (nm^3)", "pxx_bar", "t/ps". Source of the styles:
 * LAMMPS manual, "units" and "timestep".
 */
#ifndef MBF_UNIT_NAMES_H
#define MBF_UNIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum unit_kind {
    UNIT_TIME,
    UNIT_TEMPERATURE,
    UNIT_VOLUME,
    UNIT_PRESSURE,
    UNIT_CURRENT,
    UNIT_HEAT,
    UNIT_OTHER
};

struct unit_name {
    enum unit_kind kind;
    const char *name;
    const char *styles; /* " real metal ": LAMMPS styles that use this unit, or NULL */
    double factor;      /* value in ps, K, Å³, Pa, A m or W m; reduced units: 1 */
    double length;      /* length contained in the unit of a flux, Å */
    bool density;       /* unit of a flux density: factor is for the flux times the volume */
};

#define UNIT_TEXT 24 /* longest unit in a name, including the NUL */

/* Returns the unit of this kind with the given name, or NULL; nm^3, nm3, nm**3 and nm³ are the same
 * unit. */
const struct unit_name *unit_named(enum unit_kind kind, const char *text);
/* Returns the unit of any kind with the given name, or NULL. */
const struct unit_name *unit_any(const char *text);
/* Returns the unit of this kind in a LAMMPS unit style, or NULL if there is none or the style is
 * unknown. */
const struct unit_name *unit_of_style(enum unit_kind kind, const char *style);
/* Returns entry k of the table, or NULL after its end. */
const struct unit_name *unit_at(size_t k);
/* Returns the length of a column name without its unit, and copies the unit to text ("": no unit).
 * Text in brackets is a unit even if unknown, unless it is a number; after '_' or '/' only a known
 * unit is accepted. */
size_t unit_in_name(const char *name, char text[UNIT_TEXT]);
/* Returns the LAMMPS default time step of a unit style, in its unit of time; NaN if the style is
 * unknown. */
double unit_default_timestep(const char *style);

#ifdef __cplusplus
}
#endif
#endif
