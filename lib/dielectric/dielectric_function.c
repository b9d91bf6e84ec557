/* SPDX-License-Identifier: MIT */
#include "dielectric/dielectric.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "base/units.h"
#include "stats/labels.h"
#include "stream/traj.h"

#define EPS0 8.8541878128e-12 /* F/m, CODATA 2018 */
#define VALUES 3              /* number of values: eps1, eps2, alpha */

/* Finds the unit of a correlation function of dipole moments, such as "(e*A)^2", or of currents,
 * such as "(D/ps)^2". Sets e2 and current. Returns whether the unit is known. */
static bool dielectric_unit(const char *unit, struct dielectric_params *p)
{
    static const struct {
        const char *name;
        double value; /* in e Å (1 D is 1e-21/c C m) */
    } units[] = {{"e*A", 1.0}, {"D", 0.2081943327}, {"e*nm", 10.0}, {"e*bohr", UNITS_BOHR_A}};
    size_t n = *unit == '(' ? strcspn(++unit, "/)") : 0;
    p->current = strcmp(unit + n, "/ps)^2") == 0;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (n == strlen(units[k].name) && memcmp(unit, units[k].name, n) == 0) {
            p->e2 = units[k].value * units[k].value;
            return p->current || strcmp(unit + n, ")^2") == 0;
        }
    return false;
}

int dielectric_volume(const struct meta *m, double *volume, struct err *e)
{
    struct box box = {0};
    if (isnan(*volume) && traj_box(m, &box, e) != 0)
        return -1;
    *volume = isnan(*volume) ? box_volume(&box) : *volume;
    return *volume > 0.0 ? 0
                         : err_bad(e, "expected the volume of the cell, found none "
                                      "(give --volume)");
}

/* Refuses a mean over components of more than one vector, such as a dipole and its parts. Such a
 * mean has a second name that ends in the same letter x, y or z, or a fourth name. Set *seen to 0
 * before the first name. Returns 0, or -1 and sets e. */
static int one_vector(const char *name, unsigned *seen, struct err *e)
{
    size_t n = strlen(name);
    unsigned axis = n && name[n - 1] >= 'x' && name[n - 1] <= 'z' ? 1U << (name[n - 1] - 'x') : 0;
    if ((*seen & axis) || *seen >= 3U << 3)
        return err_bad(e,
                       "expected the x, y and z components of one vector, also found %s (select "
                       "the columns of one vector in acf, as in --pairs mx,my,mz)",
                       name);
    *seen = (*seen | axis) + (1U << 3);
    return 0;
}

int dielectric_inspect(const struct meta *m, const struct series *cf, bool light,
                       struct dielectric_params *p, struct err *e)
{
    char label[LABELS_SIZE], unit[LABELS_SIZE], other[LABELS_SIZE];
    const char *components = light ? NULL : meta_get(m, "data.component");
    unsigned seen = 0;
    for (size_t k = 0; components && series_word(components, k, other, sizeof other) == 1; k++)
        if (one_vector(other, &seen, e))
            return -1;
    labels_of(m, FRAME_CORR, cf->name[SERIES_FIRST], label, unit);
    for (size_t f = 1; f < cf->nsets * cf->nfunctions; f++) {
        labels_of(m, FRAME_CORR, cf->name[SERIES_FIRST + f], label, other);
        if (strcmp(unit, other) != 0)
            return err_bad(e, "expected functions in one unit, found %s and %s (use acf --pairs)",
                           unit, other);
    }
    p->difference = meta_get(m, "data.derivative") != NULL;
    if (light && strcmp(unit, "(A^3)^2") != 0)
        return err_bad(e,
                       "expected correlation functions of a polarizability in A^3 (alpha-cpu), "
                       "found the unit %s",
                       unit);
    const char *per_time = p->difference ? "/ps" : "";
    if (!light && (!dielectric_unit(unit, p) || (p->difference && !p->current)))
        return err_bad(e,
                       "expected correlation functions of dipole moments in e*A, e*nm, e*bohr or "
                       "D, or of currents in e*A/ps, found the unit %s (give acf --unit "
                       "'(D%s)^2')",
                       unit, per_time);
    return dielectric_volume(m, &p->volume, e);
}

struct work {
    const struct series *cf;
    const struct dielectric_params *p;
    double dt, factor;         /* factor: K */
    size_t bins, n;            /* bins of the axis, and length of a transform */
    double *in;                /* [n] */
    double complex *out, *eps; /* [bins + 1], [bins] */
    fftw_plan plan;
};

