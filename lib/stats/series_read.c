/* SPDX-License-Identifier: MIT */
/* series_read.c: converts segments of sums, counts and spectra to columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/blocks.h"
#include "stats/einstein_fit.h"
#include "stats/series.h"
#include "stats/series_source.h"

/* Sets column col in row to sum y_b / sum n_b, with its deviations (blocks.h). */
static void ratio(struct series *s, size_t row, size_t col, size_t blocks, const double *y,
                  const double *n)
{
    s->v[row * s->cols + col] =
        stats_ratio(blocks, y, n, NULL, s->se[col] < 0 ? NULL : s->dev + row * s->cols + col,
                    s->rows * s->cols);
}

/* ---- CORR: from sums over time origins to averages */

enum { COL_TIME = 0, COL_AXIS2 };

struct corr {
    size_t blocks, lags, ncomp, nfunctions;
    size_t first;    /* 1 if function 0 is the axis (data.axis), else 0 */
    size_t sets;     /* groups of functions: 1 (average over components) or ncomp (separate) */
    size_t groups;   /* values of a second axis, one per component, or 1 without that axis */
    bool integral;   /* appends running integrals */
    double response; /* temperature of the appended responses in K, or 0 without them */
    size_t kinds;    /* kinds of columns: functions, integrals, responses */
    const char *functions, *axis, *axis2; /* names (axis is NULL for time, and axis2 if absent) */
    double *second;                       /* [groups] values of the second axis */
    size_t excess
        [SERIES_FUNCTIONS]; /* [nfunctions] 1 + the function whose square defines the excess */
    uint64_t *counts;
    const double *sums;
};

#define STEADY 0.05 /* lag from which relative errors do not decrease, as a fraction of the run */
#define STEADY_RATE 0.5 /* the same for functions that decay with a rate */
#define DECAYED 0.05    /* smaller values do not determine an error relative to v log v */

/* Increases the errors of a column if the scatter between points (data.scatter) is large. The
 * blocks contain a part of this scatter, so half of their squared error is added. The errors from
 * points are relative to v log v, where v is the value of the row, if `rate` is set, or otherwise
 * to the value at lag 0. In the second half of the run, errors relative to v log v do not decrease,
 * because blocks that have most steps in common hide the scatter between runs. */
static void put_scatter(struct series *s, size_t col, const char *list, bool rate)
{
    struct einstein f = {.scales = 0};
    size_t lags = s->rows / s->groups;
    double most = 0.0;
    einstein_atoms(&f, list, s->name[col], s->v[s->axes], 1.0);
    for (size_t row = 0, k = 0; f.scales && row < s->rows; row++) {
        double *v = s->v + row * s->cols, *se = v + s->se[col], of = s->v[col];
        k = row % lags ? k : 0;
        most = row % lags ? most : 0.0;
        if (rate)
            of = v[col] > 0.0 ? fabs(v[col] * log(v[col])) : 0.0;
        while (k + 1 < f.scales && einstein_scale(k) < (double)(row % lags))
            k++;
        *se = fmax(*se, sqrt(fmax(f.scatter[k], 0.0) * of * of + 0.5 * *se * *se));
        if (rate && !isnan(*se) &&
            (double)(row % lags) >= STEADY_RATE * s->v[s->axes] / (double)s->errors.nruns) {
            most = v[col] > DECAYED && *se > most * of ? *se / of : most;
            *se = fmax(*se, most * of);
        }
    }
}

/* Returns the squared relative error of the mean square displacement of one random walk along one
 * axis, over `lag` steps, with n time origins (Qian and others, Biophys J 60 (1991) 910). */
static double walk(double lag, double n)
{
    return lag <= n ? (4.0 * lag * lag * n + 2.0 * n + lag - lag * lag * lag) / (3.0 * lag * n * n)
                    : 2.0 + (n * n * n - 4.0 * lag * n * n + 4.0 * lag - n) / (3.0 * lag * n * n);
}

/* Does the same for a mean square displacement, with errors relative to the value of the row. An
 * error is at least that of random walks, or of points whose scatter over an interval is smaller.
 * From a twentieth of the run on, relative errors do not decrease, because blocks that have most
 * steps in common hide the scatter between runs. */
