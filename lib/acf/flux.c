/* SPDX-License-Identifier: MIT */
#include "acf/flux.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unit_names.h"
#include "base/units.h"
#include "stats/series.h"

const char *const flux_properties[] = {
    "none", "viscosity", "bulk-viscosity", "conductivity", "thermal-conductivity", NULL};

const char *const flux_scales[] = {"", "total", "density", "per-atom", NULL};

/* ---- units */

static enum unit_kind kind_of(enum flux_property p)
{
    return p == FLUX_CONDUCTIVITY           ? UNIT_CURRENT
           : p == FLUX_THERMAL_CONDUCTIVITY ? UNIT_HEAT
                                            : UNIT_PRESSURE;
}

/* Writes a list of all units of a property to `text`, for messages. */
static const char *flux_units(enum flux_property p, char *text, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; unit_at(k); k++)
        if (unit_at(k)->kind == kind_of(p) && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", unit_at(k)->name);
    return text;
}

/* Returns 1 and the unit of column c, 0 if nothing states the unit, or -1 and its text if the unit
 * is not of this kind. Sets *named if the input names the unit itself and not only a unit style. */
static int unit_of(const struct flux_input *in, size_t c, enum unit_kind kind,
                   const struct unit_name **u, char text[UNIT_TEXT])
{
    const char *list = meta_get(in->meta, "data.units"), *all = meta_get(in->meta, "data.unit"),
               *style = meta_get(in->meta, "sys.units");
    (void)unit_in_name(in->name[c], text);
    if (!text[0] && list && (series_word(list, c, text, UNIT_TEXT) <= 0 || strcmp(text, "-") == 0))
        text[0] = '\0';
    if (!text[0] && all && strlen(all) < UNIT_TEXT)
        memcpy(text, all, strlen(all) + 1);
    *u = text[0] ? unit_named(kind, text) : style ? unit_of_style(kind, style) : NULL;
    return *u ? 1 : text[0] ? -1 : 0;
}

/* Finds the common unit of all columns. If `given` is not NULL, it is the unit. Returns 0, or -1
 * and sets e. Sets *named if the unit is named explicitly and not only by a unit style. */
static int common_unit(const struct flux *f, const struct flux_input *in,
                       const struct unit_name *given, const struct unit_name **u, bool *named,
                       struct err *e)
{
    char text[UNIT_TEXT], list[256];
    *u = given;
    *named = given != NULL;
    for (size_t k = 0; k < f->ncols; k++) {
        const char *name = in->name[f->at[k]];
        const struct unit_name *of;
        int got = unit_of(in, f->at[k], kind_of(f->property), &of, text);
        const char *found = got ? text : "none",
                   *more = given ? " in its name; known units: " : "; give one with --unit: ";
        if (got < 0 || (got == 0 && !given))
            return err_bad(e, "column %s: expected a known unit, found %s%s%s", name, found, more,
                           flux_units(f->property, list, sizeof list));
        if (text[0] && given && of != given)
            return err_bad(e,
                           "column %s: the unit in the input is %s, but --unit is %s (omit --unit)",
                           name, of->name, given->name);
        if (k && !given && of != *u)
            return err_bad(
                e,
                "expected the same unit in all columns, found %s in column %s and %s in column %s",
                in->name[f->at[0]], (*u)->name, name, of->name);
        *u = given ? given : of;
        *named |= text[0] != '\0';
    }
    return 0;
}

/* Finds the normalisation that the input states, or FLUX_UNKNOWN. Returns 0, or -1 and sets e. */
static int stated_scale(const struct flux *f, const struct flux_input *in, enum flux_scale *scale,
                        struct err *e)
{
    const char *list = meta_get(in->meta, "data.fluxes");
    char word[UNIT_TEXT];
    *scale = FLUX_UNKNOWN;
    for (size_t k = 0; list && k < f->ncols; k++) {
        int is = series_word(list, f->at[k], word, sizeof word) > 0 ? FLUX_PER_ATOM : FLUX_UNKNOWN;
        while (is > FLUX_UNKNOWN && strcmp(word, flux_scales[is]) != 0)
            is--;
        if (k && is != (int)*scale)
            return err_bad(e, "expected columns of the same kind of flux, found %s and %s",
                           in->name[f->at[0]], in->name[f->at[k]]);
        *scale = (enum flux_scale)is;
    }
    return 0;
}

