/* SPDX-License-Identifier: MIT */
/* spectrum_meta.c: description of a spectrum: words, units, keys of META. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/spectrum.h"

#define WORDS(NAME, word, ...) word,
const char *const spectrum_windows[] = {"none", SPECTRUM_COSINES(WORDS) "gauss", NULL};
const char *const spectrum_units[] = {"cm-1", "THz", "rad/ps", "meV", NULL};
const char *const spectrum_quanta[] = {"none",      "standard", "harmonic", "schofield",
                                       "egelstaff", "bose",     NULL};
const char *const spectrum_weights[] = {"none", "nu", "nu2", "nu-tanh", "nu3", "nu4", NULL};

/* Weights of the classical function that include both directions: no correction goes with them. */
static bool absorbs(const struct spectrum_params *p)
{
    return p->weight == SPECTRUM_NU || p->weight == SPECTRUM_NU2 || p->weight == SPECTRUM_NU_TANH;
}

int spectrum_refuse(const struct spectrum_params *p, struct err *e)
{
    bool tanh = p->weight == SPECTRUM_NU_TANH, known = !isnan(p->temperature);
    if (p->weight >= SPECTRUM_NU3 && isnan(p->laser))
        return err_set(e, ERR_BAD, "--weight %s needs --laser CM1", spectrum_weights[p->weight]);
    if (p->weight < SPECTRUM_NU3 && !isnan(p->laser))
        return err_set(e, ERR_BAD, "--laser needs --weight nu3 or nu4");
    if (p->quantum && absorbs(p))
        return err_set(
            e, ERR_BAD,
            "--weight %s is for classical functions and cannot be combined with --quantum",
            spectrum_weights[p->weight]);
    if (tanh && !known)
        return err_set(e, ERR_BAD, "--weight nu-tanh needs --temperature K");
    if (p->quantum && !known)
        return err_set(e, ERR_BAD, "--quantum %s needs --temperature K",
                       spectrum_quanta[p->quantum]);
    if (!p->quantum && !tanh && known)
        return err_set(e, ERR_BAD, "--temperature needs --quantum or --weight nu-tanh");
    return 0;
}

/* Exponent of "^N" at *p, which moves past it; 1 if there is none, 0 if it is invalid. */
static long exponent(const char **p)
{
    char *end;
    if (**p != '^')
        return 1;
    long n = strtol(*p + 1, &end, 10);
    *p = end;
    return n;
}

void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size)
{
    static const char *const units[][3] = {
        {"cm", "", "cm-1"}, {"ps", "", "THz"}, {"ps/rad", "", "rad/ps"}, {"/meV", "", "meV"}};
    static const int power[] = {0, 1, 2, 2, 0, 0};
    const char *u = p->unit_of ? p->unit_of : "", *base;
    int inner = *u == '(';
    size_t len;
    *word = 0;
    base = u += inner;
    while (isalpha((unsigned char)*u))
        u++;
    len = (size_t)(u - base);
    long n = exponent(&u);
    if (inner && *u++ != ')')
        return;
    n *= inner ? exponent(&u) : 1;
    if (!len || len > 8 || *u || n < 1 || n > 99)
        return;
    snprintf(word, size, "%.*s%.0ld%s", (int)len, base, n == 1 ? 0 : n,
             units[p->unit][power[p->weight]]);
}

/* Writes one number per function, at this offset of its description, for each value of a second
 * axis; nothing if the numbers are unknown. */
static int put_numbers(struct meta *m, const char *key, const struct spectrum *s, size_t offset)
{
    size_t n = s->nfunctions * (s->groups ? s->groups : 1);
    double *v = malloc((n + 1) * sizeof *v);
    int rc = v ? 0 : -1;
    for (size_t i = 0; v && i < n; i++)
        memcpy(v + i, (const char *)&s->f[i] + offset, sizeof *v);
    if (v && n > 0 && !isnan(v[0]))
        rc = meta_set_f64(m, key, v, n);
    free(v);
    return rc;
}

static int put_columns(struct meta *m, const struct series *s)
{
    char *text = malloc(s->cols * (SERIES_NAME + 1) + 1), *p = text;
    if (!text)
        return -1;
    for (size_t c = 0; c < s->cols; c++)
        p += sprintf(p, "%s%s", c ? " " : "", s->name[c]);
    int rc = meta_set(m, "data.columns", text);
    free(text);
    return rc;
}