static void put_square_scatter(struct series *s, size_t col, const char *list)
{
    struct einstein f = {.scales = 0};
    einstein_atoms(&f, list, s->name[col], s->v[1], 1.0);
    double runs = (double)s->errors.nruns, steps = s->v[1] / runs, most = 0.0,
           one = 1.0 / (runs * f.points * einstein_dimensions(s->name[col]));
    for (size_t row = 1, k = 0; f.scales && row < s->rows; row++) {
        double *v = s->v + row * s->cols, *se = v + s->se[col], intervals, atoms;
        while (k + 1 < f.scales && einstein_scale(k) < (double)row)
            k++;
        if (isnan(*se))
            continue;
        intervals = floor((steps - 1.0) / einstein_scale(k)); /* a walk has the scatter 2 one / n */
        atoms = walk((double)row, v[1] / runs) * (one + fmin(f.scatter[k], 0.0) * 0.5 * intervals);
        atoms = fmax(f.scatter[k], 0.0) + fmax(atoms, 0.5 * pow(*se / v[col], 2.0));
        *se = fmax(*se, v[col] * sqrt(atoms));
        if ((double)row >= STEADY * steps)
            *se = v[col] * (most = fmax(most, *se / v[col]));
    }
}

/* Computes the errors of all columns. Returns 0 or -1. */
static int put_errors(struct series_source *in, struct series *s, const struct corr *c)
{
    const char *what = meta_get(frame_meta(in->r), "data.quantity");
    size_t functions = s->nsets * s->nfunctions;
    const char *axis = meta_get(frame_meta(in->r), "data.axis"),
               *scatter = meta_get(frame_meta(in->r), "data.scatter");
    bool lags = s->type == FRAME_CORR && (!axis || strcmp(axis, "t_ps") == 0);
    bool squares = what && strcmp(what, "mean-square-displacement") == 0;
    bool rates =
        what && (strcmp(what, "reorientation") == 0 || strcmp(what, "density-correlation") == 0);
    double block = 0.0;
    for (size_t b = 0; lags && b < c->blocks; b++)
        block += (double)c->counts[b * c->lags] / (double)c->blocks;
    if (lags && meta_get_f64(frame_meta(in->r), "sys.dt_ps", &s->span, 1) == 1)
        s->span *= block * (double)c->blocks;
    for (size_t col = 0; col < s->cols; col++) {
        size_t i = col - series_first(s);
        bool own = lags && !axis && col >= series_first(s) && i < functions &&
                   !c->excess[i % c->nfunctions] && strncmp(s->name[col], "F_s", 3) != 0;
        if (s->se[col] >= 0 &&
            series_errors(s, col, own ? squares ? ERRORS_SQUARE : ERRORS_PRODUCT : ERRORS_PLAIN,
                          block) != 0)
            return series_refuse(in, ERR_MEMORY, "out of memory for %zu rows", s->rows);
        if (s->se[col] >= 0 && lags && !axis && s->errors.levels && squares)
            put_square_scatter(s, col, scatter);
        else if (s->se[col] >= 0 && lags && !axis && s->errors.levels)
            put_scatter(s, col, scatter, rates);
    }
    return 0;
}

/* Returns the sum of function f for one block, lag and value of a second axis, averaged over the
 * components of a set. */
static double set_sum(const struct corr *c, size_t block, size_t lag, size_t g, size_t set,
                      size_t f)
{
    const double *at = c->sums + (block * c->lags + lag) * c->ncomp * c->nfunctions;
    if (c->axis2)
        return at[g * c->nfunctions + f];
    if (c->sets > 1 || c->ncomp == 1)
        return at[set * c->nfunctions + f];
    double sum = 0.0;
    for (size_t k = 0; k < c->ncomp; k++)
        sum += at[k * c->nfunctions + f];
    return sum / (double)c->ncomp;
}

static int name_corr(struct series_source *in, const struct corr *c, struct series *s)
{
    const char *list = meta_get(frame_meta(in->r), "data.component");
    size_t shown = c->nfunctions - c->first, nvalues = c->sets * shown, first = series_first(s);
    const char *counts = meta_get(frame_meta(in->r), "data.axis.counts");
    snprintf(s->name[COL_TIME], SERIES_NAME, "%.40s", c->axis ? c->axis : "t_ps");
    if (c->axis2)
        snprintf(s->name[COL_AXIS2], SERIES_NAME, "%.40s", c->axis2);
    snprintf(s->name[s->axes], SERIES_NAME, "%.40s", c->axis && counts ? counts : "origins");
    for (size_t i = 0; i < nvalues; i++) {
        char word[SERIES_WORD] = "", function[SERIES_WORD], *name = s->name[first + i];
        if (c->sets > 1 && (list == NULL || series_word(list, i / shown, word, sizeof word) != 1))
            return series_refuse(in, ERR_BAD,
                                 "expected %zu names in data.component, found \"%.100s\"", c->ncomp,
                                 list ? list : "");
        if (series_word(c->functions, c->first + i % shown, function, sizeof function) != 1)
            return series_refuse(
                in, ERR_BAD,
                "expected names of at most %d letters in data.functions, found \"%.100s\"",
                SERIES_WORD - 1, c->functions);
        snprintf(name, SERIES_NAME, "%s%s%s", function, *word ? "_" : "", word);
        if (c->integral)
            snprintf(s->name[first + nvalues + i], SERIES_NAME, "int_%.40s", name);
        if (c->response > 0.0)
            snprintf(s->name[first + (c->kinds - 1) * nvalues + i], SERIES_NAME, "response_%.35s",
                     name);
    }
    nvalues *= c->kinds;
    for (size_t i = first; s->blocks && i < first + nvalues; i++) {
        s->se[i] = (int)(i + nvalues);
        char name[SERIES_NAME];
        memcpy(name, s->name[i], sizeof name);
        snprintf(s->name[i + nvalues], SERIES_NAME, "%.*s_se", SERIES_NAME - 4, name);
    }
    return 0;
}