static int find_scale(struct flux_unit *u, const struct flux *f, const struct unit_name *unit,
                      bool named, enum flux_scale scale, const struct flux_input *in, struct err *e)
{
    const char *name = in->name[f->at[0]];
    enum flux_scale stated;
    if (stated_scale(f, in, &stated, e))
        return -1;
    if (kind_of(f->property) == UNIT_PRESSURE) {
        if (scale)
            return err_bad(e, "--flux applies only to conductivities, not to %s",
                           flux_properties[f->property]);
        return stated == FLUX_UNKNOWN || stated == FLUX_DENSITY
                   ? 0
                   : err_bad(e,
                             "column %s: expected a pressure, found a quantity that is not per "
                             "unit volume",
                             name);
    }
    if (unit->density && scale && scale != FLUX_DENSITY)
        return err_bad(
            e, "expected --flux density, because the unit %s is per volume, found --flux %s",
            unit->name, flux_scales[scale]);
    u->scale = unit->density ? FLUX_DENSITY : scale ? scale : stated;
    if (!u->scale && named && !u->lj && !meta_get(in->meta, "sys.units"))
        u->scale = FLUX_TOTAL; /* implied by the unit */
    if (!u->scale)
        return err_bad(
            e,
            "column %s: the input does not state whether this flux is for the whole cell, per "
            "volume or per atom (give --flux total, --flux density or --flux per-atom)",
            name);
    unsigned long long n;
    if (u->scale == FLUX_PER_ATOM && isnan(u->natoms)) {
        if (meta_get_u64(in->meta, "sys.natoms", &n) != 1)
            return err_bad(e,
                           "column %s is per atom: expected the number of atoms, found none (give "
                           "--flux per-atom:N)",
                           name);
        u->natoms = (double)n;
    }
    return 0;
}

/* Returns the unit of a column of temperature or volume, or NaN if it is unknown or not of this
 * kind. */
static double unit_beside(const struct flux_unit *u, const struct flux_input *in, long c,
                          enum unit_kind kind)
{
    const struct unit_name *unit;
    char text[UNIT_TEXT];
    int got = c >= 0 ? unit_of(in, (size_t)c, kind, &unit, text) : 0;
    if (got == 0)
        return u->lj || kind == UNIT_TEMPERATURE ? 1.0 : NAN;
    return got < 0 || u->lj != (strcmp(unit->name, "lj") == 0) ? NAN : unit->factor;
}

/* Finds the unit of the square of the columns if the property is "none". Returns 0, or -1 and sets
 * e. */
static int square_unit(struct flux_unit *u, const struct flux *f, const char *given,
                       const struct flux_input *in, struct err *e)
{
    const struct unit_name *unit;
    char text[UNIT_TEXT] = "", other[UNIT_TEXT];
    *u = (struct flux_unit){.in = given ? given : "1", .square = "1"};
    if (given && strlen(given) >= sizeof text)
        return err_bad(e, "--unit: expected at most %zu letters, found %s", sizeof text - 1, given);
    for (size_t k = 0; k < f->ncols && !given; k++) {
        (void)unit_of(in, f->at[k], UNIT_OTHER, &unit, other);
        if (k && strcmp(text, other) != 0)
            return 0;
        memcpy(text, other, sizeof text);
    }
    if (given)
        strcpy(text, given);
    if (text[0] && strcmp(text, "1") != 0)
        snprintf(u->square, sizeof u->square, "(%s)^2", text);
    return 0;
}

int flux_unit_find(struct flux_unit *u, const struct flux *f, const char *unit,
                   enum flux_scale scale, double natoms, const struct flux_input *in, struct err *e)
{
    char list[256];
    const struct unit_name *found = NULL;
    bool named;
    if (f->property == FLUX_NONE)
        return scale ? err_bad(e, "--flux applies only to conductivities")
                     : square_unit(u, f, unit, in, e);
    if (unit && !(found = unit_named(kind_of(f->property), unit)))
        return err_bad(e, "--unit: expected one of %s, found %s",
                       flux_units(f->property, list, sizeof list), unit);
    if (common_unit(f, in, found, &found, &named, e))
        return -1;
    static const char *const outs[] = {"1", "mPa*s", "mPa*s", "S/m", "W/(m*K)"};
    *u = (struct flux_unit){.in = found->name,
                            .lj = strcmp(found->name, "lj") == 0,
                            .factor = found->factor,
                            .length = found->length,
                            .natoms = natoms};
    u->out = u->lj ? "lj" : outs[f->property];
    u->kelvin = unit_beside(u, in, f->temperature, UNIT_TEMPERATURE);
    u->a3 = unit_beside(u, in, f->nvolume ? (long)f->volume[0] : -1, UNIT_VOLUME);
    return find_scale(u, f, found, named, scale, in, e);
}

