/* SPDX-License-Identifier: MIT */
#include "md/md_setup.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "io/decimal.h"
#include "md/md_formulas.h"

const char *const md_units_names[] = {"metal", "lj", NULL};
const char *const md_form_names[] = {"sigma", "rmin", NULL};
const char *const md_shift_names[] = {"none", "potential", "force", NULL};
const char *const md_start_names[] = {"fcc", "random", NULL};
const char *const md_neighbours_names[] = {"auto", "all-pairs", "verlet", "cells", NULL};
const char *const md_boundary_names[] = {"periodic", "mirror", NULL};
const char *const md_integrator_names[] = {"velocity-verlet", "euler", NULL};
const char *const md_precision_names[] = {"mixed", "double", NULL};

void md_setup_empty(struct md_setup *s)
{
    *s = (struct md_setup){.density = NAN,
                           .cell = {NAN, NAN, NAN},
                           .temperature = NAN,
                           .eps = NAN,
                           .sigma = NAN,
                           .mass = NAN,
                           .cutoff = NAN,
                           .skin = NAN,
                           .dt = NAN,
                           .tau = NAN,
                           .start = -1,
                           .units = -1,
                           .form = -1,
                           .shift = -1,
                           .neighbours = -1,
                           .boundary = -1,
                           .integrator = -1,
                           .precision = -1,
                           .seed = 1,
                           .replicas = 1};
}

/* Parses text[0..len) completely as a number in a range. */
static int md_number(const char *text, size_t len, double min, double max, double *v, struct err *e)
{
    double x;
    if (decimal_get_f64(text, len, DECIMAL_OURS, &x) == 0 && x >= min && x <= max)
        return *v = x, 0;
    return err_bad(e, "expected a number from %g to %g, found '%.*s'", min, max, (int)len, text);
}

int md_parse_cutoff(const char *text, void *dst, struct err *e)
{
    if (strcmp(text, "half") != 0)
        return md_number(text, strlen(text), 1e-6, 1e6, dst, e);
    *(double *)dst = MD_CUTOFF_HALF;
    return 0;
}

int md_parse_thermostat(const char *text, void *dst, struct err *e)
{
    if (strncmp(text, "berendsen:", 10) == 0)
        return md_number(text + 10, strlen(text + 10), 1e-9, 1e9, dst, e);
    *(double *)dst = 0.0;
    if (strcmp(text, "none") == 0)
        return 0;
    return err_bad(e, "expected 'none' or 'berendsen:TIME', found '%s'", text);
}

int md_parse_cell(const char *text, void *dst, struct err *e)
{
    double *cell = dst;
    for (int k = 0; k < 3; k++) {
        size_t n = strcspn(text, ",");
        if (md_number(text, n, 1e-6, 1e9, &cell[k], e) != 0)
            return -1;
        if (k == 0 && text[n] == '\0') {
            cell[1] = cell[2] = cell[0];
            return 0;
        }
        if ((text[n] == ',') != (k < 2))
            return err_bad(e,
                           "expected one or three edges (all angles of the cell are 90 degrees)");
        text += n + 1;
    }
    return 0;
}

static double md_or(double given, double otherwise)
{
    return isnan(given) ? otherwise : given;
}

static int md_setup_box(struct md_setup *s, struct md_params *p, struct err *e)
{
    if (isnan(s->cell[0])) {
        if (isnan(s->density))
            return err_bad(e, "--atoms needs --density or --cell");
        s->cell[0] = s->cell[1] = s->cell[2] = cbrt((double)s->atoms / s->density);
    } else if (!isnan(s->density)) {
        double rho = (double)s->atoms / (s->cell[0] * s->cell[1] * s->cell[2]);
        if (fabs(rho - s->density) > 1e-6 * s->density)
            return err_bad(e, "--density %g disagrees with --cell, which gives a density of %g",
                           s->density, rho);
    }
    memcpy(p->box, s->cell, sizeof p->box);
    return 0;
}

