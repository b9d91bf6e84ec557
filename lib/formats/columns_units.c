/* SPDX-License-Identifier: MIT */
/* Finds units, times and fluxes of the columns of a table (columns.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/columns_table.h"

/* Returns whether the table is from md-* --units lj --thermo, whose t is in ps as in its frames. */
static bool is_lj(const struct columns *c)
{
    static const char *const has[] = {"step", "t", "T", "U", "K", "E", "p", "W", "E_shifted"};
    size_t n = sizeof has / sizeof *has, k = 0;
    while (k < n && k < c->count && strcmp(c->name[k], has[k]) == 0)
        k++;
    return k == n;
}

int columns_is_log(const struct columns *c)
{
    return c->is_log;
}

/* Returns the likely quantity of a column of the second axis. */
static enum unit_kind kind_of(const char *name)
{
    static const struct {
        const char *begins;
        enum unit_kind kind;
    } of[] = {{"temp", UNIT_TEMPERATURE},
              {"t-", UNIT_TEMPERATURE},
              {"pres", UNIT_PRESSURE},
              {"volume", UNIT_VOLUME}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        if (strncasecmp(name, of[k].begins, strlen(of[k].begins)) == 0)
            return of[k].kind;
    return UNIT_OTHER;
}

/* Finds the unit of column k on the axis. GROMACS lists each unit once on the axis, in the order of
 * the columns. */
static void unit_by_axis(const struct columns *c, size_t k, char text[UNIT_TEXT])
{
    size_t found = COLUMNS_UNITS, of = 0;
    if (k == 0 || !c->ngroups)
        return;
    if (c->ngroups == 1 || c->ngroups == c->count - 1)
        found = c->ngroups == 1 ? 0 : k - 1;
    for (size_t g = 0; found == COLUMNS_UNITS && g < c->ngroups; g++)
        if (kind_of(c->name[k]) != UNIT_OTHER && unit_named(kind_of(c->name[k]), c->group[g]))
            of = found = g;
    if (found < COLUMNS_UNITS)
        memcpy(text, c->group[found < c->ngroups ? found : of], UNIT_TEXT);
}

size_t columns_unit(const struct columns *c, size_t k, char text[UNIT_TEXT])
{
    size_t n = unit_in_name(c->name[k], text);
    if (!text[0] && k == 0)
        memcpy(text, c->xvg_time, UNIT_TEXT);
    else if (!text[0])
        unit_by_axis(c, k, text);
    return n;
}

static bool is_bare(const struct columns *c, size_t k, const char *list)
{
    char unit[UNIT_TEXT], word[COLUMNS_NAME + 2];
    snprintf(word, sizeof word, " %.*s ", (int)unit_in_name(c->name[k], unit), c->name[k]);
    for (char *p = word; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return strstr(list, word) != NULL;
}

bool columns_is_step(const struct columns *c, size_t k)
{
    return is_bare(c, k, " step  timestep  step_nr.  steps  #step  mdstep ");
}

bool columns_is_time(const struct columns *c, size_t k)
{
    return is_bare(c, k, " time  t_ps  time_ps  simulation_time ") ||
           (c->is_log && strcmp(c->name[k], "Time") == 0);
}

static double style_time(const struct columns *c)
{
    const struct unit_name *unit = unit_of_style(UNIT_TIME, c->log.style);
    return unit ? unit->factor : NAN;
}

long columns_step(const struct columns *c)
{
    for (size_t k = 0; k < c->count; k++)
        if (columns_is_step(c, k))
            return (long)k;
    return -1;
}

long columns_time(const struct columns *c, double *ps)
{
    char unit[UNIT_TEXT];
    const struct unit_name *of;
    double assumed;
    long step = c->is_log ? columns_step(c) : -1;
    for (size_t k = 0; k < c->count; k++) {
        (void)columns_unit(c, k, unit);
        bool time = columns_is_time(c, k) || (k == 0 && c->xvg_time[0]) || is_bare(c, k, " t ");
        if (time && unit[0] && (of = unit_named(UNIT_TIME, unit))) {
            *ps = of->factor;
            return (long)k;
        }
    }
    for (size_t k = 0; c->is_log && isnan(c->log.step) && k < c->count; k++)
        if (columns_is_time(c, k) && !isnan(*ps = style_time(c)))
            return (long)k;
    if (step >= 0 && !isnan(*ps = lammps_log_ps(&c->log, &assumed)))
        return step;
    *ps = 1.0;
    return is_lj(c) ? 1 : -1;
}

int columns_time_unit(const struct columns *c, size_t k, double *ps, struct err *e)
{
    char unit[UNIT_TEXT];
    double assumed;
    (void)columns_unit(c, k, unit);
    const struct unit_name *of = unit[0] ? unit_named(UNIT_TIME, unit) : NULL;
    *ps = of                                   ? of->factor
          : columns_is_step(c, k)              ? lammps_log_ps(&c->log, &assumed)
          : c->is_log && columns_is_time(c, k) ? style_time(c)
                                               : 1.0;
    if (unit[0] && !of)
        return err_in(e, ERR_BAD, c->path, 0,
                      "column %s: expected a unit of time (ps, fs, ns, us, s), found '%s' (give "
                      "the time between rows with --dt PS)",
                      c->name[k], unit);
    if (!isnan(*ps))
        return 0;
    if (columns_is_step(c, k))
        return err_in(e, ERR_BAD, c->path, 0,
                      "column %s: expected a time, found steps of unknown length (give the length "
                      "with --timestep PS)",
                      c->name[k]);
    return err_in(e, ERR_BAD, c->path, 0,
                  "column %s: expected a known unit of time, found none, because the log does not "
                  "state its units (name the unit style with --units STYLE)",
                  c->name[k]);
}

double columns_assumed_step(const struct columns *c, const char **style)
{
    double assumed = NAN;
    *style = c->log.style;
    if (c->is_log)
        (void)lammps_log_ps(&c->log, &assumed);
    return assumed;
}

const char *columns_flux(const struct columns *c, size_t k)
{
    return c->is_log ? lammps_log_flux(&c->log, c->name[k]) : NULL;
}

uint64_t columns_natoms(const struct columns *c)
{
    return c->is_log ? c->log.natoms : 0;
}

int columns_meta(const struct columns *c, struct meta *m)
{
    const char *style = c->choice.style ? c->choice.style : c->is_log ? c->log.style : "";
    double cell[9];
    if (c->is_log && lammps_log_cell(&c->log, cell) && meta_set_f64(m, "sys.cell", cell, 9))
        return -1;
    return meta_copy_keys(m, c->given, "sys.") || meta_copy_keys(m, c->given, "data.") ||
                   (style[0] && meta_set(m, "sys.units", style))
               ? -1
               : 0;
}