static size_t find_function(const struct corr *c, const char *name, size_t len)
{
    char word[SERIES_WORD];
    size_t f = 0;
    while (f < c->nfunctions && (series_word(c->functions, f, word, sizeof word) != 1 ||
                                 strlen(word) != len || memcmp(word, name, len) != 0))
        f++;
    return f;
}

/* Reads data.excess: "alpha2:msd ...". Returns 0 or -1. */
static int read_excess(struct series_source *in, struct corr *c)
{
    const char *list = meta_get(frame_meta(in->r), "data.excess");
    char word[2 * SERIES_WORD];
    for (size_t k = 0; list && series_word(list, k, word, sizeof word) == 1; k++) {
        size_t len = strcspn(word, ":"), f = find_function(c, word, len),
               of = word[len] ? find_function(c, word + len + 1, strlen(word + len + 1))
                              : c->nfunctions;
        if (f == c->nfunctions || of == c->nfunctions || f == of || f < c->first || of < c->first)
            return series_refuse(
                in, ERR_BAD, "expected pairs of functions in data.excess, found \"%.100s\"", list);
        c->excess[f - c->first] = 1 + of - c->first;
    }
    return 0;
}

/* Replaces the values y of a function by y/m² - 1, where m is the other function. Replaces its
 * deviations accordingly. */
static void take_excess(const struct corr *c, struct series *s, size_t at)
{
    for (size_t i = 0, n = c->nfunctions - c->first; i < c->sets * n; i++) {
        size_t of = c->excess[i % n], col = series_first(s) + i,
               other = series_first(s) + i - i % n + of - 1;
        if (!of)
            continue;
        double *row = s->v + at * s->cols, y = row[col], m = row[other];
        row[col] = y / (m * m) - 1.0; /* 0/0 is NaN without displacements */
        for (size_t b = 0; b < s->blocks; b++) {
            double *d = s->dev + (b * s->rows + at) * s->cols;
            d[col] = m != 0.0 ? (d[col] - 2.0 * y / m * d[other]) / (m * m) : 0.0;
        }
    }
}

/* Appends running integrals (trapezoidal rule) of values and deviations. They are 0 at lag 0. */
static void integrate(const struct corr *c, struct series *s, double dt)
{
    size_t n = c->sets * (c->nfunctions - c->first), first = series_first(s);
    for (size_t col = first; col < first + n; col++)
        for (size_t row = 0; row < s->rows; row++) {
            size_t lag = row % c->lags;
            double *v = s->v + row * s->cols;
            dt = c->axis && lag ? v[COL_TIME] - v[-(long)s->cols + COL_TIME] : dt;
            v[col + n] = lag ? v[col + n - s->cols] + 0.5 * dt * (v[col - s->cols] + v[col]) : 0.0;
            for (size_t b = 0; b < s->blocks; b++) {
                double *d = s->dev + (b * s->rows + row) * s->cols;
                d[col + n] =
                    lag ? d[col + n - s->cols] + 0.5 * dt * (d[col - s->cols] + d[col]) : 0.0;
            }
        }
}

/* Returns dC/dt at lag k of v[0], v[stride], ..., which is even about lag 0. */
static double slope(const double *v, size_t stride, size_t k, size_t lags, double dt)
{
#define AT(i) v[(size_t)((i) < 0 ? -(i) : (i)) * stride]
    long n = (long)k, last = (long)lags - 1;
    if (n == 0)
        return 0.0;
    if (n + 2 <= last)
        return (AT(n - 2) - 8.0 * AT(n - 1) + 8.0 * AT(n + 1) - AT(n + 2)) / (12.0 * dt);
    if (n < last)
        return (AT(n + 1) - AT(n - 1)) / (2.0 * dt);
    return n > 1 ? (3.0 * AT(n) - 4.0 * AT(n - 1) + AT(n - 2)) / (2.0 * dt) : NAN;
#undef AT
}

