/* SPDX-License-Identifier: MIT */
#include "stats/spectrum.h"

#include <ctype.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "base/units.h"

#define FACTOR_MAX 1e100   /* limit of a quantum correction, so that sums of products stay finite */
#define EGELSTAFF_LAGS 0.5 /* largest lag spacing in units of hbar/2kT for a reliable correction */

double spectrum_unit_scale(enum spectrum_unit unit)
{
    static const double scale[] = {UNITS_PS_CM1, 1.0, 2.0 * UNITS_PI, UNITS_H_KB * UNITS_KB_MEV};
    return scale[unit];
}

static const char *const axis_columns[] = {"nu_cm-1", "nu_THz", "omega_rad/ps", "E_meV"};

double spectrum_quantum_factor(enum spectrum_quantum q, double x)
{
    switch (q) {
    case SPECTRUM_STANDARD: return 2.0 / (1.0 + exp(-x));
    case SPECTRUM_BOSE:
    case SPECTRUM_HARMONIC: return x == 0.0 ? 1.0 : x / -expm1(-x);
    case SPECTRUM_SCHOFIELD:
    case SPECTRUM_EGELSTAFF: return exp(0.5 * x);
    default: return 1.0;
    }
}

/* Returns the weight at positive or negative nu, in the unit of the axis (of nu² for nu-tanh). */
static double weight_at(const struct spectrum_params *p, double nu)
{
    double unit = spectrum_unit_scale(p->unit), h = UNITS_H_KB / (2.0 * p->temperature * unit),
           left = 1.0 - nu * UNITS_PS_CM1 / (unit * p->laser);
    switch (p->weight) {
    case SPECTRUM_NU: return nu;
    case SPECTRUM_NU2: return nu * nu;
    case SPECTRUM_NU_TANH: return nu * tanh(h * nu) / h;
    case SPECTRUM_ABSORPTION:
        return p->absolute * (!p->current ? -nu * expm1(-2.0 * h * nu)
                              : nu == 0.0 ? 2.0 * h
                                          : -expm1(-2.0 * h * nu) / nu);
    case SPECTRUM_NU3: return left * left * left;
    case SPECTRUM_NU4: return (left * left) * (left * left);
    case SPECTRUM_RAYLEIGH: return p->absolute * (left * left) * (left * left);
    default: return spectrum_binary(p) ? p->absolute : 1.0;
    }
}

#define COSINES(NAME, word, ...) [SPECTRUM_##NAME] = {__VA_ARGS__},
static const double cosines[][4] = {{1.0, 0.0, 0.0, NAN}, SPECTRUM_COSINES(COSINES)};

double spectrum_window_at(const struct spectrum_params *p, size_t k, size_t lags, double dt_ps)
{
    double a = UNITS_PI * (double)k / (double)lags, t = (double)k * dt_ps / p->gauss_ps;
    if (p->window == SPECTRUM_GAUSS)
        return exp(-0.5 * t * t);
    const double *c = cosines[p->window];
    return c[0] + c[1] * cos(a) + c[2] * cos(2.0 * a);
}

/* Returns m = M/2 of spectrum.h, or 0 if lags * pad is too large to allocate. */
static size_t half_length(size_t lags, double pad)
{
    double want = ceil((double)lags * pad);
    return want < 1e14 ? fft_size((size_t)want) : 0;
}

