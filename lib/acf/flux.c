/* SPDX-License-Identifier: MIT */
#include "acf/flux.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const flux_properties[] = {
    "none", "viscosity", "bulk-viscosity", "conductivity", "thermal-conductivity", NULL};

/* ---- units */

enum kind { PRESSURE, CURRENT, HEAT };

/* CODATA 2018: e = 1.602176634e-19 C, N_A = 6.02214076e23 / mol; cal = 4.184 J */
#define ELECTRON 1.602176634e-19
#define AVOGADRO 6.02214076e23

static const struct unit {
    enum kind kind;
    const char *name, *style; /* style: units of LAMMPS that have it */
    double si;                /* Pa; A m; W m */
} units[] = {{PRESSURE, "bar", "metal", 1e5},
             {PRESSURE, "atm", "real", 101325.0},
             {PRESSURE, "Pa", "si", 1.0},
             {PRESSURE, "kPa", NULL, 1e3},
             {PRESSURE, "MPa", NULL, 1e6},
             {PRESSURE, "GPa", NULL, 1e9},
             {PRESSURE, "lj", "lj", 1.0},
             {CURRENT, "e*A/ps", "metal", ELECTRON * 1e2},
             {CURRENT, "e*A/fs", "real", ELECTRON * 1e5},
             {CURRENT, "e*nm/ps", NULL, ELECTRON * 1e3},
             {CURRENT, "lj", "lj", 1.0},
             {HEAT, "eV*A/ps", "metal", ELECTRON * 1e2},
             {HEAT, "meV*A/ps", NULL, ELECTRON * 1e-1},
             {HEAT, "kcal/mol*A/fs", "real", 4184.0 / AVOGADRO * 1e5},
             {HEAT, "kJ/mol*nm/ps", NULL, 1000.0 / AVOGADRO * 1e3},
             {HEAT, "lj", "lj", 1.0}};
#define UNITS (sizeof units / sizeof *units)

static enum kind kind_of(enum flux_property p)
{
    return p == FLUX_CONDUCTIVITY ? CURRENT : p == FLUX_THERMAL_CONDUCTIVITY ? HEAT : PRESSURE;
}

const char *flux_units(enum flux_property p, char *text, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; k < UNITS; k++)
        if (units[k].kind == kind_of(p) && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", units[k].name);
    return text;
}

static const struct unit *unit_of(enum flux_property p, const char *name, const char *style)
{
    for (size_t k = 0; k < UNITS; k++)
        if (units[k].kind == kind_of(p) &&
            (name ? strcasecmp(units[k].name, name) == 0 && strcmp(name, "mpa") != 0
                  : units[k].style && strcmp(units[k].style, style) == 0))
            return &units[k];
    return NULL;
}

/* The unit behind a name, "pxx_bar", "Pres-XX_(bar)": into text. */
static bool unit_behind(const char *name, char text[16])
{
    const char *at = strrchr(name, '_');
    size_t n = at ? strcspn(at + 1 + (at[1] == '('), ")") : 0;
    if (n == 0 || n >= 16)
        return false;
    memcpy(text, at + 1 + (at[1] == '('), n);
    text[n] = '\0';
    return true;
}

int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *said,
                   const struct meta *m, char (*const name)[48], struct err *e)
{
    char behind[16], list[256];
    const char *style = meta_get(m, "sys.units"), *all = meta_get(m, "data.unit");
    const struct unit *found = NULL;
    if (f->property == FLUX_NONE) {
        *u = (struct flux_unit){.in = said ? said : "1"};
        return 0;
    }
    if (said)
        found = unit_of(f->property, said, NULL);
    else if (unit_behind(name[f->at[0]], behind))
        found = unit_of(f->property, behind, NULL);
    if (!said && !found && all)
        found = unit_of(f->property, all, NULL);
    if (!said && !found && style)
        found = unit_of(f->property, NULL, style);
    if (!found)
        return err_set(e, ERR_BAD, "%s %s: --unit, one of %s, expected",
                       said ? "the unit" : "the unit is not known of column",
                       said ? said : name[f->at[0]], flux_units(f->property, list, sizeof list));
    static const char *const outs[] = {"1", "mPa*s", "mPa*s", "S/m", "W/(m*K)"};
    *u = (struct flux_unit){.in = found->name, .lj = strcmp(found->name, "lj") == 0};
    u->out = u->lj ? "lj" : outs[f->property];
    return 0;
}

