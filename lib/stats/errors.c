/* SPDX-License-Identifier: MIT */
#include "stats/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define EDGES 14    /* variance ratios of edges to blocks: 10^-2 to 10^4.5, steps of 10^0.5 */
#define ENDS 0.5    /* part of the two edges at the ends of a run in its sum */
#define AMOUNTS 6   /* parts of the variance that are correlated */
#define MEMORIES 24 /* correlation times, at max: half a block to 2^11, steps of 2^0.5 */
#define SLOPES 6    /* power laws: two exponents, three amounts */
#define MODELS (1 + EDGES + AMOUNTS * MEMORIES + SLOPES)
#define SHARED_MIN 1e-3 /* lower limit of the power that blocks share */
#define SHARED_ALL 12.0 /* prior factor of uncorrelated blocks if shared samples are known */
#define MEMORY_MAX 0.5  /* longest correlation time, as a fraction of a run */
#define MEMORY_RUNS 8.0 /* the same with at least RUNS_MANY runs */
#define RUNS_MANY 16
#define SIGMA 0.68268949213708585 /* of a normal distribution, within one sigma */

static const double amount[AMOUNTS] = {1.0, 0.7, 0.4, 0.2, 0.1, 0.05};

/* Priors of the models; equal ones would give wide errors for uncorrelated blocks. */
static const double prior_white = 0.31, prior_edges = 0.14, prior_memory = 0.34, prior_slope = 0.21,
                    prior_pure = 0.7, memory_falls = 0.4;

/* Runs of one length, and what the models expect of them. */
struct shape {
    size_t size, count;
    double *cosine;  /* [block][size]: cosine of frequency j, 1..size - 1; 0: the sum */
    double *inverse; /* [j][models]: 1 / expected power */
};

/* Models of the power of runs of these lengths; uncorrelated blocks have power 1 per block. */
struct errors_models {
    size_t models, shapes, runs, *run, *of; /* [nruns]: lengths of the runs, and the shape of
                                               each */
    struct shape *shape;
    double dof;
    double log[MODELS]; /* prior, minus half the logarithm of the product of powers */
    double sum[MODELS]; /* power of sums: variance of the whole over that of independent blocks */
    double *z, *power, *factor; /* scratch for the longest run */
};

static void models_free(struct errors_models *m)
{
    for (size_t k = 0; m && k < m->shapes; k++)
        free(m->shape[k].cosine);
    if (m)
        free(m->run);
    free(m);
}

/* ---- models: power[size] of the cosines of one run, and of its sum (0) */

/* x_b + u_b+1 - u_b, <u²> = ratio <x²> */
static void edges(double *power, size_t size, double ratio)
{
    power[0] = 1.0 + 2.0 * ENDS * ratio / (double)size;
    for (size_t j = 1; j < size; j++) {
        double a = UNITS_PI * (double)j / (2.0 * (double)size), s = sin(a), c = cos(a);
        power[j] = 1.0 + 4.0 * ratio * (s * s + c * c / (double)size);
    }
}

/* Correlation phi^|b - b'|. (1 - phi²) times its inverse is tridiagonal and, except for phi (1 -
 * phi) in two corners, has the cosines as eigenvectors: Sherman-Morrison, even and odd ones
 * separately. */
static void memory(double *power, size_t size, double phi)
{
    double n = (double)size, corner = phi * (1.0 - phi), sum[2] = {1.0, 1.0};
    for (int twice = 0; twice < 2; twice++)
        for (size_t j = 0; j < size; j++) {
            double a = UNITS_PI * (double)j / n, c = cos(0.5 * a),
                   first = j ? 4.0 / n * c * c : 2.0 / n, /* 2 cosine(first block)² */
                own = 1.0 + phi * phi - 2.0 * phi * cos(a);
            if (twice)
                power[j] = (1.0 - phi * phi) / own * (1.0 - corner * first / own / sum[j % 2]);
            else
                sum[j % 2] += corner * first / own;
        }
}

/* frequency^-exponent, for the sum at half of the first frequency; 1 per block in a run of
 * `longest`. */
static void slope(double *power, size_t size, double exponent, size_t longest)
{
    double mean = 0.0;
    for (size_t j = 1; j < longest; j++)
        mean += pow((double)j / (double)longest, -exponent) / (double)(longest - 1);
    for (size_t j = 0; j < size; j++)
        power[j] = pow((j ? (double)j : 0.5) / (double)size, -exponent) / mean;
}

/* Power factor[size] of the correlations set by errors_share. */
static void shared(const struct errors *e, double *factor, size_t size)
{
    for (size_t j = 0; j < size; j++)
        factor[j] = 1.0;
    for (size_t k = 0; k < e->nshared && k + 1 < size; k++)
        for (size_t j = 0; j < size; j++)
            factor[j] += 2.0 * e->shared[k] * cos(UNITS_PI * (double)(j * (k + 1)) / (double)size);
    for (size_t j = 0; j < size; j++)
        factor[j] = fmax(factor[j], SHARED_MIN);
}

