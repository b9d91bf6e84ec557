/* SPDX-License-Identifier: MIT */
/* spectrum_meta.c: describes a spectrum with words, units and keys of META. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/labels.h"
#include "stats/spectrum.h"

#define WORDS(NAME, word, ...) word,
const char *const spectrum_windows[] = {"none", SPECTRUM_COSINES(WORDS) "gauss", NULL};
const char *const spectrum_units[] = {"cm-1", "THz", "rad/ps", "meV", NULL};
const char *const spectrum_quanta[] = {"none",      "standard", "harmonic", "schofield",
                                       "egelstaff", "bose",     NULL};
const char *const spectrum_weights[] = {"none", "nu",  "nu2",      "nu-tanh", "absorption",
                                        "nu3",  "nu4", "rayleigh", NULL};

/* Weights of the classical function that include both directions. They allow no correction. */
static bool absorbs(const struct spectrum_params *p)
{
    return p->weight == SPECTRUM_NU || p->weight == SPECTRUM_NU2 || p->weight == SPECTRUM_NU_TANH;
}

int spectrum_refuse(const struct spectrum_params *p, struct err *e)
{
    bool tanh = p->weight == SPECTRUM_NU_TANH, known = !isnan(p->temperature);
    if (p->weight >= SPECTRUM_NU3 && isnan(p->laser))
        return err_bad(e, "--weight %s needs --laser CM1", spectrum_weights[p->weight]);
    if (p->weight < SPECTRUM_NU3 && !isnan(p->laser))
        return err_bad(e, "--laser needs --weight nu3, nu4 or rayleigh");
    if (spectrum_absolute(p) && p->unit != SPECTRUM_CM1)
        return err_bad(e, "--weight %s: expected --unit cm-1, found %s",
                       spectrum_weights[p->weight], spectrum_units[p->unit]);
    if (spectrum_binary(p) && p->weight && !spectrum_absolute(p))
        return err_bad(e, "--amagat: expected --weight none, absorption or rayleigh, found %s",
                       spectrum_weights[p->weight]);
    if (spectrum_binary(p) && p->unit != SPECTRUM_CM1)
        return err_bad(e, "--amagat: expected --unit cm-1, found %s", spectrum_units[p->unit]);
    if (!spectrum_absolute(p) && !spectrum_binary(p) && !isnan(p->volume))
        return err_bad(e, "--volume needs --amagat or --weight absorption or rayleigh");
    if (p->weight == SPECTRUM_ABSORPTION && !p->quantum)
        return err_bad(e, "--weight absorption needs --quantum NAME (--quantum harmonic gives the "
                          "classical absorption)");
    if (p->quantum && absorbs(p))
        return err_bad(
            e, "--weight %s needs a classical function and cannot be combined with --quantum",
            spectrum_weights[p->weight]);
    if (tanh && !known)
        return err_bad(e, "--weight nu-tanh needs --temperature K");
    if (p->quantum && !known)
        return err_bad(e, "--quantum %s needs --temperature K", spectrum_quanta[p->quantum]);
    if (!p->quantum && !tanh && known)
        return err_bad(e, "--temperature needs --quantum or --weight nu-tanh");
    return 0;
}

/* Names and units of the spectra in measured units. */
struct measured {
    const char *symbol, *label, *word, *unit, *convention;
};
static const struct measured *measured(const struct spectrum_params *p)
{
    static const struct measured
        light = {"R", "R(ω)", "sr-1", "sr^-1", "R = (2 pi)^4 (nu_0 - nu)^4 I/V"},
        infrared = {"alpha_n", "α(ω)n(ω)", "cm-1", "cm^-1",
                    "alpha n = 2 pi^2 nu (1 - exp(-x)) I/(eps_0 h c V), x = h nu/kT"};
    return p->weight == SPECTRUM_RAYLEIGH ? &light : &infrared;
}

/* Returns the exponent of "^N" at *p and moves *p past it. Returns 1 if there is no exponent, or 0
 * if it is invalid. */
static long exponent(const char **p)
{
    char *end;
    if (**p != '^')
        return 1;
    long n = strtol(*p + 1, &end, 10);
    *p = end;
    return n;
}

const char *spectrum_symbol(const struct spectrum_params *p)
{
    return spectrum_absolute(p) ? measured(p)->symbol : "I";
}