/* Sets w->out to eps - eps_inf of the mean over the functions in v[rows][cols]. */
static void transform(struct work *w, const double *v)
{
    const struct series *cf = w->cf;
    struct spectrum_params window = {.window = (enum spectrum_window)w->p->window};
    size_t nf = cf->nsets * cf->nfunctions;
    memset(w->in, 0, w->n * sizeof *w->in);
    for (size_t k = 0; k < cf->rows; k++, v += cf->cols) {
        for (size_t f = 0; f < nf; f++)
            w->in[k] += v[SERIES_FIRST + f] / (double)nf;
        w->in[k] *= (k ? 1.0 : 0.5) * spectrum_window_at(&window, k, cf->rows, w->dt);
    }
    double half = w->in[0];
    fftw_execute(w->plan);
    for (size_t j = 0; j < w->bins; j++) {
        double y = UNITS_PI * (double)j / (double)w->n, omega = 2.0 * y / w->dt;
        bool difference = w->p->difference && j;
        double s = difference ? y / sin(y) : 1.0,
               end = difference || !j ? 0.0 : half * (1.0 / y - 1.0 / tan(y));
        double complex one = w->dt * (conj(w->out[j]) + I * end); /* FFTW has exp(-i w t) */
        w->out[j] = w->factor * (w->p->current ? s * s * I * one / (j ? omega : 1.0)
                                               : 2.0 * half + I * omega * one);
    }
}

/* Writes eps1, eps2 and alpha at bin j, or their deviations for the deviation d of eps. */
static void values(const struct work *w, size_t j, const double complex *d, double to[VALUES])
{
    double nu = UNITS_PS_CM1 * (double)j / ((double)w->n * w->dt);
    double complex root = csqrt(w->eps[j]), v = d ? *d : w->eps[j];
    to[0] = creal(v);
    to[1] = cimag(v);
    to[2] = 4.0 * UNITS_PI * nu * cimag(d ? v / (2.0 * root) : root);
}

static int put_errors(struct work *w, struct series *out, size_t first)
{
    size_t rows = out->rows, stride = VALUES * rows;
    double *dev = malloc((w->cf->blocks * stride + 1) * sizeof *dev);
    struct error *e = malloc(rows * sizeof *e);
    int rc = dev && e ? 0 : -1;
    for (size_t b = 0; rc == 0 && b < w->cf->blocks; b++) {
        transform(w, w->cf->dev + b * w->cf->rows * w->cf->cols);
        for (size_t j = 0; j < rows; j++)
            values(w, first + j, &w->out[first + j], dev + b * stride + j * VALUES);
    }
    for (size_t i = 0; rc == 0 && i < VALUES; i++) {
        struct errors_column c = {.dev = dev + i, .rows = rows, .next = VALUES, .stride = stride};
        rc = errors_column(&w->cf->errors, &c, e);
        for (size_t j = 0; rc == 0 && j < rows; j++)
            out->v[j * out->cols + 1 + VALUES + i] = e[j].se;
    }
    free(dev);
    free(e);
    return rc;
}

int dielectric_compute(const struct series *cf, double dt_ps, const struct dielectric_params *p,
                       struct series *out, size_t *unsure, struct err *e)
{
    static const char *const names[] = {"nu_cm-1", "eps1",    "eps2",         "alpha_cm-1",
                                        "eps1_se", "eps2_se", "alpha_cm-1_se"};
    size_t bins = fft_size(cf->rows), first = p->current;
    unsigned seen = 0;
    *out = (struct series){0};
    if (spectrum_inspect(cf, unsure, e) != 0)
        return -1;
    for (size_t f = 0; f < cf->nsets * cf->nfunctions; f++)
        if (one_vector(cf->name[SERIES_FIRST + f], &seen, e))
            return -1;
    bool errors = cf->dev && !*unsure;
    double kt = UNITS_KB_MEV * p->temperature;
    struct work w = {.cf = cf, .p = p, .dt = dt_ps, .bins = bins, .n = 2 * bins};
    int rc = -1;
    w.factor = p->e2 * UNITS_E_C * 1e13 / (EPS0 * p->volume * kt); /* 1e13 converts Å and meV */
    w.in = fftw_malloc(w.n * sizeof *w.in);
    w.out = fftw_malloc((bins + 1) * sizeof *w.out);
    w.eps = malloc(bins * sizeof *w.eps);
    if (w.in && w.out && w.eps && bins <= INT32_MAX / 2)
        w.plan = fftw_plan_dft_r2c_1d((int)w.n, w.in, (fftw_complex *)w.out, FFTW_ESTIMATE);
    if (w.plan &&
        series_alloc(out, FRAME_SPEC, bins - first, 1 + VALUES * (1 + (size_t)errors), 0) == 0) {
        transform(&w, cf->v);
        for (size_t j = 0; j < bins; j++)
            w.eps[j] = p->infinity + w.out[j];
        for (size_t c = 0; c < out->cols; c++)
            strcpy(out->name[c], names[c]);
        for (size_t j = first; j < bins; j++) {
            double *row = out->v + (j - first) * out->cols;
            row[0] = UNITS_PS_CM1 * (double)j / ((double)w.n * dt_ps);
            values(&w, j, NULL, row + 1);
        }
        rc = errors ? put_errors(&w, out, first) : 0;
    }
    fftw_destroy_plan(w.plan);
    fftw_free(w.in);
    fftw_free(w.out);
    free(w.eps);
    if (rc != 0)
        series_free(out);
    return rc ? err_memory(e, "a dielectric function") : 0;
}
