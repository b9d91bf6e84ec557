/* SPDX-License-Identifier: MIT */
/* unit_names.h: finds a unit by its name in a table, on an axis or in a LAMMPS unit style. A column
 * name may contain a unit, as in "Time[fs]", "Volume (nm^3)", "pxx_bar" or "t/ps". The unit styles
 * follow the pages "units" and "timestep" of the LAMMPS manual. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum unit_kind {
    UNIT_TIME,
    UNIT_TEMPERATURE,
    UNIT_VOLUME,
    UNIT_PRESSURE,
    UNIT_CURRENT,
    UNIT_HEAT,
    UNIT_ENERGY,
    UNIT_MOMENTUM,
    UNIT_OTHER
};

struct unit_name {
    enum unit_kind kind;
    const char *name;
    const char *styles; /* LAMMPS unit styles, such as " real metal ", or NULL */
    double factor;      /* in ps, K, Å³, Pa, A m, W m, meV or u Å/ps, or 1 for reduced units */
    double length;      /* length unit in Å, for a flux */
    bool density;       /* For a flux per volume; `factor` converts the flux times the volume. */
};

#define UNIT_TEXT 24 /* bytes of a unit with its NUL */

/* Returns the unit of the given kind and name, or NULL. The names nm^3, nm3, nm**3 and nm³ mean
 * the same unit. */
const struct unit_name *unit_named(enum unit_kind kind, const char *text);
/* Returns the unit of the given kind in a LAMMPS unit style, or NULL if the style is unknown or has
 * no unit of this kind. */
const struct unit_name *unit_of_style(enum unit_kind kind, const char *style);
/* Returns entry k of the table of units, or NULL after the end. */
const struct unit_name *unit_at(size_t k);
/* Returns the length of a column name without its unit. The unit, or an empty text if the name has
 * no unit, is copied to `text`. A word in brackets counts as a unit even if the unit is unknown,
 * but a number in brackets does not. A word after '_' or '/' counts as a unit only if it is a known
 * unit. The unit u_A_ps is copied as u*A/ps. */
size_t unit_in_name(const char *name, char text[UNIT_TEXT]);
/* Returns the default time step of a LAMMPS unit style, in the time unit of the style, or NaN for
 * an unknown style. */
double unit_default_timestep(const char *style);
