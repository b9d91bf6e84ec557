/* SPDX-License-Identifier: MIT */
#include "formats/lammps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit_names.h"
#include "base/units.h"

const struct lammps_style lammps_styles[] = {
    [LAMMPS_AS_GIVEN] = {"", "", "", "", 0, 0, 0},
    [LAMMPS_REAL] = {"real", "angstrom", "femtosecond", "e", 1.0, 1e-3, 1e3},
    [LAMMPS_METAL] = {"metal", "angstrom", "picosecond", "e", 1.0, 1.0, 1.0},
    [LAMMPS_SI] = {"si", "meter", "second", "C", 1e10, 1e12, 1e-2},
    [LAMMPS_CGS] = {"cgs", "centimeter", "second", "statC", 1e8, 1e12, 1e-4},
    [LAMMPS_ELECTRON] = {"electron", "bohr", "femtosecond", "e", UNITS_BOHR_A, 1e-3,
                         UNITS_BOHR_A / 1.03275e-3},
    [LAMMPS_MICRO] = {"micro", "micrometer", "microsecond", "pC", 1e4, 1e6, 1e-2},
    [LAMMPS_NANO] = {"nano", "nanometer", "nanosecond", "e", 10.0, 1e3, 1e-2},
    [LAMMPS_LJ] = {"lj", "lj", "lj", "", 1.0, 1.0, 1.0},
};

static void use_style(struct lammps *l, enum lammps_units units)
{
    l->units = units;
    l->length = lammps_styles[units].length;
    l->time = lammps_styles[units].time;
    l->speed = lammps_styles[units].speed;
}

void lammps_begin(struct lammps *l, const struct formats_opts *o, struct format_info *info)
{
    *l = (struct lammps){.opts = o, .info = info, .scalars = {o->scalars, o->nscalars, {0}}};
    use_style(l, (enum lammps_units)o->units);
}

int lammps_room(struct lammps *l, struct err *e)
{
    size_t n = l->info->natoms, row = l->opts->given.f64 ? 24 : 12, limit = l->opts->max_mem;
    size_t wide = row / 3 * (size_t)l->scalars.n;
    row = wide > row ? wide : row;
    if (err_over(e, (double)n * (double)(row + 41), limit, NULL, "%zu atoms", n))
        return -1;
    l->ids = calloc(n, sizeof *l->ids);
    l->scratch = malloc(n * row);
    l->species = calloc(n, 1);
    l->keys = calloc(n, sizeof *l->keys);
    bool wanted = l->opts->molecules && !l->opts->topology;
    if (wanted)
        l->molecule = calloc(n, sizeof *l->molecule);
    return l->ids && l->scratch && l->species && l->keys && (!wanted || l->molecule)
               ? 0
               : err_memory(e, "the ids of the atoms");
}

void lammps_free(struct lammps *l)
{
    sort_by_id_free(&l->order);
    free(l->use);
    free(l->ids);
    free(l->scratch);
    free(l->species);
    free(l->molecule);
    free(l->keys);
}

int lammps_set_units(struct lammps *l, const char *s, size_t len, struct err *e)
{
    if (l->opts->units != LAMMPS_AS_GIVEN)
        return 0;
    for (int k = 1; k <= LAMMPS_LJ; k++)
        if (strlen(lammps_styles[k].name) == len && memcmp(s, lammps_styles[k].name, len) == 0) {
            use_style(l, (enum lammps_units)k);
            l->plain = !l->scaled && !l->images && l->length == 1.0; /* not for all frames */
            l->named = true;
            return 0;
        }
    return err_bad(e, "expected a unit style (real, metal, ...), found '%.*s'",
                   (int)(len < 40 ? len : 40), s);
}

int lammps_check_units(const struct lammps *l, bool timed, struct err *e)
{
    bool step = !timed && isnan(l->opts->given.dt_ps) && isnan(l->opts->given.timestep_ps);
    return l->units != LAMMPS_AS_GIVEN
               ? 0
               : err_bad(e,
                         "expected the unit style%s in the file (name it with --units STYLE: real, "
                         "metal, lj, si, cgs, electron, micro or nano%s writes %s)",
                         step ? " and the time, found neither" : ", found none",
                         step ? "; and give the length of an MD step in ps, as in --units real "
                                "--timestep 0.001; dump_modify units yes time yes"
                              : "; dump_modify units yes",
                         step ? "both" : "it");
}

/* ---- columns */

static int find(char *const *w, int n, const char *name)
{
    for (int k = 0; k < n; k++)
        if (strcmp(w[k], name) == 0)
            return k;
    return -1;
}

/* Assigns the uses `first` to `first` + 2 to the columns names[3]. Returns whether all columns
 * exist. */
static bool take_three(struct lammps *l, char *const *w, const char *const names[3], int first)
{
    int at[3];
    for (int a = 0; a < 3; a++)
        if ((at[a] = find(w, l->ncols, names[a])) < 0)
            return false;
    for (int a = 0; a < 3; a++)
        l->use[at[a]] = first + a;
    return true;
}