int md_setup_params(struct md_setup *s, struct md_params *p, struct err *e)
{
    int *choice[] = {&s->start,      &s->units,    &s->form,       &s->shift,
                     &s->neighbours, &s->boundary, &s->integrator, &s->precision};
    for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
        if (*choice[k] < 0)
            *choice[k] = 0;
    bool lj = s->units == MD_LJ;
    p->natoms = s->atoms;
    p->replicas = s->replicas;
    if (s->tail && (s->shift != LJ_SHIFT_NONE || s->boundary != MD_PERIODIC))
        return err_bad(e,
                       "--tail needs a truncated pair potential without --shift in a periodic box");
    if (s->atoms < 1)
        return err_bad(e, "--atoms: expected at least 1");
    if (md_setup_box(s, p, e) != 0)
        return -1;
    p->boundary = (enum md_boundary)s->boundary;
    p->form = (enum lj_form)s->form;
    p->shift = (enum lj_shift)s->shift;
    p->eps = s->eps = md_or(s->eps, lj ? 1.0 : 10.34);
    p->sigma = s->sigma = md_or(s->sigma, lj ? 1.0 : 3.4);
    p->mass = s->mass = md_or(s->mass, lj ? 1.0 : 39.948);
    p->kb = lj ? 1.0 : UNITS_KB_MEV;
    p->mvv2e = lj ? 1.0 : UNITS_U_A2_PS2_MEV;
    double half = 0.5 * fmin(p->box[0], fmin(p->box[1], p->box[2]));
    bool fits = p->boundary == MD_MIRROR || 2.5 * p->sigma <= half;
    p->cutoff = isnan(s->cutoff)              ? (fits ? 2.5 * p->sigma : half)
                : s->cutoff == MD_CUTOFF_HALF ? half
                                              : s->cutoff;
    p->skin = s->skin;
    p->rebuild = s->rebuild;
    p->temperature = s->temperature = md_or(s->temperature, lj ? 1.0 : 90.0);
    p->tau = s->tau = md_or(s->tau, 0.0);
    s->dt = md_or(s->dt, lj ? 0.005 : 2.5);
    p->dt = lj ? s->dt : 1e-3 * s->dt;
    p->neighbours = (enum md_neighbours)s->neighbours;
    p->integrator = (enum md_integrator)s->integrator;
    p->precision = (enum md_precision)s->precision;
    return 0;
}

/* Numbers and words of a setup that a restart needs, with their keys. */
struct md_key {
    const char *key;
    size_t at;
    const char *const *names; /* NULL for a number */
};
#define MD_KEY(name)                                                                               \
    {                                                                                              \
        "data.md_" #name, offsetof(struct md_setup, name), NULL                                    \
    }
#define MD_WORD(name)                                                                              \
    {                                                                                              \
        "data.md_" #name, offsetof(struct md_setup, name), md_##name##_names                       \
    }
static const struct md_key md_keys[] = {MD_KEY(temperature), MD_KEY(eps),        MD_KEY(sigma),
                                        MD_KEY(mass),        MD_KEY(dt),         MD_KEY(tau),
                                        MD_WORD(units),      MD_WORD(form),      MD_WORD(boundary),
                                        MD_WORD(integrator), MD_WORD(precision), MD_WORD(shift)};
#define MD_NKEYS (sizeof md_keys / sizeof *md_keys)

int md_setup_meta(const struct md_setup *s, const struct md_params *p, double dt, struct meta *m)
{
    double cell[9] = {p->box[0], 0, 0, 0, p->box[1], 0, 0, 0, p->box[2]};
    int bad = meta_setf(m, "sys.natoms", "%zu", p->natoms) | meta_set_f64(m, "sys.dt_ps", &dt, 1) |
              meta_set_f64(m, "sys.cell", cell, 9) | meta_set_f64(m, "sys.sigma", &p->sigma, 1) |
              meta_set(m, "sys.pbc", p->boundary == MD_PERIODIC ? "TTT" : "FFF") |
              meta_set(m, "data.quantity", "positions") |
              meta_set(m, "data.unit", s->units == MD_LJ ? "sigma" : "angstrom") |
              meta_set_f64(m, "data.md_cutoff", &p->cutoff, 1);
    if (meta_get(m, "sys.species") == NULL)
        bad |= meta_setf(m, "sys.species", "%s %zu", s->units == MD_LJ ? "LJ" : "Ar", p->natoms);
    for (size_t k = 0; k < MD_NKEYS; k++) {
        const char *field = (const char *)s + md_keys[k].at;
        bad |= md_keys[k].names ? meta_set(m, md_keys[k].key, md_keys[k].names[*(const int *)field])
                                : meta_set_f64(m, md_keys[k].key, (const double *)field, 1);
    }
    return bad ? -1 : 0;
}