/* Appends -(1/kT) dC/dt of all functions and of their deviations. */
static void respond(const struct corr *c, struct series *s, double dt)
{
    size_t n = c->sets * (c->nfunctions - c->first), shift = (c->kinds - 1) * n,
           first = series_first(s);
    double factor = -1.0 / (UNITS_KB_MEV * c->response);
    for (size_t col = first; col < first + n; col++)
        for (size_t row = 0; row < s->rows; row++) {
            size_t lag = row % c->lags, from = (row - lag) * s->cols + col;
            s->v[row * s->cols + col + shift] =
                factor * slope(s->v + from, s->cols, lag, c->lags, dt);
            for (size_t b = 0; b < s->blocks; b++) {
                double *d = s->dev + b * s->rows * s->cols;
                d[row * s->cols + col + shift] =
                    factor * slope(d + from, s->cols, lag, c->lags, dt);
            }
        }
}

/* Sums the time origins of a lag over all blocks. Returns 0, or -1 on overflow. */
static int origins(struct series_source *in, const struct corr *c, size_t lag, uint64_t *total)
{
    *total = 0;
    for (size_t b = 0; b < c->blocks; b++)
        if (__builtin_add_overflow(*total, c->counts[b * c->lags + lag], total))
            return series_refuse(in, ERR_BAD,
                                 "lag %zu: expected a number of time origins that fits in 64 bits, "
                                 "found a larger sum",
                                 lag);
    return 0;
}

static void fill_row(const struct corr *c, struct series *s, size_t at, size_t lag, size_t g,
                     double dt, uint64_t total, double *work)
{
    size_t shown = c->nfunctions - c->first;
    double *y = work, *n = work + c->blocks, *row = s->v + at * s->cols;
    for (size_t b = 0; b < c->blocks; b++) {
        n[b] = (double)c->counts[b * c->lags + lag];
        y[b] = set_sum(c, b, lag, 0, 0, 0);
    }
    row[COL_TIME] = c->axis ? stats_ratio(c->blocks, y, n, NULL, NULL, 0) : (double)lag * dt;
    if (c->axis2)
        row[COL_AXIS2] = c->second[g];
    row[s->axes] = (double)total;
    s->count[s->axes][at] = total;
    for (size_t i = 0; i < c->sets * shown; i++) {
        for (size_t b = 0; b < c->blocks; b++)
            y[b] = set_sum(c, b, lag, g, i / shown, c->first + i % shown);
        ratio(s, at, series_first(s) + i, c->blocks, y, n);
    }
    take_excess(c, s, at);
}

static int take_axis2(struct series_source *in, struct corr *c)
{
    const struct meta *m = frame_meta(in->r);
    c->groups = 1;
    c->axis2 = meta_get(m, "data.axis2");
    if (!c->axis2)
        return 0;
    c->groups = c->ncomp;
    if ((c->axis && strcmp(c->axis, "t_ps") != 0) || c->sets > 1)
        return series_refuse(in, ERR_BAD,
                             "expected data.axis2 with a time axis and averaged components, found "
                             "data.axis or separate components");
    if (!(c->second = malloc(c->groups * sizeof *c->second)))
        return series_refuse(in, ERR_MEMORY, "out of memory for %zu values", c->groups);
    bool good = meta_get_f64(m, "data.axis2.values", c->second, c->groups) == 1;
    for (size_t g = 0; good && g < c->groups; g++)
        good = isfinite(c->second[g]);
    return good
               ? 0
               : series_refuse(
                     in, ERR_BAD,
                     "expected %zu finite numbers in data.axis2.values, found \"%.60s\"", c->groups,
                     meta_get(m, "data.axis2.values") ? meta_get(m, "data.axis2.values") : "");
}

