/* SPDX-License-Identifier: MIT */
#include "stats/zero.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define FINE 0.05   /* width of a bin of a fit over its frequency */
#define COARSE 0.25 /* width of a bin of the criterion over its frequency */
#define SHAPE 3.0   /* smallest shape of a bin of the criterion */
#define DEVIANCE 0.11
#define BIN 0.27
#define FIRST 0.02
#define WIDE 0.5  /* largest error of a fit relative to its largest value */
#define TINY 1e-6 /* smallest such error (a smaller error is an underflow) */
#define UNSURE 3.1
#define SURE 30.0     /* a fit has less weight if its squared relative error exceeds 1 / SURE */
#define RAISE 2.0     /* raises S(0), because slow processes that are not resolved would lower it */
#define WITHIN 0.74   /* part of the variances of the fits in the squared error */
#define BETWEEN 0.6   /* part of the scatter between the fits in the squared error */
#define CUSP 1e-18    /* weight in the knee of a fit with a cusp, which counts if it stands alone */
#define HOPELESS 25.0 /* a fit whose criterion exceeds the smallest one by this has no weight */
#define DONE 1e-4     /* smallest gain of a step in log likelihood */
#define LAST 0.06
#define TERMS 4
#define TRIES 30
#define FAMILIES (sizeof families / sizeof *families)

/* Frequencies averaged together. */
struct bin {
    double x, mean, shape;
    size_t coarse; /* index of the bin of the criterion */
};

struct bins {
    struct bin *bin;
    size_t n, coarse;
    double longest; /* length in steps */
    double scale;   /* mean of S over all frequencies, the unit of `mean` */
};

/* A family of fits. If `log` is set, it is exp(a + b x + c x²). Otherwise it is (a + b x)/(1 + c
 * x + d x²), with sqrt x in place of x if `root` is set. */
static const struct family {
    bool log, root;
    int num, den;    /* degrees of numerator and denominator */
    double handicap; /* added to the criterion */
} families[] = {{true, false, 0, 0, 0.3},   {true, false, 1, 0, -0.7}, {true, false, 2, 0, 0.3},
                {false, false, 0, 1, -1.9}, {false, true, 0, 1, -2.2}, {false, false, 1, 0, -1.2},
                {false, false, 1, 2, -0.9}};

struct fit {
    double p[TERMS], cut; /* parameters in units of the cut-off */
    double value, var;    /* S(0), raised by fit_judge, and the variance of the fit */
    double fall, bend;    /* x at which S is half of S(0), and x at which it is half or double */
    double q;             /* value of the criterion */
    bool ok, cusp;        /* cusp: at frequency 0 */
};

/* ---- bins */

/* Adds the frequencies in (from, to], in units of 1/2 longest, of one run. */
static void bin_add(struct bin *b, const struct zero_run *run, double from, double to, double unit)
{
    for (size_t j = (size_t)floor(from / unit * (1.0 + 1e-12)) + 1;
         j < run->steps && (double)j * unit <= to * (1.0 + 1e-12); j++) {
        double s = 2.0 * sin(0.5 * UNITS_PI * (double)j / (double)run->steps),
               more = 1.0 / ((double)j * (double)j), shape = 0.5 * run->comps;
        if (run->centred && j == 1)
            continue; /* the mean of the run was found from this coefficient */
        b->shape += shape;
        b->x += shape * s * s;
        b->mean += shape * run->power[j - 1] / (run->centred && j % 2 ? 1.0 + more : 1.0);
    }
}

