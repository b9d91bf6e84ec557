/* SPDX-License-Identifier: MIT */
/*
 * unit_names.h: units by the names that tables, axes and LAMMPS' styles give them, and the unit that
 * stands in the name of a column: "Time[fs]", "Volume (nm^3)", "pxx_bar", "t/ps".
 * Source of the styles: LAMMPS manual, "units" and "timestep".
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
    const char *styles; /* " real metal ": LAMMPS styles that have it; NULL: none */
    double factor;      /* in ps, K, Å³, Pa, A m, W m; reduced units: 1 */
    double length;      /* of a flux: the length in it, Å */
    bool density;       /* a flux per volume: factor is that of the flux times the volume */
};

#define UNIT_TEXT 24 /* longest unit in a name, with its NUL */

/* The unit of this kind called so: nm^3, nm3, nm**3 and nm³ are one. NULL: there is none. */
const struct unit_name *unit_named(enum unit_kind kind, const char *text);
/* The same of any kind. */
const struct unit_name *unit_any(const char *text);
/* The unit of this kind in a style of LAMMPS. NULL: none, or an unknown style. */
const struct unit_name *unit_of_style(enum unit_kind kind, const char *style);
/* Entry k of the table; NULL behind its end. */
const struct unit_name *unit_at(size_t k);
/* The length of a column's name without its unit, which goes into text ("": the name has none). What
 * stands in brackets is a unit even if it is not known, but for numbers; after '_' or '/' only a known
 * one is. */
size_t unit_in_name(const char *name, char text[UNIT_TEXT]);
/* LAMMPS' default time step for a style, in its unit of time. NaN: an unknown style. */
double unit_default_timestep(const char *style);

#ifdef __cplusplus
}
#endif
#endif