static int corr_columns(struct series_source *in, struct corr *c, struct series *s)
{
    const struct meta *m = frame_meta(in->r);
    const char *average = meta_get(m, "data.average");
    double dt = NAN;
    c->sets = average && strcmp(average, "apart") == 0 ? c->ncomp : 1;
    if (!c->axis && (meta_get_f64(m, "sys.dt_ps", &dt, 1) < 0 || dt <= 0.0 || isinf(dt)))
        return series_refuse(in, ERR_BAD, "sys.dt_ps: expected a positive number, found \"%.100s\"",
                             meta_get(m, "sys.dt_ps"));
    if (take_axis2(in, c) != 0)
        return -1;
    size_t rows = 0;
    uint64_t total;
    for (size_t lag = 0; lag < c->lags; lag++)
        if (origins(in, c, lag, &total) != 0)
            return -1;
        else
            rows += !c->axis || total;
    rows *= c->groups;
    c->integral = meta_get(m, "data.integral") != NULL;
    if (!c->axis &&
        (meta_get_f64(m, "data.response", &c->response, 1) < 0 ||
         (meta_get(m, "data.response") && !(c->response > 0.0 && isfinite(c->response)))))
        return series_refuse(in, ERR_BAD, "data.response: expected a temperature, found \"%.60s\"",
                             meta_get(m, "data.response"));
    c->kinds = 1 + c->integral + (c->response > 0.0);
    size_t errors = c->blocks >= 2, nvalues = c->sets * (c->nfunctions - c->first) * c->kinds;
    size_t axes = c->axis2 ? 2 : 1;
    if (series_alloc(s, FRAME_CORR, rows, axes + 1 + nvalues * (1 + errors),
                     errors ? c->blocks : 0) != 0 ||
        !(s->count[axes] = calloc(c->lags * c->groups, sizeof(uint64_t))))
        return series_refuse(in, ERR_MEMORY, "out of memory for %zu lags", c->lags);
    s->axes = axes;
    s->groups = c->groups;
    s->nfunctions = c->nfunctions - c->first;
    s->nsets = c->sets;
    if (name_corr(in, c, s) != 0 || series_take_errors(in, s->blocks, &s->errors) != 0)
        return -1;
    double *work = calloc(2 * c->blocks, sizeof *work);
    if (work == NULL)
        return series_refuse(in, ERR_MEMORY, "out of memory for %zu blocks", c->blocks);
    for (size_t k = 0, at = 0; k < c->lags * c->groups; k++)
        if (origins(in, c, k % c->lags, &total) == 0 && (!c->axis || total))
            fill_row(c, s, at++, k % c->lags, k / c->lags, dt, total, work);
    free(work);
    if (c->integral)
        integrate(c, s, dt);
    if (c->response > 0.0)
        respond(c, s, dt);
    return put_errors(in, s, c);
}

/* Reads the second array and checks it against the first and META. */
static int read_sums(struct series_source *in, struct frame *f, struct corr *c)
{
    char word[2];
    c->functions = series_functions(frame_meta(in->r));
    while (c->nfunctions <= SERIES_FUNCTIONS &&
           series_word(c->functions, c->nfunctions, word, sizeof word) != 0)
        c->nfunctions++;
    if (c->nfunctions == 0 || c->nfunctions > SERIES_FUNCTIONS)
        return series_refuse(in, ERR_BAD,
                             "expected 1 to %d names in data.functions, found \"%.100s\"",
                             SERIES_FUNCTIONS, c->functions);
    if (series_next_array(in, f, "CORR sums") != 0 ||
        series_expect(in, f, FRAME_CORR, FRAME_F64, 4, "CORR sums") != 0)
        return -1;
    c->ncomp = f->desc.dims[2];
    c->axis = meta_get(frame_meta(in->r), "data.axis");
    c->first = c->axis != NULL;
    if (c->first && c->nfunctions < 2)
        return series_refuse(
            in, ERR_BAD,
            "expected the axis and at least one function in data.functions, found one name");
    if (f->desc.dims[0] != c->blocks || f->desc.dims[1] != c->lags ||
        f->desc.dims[3] != c->nfunctions || c->ncomp == 0 || c->ncomp > META_MAX_BYTES)
        return series_refuse(
            in, ERR_BAD,
            "expected CORR sums of shape [%zu, %zu, components, %zu], found another shape",
            c->blocks, c->lags, c->nfunctions);
    c->sums = f->data;
    return read_excess(in, c);
}

static int read_corr(struct series_source *in, struct frame *f, struct series *s)
{
    struct corr c = {0};
    if (series_expect(in, f, FRAME_CORR, FRAME_U64, 2, "CORR counts") != 0)
        return -1;
    c.blocks = f->desc.dims[0];
    c.lags = f->desc.dims[1];
    if (c.blocks == 0 || c.lags == 0)
        return series_refuse(in, ERR_BAD,
                             "expected at least one block and one lag, found %zu x %zu", c.blocks,
                             c.lags);
    if (!(c.counts = series_take(in, f)))
        return -1;
    int rc = read_sums(in, f, &c) == 0 ? corr_columns(in, &c, s) : -1;
    free(c.counts);
    free(c.second);
    return rc;
}

