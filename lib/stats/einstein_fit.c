/* SPDX-License-Identifier: MIT */
#include "stats/einstein_fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/uneven.h"
#include "stream/stride.h"

#define POINTS 16  /* half of the points of an integral over a block */
#define TERMS 3    /* terms of a fit */
#define LAGS 64    /* largest number of lags */
#define GROWS 1.25 /* ratio of neighbouring lags */
#define LAST 4     /* lags up to the length of the run divided by this number are used */
#define TEMPER 0.5 /* weights are exp(-TEMPER Q) (the header states the terms of Q) */
#define LEFT_OUT 2.0
#define PARAMETERS 4.0
#define VARIANCE 6.0
#define FADED 4.0      /* a transient is over after this number of decay times */
#define BLOCKS 1.25    /* above this ratio to the error from atoms, the error from blocks is used */
#define BENT 4.0       /* a curvature above this number of standard errors is significant */
#define FRAMES 4.0     /* smallest mean number of frames at uneven times per block for errors */
#define SLOPE_MIN 1e-3 /* smallest slope in Q, relative to msd / t at the last lag */

enum model { LINE, TRANSIENT, PARABOLA };

/* The lags of the fits. Lag k is the mean over the rows from row[k] to end[k] - 1. */
struct lags {
    const struct series *s;
    size_t col, n, row[LAGS], end[LAGS];
    double t[LAGS], msd[LAGS], count[LAGS];
    double run;                      /* length of all runs, ps */
    bool uneven;                     /* whether the steps are at uneven times */
    double *dev, *shared;            /* scratch memory [blocks] */
    double cov[LAGS * LAGS], noise;  /* cov: for a random walk of slope 1; noise: 2 / d N */
    double slope[LAGS], start[LAGS]; /* weights of the lags in b and a */
    struct errors errors;
};

/* A generalised least-squares fit of a model to the lags from `first` onwards. */
struct fit {
    size_t first;
    double term[TERMS][LAGS]; /* weights of the lags in each term */
    double slope, var, q;     /* var: variance of the slope, if the true slope is 1 */
    bool transient;
};

static double time_of(const struct lags *m, size_t k)
{
    return m->t[k];
}

static double msd_of(const struct lags *m, size_t k)
{
    return m->msd[k];
}

/* Returns element `col` of a row. */
static double value(const struct lags *m, size_t row, size_t col)
{
    return m->s->v[row * m->s->cols + col];
}

/* Sets [*first, *last] to the rows from `from` to `to`, in ps, without lag 0. */
static void find(const struct lags *m, double from, double to, size_t *first, size_t *last)
{
    for (*first = 1, *last = m->s->rows - 1;
         *first < *last && value(m, *first, 0) < from * (1.0 - 1e-9);)
        ++*first;
    while (*last > *first && value(m, *last, 0) > to * (1.0 + 1e-9))
        --*last;
}

/* Appends the mean over the rows [first, end) to the lags. */
static void append(struct lags *m, size_t first, size_t end)
{
    size_t k = m->n++;
    double n = 0.0, t = 0.0, y = 0.0;
    for (size_t row = first; row < end; row++) {
        n += value(m, row, 1);
        t += value(m, row, 1) * value(m, row, 0);
        y += value(m, row, 1) * value(m, row, m->col);
    }
    m->row[k] = first;
    m->end[k] = end;
    m->count[k] = n;
    m->t[k] = end == first + 1 ? value(m, first, 0) : t / n;
    m->msd[k] = end == first + 1 ? value(m, first, m->col) : y / n;
}

/* Chooses lags among the rows from `first` to `last`, and computes their covariances. */
static void choose_even(struct lags *m, size_t first, size_t last)
{
    for (double at = (double)first; m->n < LAGS - 1 && (size_t)at < last;
         at = fmax(at + 1.0, ceil(at * GROWS)))
        append(m, (size_t)at, (size_t)at + 1);
    append(m, last, last + 1);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++) {
            double a = (double)m->row[i < j ? i : j], b = (double)m->row[i < j ? j : i],
                   step = time_of(m, 0) / (double)m->row[0];
            m->cov[i * LAGS + j] = m->noise * step * step *
                                   (a * a * (b - a + 1.0) + (a - 1.0) * a * (2.0 * a - 1.0) / 3.0) /
                                   m->count[i < j ? i : j];
        }
}