double flux_factor(const struct flux *f, const struct flux_unit *u, double temperature,
                   double volume)
{
    if (f->property == FLUX_NONE)
        return 1.0;
    double si = u->lj ? 1.0 : unit_of(f->property, u->in, NULL)->si,
           kt = u->lj ? temperature : UNITS_KB_MEV * 1e-3 * ELECTRON * temperature,
           v = u->lj ? volume : volume * 1e-30, t = u->lj ? 1.0 : 1e-12;
    if (f->property == FLUX_VISCOSITY || f->property == FLUX_BULK_VISCOSITY)
        return v / kt * si * si * t * (u->lj ? 1.0 : 1e3);
    return si * si * t / (v * kt * (f->property == FLUX_THERMAL_CONDUCTIVITY ? temperature : 1.0));
}

/* ---- columns */

/* Where a name ends, without its unit. */
static size_t bare(const char *name)
{
    static const char *const known[] = {"bar", "atm", "pa", "kpa", "mpa", "gpa", "k", "a3"};
    char text[16];
    if (unit_behind(name, text))
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (strcasecmp(text, known[k]) == 0)
                return (size_t)(strrchr(name, '_') - name);
    return strlen(name);
}

/* Column `prefix` + axes, whose prefix is `like` (NULL: any that means what is wanted), into at;
 * how many there are. */
static size_t column(const char *prefixes, const char *axes, const char *like, size_t len,
                     char (*const name)[48], size_t columns, size_t *at)
{
    size_t found = 0, n = strlen(axes);
    for (size_t c = 0; c < columns; c++) {
        size_t end = bare(name[c]);
        if (end < n || strncasecmp(name[c] + end - n, axes, n) != 0)
            continue;
        char text[48], list[64];
        snprintf(text, sizeof text, "%.*s", (int)(end - n), name[c]);
        snprintf(list, sizeof list, " %s ", text);
        for (char *p = list; *p; p++)
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
        bool fits = like ? strlen(text) == len && strncmp(text, like, len) == 0
                         : strstr(prefixes, list) != NULL;
        if (fits) {
            *at = c;
            found++;
        }
    }
    return found;
}

/* Columns axes[n] of one prefix. */
static bool several(struct flux *f, const char *prefixes, const char *const *axes, size_t n,
                    char (*const name)[48], size_t columns)
{
    for (size_t k = 0; k < n; k++) {
        const char *first = k ? name[f->at[0]] : NULL;
        size_t len = k ? bare(first) - strlen(axes[0]) : 0;
        if (column(prefixes, axes[k], first, len, name, columns, &f->at[k]) != 1)
            return false;
    }
    f->ncols = n;
    return true;
}

static const char *const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
static const char pressures[] = " p  pres-  press-  press_  pres_  pressure_  pressure-  v_p "
                                " c_p  v_press  v_s  v_pres  stress_  ";
static const char currents[] = " j  v_j  i  j_  current_  flux_  v_flux  v_ ";

static bool by_names(struct flux *f, char (*const name)[48], size_t columns)
{
    static const char *const axes[] = {"x", "y", "z"}, *const whole[] = {""};
    static const char scalars[] = " p  press  pressure  v_press  v_p ";
    switch (f->property) {
    case FLUX_VISCOSITY:
        return several(f, pressures, tensor, 6, name, columns) ||
               several(f, pressures, tensor + 3, 3, name, columns);
    case FLUX_BULK_VISCOSITY:
        return several(f, pressures, tensor, 3, name, columns) ||
               several(f, scalars, whole, 1, name, columns);
    case FLUX_CONDUCTIVITY:
    case FLUX_THERMAL_CONDUCTIVITY: return several(f, currents, axes, 3, name, columns);
    case FLUX_NONE: break;
    }
    for (f->ncols = 0; f->ncols < columns && f->ncols < FLUX_COLUMNS; f->ncols++)
        f->at[f->ncols] = f->ncols;
    return f->ncols == columns;
}