double flux_factor(const struct flux *f, const struct flux_unit *u, double temperature,
                   double volume)
{
    if (f->property == FLUX_NONE)
        return 1.0;
    double kt = u->lj ? temperature : UNITS_KB_MEV * 1e-22 * 1.602176634 * temperature,
           v = u->lj ? volume : volume * 1e-30, t = u->lj ? 1.0 : 1e-12, si = u->factor;
    if (kind_of(f->property) == UNIT_PRESSURE)
        return v / kt * si * si * t * (u->lj ? 1.0 : 1e3);
    si *= u->scale == FLUX_DENSITY    ? volume / pow(u->length, 3.0)
          : u->scale == FLUX_PER_ATOM ? u->natoms
                                      : 1.0;
    return si * si * t / (v * kt * (f->property == FLUX_THERMAL_CONDUCTIVITY ? temperature : 1.0));
}

/* ---- columns */

/* Writes a name without its unit, in lower case. */
static void bare(const char *name, char to[48])
{
    char unit[UNIT_TEXT];
    snprintf(to, 48, "%.*s", (int)unit_in_name(name, unit), name);
    for (; *to; to++)
        *to = *to >= 'A' && *to <= 'Z' ? (char)(*to + 32) : *to;
}

static bool in_list(const char *list, const char *word, size_t n)
{
    char text[64];
    snprintf(text, sizeof text, " %.*s ", (int)n, word);
    return strstr(list, text) != NULL;
}

/* Finds columns whose names consist of `prefix` and an axis. The prefix is `like` or, if `like` is
 * NULL, any prefix in the list. Writes the columns to `at` and returns the number of matches. */
static size_t column(const char *prefixes, const char *axes, const char *like, size_t len,
                     const struct flux_input *in, size_t *at)
{
    size_t found = 0, n = strlen(axes);
    for (size_t c = 0; c < in->columns; c++) {
        char text[48];
        bare(in->name[c], text);
        size_t end = strlen(text);
        if (end < n || strcmp(text + end - n, axes) != 0)
            continue;
        bool fits = like ? end - n == len && strncmp(text, like, len) == 0
                         : in_list(prefixes, text, end - n);
        if (fits) {
            *at = c;
            found++;
        }
    }
    return found;
}

/* Finds columns whose names consist of a common prefix and a name in axes[n]. */
static bool several(struct flux *f, const char *prefixes, const char *const *axes, size_t n,
                    const struct flux_input *in)
{
    char first[48];
    for (size_t k = 0; k < n; k++) {
        if (k == 1)
            bare(in->name[f->at[0]], first);
        if (column(prefixes, axes[k], k ? first : NULL, k ? strlen(first) - strlen(axes[0]) : 0, in,
                   &f->at[k]) != 1)
            return false;
    }
    f->ncols = n;
    return true;
}

/* The last three names occur if rounding makes a tensor asymmetric. */
static const char *const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz", "yx", "zx", "zy"};
static const char *const axes[] = {"x", "y", "z"}, *const whole[] = {""};
static const char *const index_of[] = {"[1]", "[2]", "[3]", "[4]", "[5]", "[6]"};
static const char pressures[] = " p  p_  pres-  press-  press_  pres_  pressure_  pressure-  v_p "
                                " c_p  v_press  v_s  v_pres  stress_  ";
static const char computes[] = " c_press  c_thermo_press  c_pressure  c_p ";
static const char currents[] = " j  v_j  i  j_  current_  flux_  v_flux  v_ ";
static const char vectors[] = " c_flux  f_flux  c_j  f_j ";
static const char scalars[] = " p  press  pressure  v_press  v_p  c_press  c_thermo_press ";
static const char temperatures[] = " t  temp  temperature  v_temp  v_t  c_temp  c_thermo_temp ";
static const char volumes[] = " v  vol  volume  v_vol  v_v  v_volume  box_volume ";
static const char others[] =
    " step  time  elapsed  atoms  density  lx  ly  lz  box-x  box-y  box-z "
    " pe  ke  etotal  toteng  poteng  kineng  e_pair  e_mol  e_vdwl "
    " e_coul  e_bond  e_angle  e_dihed  e_impro  e_long  e_tail  enthalpy "
    " potential  total_energy  potential_energy  kinetic_energy "
    " kinetic_en.  total-energy ";

static bool by_names(struct flux *f, const struct flux_input *in)
{
    switch (f->property) {
    case FLUX_VISCOSITY:
        return several(f, pressures, tensor, 6, in) || several(f, pressures, tensor + 3, 3, in) ||
               several(f, computes, index_of, 6, in) || several(f, computes, index_of + 3, 3, in);
    case FLUX_BULK_VISCOSITY:
        return several(f, pressures, tensor, 3, in) || several(f, computes, index_of, 3, in) ||
               several(f, scalars, whole, 1, in);
    case FLUX_CONDUCTIVITY:
    case FLUX_THERMAL_CONDUCTIVITY:
        return several(f, currents, axes, 3, in) || several(f, vectors, index_of, 3, in);
    case FLUX_NONE: break;
    }
    for (f->ncols = 0; f->ncols < in->columns && f->ncols < FLUX_COLUMNS; f->ncols++)
        f->at[f->ncols] = f->ncols;
    return f->ncols == in->columns;
}