/* Returns the lag of the fits to which two steps that are `lag` apart contribute, or LAGS if there
 * is none. Adds the pair to pairs[row]. */
static size_t lag_of_pair(const struct lags *m, double lag, double tolerance, double *pairs)
{
    size_t lo = 0, hi = m->s->rows, k = 0;
    while (hi - lo > 1) { /* the last row whose lag is at most `lag` */
        size_t mid = lo + (hi - lo) / 2;
        if (value(m, mid, 0) <= lag + tolerance)
            lo = mid;
        else
            hi = mid;
    }
    if (fabs(value(m, lo, 0) - lag) > 2.0 * tolerance)
        return LAGS;
    pairs[lo]++;
    while (k < m->n && lo >= m->end[k])
        k++;
    return k < m->n && lo >= m->row[k] ? k : LAGS;
}

/* Adds to `cov` the squared common time of pairs of steps, for each two lags. The number of pairs
 * of lag k that contain the intervals before and between two others is both[interval][k]. */
static void common_times(struct lags *m, const struct einstein *f, double tolerance, double *both,
                         double *pairs)
{
    const double *t = f->time;
    size_t n = m->n;
    for (size_t from = 0; from + 1 < f->steps; from++) {
        double since[LAGS + 1] = {0};
        for (size_t to = f->steps - 1; to > from; to--) {
            double *c = both + (to - 1) * n,
                   w = (t[from + 1] - t[from]) * (t[to] - t[to - 1]) * (to == from + 1 ? 1.0 : 2.0);
            since[lag_of_pair(m, t[to] - t[from], tolerance, pairs)]++;
            for (size_t k = 0; k < n; k++)
                c[k] += since[k];
            for (size_t i = 0; i < n; i++)
                for (size_t j = i; c[i] > 0.0 && j < n; j++)
                    m->cov[i * LAGS + j] += w * c[i] * c[j];
        }
    }
}

/* Chooses lags from steps at uneven times, as choose_even does. Returns 0, or -1 and sets e. */
static int choose_uneven(struct lags *m, const struct einstein *f, size_t first, size_t last,
                         struct err *e)
{
    double gap = INFINITY, runs = value(m, 0, 1) / (double)f->steps,
           grows = pow(value(m, last, 0) / value(m, first, 0), 1.0 / (LAGS - 2));
    for (size_t row = first, end = first; row <= last; row = end) {
        double limit = value(m, row, 0) * fmax(GROWS, grows) * (1.0 - 1e-9);
        while (end == row || (end <= last && value(m, end, 0) < limit))
            end++;
        append(m, row, end);
    }
    for (size_t k = 1; k < f->steps; k++)
        gap = fmin(gap, f->time[k] - f->time[k - 1]);
    double *pairs = calloc(m->s->rows + f->steps * m->n, sizeof *pairs);
    if (!pairs)
        return err_memory(e, "a fit");
    common_times(m, f, STRIDE_PRINTED * gap, pairs + m->s->rows, pairs);
    for (size_t row = first; row <= last; row++)
        if (pairs[row] * runs != value(m, row, 1)) {
            err_bad(e,
                    "expected %.0f pairs of frames at lag %.10g ps (from data.times), found %.0f",
                    pairs[row] * runs, value(m, row, 0), value(m, row, 1));
            free(pairs);
            return -1;
        }
    free(pairs);
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i; j < m->n; j++)
            m->cov[j * LAGS + i] = m->cov[i * LAGS + j] *=
                m->noise * runs / (m->count[i] * m->count[j]);
    return 0;
}

/* Chooses lags from `from` to `to`, in ps, and computes their covariances. Returns 0, or -1 and
 * sets e. */
static int choose(struct lags *m, const struct einstein *f, double from, double to, struct err *e)
{
    size_t first, last;
    find(m, from, to, &first, &last);
    if (f->time)
        return choose_uneven(m, f, first, last, e);
    choose_even(m, first, last);
    return 0;
}

/* Solves a x = b for a symmetric positive definite matrix a and `sides` right-hand sides
 * b[n][sides], which become x. Returns false if a is singular. */