/* Puts all runs into bins. Returns 0, or -1 and sets e. */
static int bins_make(struct bins *all, const struct zero_run *run, size_t nruns, struct err *e)
{
    size_t max = (size_t)(log(all->longest) / log1p(FINE) + 3.0 / FINE);
    double began = 0.0, shape = 0.0, to;
    if (!(all->bin = malloc(max * sizeof *all->bin)))
        return err_memory(e, "a spectrum");
    for (double from = 0.0; from < all->longest - 1.0; from = to) {
        struct bin b = {.coarse = all->coarse};
        to = fmin(from + fmax(1.0, floor(FINE * (from + 1.0))), all->longest - 1.0);
        for (size_t r = 0; r < nruns; r++)
            bin_add(&b, &run[r], from, to, all->longest / (double)run[r].steps);
        if (b.shape == 0.0 || !(b.mean > 0.0))
            continue; /* runs of different lengths leave gaps */
        shape += b.shape;
        b.x /= b.shape;
        b.mean /= b.shape;
        all->bin[all->n++] = b;
        if (shape >= SHAPE && to >= began * (1.0 + COARSE)) {
            all->coarse++;
            began = to;
            shape = 0.0;
        }
    }
    all->coarse += shape > 0.0;
    for (size_t i = 0; i < all->n; i++) {
        began = i ? began : 0.0;
        all->scale +=
            (all->bin[i].mean - all->scale) * all->bin[i].shape / (began += all->bin[i].shape);
    }
    for (size_t i = 0; i < all->n; i++)
        all->bin[i].mean = (float)(all->bin[i].mean / all->scale); /* the same bits for any unit */
    return 0;
}

/* ---- a fit */

static int terms(const struct family *f)
{
    return f->num + f->den + 1;
}

/* Returns S at x (in units of the cut-off), or NaN if the parameters are not allowed. Sets d to the
 * derivatives of log S. */
static double model(const struct family *f, const double *p, double x, double *d)
{
    if (f->log) {
        d[0] = 1.0, d[1] = x, d[2] = x * x;
        return exp(p[0] + (f->num > 0 ? p[1] * x : 0.0) + (f->num > 1 ? p[2] * x * x : 0.0));
    }
    x = f->root ? sqrt(x) : x;
    const double *q = p + f->num + 1;
    double a = p[0] + (f->num > 0 ? p[1] * x : 0.0),
           b = 1.0 + (f->den > 0 ? q[0] * x : 0.0) + (f->den > 1 ? q[1] * x * x : 0.0);
    if (!(a > 0.0 && b > 0.0))
        return NAN;
    d[0] = 1.0 / a, d[1] = x / a;
    for (int k = 0; k < f->den; k++)
        d[f->num + 1 + k] = -(k ? x * x : x) / b;
    return a / b;
}

/* Returns minus the logarithm of the likelihood, and sets its gradient g and Fisher matrix h.
 * Returns NaN if the parameters are not allowed. */
static double likelihood(const struct family *f, const double *p, const struct bin *bin, size_t n,
                         double cut, double *g, double *h)
{
    double sum = 0.0, d[TERMS];
    memset(g, 0, TERMS * sizeof *g);
    memset(h, 0, TERMS * TERMS * sizeof *h);
    for (size_t i = 0; i < n; i++) {
        double s = model(f, p, bin[i].x / cut, d), r = bin[i].mean / s;
        if (!isfinite(r))
            return NAN;
        sum += bin[i].shape * (log(s) + r);
        for (int a = 0; a < terms(f); a++) {
            g[a] += bin[i].shape * (r - 1.0) * d[a];
            for (int b = 0; b <= a; b++)
                h[a * TERMS + b] += bin[i].shape * d[a] * d[b];
        }
    }
    return sum;
}

/* Solves h x = b in place (Cholesky). Returns false if h is not positive. */
static bool solve(int n, const double *h, double more, double *b)
{
    double l[TERMS * TERMS];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = h[i * TERMS + j] * (i == j ? 1.0 + more : 1.0);
            for (int k = 0; k < j; k++)
                s -= l[i * TERMS + k] * l[j * TERMS + k];
            if (i == j && !(s > 0.0))
                return false;
            l[i * TERMS + j] = i == j ? sqrt(s) : s / l[j * TERMS + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= l[i * TERMS + k] * b[k];
        b[i] /= l[i * TERMS + i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++)
            b[i] -= l[k * TERMS + i] * b[k];
        b[i] /= l[i * TERMS + i];
    }
    return true;
}

/* Maximises the likelihood from the parameters in t (Levenberg and Marquardt). Returns minus its
 * logarithm, or NaN if there is no maximum. */