/* Correlation time k, in blocks. */
static double memory_of(size_t k)
{
    return pow(2.0, 0.5 * (double)k - 1.0);
}

/* Number of correlation times up to the longest that the runs can resolve. */
static size_t memories(const struct errors *e, size_t longest)
{
    double max = (double)longest * (e->nruns >= RUNS_MANY ? MEMORY_RUNS : MEMORY_MAX);
    size_t n = 0;
    while (n < MEMORIES && memory_of(n) <= max)
        n++;
    return n;
}

/* Power of model g; returns its prior. */
static double model(double *power, size_t size, size_t g, size_t nmemories, size_t longest)
{
    double part = 1.0, prior;
    if (g == 0) {
        for (size_t j = 0; j < size; j++)
            power[j] = 1.0;
        return prior_white;
    }
    if ((g -= 1) < EDGES) {
        edges(power, size, pow(10.0, 0.5 * (double)g - 2.0));
        return prior_edges / EDGES;
    }
    if ((g -= EDGES) < AMOUNTS * nmemories) {
        double all = 0.0, m = memory_of(g / AMOUNTS);
        for (size_t k = 0; k < nmemories; k++)
            all += pow(memory_of(k), -memory_falls);
        part = amount[g % AMOUNTS];
        memory(power, size, exp(-1.0 / m));
        prior = prior_memory * pow(m, -memory_falls) / all *
                (g % AMOUNTS ? (1.0 - prior_pure) / (AMOUNTS - 1) : prior_pure);
    } else {
        g -= AMOUNTS * nmemories;
        part = (double[]){1.0, 0.3, 0.1}[g % 3];
        slope(power, size, g < 3 ? 0.5 : 1.0, longest);
        prior = prior_slope / SLOPES;
    }
    for (size_t j = 0; j < size; j++)
        power[j] = 1.0 - part + part * power[j];
    return prior;
}

static int shape_make(struct errors_models *m, const struct errors *e, struct shape *s,
                      size_t nmemories, size_t longest, double blocks)
{
    double n = (double)s->size;
    if (!(s->cosine = malloc(s->size * (s->size + m->models) * sizeof *s->cosine)))
        return -1;
    s->inverse = s->cosine + s->size * s->size;
    shared(e, m->factor, s->size);
    for (size_t b = 0; b < s->size; b++)
        for (size_t j = 0; j < s->size; j++)
            s->cosine[b * s->size + j] =
                j ? sqrt(2.0 / n) *
                        cos(UNITS_PI * (double)(j * (2 * b + 1) % (4 * s->size)) / (2.0 * n))
                  : sqrt(1.0 / n);
    for (size_t g = 0; g < m->models; g++) {
        double prior = model(m->power, s->size, g, nmemories, longest), logs = 0.0;
        for (size_t j = 0; j < s->size && e->nshared; j++)
            m->power[j] *= m->factor[j];
        for (size_t j = 0; j < s->size; j++) {
            s->inverse[j * m->models + g] = 1.0 / m->power[j];
            logs += (j ? 1.0 : 1.0 - n / blocks) * log(m->power[j]);
        }
        if (s == m->shape)
            m->log[g] = log(prior * (g == 0 && e->nshared ? SHARED_ALL : 1.0));
        m->log[g] -= 0.5 * logs * (double)s->count;
        m->sum[g] += m->power[0] * n / blocks * (double)s->count;
    }
    return 0;
}

static struct errors_models *models_make(const struct errors *e, const size_t *run)
{
    struct errors_models *m = calloc(1, sizeof *m);
    size_t blocks = 0, longest = 0, bytes = e->nruns * (2 * sizeof *m->run + sizeof *m->shape);
    for (size_t k = 0; k < e->nruns; k++) {
        blocks += run[k];
        longest = run[k] > longest ? run[k] : longest;
    }
    if (!m || !(m->run = calloc(1, bytes + 3 * longest * sizeof *m->z))) {
        models_free(m);
        return NULL;
    }
    m->of = m->run + e->nruns;
    m->shape = (struct shape *)(m->of + e->nruns);
    m->z = (double *)(m->shape + e->nruns);
    m->power = m->z + longest;
    m->factor = m->power + longest;
    for (size_t k = 0; k < e->nruns; k++) {
        if (!(m->run[k] = run[k]))
            continue;
        m->runs++;
        for (m->of[k] = 0; m->of[k] < m->shapes && m->shape[m->of[k]].size != run[k];)
            m->of[k]++;
        m->shapes += m->of[k] == m->shapes;
        m->shape[m->of[k]].size = run[k];
        m->shape[m->of[k]].count++;
    }
    size_t nmemories = memories(e, longest);
    m->models = 1 + EDGES + AMOUNTS * nmemories + SLOPES;
    m->dof = (double)(blocks - 1);
    for (size_t k = 0; k < m->shapes; k++)
        if (shape_make(m, e, &m->shape[k], nmemories, longest, (double)blocks)) {
            models_free(m);
            return NULL;
        }
    return m;
}