static bool solve(size_t n, size_t sides, double *a, double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double part = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= part * a[k * n + j];
            for (size_t j = 0; j < sides; j++)
                b[i * sides + j] -= part * b[k * sides + j];
        }
    for (size_t k = n; k-- > 0;) {
        if (!(a[k * n + k] > 0.0))
            return false;
        for (size_t j = 0; j < sides; j++) {
            for (size_t i = k + 1; i < n; i++)
                b[k * sides + j] -= a[k * n + i] * b[i * sides + j];
            b[k * sides + j] /= a[k * n + k];
        }
    }
    return true;
}

/* Returns term p at lag k of a fit that begins at lag `first`: 1, t in units of the last lag, or
 * t² or exp(1 - t / s), where s is the first lag. */
static double term_of(const struct lags *m, enum model model, size_t first, size_t p, size_t k)
{
    double t = time_of(m, k) / time_of(m, m->n - 1);
    return p < 2               ? (p ? t : 1.0)
           : model == PARABOLA ? t * t
                               : exp(1.0 - time_of(m, k) / time_of(m, first));
}

/* Sets the weights of the terms, and the slope. Returns the squared residual weighted by the
 * inverse covariances, or NaN if there are too few lags. */
static double least_squares(const struct lags *m, enum model model, size_t first, struct fit *f)
{
    static _Thread_local double c[LAGS * LAGS], x[LAGS * (TERMS + 1)], w[TERMS * LAGS];
    size_t n = m->n - first, terms = model == LINE ? 2 : 3, sides = terms + 1;
    double a[TERMS * TERMS] = {0}, chi = 0.0, value[TERMS] = {0}, unit = time_of(m, m->n - 1);
    *f = (struct fit){.first = first, .transient = model == TRANSIENT};
    if (m->n < first + terms + 1)
        return NAN;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            c[i * n + j] = m->cov[(first + i) * LAGS + first + j];
        for (size_t p = 0; p < terms; p++)
            x[i * sides + p] = term_of(m, model, first, p, first + i);
        x[i * sides + terms] = msd_of(m, first + i);
    }
    if (!solve(n, sides, c, x)) /* x = C^-1 (X, y) */
        return NAN;
    for (size_t p = 0; p < terms; p++)
        for (size_t i = 0; i < n; i++) {
            w[p * n + i] = x[i * sides + p];
            for (size_t q = 0; q < terms; q++)
                a[p * terms + q] += term_of(m, model, first, q, first + i) * w[p * n + i];
        }
    if (!solve(terms, n, a, w)) /* (X' C^-1 X)^-1 X' C^-1 */
        return NAN;
    for (size_t p = 0; p < terms; p++)
        for (size_t i = 0; i < n; i++) {
            value[p] += w[p * n + i] * msd_of(m, first + i);
            f->term[p][first + i] = w[p * n + i] / (p == 1 ? unit : 1.0);
        }
    for (size_t i = 0; i < n; i++) {
        double rest = msd_of(m, first + i), solved = x[i * sides + terms];
        for (size_t p = 0; p < terms; p++) {
            rest -= value[p] * term_of(m, model, first, p, first + i);
            solved -= value[p] * x[i * sides + p];
        }
        chi += rest * solved;
    }
    f->slope = value[1] / unit;
    return chi;
}

/* Returns the variance of a weighted sum of lags if the slope is 1. */
static double variance(const struct lags *m, const double *w)
{
    double sum = 0.0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++)
            sum += w[i] * w[j] * m->cov[i * LAGS + j];
    return sum;
}

/* Returns the squared common time of two origins t apart, summed over pairs of lags with their
 * weights w. */
static double in_common(const struct lags *m, const double *w, double t)
{
    double sum = 0.0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = 0; j < m->n; j++) {
            double end = fmin(t + time_of(m, i), time_of(m, j)),
                   both = fmax(end - fmax(t, 0.0), 0.0);
            sum += w[i] * w[j] * both * both;
        }
    return sum;
}

/* Sets the correlations of blocks k apart that result from common steps. */
static void share(struct lags *m, const double *w)
{
    double block = m->run / (double)m->s->blocks, own = 0.0, last = time_of(m, m->n - 1);
    size_t n = 0;
    for (; n < m->s->blocks && (n == 0 || (double)n - 1.0 < last / block); n++) {
        double sum = 0.0;
        for (int i = 0; i < 2 * POINTS; i++) {
            double t = (i + 0.5) / POINTS - 1.0;
            sum += (1.0 - fabs(t)) * in_common(m, w, ((double)n + t) * block);
        }
        if (n == 0)
            own = sum;
        else
            m->shared[n - 1] = sum / own;
    }
    errors_share(&m->errors, m->shared, n - 1);
}

