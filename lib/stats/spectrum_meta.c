/* SPDX-License-Identifier: MIT */
/* spectrum_meta.c: how a spectrum describes itself in META. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/spectrum.h"

const char *const spectrum_windows[] = {"none", "hann", "blackman", "gauss", NULL};
const char *const spectrum_units[] = {"cm-1", "THz", "rad/ps", NULL};
const char *const spectrum_quanta[] = {"none",      "standard",  "harmonic",
                                       "schofield", "egelstaff", NULL};

/* One number a function, from that offset of its description; nothing when they are not known. */
static int put_numbers(struct meta *m, const char *key, const struct spectrum *s, size_t offset)
{
    double *v = malloc((s->nfunctions + 1) * sizeof *v);
    int rc = v ? 0 : -1;
    for (size_t i = 0; v && i < s->nfunctions; i++)
        memcpy(v + i, (const char *)&s->f[i] + offset, sizeof *v);
    if (v && s->nfunctions > 0 && !isnan(v[0]))
        rc = meta_set_f64(m, key, v, s->nfunctions);
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
                   meta_setf(m, "data.moment2.unit", "(%s)^2", unit)
               ? -1
               : 0;
}

int spectrum_describe(const struct spectrum *s, const struct spectrum_params *p,
                      const struct meta *in, struct meta *m)
{
    static const char *const kept[] = {"data.component", "data.average", "data.prefactor",
                                       "data.sigma", "data.cutoff"};
    const char *unit = spectrum_units[p->unit];
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (meta_get(in, kept[k]) && meta_set(m, kept[k], meta_get(in, kept[k])) != 0)
            return -1;
    return put_columns(m, &s->s) || meta_set(m, "data.quantity", "spectrum") ||
                   meta_setf(m, "data.unit", "per %s", unit) ||
                   meta_set(m, "data.convention",
                            "integral of I over all frequencies, both signs = G(0)") ||
                   meta_set(m, "data.window", spectrum_windows[p->window]) ||
                   meta_set(m, "data.quantum", spectrum_quanta[p->quantum]) ||
                   (p->window == SPECTRUM_GAUSS &&
                    meta_set_f64(m, "data.window.gauss_ps", &p->gauss_ps, 1)) ||
                   (p->quantum && meta_set_f64(m, "data.temperature", &p->temperature, 1)) ||
                   meta_set_f64(m, "data.nyquist", &s->nyquist, 1) ||
                   meta_set_f64(m, "data.step", &s->step, 1) ||
                   meta_setf(m, "data.length", "%zu", s->length) ||
                   meta_setf(m, "data.lags", "%zu", s->lags) || put_moments(m, s, unit)
               ? -1
               : 0;
}