static int choose_positions(struct lammps *l, char *const *w, struct err *e)
{
    static const char *const x[] = {"x", "y", "z"}, *const xs[] = {"xs", "ys", "zs"},
                             *const xu[] = {"xu", "yu", "zu"}, *const xsu[] = {"xsu", "ysu", "zsu"},
                             *const ix[] = {"ix", "iy", "iz"};
    bool unwrap = l->opts->unwrap, inside = false, unwrapped = false;
    l->scaled = l->images = false;
    if (!unwrap)
        inside = take_three(l, w, x, LAMMPS_X) || (l->scaled = take_three(l, w, xs, LAMMPS_X));
    if (!inside)
        unwrapped = take_three(l, w, xu, LAMMPS_X) || (l->scaled = take_three(l, w, xsu, LAMMPS_X));
    if (unwrap && !unwrapped)
        inside = take_three(l, w, x, LAMMPS_X) || (l->scaled = take_three(l, w, xs, LAMMPS_X));
    if (!inside && !unwrapped)
        return err_bad(e, "expected columns x y z (or xs ys zs, xu yu zu, xsu ysu zsu), found '%s'",
                       l->text);
    if (unwrap && !unwrapped && !(l->images = take_three(l, w, ix, LAMMPS_I)))
        return err_bad(e, "expected columns ix iy iz or xu yu zu for --unwrap, found '%s'",
                       l->text);
    l->info->unwrapped = unwrapped || l->images;
    l->plain = !l->scaled && !l->images && l->length == 1.0;
    return 0;
}

/* Assigns the columns for names, ids and velocities. */
static int choose_others(struct lammps *l, char *const *w, struct err *e)
{
    static const char *const v[] = {"vx", "vy", "vz"};
    int id = find(w, l->ncols, "id"), element = find(w, l->ncols, "element"),
        type = find(w, l->ncols, "type"), mol = find(w, l->ncols, "mol");
    if (l->numbers && element >= 0) {
        type = type >= 0 ? type : element;
        element = -1;
    }
    l->has_id = id >= 0;
    if (l->has_id)
        l->use[id] = LAMMPS_ID;
    else if (!l->opts->given.unsorted_ok)
        return err_bad(
            e,
            "expected a column named id, because LAMMPS does not sort its dumps, found '%s' "
            "(--unsorted-ok keeps the rows in the order of the file)",
            l->text);
    l->has_name = element >= 0 || type >= 0;
    l->info->elements = element >= 0 && type >= 0;
    l->info->types = element < 0 || type >= 0;
    if (l->has_name)
        l->use[element >= 0 ? element : type] = LAMMPS_NAME;
    if (l->info->elements)
        l->use[type] = LAMMPS_TYPE;
    l->has_mol = mol >= 0;
    if (l->has_mol)
        l->use[mol] = LAMMPS_MOL;
    l->nvel = l->opts->velocities && take_three(l, w, v, LAMMPS_V) ? 3 : 0;
    l->info->has_velocities = find(w, l->ncols, "vx") >= 0;
    if (l->opts->velocities && l->nvel == 0)
        return err_bad(e, "--velocities: expected columns vx vy vz, found '%s'", l->text);
    return 0;
}

/* Finds the columns of --scalars. The unit of the column q is the unit of the style. */
static int choose_scalars(struct lammps *l, char *const *w, struct err *e)
{
    for (int k = 0; k < l->scalars.n; k++) {
        const char *name = l->opts->scalars[k].name;
        if ((l->scalars.column[k] = find(w, l->ncols, name)) < 0)
            return err_bad(e, "--scalars: expected a column %s, found '%s'", name, l->text);
        strcpy(l->info->unit[k], strcmp(name, "q") == 0 ? lammps_styles[l->units].charge : "");
    }
    return 0;
}

int lammps_columns(struct lammps *l, bool timed, const char *s, size_t len, struct err *e)
{
    enum { MAX = 256 };
    char *w[MAX], words[sizeof l->text], *save;
    while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t'))
        len--;
    if (lammps_check_units(l, timed, e) != 0)
        return -1;
    if (l->use && strlen(l->text) == len && memcmp(l->text, s, len) == 0)
        return 0;
    if (len >= sizeof l->text || memchr(s, 0, len))
        return err_bad(
            e, "expected column names of at most 1023 bytes, without zero bytes, found %zu bytes",
            len);
    memcpy(l->text, s, len);
    l->text[len] = '\0';
    memcpy(words, l->text, len + 1);
    l->ncols = 0;
    for (char *p = strtok_r(words, " \t", &save); p; p = strtok_r(NULL, " \t", &save)) {
        if (l->ncols == MAX)
            return err_bad(e, "expected at most %d columns, found more", MAX);
        w[l->ncols++] = p;
    }
    free(l->use);
    l->use = malloc((size_t)(l->ncols ? l->ncols : 1) * sizeof *l->use);
    if (!l->use)
        return err_memory(e, "the columns");
    for (int k = 0; k < l->ncols; k++)
        l->use[k] = -1;
    return choose_positions(l, w, e) != 0 || choose_others(l, w, e) != 0 ||
                   choose_scalars(l, w, e) != 0
               ? -1
               : 0;
}