/* Parses "a,b,...". Returns 0, or -1 and sets e. */
static int by_list(struct flux *f, const char *list, const struct flux_input *in, struct err *e)
{
    for (f->ncols = 0; *list;) {
        size_t n = strcspn(list, ","), c = 0;
        while (c < in->columns && (strlen(in->name[c]) != n || strncmp(in->name[c], list, n) != 0))
            c++;
        if (c == in->columns)
            return err_bad(e, "--columns: the input has no column '%.*s'", (int)(n < 48 ? n : 48),
                           list);
        for (size_t k = 0; k < f->ncols; k++)
            if (f->at[k] == c)
                return err_bad(e, "--columns: expected each column once, found %s twice",
                               in->name[c]);
        if (f->ncols == FLUX_COLUMNS)
            return err_bad(e, "--columns: expected at most %d columns, found more", FLUX_COLUMNS);
        f->at[f->ncols++] = c;
        list += n + (list[n] == ',');
    }
    return 0;
}

/* Returns the component that a name states: 0 to 8 as above for a tensor, 10 to 12 for a vector, -1
 * if it states no component, or -2 for another quantity. */
static int component(enum flux_property p, const char *name)
{
    char text[48];
    bare(name, text);
    size_t n = strlen(text);
    bool vector = kind_of(p) != UNIT_PRESSURE;
    if (in_list(temperatures, text, n) || in_list(volumes, text, n) || in_list(others, text, n) ||
        (in_list(scalars, text, n) && p != FLUX_BULK_VISCOSITY))
        return -2;
    for (int k = 0; k < 9; k++)
        if (n > 1 && strcmp(text + n - 2, tensor[k]) == 0)
            return vector ? -2 : k;
    for (int k = 0; k < 6 && n > 3; k++)
        if (strcmp(text + n - 3, index_of[k]) == 0 &&
            (vector ? k < 3 : in_list(computes, text, n - 3)))
            return vector ? 10 + k : k;
    for (int k = 0; k < 3 && n > 0 && vector; k++)
        if (text[n - 1] == axes[k][0])
            return 10 + k;
    return -1;
}

/* Checks that the names of a list agree with the property, and sorts the columns of a tensor.
 * Returns false if they contradict it. */
static bool agree(struct flux *f, const struct flux_input *in)
{
    int is[FLUX_COLUMNS], named = 0;
    size_t at[9], n = f->ncols;
    bool has[16] = {false}, tensors = f->property == FLUX_VISCOSITY && (n == 6 || n == 9);
    for (size_t k = 0; k < n; k++) {
        is[k] = component(f->property, in->name[f->at[k]]);
        int fold = is[k] > 5 && is[k] < 9 && n != 9 ? is[k] - 3 : is[k];
        if (is[k] == -2 || (fold >= 0 && has[fold]))
            return false;
        if (fold >= 0 && fold < 9)
            at[fold] = f->at[k];
        if (fold >= 0)
            has[fold] = ++named;
        bool fits = fold < 0 || fold > 9            ? true
                    : f->property == FLUX_VISCOSITY ? tensors || fold > 2
                                                    : fold < 3 && n == 3;
        if (!fits)
            return false;
        is[k] = fold;
    }
    if (tensors && named == (int)n)
        memcpy(f->at, at, (f->ncols = 6) * sizeof *at);
    for (size_t k = 0; tensors && named < (int)n && k < n; k++)
        if (is[k] >= 0 && is[k] != (int)k)
            return false;
    return true;
}

/* Sets the weights of the columns in each component. Returns false if their number does not fit. */
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
    "columns", "the pressure tensor pxx pyy pzz pxy pxz pyz or its last three",
    "pxx pyy pzz or the pressure", "the current jx jy jz", "the heat flux jx jy jz"};

int flux_find(struct flux *f, enum flux_property property, const char *list,
              const struct flux_input *in, struct err *e)
{
    struct flux at = {.property = property};
    *f = (struct flux){.property = property};
    if (list && by_list(f, list, in, e))
        return -1;
    if (list && property != FLUX_NONE && !agree(f, in))
        return err_bad(e, "--columns: expected %s, found names of other components: %.200s",
                       wanted[property], list);
    const char *found = list ? "another number in --columns" : "none (use --columns)";
    if ((!list && !by_names(f, in)) || !weigh(f))
        return err_bad(e, "expected %s among the %zu columns, found %s", wanted[property],
                       in->columns, found);
    f->temperature = several(&at, temperatures, whole, 1, in) ? (long)at.at[0] : -1;
    if (several(&at, volumes, whole, 1, in) || several(&at, " l ", axes, 3, in))
        f->nvolume = at.ncols;
    memcpy(f->volume, at.at, sizeof f->volume);
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
