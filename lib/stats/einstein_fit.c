/* SPDX-License-Identifier: MIT */
#include "stats/einstein_fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define POINTS 16  /* half of the points of an integral over a block */
#define TERMS 3    /* terms of a parabola */
#define WITHIN 1.5 /* errors: 75 % of straight lines pass two tests together */

/* Lags of a fit, and their weights in each term. */
struct fit {
    size_t n, row[EINSTEIN_LAGS];
    double weight[TERMS][EINSTEIN_LAGS];
};

struct sums {
    const struct series *s;
    size_t col;
    double *dev, *shared; /* scratch [blocks] */
    struct errors errors;
};

static double time_of(const struct sums *m, size_t row)
{
    return m->s->v[row * m->s->cols];
}

static double dev_of(const struct sums *m, size_t b, size_t row)
{
    return m->s->dev[(b * m->s->rows + row) * m->s->cols + m->col];
}

/* Chooses up to EINSTEIN_LAGS rows with times in [from, to], evenly spaced in the logarithm. */
static void choose(const struct sums *m, double from, double to, struct fit *f)
{
    size_t first = 1, last = m->s->rows - 1;
    while (first < last && time_of(m, first) < from * (1.0 - 1e-9))
        first++;
    while (last > first && time_of(m, last) > to * (1.0 + 1e-9))
        last--;
    f->n = 0;
    for (size_t k = 0; k < EINSTEIN_LAGS; k++) {
        double at = (double)first *
                    pow((double)last / (double)first, (double)k / (double)(EINSTEIN_LAGS - 1));
        size_t row = (size_t)(at + 0.5);
        if (f->n == 0 || row > f->row[f->n - 1])
            f->row[f->n++] = row;
    }
}

/* Solves a x = b for `sides` right sides b[n][sides] by elimination with pivots; false:
 * singular. */
static bool solve(size_t n, size_t sides, double *a, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        if (!(fabs(a[best * n + k]) > 0.0))
            return false;
        for (size_t j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        for (size_t j = 0; j < sides; j++) {
            double t = b[k * sides + j];
            b[k * sides + j] = b[best * sides + j];
            b[best * sides + j] = t;
        }
        for (size_t i = 0; i < n; i++) {
            double part = i == k ? 0.0 : a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n && part != 0.0; j++)
                a[i * n + j] -= part * a[k * n + j];
            for (size_t j = 0; j < sides && part != 0.0; j++)
                b[i * sides + j] -= part * b[k * sides + j];
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < sides; j++)
            b[k * sides + j] /= a[k * n + k];
    return true;
}

/* Covariance of the mean square displacements of a random walk at lags i and j, in steps: the sum,
 * over all distances between two origins, of the squared number of common steps. */
static double walks_covary(double i, double j)
{
    double a = fmin(i, j), b = fmax(i, j);
    return a * a * (b - a + 1.0) + (a - 1.0) * a * (2.0 * a - 1.0) / 3.0;
}

/* Weights of generalised least squares for 1, t, t² (in units of the last time). false:
 * singular. */
static bool weigh(const struct sums *m, struct fit *f, size_t terms)
{
    double c[EINSTEIN_LAGS * EINSTEIN_LAGS] = {0}, x[EINSTEIN_LAGS * TERMS], a[TERMS * TERMS] = {0},
                             w[TERMS * EINSTEIN_LAGS], unit = time_of(m, f->row[f->n - 1]);
    for (size_t i = 0; i < f->n; i++) {
        double t = time_of(m, f->row[i]) / unit;
        for (size_t j = 0; j < f->n; j++)
            c[i * f->n + j] = walks_covary((double)f->row[i], (double)f->row[j]);
        for (size_t p = 0; p < terms; p++)
            x[i * terms + p] = w[p * f->n + i] = pow(t, (double)p);
    }
    if (!solve(f->n, terms, c, x)) /* x = C^-1 X */
        return false;
    for (size_t p = 0; p < terms; p++)
        for (size_t q = 0; q < terms; q++)
            for (size_t i = 0; i < f->n; i++)
                a[p * terms + q] += w[p * f->n + i] * x[i * terms + q];
    for (size_t p = 0; p < terms; p++) /* X' C^-1; its solutions are the weights */
        for (size_t i = 0; i < f->n; i++)
            w[p * f->n + i] = x[i * terms + p];
    if (!solve(terms, f->n, a, w))
        return false;
    for (size_t p = 0; p < terms; p++)
        for (size_t i = 0; i < f->n; i++)
            f->weight[p][i] = w[p * f->n + i] / pow(unit, (double)p);
    return true;
}

static double value(const struct sums *m, const struct fit *f, size_t term)
{
    double sum = 0.0;
    for (size_t i = 0; i < f->n; i++)
        sum += f->weight[term][i] * m->s->v[f->row[i] * m->s->cols + m->col];
    return sum;
}

/* Squared common steps of two origins t apart, for the weighted sums of a term of f, minus g. */
static double in_common(const struct sums *m, const struct fit *f, size_t term, const struct fit *g,
                        double t)
{
    double sum = 0.0;
    for (int one = 0; one < (g ? 4 : 1); one++) {
        const struct fit *a = one & 1 ? g : f, *b = one & 2 ? g : f;
        double sign = one == 1 || one == 2 ? -1.0 : 1.0;
        for (size_t i = 0; i < a->n; i++)
            for (size_t j = 0; j < b->n; j++) {
                double end = fmin(t + time_of(m, a->row[i]), time_of(m, b->row[j])),
                       both = fmax(end - fmax(t, 0.0), 0.0);
                sum += sign * a->weight[term][i] * b->weight[term][j] * both * both;
            }
    }
    return sum;
}