int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
{
    size_t max = runs ? strlen(runs) / 2 + 1 : 1, sum = 0;
    *e = (struct errors){.levels = levels, .blocks = blocks};
    e->run = calloc(2 * max, sizeof *e->run);
    e->cache = calloc(1, sizeof *e->cache);
    if (!e->run || !e->cache)
        return -1;
    e->used = e->run + max;
    if (!runs)
        e->run[e->nruns++] = sum = blocks;
    for (char *end = NULL; runs && *runs; runs = end) {
        unsigned long long n = strtoull(runs, &end, 10);
        if (end == runs || n == 0 || n > blocks - sum || e->nruns == max)
            return -1;
        sum += e->run[e->nruns++] = (size_t)n;
        end += *end == ' ';
    }
    return sum == blocks ? 0 : -1;
}

void errors_share(struct errors *e, const double *c, size_t n)
{
    models_free(*e->cache);
    *e->cache = NULL;
    e->shared = c;
    e->nshared = n;
}

/* The second integral of max(lag - |y|, 0)², even in y. */
static double walk_area(double lag, double y)
{
    double left = fmax(lag - fabs(y), 0.0);
    return pow(lag, 3.0) * fabs(y) / 3.0 - (pow(lag, 4.0) - pow(left, 4.0)) / 12.0;
}

size_t errors_walk(double lag, double *c, size_t max)
{
    double own = 2.0 * walk_area(lag, 1.0);
    size_t n = 0;
    for (; n < max && (double)n < lag; n++) {
        double k = (double)n + 1.0;
        c[n] = (walk_area(lag, k + 1.0) - 2.0 * walk_area(lag, k) + walk_area(lag, k - 1.0)) / own;
    }
    return n;
}

int errors_like(struct errors *e, const struct errors *other)
{
    *e = *other;
    e->run = calloc(2 * other->nruns, sizeof *e->run);
    e->cache = calloc(1, sizeof *e->cache);
    if (!e->run || !e->cache)
        return -1;
    e->used = e->run + other->nruns;
    memcpy(e->run, other->run, other->nruns * sizeof *e->run);
    return 0;
}

void errors_free(struct errors *e)
{
    if (e->cache)
        models_free(*e->cache);
    free(e->cache);
    free(e->run);
    *e = (struct errors){0};
}

/* ---- standard error */

struct deviations {
    const double *d, *n;
    size_t stride;
    size_t used;           /* blocks that are not empty */
    double square, fourth; /* sums of d², d^4 */
};

/* Sets e->used to the blocks of each run up to the last that is not empty. */
static struct deviations look(const struct errors *e, const double *d, size_t stride,
                              const double *n)
{
    struct deviations v = {.d = d, .n = n, .stride = stride};
    size_t at = 0;
    for (size_t k = 0; k < e->nruns; at += e->run[k++]) {
        e->used[k] = 0;
        for (size_t b = 0; b < e->run[k]; b++) {
            double x = d[(at + b) * stride], square = x * x;
            v.square += square;
            v.fourth += square * square;
            if (!n || n[at + b] != 0.0) {
                v.used++;
                e->used[k] = b + 1;
            }
        }
    }
    return v;
}

/* Returns the models for e->used, kept for the next number. NULL: out of memory. */
static struct errors_models *models_of(const struct errors *e)
{
    if (*e->cache && memcmp((*e->cache)->run, e->used, e->nruns * sizeof *e->used) == 0)
        return *e->cache;
    models_free(*e->cache);
    return *e->cache = models_make(e, e->used);
}

/* Power of the cosines over that of each model, summed over all runs: scale[models]. */
static void scales(const struct errors *e, const struct deviations *v, struct errors_models *m,
                   double *scale)
{
    size_t at = 0;
    memset(scale, 0, m->models * sizeof *scale);
    for (size_t k = 0; k < e->nruns; at += e->run[k++]) {
        if (!e->used[k])
            continue;
        const struct shape *s = &m->shape[m->of[k]];
        memset(m->z, 0, s->size * sizeof *m->z);
        for (size_t b = 0; b < s->size; b++) {
            double d = v->d[(at + b) * v->stride];
            const double *c = s->cosine + b * s->size;
            for (size_t j = 0; j < s->size; j++)
                m->z[j] += d * c[j];
        }
        for (size_t j = m->runs == 1; j < s->size; j++) { /* the sum of a single run is 0 */
            double power = m->z[j] * m->z[j];
            const double *inverse = s->inverse + j * m->models;
            for (size_t g = 0; g < m->models; g++)
                scale[g] += power * inverse[g];
        }
    }
}