void spectrum_unit_word(const struct spectrum_params *p, char *word, size_t size)
{
    static const char *const units[][3] = {
        {"cm", "", "cm-1"}, {"ps", "", "THz"}, {"ps/rad", "", "rad/ps"}, {"/meV", "", "meV"}};
    static const int power[] = {0, 1, 2, 2, 0, 0, 0, 0};
    const char *u = p->unit_of ? p->unit_of : "", *base;
    int inner = *u == '(';
    size_t len;
    const char *per = spectrum_binary(p) ? "amagat-2" : "";
    snprintf(word, size, "%s%s", spectrum_absolute(p) ? measured(p)->word : "",
             spectrum_absolute(p) ? per : "");
    if (*word)
        return;
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
    snprintf(word, size, "%.*s%.0ld%s%s%s", (int)len, base, n == 1 ? 0 : n,
             units[p->unit][power[p->weight]], *per ? "A-3" : "", per);
}

/* Writes the number at this offset of the description of each function, for each value of a second
 * axis. Writes nothing if the numbers are unknown. */
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

/* Returns what --amagat multiplies a unit by. */
static const char *binary_unit(const struct spectrum_params *p)
{
    return !spectrum_binary(p) ? "" : spectrum_absolute(p) ? "*amagat^-2" : "*A^-3*amagat^-2";
}

/* Writes the first moment, which is 0 without a quantum correction, and the unit of binary moments:
 * that of C, or of a spectrum in measured units times cm^-1. */