static double maximise(const struct family *f, struct fit *t, const struct bin *bin, size_t n)
{
    double g[TERMS], h[TERMS * TERMS], more = 1e-3, one[TERMS] = {1.0};
    double best = likelihood(f, t->p, bin, n, t->cut, g, h);
    bool done = false;
    for (int k = 0; k < TRIES && !isnan(best) && !done; k++) {
        struct fit u = *t;
        double step[TERMS], ahead = 0.0, gu[TERMS], hu[TERMS * TERMS];
        memcpy(step, g, sizeof step);
        if (!solve(terms(f), h, more, step))
            return NAN;
        for (int i = 0; i < terms(f); i++) {
            u.p[i] += step[i];
            ahead += step[i] * g[i];
        }
        double now = likelihood(f, u.p, bin, n, t->cut, gu, hu);
        if (!(now <= best)) {
            more *= 10.0;
            continue;
        }
        done = ahead < DONE;
        memcpy(g, gu, sizeof g);
        memcpy(h, hu, sizeof h);
        *t = u;
        best = now;
        more = fmax(0.1 * more, 1e-9);
    }
    if (!done || !solve(terms(f), h, 0.0, one))
        return NAN;
    t->value = f->log ? exp(t->p[0]) : t->p[0];
    t->var = one[0] * (f->log ? t->value * t->value : 1.0);
    return best;
}

/* Fits a family below the cut-off, from the fit below the preceding cut-off (or not ok) and, if the
 * likelihood may have several maxima, also from a broad peak. */
static void fit_make(const struct family *f, struct fit *t, const struct bin *bin, size_t n)
{
    struct fit fresh = {.cut = bin[n - 1].x, .cusp = f->root};
    double s = fresh.cut / t->cut, sum = 0.0, all = 0.0, best = NAN, other = NAN;
    for (size_t i = 0; i < n; i++) {
        sum += bin[i].shape * bin[i].mean;
        all += bin[i].shape;
    }
    fresh.p[0] = f->log ? log(sum / all) : sum / all;
    if (!f->log && f->num > 0)
        fresh.p[1] = 0.3 * sum / all;
    for (int k = 0; k < f->den; k++)
        fresh.p[f->num + 1 + k] = k ? 0.3 : 1.0;
    if (t->ok) {
        for (int k = 1; k < terms(f); k++)
            t->p[k] *= f->root ? sqrt(s) : (f->log ? k : k - f->num) > 1 ? s * s : s;
        t->cut = fresh.cut;
        best = maximise(f, t, bin, n);
    }
    if (isnan(best) || !f->log)
        other = maximise(f, &fresh, bin, n);
    t->ok = !isnan(best) || !isnan(other);
    if (!isnan(other) && !(best <= other))
        *t = fresh, t->ok = true;
}

/* Sets the criterion of a fit to the first n bins, which are `coarse` bins of the criterion. If the
 * fit does not fall to half of S(0), the fall is the frequency up to which the mean of S above the
 * cut-off is half of S(0). */
static void fit_judge(const struct family *f, struct fit *t, const struct bins *all, size_t n,
                      size_t coarse)
{
    const struct bin *bin = all->bin;
    double shape = 0.0, sum = 0.0, d[TERMS];
    t->q = f->handicap - BIN * (double)coarse;
    for (size_t i = 0, b = 0; b < coarse; b++) {
        double s = 0.0, r = 0.0;
        for (; i < n && bin[i].coarse == b; i++) {
            s += bin[i].shape;
            r += bin[i].shape * bin[i].mean / model(f, t->p, bin[i].x / t->cut, d);
        }
        shape += s;
        sum += r;
        t->q += DEVIANCE * 2.0 * (r - s - s * log(r / s));
        if (b < coarse / 2 + 1 || b + 3 < coarse)
            t->q += FIRST * 2.0 * (sum - shape - shape * log(sum / shape));
    }
    double last = model(f, t->p, 1.0, d), first = model(f, t->p, bin[0].x / t->cut, d);
    double error = sqrt(t->var) / fmax(fabs(t->value), fmax(first, last));
    t->ok = error > TINY && error < WIDE;
    t->q += UNSURE * log1p(error * error * SURE);
    t->fall = t->bend = 4.0; /* initial value: the highest frequency */
    for (double x = 0.1 * bin[0].x; x < t->cut && t->fall == 4.0; x *= 1.0 + COARSE) {
        double s = model(f, t->p, x / t->cut, d);
        if (s < 0.5 * t->value)
            t->fall = x;
        if (t->bend == 4.0 && (s < 0.5 * t->value || s > 2.0 * t->value))
            t->bend = x;
    }
    shape = sum = 0.0;
    for (size_t i = n; i < all->n && t->fall == 4.0; i++) {
        shape += bin[i].shape;
        sum += bin[i].shape * bin[i].mean;
        if (sum < 0.5 * shape * t->value)
            t->fall = bin[i].x;
    }
    t->value += RAISE * t->var * t->value / (t->value * t->value + t->var);
}

