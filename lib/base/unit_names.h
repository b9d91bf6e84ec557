/* SPDX-License-Identifier: MIT */
/* unit_names.h: finds a unit by the name that a table, an axis or a LAMMPS unit style uses. A
 * column name may contain a unit, as in "Time[fs]", "Volume (nm^3)", "pxx_bar" or "t/ps". The unit
 * styles follow the pages "units" and "timestep" of the LAMMPS manual. */
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
    const char *styles; /* LAMMPS unit styles that use this unit, such as " real metal ", or
                         * NULL. */
    double factor; /* Value of the unit in ps, K, Å³, Pa, A m or W m, depending on the kind, or 1
                    * for reduced units. */
    double length; /* Length in Å that is part of the unit of a flux. */
    bool density;  /* Whether the unit belongs to a flux per volume. In this case, the factor
                    * converts the flux per volume times the volume. */
};

#define UNIT_TEXT 24 /* largest length of a unit in a name, with its NUL */

/* Returns the unit of the given kind and name, or NULL. The names nm^3, nm3, nm**3 and nm³ refer to
 * the same unit. */
const struct unit_name *unit_named(enum unit_kind kind, const char *text);
/* Returns the unit of the given kind in a LAMMPS unit style. Returns NULL if the style is unknown
 * or does not define this kind of unit. */
const struct unit_name *unit_of_style(enum unit_kind kind, const char *style);
/* Returns entry k of the table of units, or NULL after its end. */
const struct unit_name *unit_at(size_t k);
/* Returns the length of a column name without its unit. The unit is copied to the buffer `text`,
 * which becomes empty if the name has no unit. A word in brackets counts as a unit even if the unit
 * is unknown, but a number in brackets does not. After '_' or '/' in a name, only a known unit is
 * accepted. */
size_t unit_in_name(const char *name, char text[UNIT_TEXT]);
/* Returns the default time step of a LAMMPS unit style in the time unit of this style. For an
 * unknown style, returns NaN. */
double unit_default_timestep(const char *style);