/* Returns the error of a weighted sum of lags from the blocks, or NaN if it is unknown. */
static double error(struct lags *m, const double *w)
{
    if (!m->s->dev || (m->uneven && value(m, 0, 1) < FRAMES * (double)m->s->blocks))
        return NAN;
    for (size_t b = 0; b < m->s->blocks; b++) {
        m->dev[b] = 0.0;
        for (size_t i = 0; i < m->n; i++)
            for (size_t row = m->row[i]; row < m->end[i]; row++)
                m->dev[b] += w[i] * (value(m, row, 1) / m->count[i]) *
                             m->s->dev[(b * m->s->rows + row) * m->s->cols + m->col];
    }
    share(m, w);
    return errors_of(&m->errors, m->dev, 1, NULL).se;
}

/* Averages all fits by their weights into m->slope and m->start. Returns the squared scatter
 * between the fits, or NaN if there is no fit. Sets *from to the time after which the lines fit. */
static double average(struct lags *m, struct fit *f, double *from)
{
    double best = INFINITY, sum = 0.0, mean = 0.0, squares = 0.0, logs = 0.0,
           least = SLOPE_MIN * msd_of(m, m->n - 1) / time_of(m, m->n - 1);
    for (size_t k = 0; k < 2 * m->n; k++) {
        double chi = least_squares(m, k % 2 ? TRANSIENT : LINE, k / 2, &f[k]);
        f[k].var = variance(m, f[k].term[1]);
        f[k].q = chi / pow(fmax(f[k].slope, least), 2.0) + LEFT_OUT * (double)(k / 2) +
                 (k % 2 ? PARAMETERS : 0.0) + VARIANCE * log(f[k].var);
        if (f[k].q < best) /* false for NaN */
            best = f[k].q;
    }
    for (size_t k = 0; k < 2 * m->n; k++) {
        double w = exp(TEMPER * (best - f[k].q));
        if (!(w > 0.0))
            continue;
        sum += w;
        mean += w * f[k].slope;
        squares += w * f[k].slope * f[k].slope;
        logs += w * log(time_of(m, f[k].first) * (f[k].transient ? FADED : 1.0));
        for (size_t i = 0; i < m->n; i++) {
            m->start[i] += w * f[k].term[0][i];
            m->slope[i] += w * f[k].term[1][i];
        }
    }
    for (size_t i = 0; i < m->n; i++) {
        m->start[i] /= sum;
        m->slope[i] /= sum;
    }
    *from = exp(logs / sum);
    return fmax(squares / sum - mean * mean / (sum * sum), 0.0);
}

/* Returns whether the msd from this time on has no significant curvature. */
static bool straight(struct lags *m, double from, struct fit *f)
{
    size_t first = 0;
    double bend = 0.0, se;
    while (first < m->n && time_of(m, first) < from)
        first++;
    if (isnan(least_squares(m, PARABOLA, first, f)))
        return false;
    for (size_t i = first; i < m->n; i++)
        bend += f->term[2][i] * msd_of(m, i);
    se = error(m, f->term[2]);
    if (isnan(se) || m->uneven)
        se = fmax(f->slope * sqrt(variance(m, f->term[2])), se); /* not NaN */
    return !(fabs(bend) > BENT * se);
}

/* Sets the weights of slope and start, the window, and *between, the squared scatter between the
 * fits. Returns 0, or -1 and sets e. */
static int fit(struct lags *m, struct einstein *f, double *between, struct err *e)
{
    struct fit *fits = malloc(2 * LAGS * sizeof *fits);
    int rc = 0;
    if (!fits)
        return err_memory(e, "a fit");
    if (isnan(f->from) && isnan(f->to)) {
        rc = choose(m, f, 0.0, (f->time ? f->time[f->steps - 1] : m->run) / LAST, e);
        *between = rc ? 0.0 : average(m, fits, &f->from);
        if (!rc && (isnan(*between) || !straight(m, f->from, fits)))
            rc = err_bad(e,
                         "expected a constant slope at some lags up to %.4g ps, found none (use "
                         "longer lags or a longer run, or give --fit-from and --fit-to)",
                         time_of(m, m->n - 1));
    } else {
        rc = choose(m, f, isnan(f->from) ? 0.0 : f->from, isnan(f->to) ? INFINITY : f->to, e);
        f->from = value(m, m->row[0], 0);
        if (!rc && isnan(least_squares(m, LINE, 0, fits)))
            rc = err_bad(e, "expected at least 3 lags between %.4g and %.4g ps, found %zu", f->from,
                         isnan(f->to) ? value(m, m->s->rows - 1, 0) : f->to, m->n);
        memcpy(m->start, fits->term[0], sizeof m->start);
        memcpy(m->slope, fits->term[1], sizeof m->slope);
    }
    free(fits);
    return rc;
}