/* Half width that contains one sigma's fraction of a mixture of normal distributions of these
 * widths. The fraction is concave, so Newton's steps stay below. */
static double within(const double *weight, const double *width, size_t n)
{
    double q = INFINITY;
    for (size_t g = 0; g < n; g++)
        q = fmin(q, width[g]);
    for (int step = 0; step < 50; step++) {
        double share = 0.0, slope = 0.0;
        for (size_t g = 0; g < n; g++) {
            double x = q / width[g] * M_SQRT1_2;
            share += weight[g] * erf(x);
            slope += weight[g] * M_SQRT1_2 * M_2_SQRTPI / width[g] * exp(-x * x);
        }
        double more = (SIGMA - share) / slope;
        q += more;
        if (!(more > 1e-9 * q))
            break;
    }
    return q;
}

/* Error by all models, weighted by their likelihoods. */
static struct error by_models(const struct errors *e, const struct deviations *v,
                              struct errors_models *m)
{
    double like[MODELS], weight[MODELS], width[MODELS], max = -INFINITY, sum = 0.0, mean = 0.0,
                                                        squares = 0.0;
    size_t n = 0;
    scales(e, v, m, width);
    for (size_t g = 0; g < m->models; g++) {
        like[g] = m->log[g] - 0.5 * m->dof * log(width[g]);
        max = fmax(max, like[g]);
    }
    for (size_t g = 0; g < m->models; g++) {
        double w = exp(like[g] - max), se2 = width[g] * m->sum[g];
        if (w < 1e-7)
            continue;
        sum += w;
        mean += w * log(se2);
        squares += w * log(se2) * log(se2);
        weight[n] = w;
        width[n++] = sqrt(se2);
    }
    for (size_t g = 0; g < n; g++)
        weight[g] /= sum;
    mean /= sum;
    double se = within(weight, width, n) * (1.0 + 0.5 / m->dof),
           independent = (m->dof + 1.0) * v->square / (se * se);
    if (independent < ERRORS_INDEPENDENT)
        return (struct error){NAN, 0.0};
    return (struct error){se, 2.0 / (fmax(squares / sum - mean * mean, 0.0) + 2.0 / m->dof)};
}

struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n)
{
    struct deviations v = look(e, dev, stride, n);
    if (v.used < 2)
        return (struct error){NAN, 0.0};
    if (!e->levels || v.square == 0.0)
        return (struct error){sqrt(v.square), (double)v.used - 1.0};
    if (v.used < ERRORS_BLOCKS || v.square * v.square < ERRORS_EVENTS * v.fourth)
        return (struct error){NAN, 0.0};
    struct errors_models *m = models_of(e);
    return m ? by_models(e, &v, m) : (struct error){NAN, 0.0};
}

/* ---- Student's t */

/* Continued fraction of the incomplete beta function, x < (a + 1) / (a + b + 2) (Lentz). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int k = 1; k < 1000; k++) {
        double two = 2.0 * k, up = k * (b - k) * x / ((a + two - 1.0) * (a + two)),
               down = -(a + k) * (a + b + k) * x / ((a + two) * (a + two + 1.0));
        d = 1.0 / (1.0 + up * d);
        c = 1.0 + up / c;
        h *= d * c;
        d = 1.0 / (1.0 + down * d);
        c = 1.0 + down / c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return h;
}

double errors_tail(double t, double dof)
{
    double a = 0.5 * dof, b = 0.5;
    t = fabs(t);
    if (!(dof < 1e6)) /* normal distribution, to 1e-6 */
        return erfc(t * sqrt(0.5));
    double x = dof / (dof + t * t), y = t * t / (dof + t * t);
    if (t == 0.0 || y == 0.0)
        return 1.0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, y) / b;
}

double errors_quantile(double p, double dof)
{
    double low = 0.0, high = 1.0;
    if (!(p > 0.0))
        return INFINITY;
    while (errors_tail(high, dof) > p && high < 1e300)
        high *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-14 * high; k++) {
        double mid = 0.5 * (low + high);
        *(errors_tail(mid, dof) > p ? &low : &high) = mid;
    }
    return high;
}

double errors_dof(double se_a, double dof_a, double se_b, double dof_b)
{
    double a = se_a * se_a, b = se_b * se_b, sum = a + b;
    double down = (dof_a > 0.0 ? a * a / dof_a : 0.0) + (dof_b > 0.0 ? b * b / dof_b : 0.0);
    return down > 0.0 ? sum * sum / down : INFINITY;
}
