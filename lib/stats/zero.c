/* SPDX-License-Identifier: MIT */
#include "stats/zero.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/units.h"

#define GROW 0.06   /* width of a bin over its frequency */
#define SHAPE 4.0   /* shape of a bin, at least, so that log I is nearly normal */
#define SCALES 12   /* values of f0 */
#define STRENGTHS 9 /* values of lambda */
#define CUTS 9      /* values of c */
#define FREE 300.0  /* lambda above c, at least */
#define MODELS (SCALES * STRENGTHS * CUTS)
#define SCALE_FALLS (-0.75)   /* prior of f0 */
#define STRENGTH_FALLS (-0.6) /* and of lambda, as exponents */
#define LEVEL2 9.0            /* prior variances of log S and its slope */
#define SLOPE2 4.0
#define NARROWER 0.87      /* measured: intervals of the mixture are too wide */
#define SIGMA_LOW 0.158655 /* of a normal distribution, below -sigma */

/* Frequencies averaged together. */
struct bin {
    double k;        /* their mean, in units of 1/longest run */
    double mean;     /* I */
    double shape;    /* of the gamma distribution of mean */
    double y, noise; /* log S, unbiased, and its variance */
};

struct model {
    double cut, scale, strength; /* c, f0 in units of 1/longest; lambda */
    double mu, sd, log;          /* of log S(0); log: likelihood times prior */
};

/* psi(x) and psi'(x), x > 0: recursion up to x >= 8, then the asymptotic series. */
static double digamma(double x)
{
    double sum = 0.0;
    for (; x < 8.0; x++)
        sum -= 1.0 / x;
    double r = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

static double trigamma(double x)
{
    double sum = 0.0;
    for (; x < 8.0; x++)
        sum += 1.0 / (x * x);
    double r = 1.0 / (x * x);
    return sum + 1.0 / x + 0.5 * r + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30)));
}

/* ---- bins */

/* End of the bin that begins after frequency k, both in units of 1/longest. */
static double bin_end(double k, double shape)
{
    return k + floor(fmax(ceil(SHAPE / shape), GROW * (k + 1.0)));
}

/* Puts the bins of all runs into bin (NULL: count only); returns their number. */
static size_t bins_make(struct bin *bin, const struct zero_run *run, size_t nruns, size_t longest,
                        double shape)
{
    double max = floor(((double)longest - 1.0) / 2.0);
    size_t n = 0;
    for (double from = 0.0, to; from < max; from = to) {
        struct bin b = {0};
        to = fmin(bin_end(from, shape), max);
        if (bin_end(to, shape) > max)
            to = max; /* the last bin takes a rest too narrow for a bin */
        for (size_t r = 0; bin && r < nruns; r++) {
            double unit = (double)longest / (double)run[r].steps;
            size_t last = (run[r].steps - 1) / 2;
            for (size_t k = (size_t)floor(from / unit * (1.0 + 1e-12)) + 1;
                 k <= last && (double)k * unit <= to * (1.0 + 1e-12); k++) {
                b.shape += run[r].comps;
                b.k += run[r].comps * (double)k * unit;
                b.mean += run[r].comps * run[r].power[k - 1];
            }
        }
        if (bin && b.shape == 0.0)
            continue; /* runs of different lengths leave gaps */
        if (bin) {
            b.k /= b.shape;
            b.mean /= b.shape;
            b.y = log(b.mean) - (digamma(b.shape) - log(b.shape));
            b.noise = trigamma(b.shape);
            bin[n] = b;
        }
        n++;
    }
    return n;
}

/* ---- a model */

/* Level and slope of log S along x. */
struct state {
    double level, slope, ll, ls, ss, log;
};

static void state_go(struct state *s, double h, double strength)
{
    double w = fabs(h);
    s->level += s->slope * h;
    s->ll += h * (2.0 * s->ls + h * s->ss) + strength * w * w * w / 3.0;
    s->ls += h * s->ss + (h < 0.0 ? -0.5 : 0.5) * strength * w * w;
    s->ss += strength * w;
}

static void state_see(struct state *s, const struct bin *b)
{
    double all = s->ll + b->noise, miss = b->y - s->level, a = s->ll / all, c = s->ls / all;
    s->log -= 0.5 * (log(all) + miss * miss / all);
    s->level += a * miss;
    s->slope += c * miss;
    s->ss -= c * s->ls;
    s->ls *= 1.0 - a;
    s->ll *= 1.0 - a;
}

/* Filters from the highest frequency down; the slope is 0 at x = 0. x[n] belongs to the bins. */
static void model_fit(struct model *m, const struct bin *bin, const double *x, size_t n)
{
    struct state s = {.level = bin[n - 1].y, .ll = LEVEL2, .ss = SLOPE2};
    double prior = SLOPE2; /* prior variance of the slope at 0 */
    for (size_t k = n; k-- > 0;) {
        double h = k + 1 < n ? x[k] - x[k + 1] : 0.0,
               strength = bin[k].k > m->cut ? fmax(m->strength, FREE) : m->strength;
        state_go(&s, h, strength);
        prior -= strength * h;
        state_see(&s, &bin[k]);
    }
    state_go(&s, -x[0], m->strength);
    prior += m->strength * x[0];
    s.log -= 0.5 * (log(s.ss / prior) + s.slope * s.slope / s.ss);
    m->mu = s.level - s.ls / s.ss * s.slope;
    m->sd = sqrt(s.ll - s.ls * s.ls / s.ss);
    m->log += s.log;
}