/* Sets the correlations of blocks k apart that result from common steps. */
static void share(struct sums *m, const struct fit *f, size_t term, const struct fit *g)
{
    double block = m->s->v[1] * time_of(m, 1) / (double)m->s->blocks, own = 0.0,
           last = time_of(m, f->row[f->n - 1]);
    size_t n = 0;
    if (g)
        last = fmax(last, time_of(m, g->row[g->n - 1]));
    for (; n < m->s->blocks && (n == 0 || (double)n - 1.0 < last / block); n++) {
        double sum = 0.0;
        for (int i = 0; i < 2 * POINTS; i++) {
            double t = (i + 0.5) / POINTS - 1.0;
            sum += (1.0 - fabs(t)) * in_common(m, f, term, g, ((double)n + t) * block);
        }
        if (n == 0)
            own = sum;
        else
            m->shared[n - 1] = sum / own;
    }
    errors_share(&m->errors, m->shared, n - 1);
}

/* Error of a term of f, minus that of g if given. */
static double error(struct sums *m, const struct fit *f, size_t term, const struct fit *g)
{
    for (size_t b = 0; b < m->s->blocks; b++) {
        m->dev[b] = 0.0;
        for (size_t i = 0; i < f->n; i++)
            m->dev[b] += f->weight[term][i] * dev_of(m, b, f->row[i]);
        for (size_t i = 0; g && i < g->n; i++)
            m->dev[b] -= g->weight[term][i] * dev_of(m, b, g->row[i]);
    }
    share(m, f, term, g);
    return errors_of(&m->errors, m->dev, 1, NULL).se;
}

/* Is msd straight from t on, as far as can be seen? The slope may be constant for a while and
 * change later, so it is compared with all later slopes. */
static bool straight(struct sums *m, double t)
{
    struct fit line, later, bent;
    choose(m, t, 4.0 * t, &line);
    bent = line;
    if (line.n < 4 || !weigh(m, &line, 2) || !weigh(m, &bent, 3) ||
        !(fabs(value(m, &bent, 2)) <= WITHIN * error(m, &bent, 2, NULL)))
        return false;
    for (double u = 2.0 * t; 2.0 * u <= time_of(m, m->s->rows - 1); u *= 2.0) {
        choose(m, u, 4.0 * u, &later);
        if (later.n < 3 || !weigh(m, &later, 2))
            return false;
        double off = fabs(value(m, &line, 1) - value(m, &later, 1)),
               se = error(m, &line, 1, &later);
        if (!(off <= WITHIN * se) && (u == 2.0 * t || !isnan(se)))
            return false;
    }
    return true;
}

static int window(struct sums *m, struct einstein *f, struct err *e)
{
    double last = time_of(m, m->s->rows - 1);
    for (size_t row = 1, next; row < m->s->rows; row = next) {
        double t = time_of(m, row);
        next = (size_t)ceil((double)row * 1.2);
        next += next == row;
        if (4.0 * t > last)
            break;
        if (straight(m, t)) {
            f->from = fmax(2.0 * t, fmin(4.0 * t, last / 4.0));
            f->to = fmin(4.0 * f->from, last);
            return 0;
        }
    }
    return err_set(
        e, ERR_BAD,
        "expected a window up to %.4g ps in which the slope is constant within its error, found "
        "none (use longer lags with --tmax, a longer run, or --fit-from and --fit-to)",
        last);
}

int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e)
{
    struct sums m = {.s = s, .col = col, .errors = s->errors};
    struct fit line;
    int rc = 0;
    if (!s->dev || s->blocks < ERRORS_BLOCKS)
        return err_set(
            e, ERR_BAD,
            "expected at least %d blocks for error estimates, found %zu (use fewer --lags or "
            "a longer run)",
            ERRORS_BLOCKS, s->blocks);
    if (s->rows < 4)
        return err_set(e, ERR_BAD, "expected at least 4 lags, found %zu", s->rows);
    if (!(m.dev = malloc(2 * s->blocks * sizeof *m.dev)))
        return err_memory(e, "a fit");
    m.shared = m.dev + s->blocks;
    if (isnan(f->from) && isnan(f->to))
        rc = window(&m, f, e);
    f->from = isnan(f->from) ? 0.0 : f->from;
    f->to = isnan(f->to) ? INFINITY : f->to;
    if (!rc) {
        choose(&m, f->from, f->to, &line);
        if (line.n < 3 || !weigh(&m, &line, 2))
            rc = err_set(e, ERR_BAD, "expected at least 3 lags between %.4g and %.4g ps, found %zu",
                         f->from, f->to, line.n);
    }
    if (!rc) {
        f->start = value(&m, &line, 0);
        f->slope = value(&m, &line, 1);
        f->se = error(&m, &line, 1, NULL);
        f->lags = line.n;
        f->from = time_of(&m, line.row[0]);
        f->to = time_of(&m, line.row[line.n - 1]);
    }
    errors_share(&m.errors, NULL, 0);
    free(m.dev);
    return rc;
}

int einstein_dimensions(const char *name)
{
    const char *at = strchr(name, '_');
    return at && at[1] >= 'x' && at[1] <= 'z' && (at[2] == '\0' || at[2] == '_') ? 1 : 3;
}

double einstein_images(double temperature, double viscosity, double edge)
{
    /* kT in J; m²/s to Å²/ps: 1e8; L in m */
    double kt = UNITS_KB_MEV * 1.602176634e-22 * temperature;
    return 2.837297 * kt / (6.0 * UNITS_PI * viscosity * edge * 1e-10) * 1e8;
}