int md_setup_from_meta(struct md_setup *s, const struct meta *m, struct err *e)
{
    bool half = s->cutoff == MD_CUTOFF_HALF;
    for (size_t k = 0; k < MD_NKEYS; k++) {
        const struct md_key *q = &md_keys[k];
        void *field = (char *)s + q->at;
        const char *word = meta_get(m, q->key);
        int n = 0;
        while (q->names && q->names[n] && word && strcmp(q->names[n], word) != 0)
            n++;
        double v;
        if (q->names ? !word || !q->names[n] : meta_get_f64(m, q->key, &v, 1) != 1)
            return err_bad(e, "not a restart file: %s is missing or wrong", q->key);
        if (q->names && *(int *)field < 0)
            *(int *)field = n;
        if (!q->names && isnan(*(double *)field))
            *(double *)field = v;
    }
    if (isnan(s->cutoff) && !half && meta_get_f64(m, "data.md_cutoff", &s->cutoff, 1) != 1)
        return err_bad(e, "not a restart file: data.md_cutoff is missing");
    return 0;
}

/* ---- --thermo */

const char *md_thermo_legend(const struct md_setup *s, bool stress)
{
    static const char *const legends[2][2] = {
        {"step t_ps T_K U_meV K_meV E_meV p_bar W_meV E_shifted_meV momentum_u_A_ps pairs",
         "step t_ps T_K U_meV K_meV E_meV p_bar W_meV E_shifted_meV momentum_u_A_ps pairs"
         " pxx_bar pyy_bar pzz_bar pxy_bar pxz_bar pyz_bar"},
        {"step t T U K E p W E_shifted momentum pairs",
         "step t T U K E p W E_shifted momentum pairs pxx pyy pzz pxy pxz pyz"}};
    return legends[s->units == MD_LJ][stress];
}

char *md_print(char *at, double v)
{
    *at++ = ' ';
    return at + decimal_put_f64(at, v, 0);
}

void md_thermo_line(const struct md_setup *s, const struct md_params *p, uint64_t step,
                    const struct md_thermo *found, bool stress, char *line)
{
    struct lj lj = lj_make(p->form, p->eps, p->sigma);
    double conserved = found->potential + found->kinetic, shift = 0.0;
    struct md_thermo with = *found;
    const struct md_thermo *t = &with;
    if (s->tail)
        md_add_tail(p, &with);
    if (p->shift == LJ_SHIFT_NONE)
        shift = (double)t->pairs * lj_energy(&lj, p->cutoff * p->cutoff);
    double unit = s->units == MD_LJ ? 1.0 : UNITS_MEV_A3_BAR;
    const double *q = t->momentum;
    const double v[] = {(double)step * p->dt,
                        md_temperature(p, t),
                        t->potential,
                        t->kinetic,
                        t->potential + t->kinetic,
                        md_pressure(p, t) * unit,
                        t->virial,
                        conserved - shift,
                        sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])};
    char *at = line + decimal_put_u64(line, step);
    for (size_t k = 0; k < sizeof v / sizeof *v; k++)
        at = md_print(at, v[k]);
    *at++ = ' ';
    at += decimal_put_u64(at, t->pairs);
    for (int k = 0; stress && k < 6; k++)
        at = md_print(at, md_pressure_ab(p, t, k) * unit);
    *at = '\0';
}