/* ---- a frame */

void lammps_bounds(struct lammps *l, const double lo[3], const double hi[3], const double tilt[3])
{
    double xy = tilt[0], xz = tilt[1], yz = tilt[2];
    double low = fmin(fmin(0.0, xy), fmin(xz, xy + xz)),
           high = fmax(fmax(0.0, xy), fmax(xz, xy + xz));
    double a[3] = {lo[0] - low, lo[1] - fmin(0.0, yz), lo[2]},
           b[3] = {hi[0] - high, hi[1] - fmax(0.0, yz), hi[2]};
    double h[9] = {b[0] - a[0], 0, 0, xy, b[1] - a[1], 0, xz, yz, b[2] - a[2]};
    memcpy(l->lo, a, sizeof a);
    memcpy(l->h, h, sizeof h);
}

void lammps_cell(const struct lammps *l, struct format_frame *f)
{
    f->has_cell = true;
    for (int k = 0; k < 9; k++)
        f->cell[k] = l->h[k] * l->length;
}

double lammps_time(struct lammps *l, int64_t step, double time)
{
    const char *style = lammps_styles[l->units].name;
    if (!isnan(time) || !l->named || !isnan(l->opts->given.dt_ps) ||
        !isnan(l->opts->given.timestep_ps))
        return time * l->time;
    snprintf(l->info->assumed, sizeof l->info->assumed,
             "the dump does not state the time step, so the LAMMPS default for units %s, %g, is "
             "assumed (give another with --timestep PS)",
             style, unit_default_timestep(style));
    return (double)step * unit_default_timestep(style) * l->time;
}

bool lammps_type_named(const struct lammps *l, const char *s, size_t len)
{
    for (const char *p = l->opts->species; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strncmp(p, s, len) == 0 && p[len] == '=')
            return true;
    return false;
}

bool lammps_careful(const struct lammps *l)
{
    bool typed = false;
    for (int c = 0; c < l->ncols; c++)
        typed |= l->use[c] == LAMMPS_TYPE;
    return typed || (l->molecule && l->has_mol);
}

void lammps_name(struct lammps *l, size_t k, const char *s, size_t len)
{
    int name = l->species && l->has_name ? format_name(l->info, s, len) : 0;
    if (name < 0)
        l->has_name = false; /* labels, not species */
    else if (l->species)
        l->species[k] = (unsigned char)name;
    else
        lammps_key(l, k, format_key(s, len));
}

void lammps_row(struct lammps *l, struct format_frame *f, size_t k, const double *v)
{
    double x[3] = {v[0], v[1], v[2]};
    const double *h = l->h, *i = v + LAMMPS_I;
    bool f64 = l->opts->given.f64;
    if (l->scaled)
        for (int a = 0; a < 3; a++)
            x[a] = l->lo[a] + v[0] * h[a] + v[1] * h[3 + a] + v[2] * h[6 + a];
    if (l->images)
        for (int a = 0; a < 3; a++)
            x[a] += i[0] * h[a] + i[1] * h[3 + a] + i[2] * h[6 + a];
    for (int a = 0; a < 3; a++) {
        format_put(f->pos, 3 * k + (size_t)a, f64, x[a] * l->length);
        if (l->nvel)
            format_put(f->vel, 3 * k + (size_t)a, f64, v[LAMMPS_V + a] * l->speed);
    }
    f->has_vel = l->nvel > 0;
}

int lammps_finish(struct lammps *l, struct format_frame *f, size_t *row, struct err *e)
{
    size_t n = l->info->natoms, bytes = l->opts->given.f64 ? 24 : 12;
    const size_t *place = NULL;
    bool named = l->nkeys == n; /* the column may be absent in a frame */
    l->nkeys = 0;
    *row = SIZE_MAX;
    if (l->has_id) {
        if (sort_by_id_places(&l->order, l->ids, n, &place, row, e) != 0)
            return -1;
        sort_by_id_apply(&l->order, place, f->pos, bytes, l->scratch);
        if (f->has_vel)
            sort_by_id_apply(&l->order, place, f->vel, bytes, l->scratch);
        if (l->scalars.n)
            sort_by_id_apply(&l->order, place, f->scal, bytes / 3 * (size_t)l->scalars.n,
                             l->scratch);
    }
    bool first_order =
        !place || place != l->order.place; /* rows hold the atoms of the first frame */
    if (named && f->decode && (l->keys_changed || !first_order)) {
        if (format_same_species(l->info, l->opts, l->keys, place, e) != 0)
            return -1;
        l->keys_changed = !first_order;
    }
    if (l->species && l->has_name) {
        sort_by_id_apply(&l->order, place, l->species, 1, l->scratch);
        l->info->species = l->species;
        l->species = NULL;
    }
    if (l->molecule && l->has_mol) {
        sort_by_id_apply(&l->order, place, l->molecule, sizeof *l->molecule, l->scratch);
        l->info->molecule = l->molecule;
        l->molecule = NULL;
    }
    return 0;
}