size_t spectrum_bytes(const struct series *cf, const struct spectrum_params *p)
{
    size_t half = half_length(cf->rows, p->pad), bytes;
    if (half == 0 ||
        __builtin_mul_overflow(half + 1, (cf->cols + 6 + cf->blocks) * sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}

/* Work space of a transform: buffers, and factors that are the same for all columns. */
struct work {
    size_t lags, bins; /* number of lags used, M/2 + 1 */
    size_t shown;      /* bins of the axis, fewer if a weight or correction ends it */
    double *in, *out;  /* [bins] */
    double *window;    /* [lags] including dt, per axis unit */
    double *factor;    /* [bins]: quantum correction and weight at nu >= 0 */
    double *minus;     /* [bins]: the factor at -nu over that at nu */
    double *both;    /* [bins]: weight of a bin in integrals over both signs, bin width included */
    double *shifted; /* [lags]: egelstaff times in units of dt, or NULL */
    double *dev;     /* [blocks][bins + 3]: deviations of a column and of its moments */
    double samples;  /* smallest number of independent samples of the errors */
    fftw_plan plan;
};

static void work_free(struct work *w)
{
    if (w->plan)
        fftw_destroy_plan(w->plan);
    fftw_free(w->in);
    fftw_free(w->out);
    free(w->window);
    free(w->factor);
    free(w->minus);
    free(w->both);
    free(w->shifted);
    free(w->dev);
}

/* Computes Egelstaff's times, and the number of lags whose times lie within the CF. */
static int shift_times(struct work *w, size_t lags, double tau)
{
    if (!(w->shifted = malloc(lags * sizeof *w->shifted)))
        return -1;
    w->lags = 0;
    for (size_t k = 0; k < lags; k++) {
        double t = hypot((double)k, tau);
        if (t > (double)(lags - 1))
            break;
        w->shifted[w->lags++] = t;
    }
    return 0;
}

static int work_init(struct work *w, size_t lags, double dt, const struct spectrum_params *p)
{
    double scale = spectrum_unit_scale(p->unit), width, x = 0.0;
    size_t half = half_length(lags, p->pad);
    *w = (struct work){.lags = lags, .bins = half + 1};
    w->in = fftw_malloc(w->bins * sizeof(double));
    w->out = fftw_malloc(w->bins * sizeof(double));
    w->window = malloc(lags * sizeof(double));
    w->factor = malloc(w->bins * sizeof(double));
    w->minus = malloc(w->bins * sizeof(double));
    w->both = malloc(w->bins * sizeof(double));
    if (half == 0 || w->bins > INT32_MAX || !w->in || !w->out || !w->window || !w->factor ||
        !w->minus || !w->both)
        return -1;
    /* with FFTW_ESTIMATE, the same input always gives the same algorithm and the same bytes */
    if (!(w->plan = fftw_plan_r2r_1d((int)w->bins, w->in, w->out, FFTW_REDFT00, FFTW_ESTIMATE)))
        return -1;
    if (p->quantum == SPECTRUM_EGELSTAFF &&
        shift_times(w, lags, UNITS_H_KB / (4.0 * UNITS_PI * p->temperature * dt)) != 0)
        return -1;
    for (size_t k = 0; k < w->lags; k++)
        w->window[k] = spectrum_window_at(p, k, lags, dt) * dt / scale;
    width = 0.5 / ((double)half * dt);
    for (size_t j = 0; j < w->bins; j++) {
        double nu = width * (double)j * scale, weight = weight_at(p, nu),
               y = p->difference && j ? UNITS_PI * width * (double)j * dt : 0.0;
        if (p->quantum != SPECTRUM_CLASSICAL)
            x = UNITS_H_KB * width * (double)j / p->temperature;
        w->factor[j] = spectrum_quantum_factor(p->quantum, x) * weight;
        w->factor[j] *= y > 0.0 ? y / sin(y) * (y / sin(y)) : 1.0;
        w->minus[j] = exp(-x) * (j && weight != 0.0 ? weight_at(p, -nu) / weight : 1.0);
        if (w->shown == j && (p->weight < SPECTRUM_NU3 || nu < p->laser * scale / UNITS_PS_CM1) &&
            w->factor[j] < FACTOR_MAX)
            w->shown++;
        /* bin 0 has no mirror image, and the Nyquist bin is its own image */
        w->both[j] = (1.0 + w->minus[j]) * (j == 0 || j == half ? 0.5 : 1.0) * width * scale;
    }
    return 0;
}

/* Returns C at t, in units of dt, where C is even about 0. The value is a cubic (Lagrange)
 * interpolation through the four nearest lags, or the last four at the end. */
static double interpolate(const double *c, size_t stride, size_t lags, double t)
{
    long last = (long)lags - 1, i = (long)t;
    if (last < 3) { /* linear, because there are too few lags for a cubic */
        long j = i < last ? i : last > 0 ? last - 1 : 0;
        double f = t - (double)j, a = c[(size_t)j * stride];
        return last > 0 ? a + f * (c[(size_t)(j + 1) * stride] - a) : a;
    }
    if (i > last - 2)
        i = last - 2;
    double f = t - (double)i, y[4];
    for (long k = 0; k < 4; k++)
        y[k] = c[(size_t)labs(i + k - 1) * stride];
    return -f * (f - 1.0) * (f - 2.0) / 6.0 * y[0] +
           (f + 1.0) * (f - 1.0) * (f - 2.0) / 2.0 * y[1] - (f + 1.0) * f * (f - 2.0) / 2.0 * y[2] +
           (f + 1.0) * f * (f - 1.0) / 6.0 * y[3];
}

/* Transforms the column c[0], c[stride], ... into w->out. */
static void transform(struct work *w, const double *c, size_t stride, size_t lags)
{
    for (size_t k = 0; k < w->lags; k++)
        w->in[k] = w->window[k] *
                   (w->shifted ? interpolate(c, stride, lags, w->shifted[k]) : c[k * stride]);
    for (size_t k = w->lags; k < w->bins; k++)
        w->in[k] = 0.0;
    fftw_execute(w->plan);
}

/* Works like transform(), but applies correction and weight. */
static void measure(struct work *w, const double *c, size_t stride, size_t lags)
{
    transform(w, c, stride, lags);
    for (size_t j = 0; j < w->bins; j++)
        w->out[j] *= w->factor[j];
}

static size_t row_of(const struct work *w, const struct series *s, size_t j)
{
    return s->rows - w->shown + j;
}

/* Writes a column of the result from the bins of nu >= 0. The factor for -nu is `minus`, or 1 if
 * that is NULL. */
static void put_rows(const struct work *w, struct series *s, size_t col, const double *v,
                     const double *minus)
{
    size_t zero = row_of(w, s, 0);
    for (size_t j = 0; j < w->shown; j++) {
        s->v[(zero + j) * s->cols + col] = v[j];
        if (j <= zero)
            s->v[(zero - j) * s->cols + col] = v[j] * (minus ? minus[j] : 1.0);
    }
}

/* Sets m to the integrals of I, nu² I and nu I. */
static void moments(const struct work *w, const struct series *s, double m[3])
{
    m[0] = m[1] = m[2] = 0.0;
    for (size_t j = 0; j < w->shown; j++) {
        double nu = s->v[row_of(w, s, j) * s->cols], term = w->both[j] * w->out[j];
        m[0] += term;
        m[1] += nu * nu * term;
        m[2] += nu * term * (1.0 - w->minus[j]) / (1.0 + w->minus[j]);
    }
}

/* Returns -w''(0)/(2 pi)² in 1/ps². */
static double window_curvature(const struct spectrum_params *p, size_t lags, double dt)
{
    double a = 0.5 / ((double)lags * dt), s = 2.0 * UNITS_PI * p->gauss_ps;
    if (p->window == SPECTRUM_GAUSS)
        return 1.0 / (s * s);
    return cosines[p->window][3] * a * a;
}

/* Computes the errors of a column of deviations, w->dev, into w->out. Returns 0 or -1. */
static int column_errors(struct work *w, const struct series *cf, size_t stride)
{
    struct error *e = malloc(w->shown * sizeof *e);
    struct errors_column c = {.dev = w->dev, .rows = w->shown, .next = 1, .stride = stride};
    int rc = e ? errors_column(&cf->errors, &c, e) : -1;
    w->samples = INFINITY;
    for (size_t j = 0; rc == 0 && j < w->shown; j++) {
        w->out[j] = e[j].se;
        if (cf->errors.levels)
            w->samples = fmin(w->samples, e[j].independent);
    }
    free(e);
    return rc;
}

/* Returns 0, or -1 if memory runs out. */
static int compute_column(struct work *w, const struct series *cf, size_t c, struct spectrum *out,
                          size_t i)
{
    struct spectrum_function *f = &out->f[i];
    struct series *s = &out->s;
    size_t last = cf->rows - 1;
    int se = s->se[1 + i];
    double m[3];
    measure(w, cf->v + c, cf->cols, cf->rows);
    moments(w, s, m);
    f->moment0 = m[0];
    f->moment2 = m[1];
    f->moment1 = m[2];
    f->moment0_se = f->moment1_se = f->moment2_se = f->last_se = NAN;
    f->first = cf->v[c];
    f->last = cf->v[last * cf->cols + c];
    for (size_t j = 0; j < w->shown; j++)
        f->negative += w->out[j] < 0.0;
    put_rows(w, s, 1 + i, w->out, w->minus);
    if (cf->se[c] >= 0)
        f->last_se = cf->v[last * cf->cols + (size_t)cf->se[c]];
    if (se < 0)
        return 0;
    size_t stride = w->shown + 3;
    for (size_t b = 0; b < cf->blocks; b++) {
        double *dev = w->dev + b * stride;
        measure(w, cf->dev + b * cf->rows * cf->cols + c, cf->cols, cf->rows);
        moments(w, s, dev + w->shown);
        memcpy(dev, w->out, w->shown * sizeof *dev);
    }
    if (column_errors(w, cf, stride) != 0)
        return -1;
    put_rows(w, s, (size_t)se, w->out, w->minus);
    s->samples[1 + i] = w->samples;
    f->moment0_se = errors_of(&cf->errors, w->dev + w->shown, stride, NULL).se;
    f->moment2_se = errors_of(&cf->errors, w->dev + w->shown + 1, stride, NULL).se;
    f->moment1_se = errors_of(&cf->errors, w->dev + w->shown + 2, stride, NULL).se;
    return errors_failed(&cf->errors) ? -1 : 0;
}

/* Computes the ratio of two spectra, the last column before errors. Weights and corrections
 * cancel. */
static int compute_ratio(struct work *w, const struct series *cf, struct spectrum *out)
{
    struct series *s = &out->s;
    size_t a = SERIES_FIRST + out->ratio[0], b = SERIES_FIRST + out->ratio[1], n = w->shown,
           col = 1 + out->nfunctions;
    double *v = malloc(2 * n * sizeof *v), *below = v ? v + n : NULL;
    if (!v)
        return -1;
    transform(w, cf->v + b, cf->cols, cf->rows);
    memcpy(below, w->out, n * sizeof *v);
    transform(w, cf->v + a, cf->cols, cf->rows);
    for (size_t j = 0; j < n; j++)
        v[j] = w->out[j] / below[j];
    put_rows(w, s, col, v, NULL);
    for (size_t k = 0; s->se[col] >= 0 && k < cf->blocks; k++) {
        const double *dev = cf->dev + k * cf->rows * cf->cols;
        double *to = w->dev + k * n;
        transform(w, dev + a, cf->cols, cf->rows);
        memcpy(to, w->out, n * sizeof *to);
        transform(w, dev + b, cf->cols, cf->rows);
        for (size_t j = 0; j < n; j++)
            to[j] = (to[j] - v[j] * w->out[j]) / below[j];
    }
    int rc = s->se[col] < 0 ? 0 : column_errors(w, cf, n);
    if (rc == 0 && s->se[col] >= 0) {
        put_rows(w, s, (size_t)s->se[col], w->out, NULL);
        s->samples[col] = w->samples;
    }
    free(v);
    return rc;
}

/* Writes the name of a spectrum: I for G, I2 for G2, and I_NAME for any other NAME (such as
 * Gyration). In measured units, R or alpha_n takes the place of I. */
static void name_spectrum(char *to, const struct spectrum_params *p, const char *function,
                          const char *unit)
{
    const char *symbol = spectrum_symbol(p);
    bool g = *function == 'G' && !isalpha((unsigned char)function[1]);
    size_t left = SERIES_NAME - 5 - strlen(symbol) - strlen(unit) - (*unit != 0);
    snprintf(to, SERIES_NAME, "%s%s%.*s%s%s", symbol, g ? "" : "_", (int)left, function + g,
             *unit ? "_" : "", unit);
}

/* Finds the functions of "A/B" in cf. Returns 0, or -1 and sets e. */
static int find_ratio(const struct series *cf, const char *text, struct spectrum *out,
                      struct err *e)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    size_t found = 0;
    if (!text)
        return 0;
    for (size_t k = 0; slash && k < 2; k++) {
        const char *name = k ? slash + 1 : text;
        size_t len = k ? strlen(name) : (size_t)(slash - text), i = 0;
        while (i < out->nfunctions && (strncmp(cf->name[SERIES_FIRST + i], name, len) != 0 ||
                                       cf->name[SERIES_FIRST + i][len]))
            i++;
        out->ratio[k] = i;
        found += i < out->nfunctions;
    }
    const char *second = out->nfunctions > 1 ? cf->name[SERIES_FIRST + 1] : "no other";
    if (found == 2 && out->ratio[0] != out->ratio[1])
        return 0;
    return err_bad(e,
                   "--ratio %.60s: expected A/B with the names of two functions, found functions "
                   "named %s and %s in the input",
                   text, cf->name[SERIES_FIRST], second);
}

int spectrum_inspect(const struct series *cf, size_t *unsure, struct err *e)
{
    *unsure = 0;
    if (cf->type != FRAME_CORR || cf->rows == 0)
        return err_bad(e, "expected a correlation function, found none");
    for (size_t c = SERIES_FIRST; c < SERIES_FIRST + cf->nsets * cf->nfunctions; c++)
        for (size_t k = 0; k < cf->rows; k++) {
            if (!isfinite(cf->v[k * cf->cols + c]))
                return err_bad(e,
                               "%s at lag %zu: expected a finite number, found %g, probably "
                               "because this lag has no time origins",
                               cf->name[c], k, cf->v[k * cf->cols + c]);
            if (cf->se[c] >= 0 && !isfinite(cf->dev[k * cf->cols + c]) && (!*unsure || k < *unsure))
                *unsure = k ? k : 1;
        }
    return 0;
}

/* Allocates the result and sets its names and axis. */
static int lay_out(const struct series *cf, const struct work *w, const struct spectrum_params *p,
                   double dt, struct spectrum *out)
{
    struct series *s = &out->s;
    size_t errors = cf->dev && out->unsure == 0, n = out->nfunctions, cols = n + !!p->ratio;
    char power[SERIES_WORD], other[SERIES_WORD];
    if (series_alloc(s, FRAME_SPEC, w->shown + (p->two_sided ? w->shown - 1 : 0),
                     1 + cols * (1 + errors), 0) != 0)
        return -1;
    spectrum_unit_word(p, power, sizeof power);
    if (!(out->f = calloc(n ? n : 1, sizeof *out->f)))
        return -1;
    out->length = 2 * (w->bins - 1);
    out->lags = w->lags;
    out->step = spectrum_unit_scale(p->unit) / ((double)out->length * dt);
    out->nyquist = spectrum_unit_scale(p->unit) * 0.5 / dt;
    strcpy(s->name[0], axis_columns[p->unit]);
    for (size_t i = 0; i < cols; i++) {
        const char *name = i < n ? cf->name[SERIES_FIRST + i] : p->ratio;
        if (errors)
            s->se[1 + i] = (int)(1 + i + cols);
        char to[SERIES_NAME];
        bool own_unit = series_unit_of(p->units, name, other, sizeof other);
        const char *unit = own_unit && !spectrum_absolute(p) ? "" : power;
        bool named = i < n && p->names && series_word(p->names, i, to, SERIES_WORD) == 1;
        if (i < n)
            strcpy(out->f[i].name, name);
        if (i >= n)
            snprintf(to, sizeof to, "%.*s", SERIES_NAME - 4, name);
        else if (!named)
            name_spectrum(to, p, name, unit);
        strcpy(s->name[1 + i], to);
        if (errors)
            snprintf(s->name[1 + i + cols], SERIES_NAME, "%.*s_se", SERIES_NAME - 4, to);
    }
    out->end = w->shown < w->bins ? out->step * (double)(w->shown - 1) : NAN;
    for (size_t j = 0; j < w->shown; j++)
        w->in[j] = out->step * (double)j;
    for (size_t j = 0; j < w->shown; j++)
        w->out[j] = j ? -1.0 : 1.0; /* avoids -0 */
    put_rows(w, s, 0, w->in, w->out);
    return 0;
}

int spectrum_compute(const struct series *cf, double dt_ps, const struct spectrum_params *p,
                     struct spectrum *out, struct err *e)
{
    struct work w = {0};
    int rc = -1;
    *out = (struct spectrum){0};
    out->nfunctions = cf->nsets * cf->nfunctions;
    if (spectrum_inspect(cf, &out->unsure, e) != 0 || find_ratio(cf, p->ratio, out, e) != 0)
        return -1;
    if (work_init(&w, cf->rows, dt_ps, p) != 0 ||
        !(w.dev = malloc((cf->blocks * (w.bins + 3) + 1) * sizeof *w.dev)) ||
        lay_out(cf, &w, p, dt_ps, out) != 0) {
        err_set(e, ERR_MEMORY, "out of memory for a spectrum of %zu lags padded by a factor of %g",
                cf->rows, p->pad);
        goto out;
    }
    if (w.lags == 0) {
        err_bad(e, "expected lags beyond hbar/2kT, found none (use longer correlation functions)");
        goto out;
    }
    double scale = spectrum_unit_scale(p->unit),
           shift =
               p->quantum || p->weight ? NAN : window_curvature(p, w.lags, dt_ps) * scale * scale;
    for (size_t i = 0; i < out->nfunctions; i++) {
        if (compute_column(&w, cf, SERIES_FIRST + i, out, i) != 0) {
            err_memory(e, "the errors of a spectrum");
            goto out;
        }
        out->f[i].window2 = shift * out->f[i].first * weight_at(p, 0.0);
    }
    if (p->ratio && compute_ratio(&w, cf, out) != 0) {
        err_memory(e, "a ratio");
        goto out;
    }
    double tau =
        p->quantum == SPECTRUM_EGELSTAFF ? UNITS_H_KB / (4.0 * UNITS_PI * p->temperature) : 0.0;
    out->coarse = dt_ps > EGELSTAFF_LAGS * tau ? tau : 0.0;
    rc = 0;
out:
    work_free(&w);
    if (rc != 0)
        spectrum_free(out);
    return rc;
}

void spectrum_free(struct spectrum *s)
{
    series_free(&s->s);
    free(s->f);
    *s = (struct spectrum){0};
}