/* "a,b,...": 0, or -1 with e. */
static int by_list(struct flux *f, const char *list, char (*const name)[48], size_t columns,
                   struct err *e)
{
    for (f->ncols = 0; *list;) {
        size_t n = strcspn(list, ","), c = 0;
        while (c < columns && (strlen(name[c]) != n || strncmp(name[c], list, n) != 0))
            c++;
        if (c == columns)
            return err_set(e, ERR_BAD, "--columns: there is no column '%.*s'",
                           (int)(n < 48 ? n : 48), list);
        for (size_t k = 0; k < f->ncols; k++)
            if (f->at[k] == c)
                return err_set(e, ERR_BAD, "--columns: %s stands there twice", name[c]);
        if (f->ncols == FLUX_COLUMNS)
            return err_set(e, ERR_BAD, "--columns: at most %d", FLUX_COLUMNS);
        f->at[f->ncols++] = c;
        list += n + (list[n] == ',');
    }
    return 0;
}

/* What the columns weigh in each component. false: not with so many. */
static bool weigh(struct flux *f)
{
    static const double s = 0.28867513459481287; /* 1/(2 sqrt 3) */
    static const double five[5][6] = {
        {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}, {0.5, -0.5}, {-s, -s, 2 * s}};
    f->comps = f->ncols;
    f->plain = true;
    if (f->property == FLUX_VISCOSITY && f->ncols == 6) {
        f->plain = false;
        f->comps = 5;
        memcpy(f->weight, five, sizeof five);
    } else if (f->property == FLUX_BULK_VISCOSITY && f->ncols == 3) {
        f->plain = false;
        f->comps = 1;
        for (int k = 0; k < 3; k++)
            f->weight[0][k] = 1.0 / 3.0;
    }
    return f->property == FLUX_NONE             ? f->ncols > 0
           : f->property == FLUX_BULK_VISCOSITY ? f->comps == 1
                                                : f->comps >= 1 && f->comps != 6 && f->comps <= 5;
}

static const char *const wanted[] = {
    "columns", "the pressure tensor, pxx pyy pzz pxy pxz pyz or its last three,",
    "pxx pyy pzz or the pressure", "the current jx jy jz", "the heat flux jx jy jz"};

int flux_find(struct flux *f, enum flux_property property, const char *list, char (*const name)[48],
              size_t columns, struct err *e)
{
    static const char *const none[] = {""};
    struct flux at = {.property = property};
    *f = (struct flux){.property = property};
    if (list ? by_list(f, list, name, columns, e) : 0)
        return -1;
    if ((!list && !by_names(f, name, columns)) || !weigh(f))
        return err_set(e, ERR_BAD, "%s expected among the %zu columns: %s", wanted[property],
                       columns, list ? "--columns names another number" : "name them by --columns");
    f->temperature = several(&at, " t  temp  temperature  v_temp ", none, 1, name, columns)
                         ? (long)at.at[0]
                         : -1;
    f->volume = several(&at, " v  vol  volume ", none, 1, name, columns) ? (long)at.at[0] : -1;
    return 0;
}

void flux_row(const struct flux *f, const double *row, double *to, size_t stride)
{
    for (size_t c = 0; c < f->comps; c++) {
        double sum = f->plain ? row[f->at[c]] : 0.0;
        for (size_t k = 0; !f->plain && k < f->ncols; k++)
            sum += f->weight[c][k] * row[f->at[k]];
        to[c * stride] = sum;
    }
}