/* Returns the error of the slope, from blocks and from the scatter between atoms. */
static double slope_error(struct lags *m, const struct einstein *f)
{
    size_t k = 0;
    double step = value(m, 1, 0), blocks = error(m, m->slope), atoms;
    if (!f->scales && !m->uneven)
        return blocks;
    while (k + 1 < f->scales && einstein_scale(k) * step < f->from)
        k++;
    atoms = f->slope * sqrt(variance(m, m->slope) + fmax(f->scales ? f->scatter[k] : 0.0, 0.0));
    return blocks > BLOCKS * atoms ? blocks : atoms;
}

int einstein_fit(const struct series *s, size_t col, struct einstein *f, struct err *e)
{
    struct lags m = {.s = s, .col = col, .errors = s->errors};
    double between = 0.0;
    if (s->rows < 4)
        return err_bad(e, "expected at least 4 lags, found %zu", s->rows);
    if (!(m.dev = malloc(2 * (s->blocks + 1) * sizeof *m.dev)))
        return err_memory(e, "a fit");
    m.shared = m.dev + s->blocks;
    m.noise = 2.0 / (f->dimensions * f->points);
    m.uneven = f->time != NULL;
    m.run =
        value(&m, 0, 1) * (m.uneven ? f->time[f->steps - 1] / (double)f->steps : value(&m, 1, 0));
    int rc = fit(&m, f, &between, e);
    if (!rc) {
        f->slope = f->start = 0.0;
        for (size_t i = 0; i < m.n; i++) {
            f->start += m.start[i] * msd_of(&m, i);
            f->slope += m.slope[i] * msd_of(&m, i);
        }
        f->se = sqrt(pow(slope_error(&m, f), 2.0) + between);
        f->lags = m.n;
        f->to = value(&m, m.end[m.n - 1] - 1, 0);
    }
    errors_share(&m.errors, NULL, 0);
    free(m.dev);
    return rc;
}

size_t einstein_times(const struct meta *m, double **time)
{
    const char *text = meta_get(m, "data.times");
    size_t n = text != NULL;
    for (const char *p = text; p && *p; p++)
        n += *p == ' ';
    double *t = n > 1 && n <= UNEVEN_TIMES ? malloc(n * sizeof *t) : NULL;
    bool good = t && meta_get_f64(m, "data.times", t, n) == 1 && t[0] == 0.0;
    for (size_t k = 1; good && k < n; k++)
        good = t[k] > t[k - 1] && t[k] < INFINITY;
    if (!good)
        free(t);
    *time = good ? t : NULL;
    return good ? n : 0;
}

void einstein_atoms(struct einstein *f, const char *list, const char *name, double steps,
                    double part)
{
    double run = 0.0, all = 0.0, found = 0.0, sum[EINSTEIN_SCALES] = {0}, points = 0.0;
    size_t scales = EINSTEIN_SCALES, length = strlen(name);
    for (const char *p = list; p && *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " "), k = 0;
        char *end;
        if (!memchr(p, ':', word)) {
            run = strtod(p, NULL);
            all += run;
        } else if (strncmp(p, name, length) == 0 && p[length] == ':') {
            points = strtod(p + length + 1, &end);
            found += run;
            for (; *end == ':' && k < EINSTEIN_SCALES; k++)
                sum[k] += run * run * strtod(end + 1, &end);
            scales = k < scales ? k : scales;
        }
        p += word;
    }
    if (all != steps || found != all || !(points > 0.0))
        return;
    f->points = points;
    f->scales = scales;
    for (size_t k = 0; k < scales; k++)
        f->scatter[k] += part * sum[k] / (all * all);
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