/* Value i of n from a to b, evenly spaced in the logarithm. */
static double step_of(double a, double b, size_t i, size_t n)
{
    return a * pow(b / a, (double)i / (double)(n - 1));
}

/* Fits all models into m[MODELS]; returns their number. x is scratch [n]. */
static size_t models_fit(struct model *m, const struct bin *bin, size_t n, size_t longest,
                         double shape, double *x)
{
    double max = floor(((double)longest - 1.0) / 2.0);
    size_t count = 0;
    for (size_t s = 0; s < SCALES; s++) {
        double scale = step_of(fmin(fmax(3.0, 20.0 / shape), max), max, s, SCALES),
               unit = sin(UNITS_PI * scale / (double)longest);
        for (size_t k = 0; k < n; k++)
            x[k] = asinh(sin(UNITS_PI * bin[k].k / (double)longest) / unit);
        for (size_t c = 0; c < CUTS; c++) {
            double cut = step_of(fmin(fmax(8.0, 60.0 / shape), max), max * 1.001, c, CUTS);
            if (scale > cut * 1.01)
                continue;
            for (size_t g = 0; g < STRENGTHS; g++) {
                struct model *a = &m[count++];
                *a = (struct model){.cut = cut, .scale = scale};
                a->strength = step_of(0.01, 30.0, g, STRENGTHS);
                a->log = STRENGTH_FALLS * log(a->strength) + SCALE_FALLS * log(scale);
                model_fit(a, bin, x, n);
            }
        }
    }
    return count;
}

/* ---- all models */

/* Converts log to weights that add up to 1. */
static void models_weigh(struct model *m, size_t n)
{
    double max = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < n; i++) { /* all cuts have the same total prior */
        size_t alike = 0;
        for (size_t j = 0; j < n; j++)
            alike += m[j].cut == m[i].cut;
        m[i].log -= log((double)alike);
    }
    for (size_t i = 0; i < n; i++)
        max = fmax(max, m[i].log);
    for (size_t i = 0; i < n; i++)
        sum += m[i].log = exp(m[i].log - max);
    for (size_t i = 0; i < n; i++)
        m[i].log /= sum;
}

/* Value below which the mixture has this probability. */
static double models_quantile(const struct model *m, size_t n, double part)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, m[i].mu - 5.0 * m[i].sd);
        high = fmax(high, m[i].mu + 5.0 * m[i].sd);
    }
    for (int k = 0; k < 60; k++) {
        double mid = 0.5 * (low + high), below = 0.0;
        for (size_t i = 0; i < n; i++)
            if (m[i].log > 1e-9)
                below += m[i].log * 0.5 * erfc(M_SQRT1_2 * (m[i].mu - mid) / m[i].sd);
        *(below < part ? &low : &high) = mid;
    }
    return low;
}

static void answer(struct zero *z, const struct model *m, size_t n, const struct bin *bin,
                   size_t bins, double amount)
{
    double s = 0.5 * (models_quantile(m, n, 1.0 - SIGMA_LOW) - models_quantile(m, n, SIGMA_LOW));
    s *= NARROWER;
    z->value = 0.0; /* mean of lognormal distributions */
    for (size_t i = 0; i < n; i++)
        z->value += m[i].log * exp(m[i].mu + 0.5 * m[i].sd * m[i].sd);
    z->se = s <= ZERO_WORST ? z->value * sqrt(expm1(s * s)) : NAN;
    z->last = bin[bins - 1].mean;
    z->steps = 0.25 * s * s * amount;
}

int zero_frequency(const struct zero_run *run, size_t nruns, struct zero *z, struct err *e)
{
    size_t longest = 0;
    double shape = 0.0, amount = 0.0;
    bool flat = true;
    for (size_t r = 0; r < nruns; r++) {
        if (run[r].steps < ZERO_MIN)
            return err_set(e, ERR_BAD, "expected at least %d steps, found %zu", ZERO_MIN,
                           run[r].steps);
        longest = run[r].steps > longest ? run[r].steps : longest;
        amount += run[r].comps * (double)run[r].steps;
        for (size_t k = 0; k < (run[r].steps - 1) / 2; k++)
            flat &= !(run[r].power[k] > 0.0);
    }
    if (flat)
        return err_set(e, ERR_BAD, "expected a series that varies, found a constant one");
    shape = amount / (double)longest;
    size_t n = bins_make(NULL, run, nruns, longest, shape);
    struct bin *bin = malloc(n * (sizeof *bin + sizeof(double)));
    struct model *m = malloc(MODELS * sizeof *m);
    if (bin && m) {
        double *x = (double *)(bin + n);
        size_t bins = bins_make(bin, run, nruns, longest, shape),
               models = models_fit(m, bin, bins, longest, shape, x);
        models_weigh(m, models);
        answer(z, m, models, bin, bins, amount);
    }
    int rc = bin && m ? 0 : err_memory(e, "a spectrum");
    free(bin);
    free(m);
    return rc;
}
