/* SPDX-License-Identifier: MIT */
/* unit_names.h: finds units by the names that tables, axes and LAMMPS unit styles use. A column
 * name may contain a unit, as in "Time[fs]", "Volume (nm^3)", "pxx_bar" or "t/ps". The styles
 * follow the LAMMPS manual, pages "units" and "timestep". */
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
    UNIT_OTHER
};

struct unit_name {
    enum unit_kind kind;
    const char *name;
    const char *styles; /* LAMMPS unit styles with this unit, such as " real metal ", or NULL. */
    double factor; /* Value of the unit in ps, K, Å³, Pa, A m or W m, depending on the kind, or
                         * 1 for reduced units. */
    double length; /* The length in Å that is part of the unit of a flux. */
    bool density;  /* Whether the flux is a density. The factor then converts the density times the
                    * volume. */
};

#define UNIT_TEXT 24 /* largest length of a unit in a name, including the NUL */

/* Returns the unit of this kind with the given name, or NULL. The names nm^3, nm3, nm**3 and nm³
 * refer to the same unit. */
const struct unit_name *unit_named(enum unit_kind kind, const char *text);
/* Returns the unit of this kind in a LAMMPS unit style. Returns NULL if the style is unknown or has
 * no unit of this kind. */
const struct unit_name *unit_of_style(enum unit_kind kind, const char *style);
/* Returns entry k of the table, or NULL after its end. */
const struct unit_name *unit_at(size_t k);
/* Returns the length of a column name without its unit. The unit is copied to the buffer `text`,
 * which becomes empty if there is no unit. A word in brackets counts as a unit even if the unit is
 * unknown, but a number does not. After '_' or '/', only a known unit is accepted. */
size_t unit_in_name(const char *name, char text[UNIT_TEXT]);
/* Returns the default time step of a LAMMPS unit style in the time unit of this style. Returns NaN
 * for an unknown style. */
double unit_default_timestep(const char *style);