/* ---- HIST: from pair counts to g(r) and running coordination numbers */

enum { COL_R = 0, PAIR_COUNT = 0, PAIR_G, PAIR_N, PAIR_COLUMNS };

double series_atoms(const struct meta *m, const char *name, size_t len)
{
    unsigned long long natoms = 0;
    char names[256][16];
    double n = 0.0;
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1)
        return 0.0;
    unsigned char *species = calloc(natoms ? natoms : 1, 1);
    int k = species ? meta_species(m, natoms, species, names, 256, NULL) : -1;
    if (!name)
        n = k == 1 ? (double)natoms : 0.0;
    for (int i = 0; name && i < k; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            for (size_t a = 0; a < natoms; a++)
                n += species[a] == i;
    free(species);
    return n;
}

/* Returns the number of neighbours of an A atom per counted pair and step: (A = B ? 2 : 1) / N_A,
 * or 2 / N for the pair "" or "all", or NaN if N_A is unknown. If names contain dashes, the text is
 * split into two known species. For displacements (self), returns the fraction of the atoms per
 * counted atom and step, 1 / N_A. */
static double hist_weight(const struct meta *m, const char *pair, bool self)
{
    unsigned long long natoms = 0;
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1 || natoms == 0)
        return NAN;
    if (*pair == '\0' || strcmp(pair, "all") == 0)
        return (self ? 1.0 : 2.0) / (double)natoms;
    if (self)
        return 1.0 / series_atoms(m, pair, strlen(pair));
    for (const char *dash = strchr(pair, '-'); dash; dash = strchr(dash + 1, '-')) {
        size_t len = (size_t)(dash - pair), rest = strlen(dash + 1);
        double n = series_atoms(m, pair, len);
        if (n > 0.0 && series_atoms(m, dash + 1, rest) > 0.0)
            return (len == rest && memcmp(pair, dash + 1, len) == 0 ? 2.0 : 1.0) / n;
    }
    return NAN;
}

/* Names the columns of a pair, or of the displacements of a species (self). */
static void name_pair(struct series *s, size_t first, const char *pair, bool self, size_t col_se)
{
    static const char *const names[2][PAIR_COLUMNS] = {{"count", "g", "n"},
                                                       {"count_s", "G_s", "n_s"}};
    int plain = *pair == '\0' || strcmp(pair, "all") == 0;
    for (size_t k = 0; k < PAIR_COLUMNS; k++)
        snprintf(s->name[first + k], SERIES_NAME, "%s%s%.33s", names[self][k], plain ? "" : "_",
                 plain ? "" : pair);
    if (s->blocks) {
        s->se[first + PAIR_G] = (int)col_se;
        snprintf(s->name[col_se], SERIES_NAME, "%s%s%.33s_se", names[self][PAIR_G],
                 plain ? "" : "_", plain ? "" : pair);
    }
}

/* Returns the number of steps or, for van Hove functions, of time origins at a lag. */
static double hist_steps(const struct series_hist *h, size_t lag)
{
    size_t lags = h->lags ? h->lags : 1;
    double steps = 0.0;
    for (size_t b = 0; b < h->blocks; b++)
        steps += h->steps[b * lags + lag];
    return steps;
}

/* Fills the three columns of histogram q, from column `first` on, in the rows of its lag. The array
 * work[2][blocks] is scratch memory. Returns 0, or -1 on overflow. */
static int fill_pair(const struct series_hist *h, struct series *s, size_t q, size_t lag,
                     size_t first, double weight, double *work)
{
    double *y = work, *n = work + h->blocks, steps = hist_steps(h, lag);
    uint64_t running = 0;
    for (size_t k = 0; k < h->bins; k++) {
        uint64_t total = 0;
        for (size_t b = 0; b < h->blocks; b++) {
            size_t at = (b * h->pairs + q) * h->bins + k;
            y[b] = (double)h->counts[at];
            n[b] = h->expected[at];
            if (__builtin_add_overflow(total, h->counts[at], &total))
                return -1;
        }
        if (__builtin_add_overflow(running, total, &running))
            return -1;
        size_t at = lag * h->bins + k;
        double *row = s->v + at * s->cols;
        row[first + PAIR_COUNT] = (double)total;
        s->count[first + PAIR_COUNT][at] = total;
        ratio(s, at, first + PAIR_G, h->blocks, y, n);
        row[first + PAIR_N] = (double)running * weight / steps;
    }
    return 0;
}

/* Finds the name of histogram q of a lag. Histograms of displacements follow histograms of pairs.
 * Sets *self. Returns 0 or -1. */