static int put_binary(struct meta *m, const struct spectrum *s, const struct spectrum_params *p,
                      const char *of)
{
    return meta_set_f64(m, "data.amagat", p->amagat, 2) ||
                   meta_set_f64(m, "data.volume", &p->volume, 1) ||
                   meta_setf(m, "data.moment0.unit", "%s%s%s",
                             spectrum_absolute(p) ? measured(p)->unit : of,
                             spectrum_absolute(p) ? "*cm^-1" : "", binary_unit(p)) ||
                   (p->quantum && (put_numbers(m, "data.moment1", s,
                                               offsetof(struct spectrum_function, moment1)) ||
                                   put_numbers(m, "data.moment1.se", s,
                                               offsetof(struct spectrum_function, moment1_se))))
               ? -1
               : 0;
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

static int put_samples(struct meta *m, const struct series *s)
{
    char *text = series_samples(s);
    int rc = text ? meta_set(m, "data.samples", *text ? text : NULL) : -1;
    free(text);
    return rc;
}

/* Returns the units that a weight adds to "per cm-1". */
static const char *weight_units(const struct spectrum_params *p)
{
    static const char *const units[][2] = {
        {" cm-1", " cm-1^2"}, {" THz", " THz^2"}, {" rad/ps", " (rad/ps)^2"}, {" meV", " meV^2"}};
    return absorbs(p) ? units[p->unit][p->weight != SPECTRUM_NU] : "";
}

/* Writes a label to `f`, with the symbol of the axis for ω. */
static void put_symbols(FILE *f, const char *label, enum spectrum_unit unit)
{
    const char *symbol = unit == SPECTRUM_MEV ? "E" : unit == SPECTRUM_RAD_PS ? "ω" : "ν";
    for (const char *at; (at = strstr(label, "ω")); label = at + strlen("ω")) {
        fwrite(label, 1, (size_t)(at - label), f);
        fputs(symbol, f);
    }
    fputs(label, f);
}

/* Writes the label of spectrum i, from META for its name without a unit, or else I(ω). */
static void put_label(FILE *f, const struct spectrum *s, const struct spectrum_params *p, size_t i,
                      const struct meta *in)
{
    static const char *const weight[] = {"", "ω~", "ω²~", "ω~tanh(x/2)~", "", "", "", ""};
    char name[SERIES_NAME + 8], label[LABELS_SIZE], own[SERIES_WORD];
    const char *function = s->f[i].name, *rest;
    bool named = p->names && series_word(p->names, i, own, sizeof own) == 1;
    snprintf(name, sizeof name, "%s%s", named ? "" : "I_", named ? own : function);
    put_symbols(f, weight[p->weight], p->unit);
    rest = labels_find(meta_get(in, "data.label.of"), name, label);
    const char *kind = spectrum_absolute(p) && rest ? strchr(label, ',') : NULL; /* ,~pair */
    put_symbols(f, spectrum_absolute(p) ? measured(p)->label : rest ? label : "I(ω)", p->unit);
    fputs(kind ? kind : "", f);
    if (!rest || *rest)
        fputs(",~", f);
    if (!rest || *rest)
        fputs(rest ? rest + 1 : function, f);
}

/* Sets data.label.of and data.unit.of, the labels and units of all spectra and of the ratio. */
static int put_labels(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m)
{
    static const char *const axis[] = {"cm-1", "THz", "(rad/ps)", "meV"};
    static const char *const power[] = {"", "", "^2", "^2", "", "", "", ""};
    size_t n = s->nfunctions, size[2];
    char *text[2] = {NULL, NULL}, label[LABELS_SIZE], unit[LABELS_SIZE];
    FILE *f[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    bool bad = !f[0] || !f[1];
    for (size_t i = 0; !bad && i < n + !!p->ratio; i++) {
        const char *name = s->s.name[s->s.axes + i];
        for (int k = 0; k < 2; k++) {
            fputs(i ? " " : "", f[k]);
            fputs(name, f[k]);
            fputc(':', f[k]);
        }
        if (i < n)
            put_label(f[0], s, p, i, in);
        else
            fputs(name, f[0]);
        labels_of(in, FRAME_CORR, i < n ? s->f[i].name : "", label, unit);
        if (i < n && spectrum_absolute(p))
            strcpy(unit, measured(p)->unit);
        bool named = i < n && strcmp(unit, "-") != 0, known = named && !spectrum_absolute(p);
        const char *const words[] = {
            i < n ? unit : "1", named ? binary_unit(p) : "", "/",
            axis[p->unit],      absorbs(p) ? "*" : "",       absorbs(p) ? axis[p->unit] : "",
            power[p->weight]};
        for (size_t k = 0; k < (known ? sizeof words / sizeof *words : 2); k++)
            fputs(words[k], f[1]);
    }
    for (int k = 0; k < 2; k++)
        bad |= f[k] && (ferror(f[k]) | fclose(f[k]));
    bad = bad || meta_set(m, "data.label.of", text[0]) || meta_set(m, "data.unit.of", text[1]);
    free(text[0]);
    free(text[1]);
    return bad ? -1 : 0;
}

int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m)
{
    static const char *const kept[] = {"data.component",     "data.average",   "data.prefactor",
                                       "data.sigma",         "data.cutoff",    "data.sum",
                                       "data.taper",         "data.axis2",     "data.axis2.values",
                                       "data.axis2.vectors", "data.direction", "data.weights",
                                       "data.form_factor",   "data.pairs",     "data.function"};
    const char *unit = spectrum_units[p->unit], *of = meta_get(in, "data.unit");
    char zero[SERIES_WORD] = "", name[SERIES_WORD] = "I";
    char label[LABELS_SIZE], own[LABELS_SIZE];
    labels_of(in, FRAME_CORR, s->f[0].name, label, own); /* the unit of all functions */
    of = spectrum_binary(p) ? own : of && strcmp(of, "1") != 0 ? of : "";
    if (series_word(series_functions(in), 0, zero, sizeof zero) != 1)
        return -1;
    if (p->names && series_word(p->names, 0, name, sizeof name) != 1)
        return -1;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (meta_get(in, kept[k]) && meta_set(m, kept[k], meta_get(in, kept[k])) != 0)
            return -1;
    return put_columns(m, &s->s) || put_samples(m, &s->s) ||
                   meta_set(m, "data.quantity", "spectrum") ||
                   (spectrum_absolute(p)
                        ? meta_setf(m, "data.unit", "%s%s", measured(p)->unit, binary_unit(p)) |
                              meta_set_f64(m, "data.volume", &p->volume, 1)
                        : meta_setf(m, "data.unit", "%s%s%sper %s%s", of, binary_unit(p),
                                    *of ? " " : "", unit, weight_units(p))) ||
                   (spectrum_binary(p) && put_binary(m, s, p, of)) || put_labels(s, p, in, m) ||
                   (!isnan(s->end) && meta_set_f64(m, "data.end", &s->end, 1)) ||
                   (spectrum_absolute(p)
                        ? meta_setf(m, "data.convention", "%s%s", measured(p)->convention,
                                    spectrum_binary(p) ? ", divided by n_A n_B" : "")
                        : meta_setf(m, "data.convention",
                                    "integral of %s%s over all frequencies, both signs = %s(0)%s",
                                    name, p->weight ? "/weight" : "", zero,
                                    spectrum_binary(p) ? "/(V n_A n_B)" : "")) ||
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