static int put_moments(struct meta *m, const struct spectrum *s, const char *unit)
{
    return put_numbers(m, "data.moment0", s, offsetof(struct spectrum_function, moment0)) ||
                   put_numbers(m, "data.moment0.se", s,
                               offsetof(struct spectrum_function, moment0_se)) ||
                   put_numbers(m, "data.moment2", s, offsetof(struct spectrum_function, moment2)) ||
                   put_numbers(m, "data.moment2.se", s,
                               offsetof(struct spectrum_function, moment2_se)) ||
                   put_numbers(m, "data.moment2.window", s,
                               offsetof(struct spectrum_function, window2)) ||
                   meta_setf(m, "data.moment2.unit", "(%s)^2", unit)
               ? -1
               : 0;
}

/* Units that a weight adds to "per cm-1". */
static const char *weight_units(const struct spectrum_params *p)
{
    static const char *const units[][2] = {
        {" cm-1", " cm-1^2"}, {" THz", " THz^2"}, {" rad/ps", " (rad/ps)^2"}, {" meV", " meV^2"}};
    return absorbs(p) ? units[p->unit][p->weight != SPECTRUM_NU] : "";
}

/* data.unit.of: units of spectra whose functions have their own, and of the ratio. */
static int put_units(const struct spectrum *s, const struct spectrum_params *p, const char *axis,
                     struct meta *m)
{
    size_t n = s->nfunctions, cols = n + !!p->ratio, at = 0;
    char *text = malloc(cols * 3 * SERIES_NAME + 1), own[SERIES_WORD];
    if (!text)
        return -1;
    for (size_t i = 0; i < cols; i++) {
        const char *name = s->s.name[s->s.axes + i];
        if (i == n)
            at += (size_t)sprintf(text + at, "%s%s:1", at ? " " : "", name);
        else if (series_unit_of(p->units, s->f[i].name, own, sizeof own))
            at += (size_t)sprintf(text + at, "%s%s:%s/%s", at ? " " : "", name, own, axis);
    }
    int rc = at ? meta_set(m, "data.unit.of", text) : 0;
    free(text);
    return rc;
}

int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m)
{
    static const char *const kept[] = {"data.component",     "data.average",   "data.prefactor",
                                       "data.sigma",         "data.cutoff",    "data.sum",
                                       "data.taper",         "data.axis2",     "data.axis2.values",
                                       "data.axis2.vectors", "data.direction", "data.weights",
                                       "data.form_factor",   "data.pairs"};
    const char *unit = spectrum_units[p->unit], *of = meta_get(in, "data.unit");
    char zero[SERIES_WORD] = "", name[SERIES_WORD] = "I";
    of = of && strcmp(of, "1") != 0 ? of : "";
    if (series_word(series_functions(in), 0, zero, sizeof zero) != 1)
        return -1;
    if (p->names && series_word(p->names, 0, name, sizeof name) != 1)
        return -1;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (meta_get(in, kept[k]) && meta_set(m, kept[k], meta_get(in, kept[k])) != 0)
            return -1;
    return put_columns(m, &s->s) || meta_set(m, "data.quantity", "spectrum") ||
                   meta_setf(m, "data.unit", "%s%sper %s%s", of, *of ? " " : "", unit,
                             weight_units(p)) ||
                   put_units(s, p, unit, m) ||
                   (!isnan(s->end) && meta_set_f64(m, "data.end", &s->end, 1)) ||
                   meta_setf(m, "data.convention",
                             "integral of %s%s over all frequencies, both signs = %s(0)", name,
                             p->weight ? "/weight" : "", zero) ||
                   meta_set(m, "data.weight", p->weight ? spectrum_weights[p->weight] : NULL) ||
                   (p->weight >= SPECTRUM_NU3 &&
                    meta_set_f64(m, "data.weight.laser", &p->laser, 1)) ||
                   meta_set(m, "data.window", spectrum_windows[p->window]) ||
                   meta_set(m, "data.quantum", spectrum_quanta[p->quantum]) ||
                   (p->window == SPECTRUM_GAUSS &&
                    meta_set_f64(m, "data.window.gauss_ps", &p->gauss_ps, 1)) ||
                   ((p->quantum || p->weight == SPECTRUM_NU_TANH) &&
                    meta_set_f64(m, "data.temperature", &p->temperature, 1)) ||
                   (s->coarse > 0.0 && meta_set(m, "data.quantum.frames", "too far apart")) ||
                   meta_set_f64(m, "data.nyquist", &s->nyquist, 1) ||
                   meta_set_f64(m, "data.step", &s->step, 1) ||
                   meta_setf(m, "data.length", "%zu", s->length) ||
                   meta_setf(m, "data.lags", "%zu", s->lags) || put_moments(m, s, unit)
               ? -1
               : 0;
}