static int hist_name(struct series_source *in, const struct series_hist *h, size_t q, bool *self,
                     char pair[SERIES_NAME])
{
    const struct meta *m = frame_meta(in->r);
    const char *list = meta_get(m, "data.pairs"), *more = h->lags ? meta_get(m, "data.self") : NULL;
    size_t sets = h->pairs / (h->lags ? h->lags : 1), pairs = sets;
    for (size_t k = 0; more && series_word(more, k, pair, 34) == 1; k++)
        pairs--;
    *pair = '\0';
    *self = q >= pairs;
    list = *self ? more : list;
    if ((sets > 1 || list) && (!list || series_word(list, *self ? q - pairs : q, pair, 34) != 1))
        return series_refuse(in, ERR_BAD, "expected %zu names in data.pairs, found \"%.100s\"",
                             sets, list ? list : "");
    return 0;
}

/* Sets the axes of the rows: the distance and, for van Hove functions, the time lag. Stores the
 * lags in `lag`. Returns 0 or -1. */
static int hist_axes(struct series_source *in, const struct series_hist *h, struct series *s,
                     double *lag)
{
    double dt = 1.0;
    bool timed = meta_get_f64(frame_meta(in->r), "sys.dt_ps", &dt, 1) == 1;
    if (h->lags && meta_get_f64(frame_meta(in->r), "data.lags", lag, h->lags) != 1)
        return series_refuse(in, ERR_BAD, "expected %zu time lags in data.lags", h->lags);
    s->axes = h->lags ? 2 : 1;
    s->groups = h->lags ? h->lags : 1;
    strcpy(s->name[s->axes - 1], timed ? "t_ps" : "lag");
    strcpy(s->name[COL_R], "r_A");
    for (size_t k = 0; k < s->rows; k++) {
        s->v[k * s->cols + s->axes - 1] = lag[k / h->bins] * dt;
        s->v[k * s->cols] = ((double)(k % h->bins) + 0.5) * h->rmax / (double)h->bins;
    }
    if (timed)
        s->span = dt * hist_steps(h, 0);
    return 0;
}

static int hist_columns(struct series_source *in, const struct series_hist *h, struct series *s)
{
    size_t errors = h->blocks >= 2, lags = h->lags ? h->lags : 1, sets = h->pairs / lags,
           axes = h->lags ? 2 : 1;
    if (series_alloc(s, FRAME_HIST, lags * h->bins, axes + sets * (PAIR_COLUMNS + errors),
                     errors ? h->blocks : 0) != 0)
        return series_refuse(in, ERR_MEMORY, "out of memory for %zu bins", h->bins);
    if (series_take_errors(in, s->blocks, &s->errors) != 0)
        return -1;
    double *work = calloc(2 * h->blocks + lags, sizeof *work), *lag = work + 2 * h->blocks;
    int rc = work ? hist_axes(in, h, s, lag)
                  : series_refuse(in, ERR_MEMORY, "out of memory for %zu blocks", h->blocks);
    for (size_t q = 0; q < sets && rc == 0; q++) {
        char pair[SERIES_NAME];
        bool self;
        size_t first = axes + q * PAIR_COLUMNS;
        if ((rc = hist_name(in, h, q, &self, pair)) != 0)
            break;
        if (!(s->count[first] = calloc(s->rows, sizeof(uint64_t)))) {
            rc = series_refuse(in, ERR_MEMORY, "out of memory for %zu bins", h->bins);
            break;
        }
        name_pair(s, first, pair, self, axes + PAIR_COLUMNS * sets + q);
        double weight = hist_weight(frame_meta(in->r), pair, self);
        for (size_t l = 0; l < lags && rc == 0; l++)
            if (fill_pair(h, s, l * sets + q, l, first,
                          !self && h->lags && lag[l] > 0.0 ? 0.5 * weight : weight, work) != 0)
                rc = series_refuse(
                    in, ERR_BAD,
                    "expected pair counts whose sum fits in 64 bits, found a larger sum");
    }
    free(work);
    return rc ? rc : put_errors(in, s, NULL);
}

static int read_hist(struct series_source *in, struct frame *f, struct series *s)
{
    struct series_hist h;
    int rc = series_hist_read(in, f, &h) == 0 ? hist_columns(in, &h, s) : -1;
    series_hist_free(&h);
    return rc;
}

/* ---- SPEC */