/* ---- all fits */

/* Fits all families below all cut-offs. Returns the number of fits that succeeded. */
static size_t fit_all(const struct bins *all, struct fit *fit)
{
    size_t count = 0;
    for (size_t k = 0; k < FAMILIES; k++) {
        struct fit t = {.cut = 1.0, .cusp = families[k].root};
        double best = INFINITY;
        for (size_t c = (size_t)terms(&families[k]) + 1, n = 0; c <= all->coarse; c++) {
            while (n < all->n && all->bin[n].coarse < c)
                n++;
            fit_make(&families[k], &t, all->bin, n);
            if (!t.ok)
                continue;
            fit[count] = t;
            fit_judge(&families[k], &fit[count], all, n, c);
            best = fit[count].ok ? fmin(best, fit[count].q) : best;
            if (fit[count].q > best + HOPELESS)
                break;
            count += fit[count].ok;
        }
    }
    return count;
}

static void answer(struct zero *z, const struct fit *fit, size_t n, const struct bins *bins)
{
    double best = INFINITY, all = 0.0, smooth = 0.0, mean = 0.0, square = 0.0, fall = 0.0,
           bend = 0.0;
    for (size_t i = 0; i < n; i++)
        best = fmin(best, fit[i].q);
    for (size_t i = 0; i < n; i++) {
        double w = exp(best - fit[i].q), knee = fit[i].cusp ? CUSP * w : w;
        all += w;
        mean += w * fit[i].value;
        smooth += knee;
        fall += knee * log(fit[i].fall);
        bend += knee * log(fit[i].bend);
    }
    mean /= all, fall /= smooth, bend /= smooth;
    for (size_t i = 0; i < n; i++)
        square += exp(best - fit[i].q) / all *
                  (WITHIN * fit[i].var + BETWEEN * (fit[i].value - mean) * (fit[i].value - mean));
    z->value = bins->scale * mean;
    z->se = bins->scale * sqrt(square);
    all = z->last = 0.0;
    for (size_t i = bins->n; i-- > 0 && (all == 0.0 || bins->bin[i].x > 4.0 * (1.0 - LAST));) {
        all += bins->bin[i].shape;
        z->last += (bins->scale * bins->bin[i].mean - z->last) * bins->bin[i].shape / all;
    }
    double knee = exp(0.5 * fall) / (2.0 * UNITS_PI);
    z->time = exp(-0.5 * bend);
    /* The knee of a run that is too short is overestimated, by more for shorter runs. */
    double ratio = ZERO_KNEE / (knee * bins->longest);
    z->enough = ratio > 1.0 ? pow(ratio, 3.0) * bins->longest : 0.0;
}

int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z, struct err *e)
{
    struct bins all = {0};
    bool flat = true;
    for (size_t r = 0; r < nruns; r++) {
        if (run[r].steps < ZERO_MIN)
            return err_bad(e, "expected at least %d steps, found %zu", ZERO_MIN, run[r].steps);
        all.longest = fmax(all.longest, (double)run[r].steps);
        for (size_t k = 0; k < run[r].steps - 1; k++)
            flat &= !(run[r].power[k] > 0.0);
    }
    if (flat)
        return err_bad(e, "expected a series that varies, found a constant one");
    int rc = bins_make(&all, run, nruns, e);
    struct fit *fit = rc ? NULL : malloc(FAMILIES * all.coarse * sizeof *fit);
    size_t n = fit ? fit_all(&all, fit) : 0;
    if (!rc && !fit)
        rc = err_memory(e, "a spectrum");
    else if (!rc && n == 0)
        rc = err_bad(e, "the spectrum cannot be extrapolated to zero frequency");
    if (!rc) {
        answer(z, fit, n, &all);
    }
    free(all.bin);
    free(fit);
    return rc;
}