/* Names the columns of a SPEC segment. NAME_se is the error of NAME. */
static int name_spec(struct series_source *in, struct series *s)
{
    const char *list = meta_get(frame_meta(in->r), "data.columns");
    char extra[SERIES_NAME];
    if (list == NULL)
        return series_refuse(in, ERR_BAD,
                             "expected META key data.columns in a SPEC segment, found none");
    for (size_t c = 0; c < s->cols; c++)
        if (series_word(list, c, s->name[c], SERIES_NAME) != 1)
            return series_refuse(in, ERR_BAD,
                                 "expected %zu column names in data.columns, found \"%.200s\"",
                                 s->cols, list);
    if (series_word(list, s->cols, extra, sizeof extra) != 0)
        return series_refuse(in, ERR_BAD, "expected %zu column names in data.columns, found more",
                             s->cols);
    for (size_t c = 0; c < s->cols; c++) {
        snprintf(extra, sizeof extra, "%.*s_se", SERIES_NAME - 4, s->name[c]);
        s->se[c] = series_column(s, extra);
    }
    return 0;
}

/* Groups rows by the values of the second axis, the same number for each. Returns 0 or -1. */
static int group_spec(struct series_source *in, struct series *s)
{
    size_t one = 1;
    s->axes = 2;
    if (s->cols < 3)
        return series_refuse(in, ERR_BAD, "expected two axes and a column, found %zu columns",
                             s->cols);
    while (one < s->rows && s->v[one * s->cols + 1] == s->v[1])
        one++;
    s->groups = s->rows ? s->rows / one : 1;
    for (size_t k = 0; k < s->rows; k++)
        if (s->rows % one || !(s->v[k * s->cols + 1] == s->v[k / one * one * s->cols + 1]))
            return series_refuse(
                in, ERR_BAD,
                "expected %zu rows for each value of data.axis2, found another number at row %zu",
                one, k);
    return 0;
}

static int read_spec(struct series_source *in, struct frame *f, struct series *s)
{
    if (series_expect(in, f, FRAME_SPEC, FRAME_F64, 2, "SPEC") != 0)
        return -1;
    /* A name needs at least two bytes of META. More columns are refused before any allocation. */
    if (f->desc.dims[1] == 0 || f->desc.dims[1] > META_MAX_BYTES / 2)
        return series_refuse(in, ERR_BAD, "expected 1 to %d columns, found %llu",
                             META_MAX_BYTES / 2, (unsigned long long)f->desc.dims[1]);
    if (series_alloc(s, FRAME_SPEC, f->desc.dims[0], f->desc.dims[1], 0) != 0)
        return series_refuse(in, ERR_MEMORY, "out of memory for %llu rows",
                             (unsigned long long)f->desc.dims[0]);
    memcpy(s->v, f->data, f->bytes);
    for (size_t k = 0; k < s->rows; k++)
        if (!isfinite(s->v[k * s->cols]))
            return series_refuse(in, ERR_BAD, "expected a finite axis, found %g in row %zu",
                                 s->v[k * s->cols], k);
    return meta_get(frame_meta(in->r), "data.axis2") && group_spec(in, s) != 0 ? -1
                                                                               : name_spec(in, s);
}

/* ---- segments */

static int read_segment(struct series_source *in, const struct frame *first, struct series *s)
{
    struct frame f;
    int got = 1, rc;
    if (first)
        f = *first;
    else
        got = series_next(in, &f);
    if (got <= 0)
        return got;
    switch (f.desc.type) {
    case FRAME_CORR: rc = read_corr(in, &f, s); break;
    case FRAME_HIST: rc = read_hist(in, &f, s); break;
    case FRAME_SPEC: rc = read_spec(in, &f, s); break;
    case FRAME_END:
        return series_refuse(in, ERR_BAD, "expected CORR, HIST or SPEC, found an empty segment");
    default:
        return series_refuse(in, ERR_BAD, "expected CORR, HIST or SPEC, found %s", f.desc.code);
    }
    return rc != 0 || series_end(in) != 0 ? -1 : 1;
}

int series_read_from(struct frame_reader *r, const struct frame *first, struct series *s,
                     struct err *e)
{
    struct series_source in = {r, e};
    *s = (struct series){0};
    int rc = read_segment(&in, first, s);
    if (rc <= 0)
        series_free(s);
    return rc;
}

int series_read_corr(struct frame_reader *r, const char *what, struct series *s, struct err *e)
{
    struct series_source in = {r, e};
    struct frame f;
    *s = (struct series){0};
    int rc = series_first_array(&in, &f, FRAME_CORR, what);
    return rc > 0 ? series_read_from(r, &f, s, e) : rc;
}

int series_read(struct frame_reader *r, struct series *s, struct err *e)
{
    return series_read_from(r, NULL, s, e);
}
