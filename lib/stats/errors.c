/* SPDX-License-Identifier: MIT */
#include "stats/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define EDGES 14    /* variance ratios of edges to blocks, 10^-2 to 10^4.5 by 10^0.5 */
#define ENDS 0.5    /* part of the two edges at the ends of a run in its sum */
#define AMOUNTS 8   /* parts of the variance that are correlated */
#define SMOOTH 6    /* first index of the two models of smooth functions of time */
#define MEMORIES 24 /* largest number of correlation times: 0.5 to 2^10.5 blocks by 2^0.5 */
#define SLOPES 6    /* power laws, with two exponents and three amounts */
#define MODELS (1 + EDGES + AMOUNTS * MEMORIES + SLOPES)
#define POWER_MIN 1e-13 /* power of smooth functions in many blocks, which is lost to rounding */
#define SHARED_MIN 1e-3 /* lower limit of the power that blocks share */
#define SHARED_ALL 12.0 /* prior factor of uncorrelated blocks if shared samples are known */
#define MEMORY_MAX 0.5  /* longest correlation time, as a fraction of a run */
#define MEMORY_RUNS 8.0 /* longest correlation time, in runs, for at least RUNS_MANY runs */
#define RUNS_MANY 16
#define SIGMA 0.68268949213708585 /* part of a normal distribution within one sigma */
#define FEW_WIDEN 2.0             /* relative increase of se² for n samples, multiplied by n */
#define FEWEST_WIDEN 450.0        /* second relative increase, multiplied by n^4 */
#define NOISE 1e-10 /* relative size of deviations that are rounding errors of empty blocks */
#define KEPT 64     /* number of tables kept for later numbers */

static const double amount[AMOUNTS] = {1.0, 0.7, 0.4, 0.2, 0.1, 0.05, 1.0, 1.0},
                    prior_amount[AMOUNTS] = {0.55, 0.06, 0.06, 0.06, 0.06, 0.06, 0.10, 0.05};

/* Priors of the models. Equal priors would give large errors for uncorrelated blocks. */
static const double prior_white = 0.42, prior_edges = 0.14, prior_memory = 0.34, prior_slope = 0.10,
                    memory_falls = 0.4;

/* Runs of one length, and the powers that the models expect for them. */
struct shape {
    size_t size, count;
    double *cosine;  /* [block][size] cosine of frequency j = 1 to size - 1; j = 0: sum */
    double *inverse; /* [j][models]: 1 / expected power */
    double *turn;    /* [4 size]: cos(pi k / 2 size) */
    double *factor;  /* [size]: power of the known correlations */
};

/* Models of the power of runs of these lengths. Uncorrelated blocks have power 1 per block. */
struct errors_models {
    size_t models, shapes, runs, *run, *of; /* [nruns]: lengths of the runs, and the shape of
                                               each */
    struct shape *shape;
    double blocks, dof, student; /* student: half width of one sigma */
    double prior[MODELS];        /* logarithm of the prior */
    double log[MODELS];          /* minus half the logarithm of the product of powers */
    double sum[MODELS]; /* power of sums: variance of the whole, over that for independent blocks */
    double *z, *power;  /* scratch for the longest run */
    struct errors_models *next;
};

static void models_free(struct errors_models *m)
{
    for (struct errors_models *next; m; m = next) {
        next = m->next;
        for (size_t k = 0; k < m->shapes; k++)
            free(m->shape[k].cosine);
        free(m->run);
        free(m);
    }
}

/* ---- models: power[size] of the cosines of one run, and of its sum (0) */

/* Blocks are x_b + u_b+1 - u_b, where <u²> = ratio <x²>. */
static void edges(double *power, size_t size, double ratio)
{
    power[0] = 1.0 + 2.0 * ENDS * ratio / (double)size;
    for (size_t j = 1; j < size; j++) {
        double a = UNITS_PI * (double)j / (2.0 * (double)size), s = sin(a), c = cos(a);
        power[j] = 1.0 + 4.0 * ratio * (s * s + c * c / (double)size);
    }
}

/* Blocks at the distance k have the correlation c[k]. The table `turn` is that of struct shape. */
static void correlated(double *power, size_t size, const double *c, const double *turn)
{
    double n = (double)size;
    for (size_t j = 0; j < size; j++) {
        double sine = j ? turn[(2 * j + 3 * size) % (4 * size)] : INFINITY;
        power[j] = c[0];
        for (size_t k = 1; k < size; k++) {
            size_t a = 2 * j * k % (4 * size);
            power[j] += 2.0 / n * c[k] *
                        ((n - (double)k) * turn[a] - turn[(a + 3 * size) % (4 * size)] / sine);
        }
    }
}

/* Sets power to frequency^-exponent, at half of the first frequency for the sum. It is 1 per block
 * in a run of `longest` blocks. */
static void slope(double *power, size_t size, double exponent, size_t longest)
{
    double mean = 0.0;
    for (size_t j = 1; j < longest; j++)
        mean += pow((double)j / (double)longest, -exponent) / (double)(longest - 1);
    for (size_t j = 0; j < size; j++)
        power[j] = pow((j ? (double)j : 0.5) / (double)size, -exponent) / mean;
}

/* Returns correlation time k, in blocks. */
static double memory_of(size_t k)
{
    return pow(2.0, 0.5 * (double)k - 1.0);
}

/* Returns the number of correlation times up to the longest one that the runs can resolve. */
static size_t memories(const struct errors *e, size_t longest)
{
    double max = (double)longest * (e->nruns >= RUNS_MANY ? MEMORY_RUNS : MEMORY_MAX);
    size_t n = 0;
    while (n < MEMORIES && memory_of(n) <= max)
        n++;
    return n;
}

/* Sets the power of model g, and returns its prior. The array c[size] is scratch. */
static double model(double *power, size_t size, size_t g, size_t nmemories, size_t longest,
                    double *c, const double *turn)
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
        for (size_t k = 0; k < size; k++) {
            double x = (double)k / m, y = 2.0 * x, z = 8.0 / 3.0 * x;
            c[k] = g % AMOUNTS < SMOOTH    ? exp(-x)
                   : g % AMOUNTS == SMOOTH ? (1.0 + y) * exp(-y)
                                           : (1.0 + z + z * z / 3.0) * exp(-z);
        }
        correlated(power, size, c, turn);
        prior = prior_memory * pow(m, -memory_falls) / all * prior_amount[g % AMOUNTS];
    } else {
        g -= AMOUNTS * nmemories;
        part = (double[]){1.0, 0.3, 0.1}[g % 3];
        slope(power, size, g < 3 ? 0.5 : 1.0, longest);
        prior = prior_slope / SLOPES;
    }
    for (size_t j = 0; j < size; j++)
        power[j] = fmax(1.0 - part + part * power[j], POWER_MIN);
    return prior;
}

static int shape_make(struct errors_models *m, struct shape *s, size_t nmemories, size_t longest)
{
    double n = (double)s->size;
    if (!(s->cosine = malloc(s->size * (s->size + m->models + 5) * sizeof *s->cosine)))
        return -1;
    s->inverse = s->cosine + s->size * s->size;
    s->turn = s->inverse + s->size * m->models;
    s->factor = s->turn + 4 * s->size;
    for (size_t k = 0; k < 4 * s->size; k++)
        s->turn[k] = cos(UNITS_PI * (double)k / (2.0 * n));
    for (size_t b = 0; b < s->size; b++)
        for (size_t j = 0; j < s->size; j++)
            s->cosine[b * s->size + j] =
                j ? sqrt(2.0 / n) * s->turn[j * (2 * b + 1) % (4 * s->size)] : sqrt(1.0 / n);
    for (size_t g = 0; g < m->models; g++) {
        double logs = 0.0;
        m->prior[g] = log(model(m->power, s->size, g, nmemories, longest, m->z, s->turn));
        for (size_t j = 0; j < s->size; j++) {
            s->inverse[j * m->models + g] = 1.0 / m->power[j];
            logs += (j ? 1.0 : 1.0 - n / m->blocks) * log(m->power[j]);
        }
        m->log[g] -= 0.5 * logs * (double)s->count;
        m->sum[g] += m->power[0] * n / m->blocks * (double)s->count;
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
    if (!m || !(m->run = calloc(1, bytes + 2 * longest * sizeof *m->z))) {
        models_free(m);
        return NULL;
    }
    m->of = m->run + e->nruns;
    m->shape = (struct shape *)(m->of + e->nruns);
    m->z = (double *)(m->shape + e->nruns);
    m->power = m->z + longest;
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
    m->blocks = (double)blocks;
    m->dof = m->blocks - 1.0;
    m->student = errors_quantile(1.0 - SIGMA, m->dof);
    for (size_t k = 0; k < m->shapes; k++)
        if (shape_make(m, &m->shape[k], nmemories, longest)) {
            models_free(m);
            return NULL;
        }
    return m;
}

struct errors_cache {
    struct errors_models *first;
    bool failed;
};

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
    e->shared = c;
    e->nshared = n;
    e->part = 1.0;
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
        models_free(e->cache->first);
    free(e->cache);
    free(e->run);
    *e = (struct errors){0};
}

bool errors_failed(const struct errors *e)
{
    return e->cache->failed;
}

/* ---- standard error */

double errors_square(const struct errors *e, const double *d, size_t stride)
{
    double sum = 0.0;
    for (size_t b = 0; b < e->blocks; b++)
        sum += d[b * stride] * d[b * stride];
    return sum;
}

/* Sets e->used to the blocks of each run up to the last with a deviation or samples. Returns their
 * sum. */
static size_t look(const struct errors *e, const double *d, size_t stride, const double *n)
{
    size_t at = 0, used = 0;
    double noise = NOISE * sqrt(errors_square(e, d, stride));
    for (size_t k = 0; k < e->nruns; at += e->run[k++]) {
        e->used[k] = 0;
        for (size_t b = 0; b < e->run[k]; b++)
            if (n ? n[at + b] != 0.0 : fabs(d[(at + b) * stride]) > noise)
                e->used[k] = b + 1;
        used += e->used[k];
    }
    return used;
}

/* Returns the models for e->used, which are kept for later numbers, or NULL if out of memory. */
static struct errors_models *models_of(const struct errors *e)
{
    size_t kept = 0;
    for (struct errors_models *m = e->cache->first; m; m = m->next, kept++)
        if (memcmp(m->run, e->used, e->nruns * sizeof *e->used) == 0)
            return m;
    if (kept == KEPT) {
        models_free(e->cache->first);
        e->cache->first = NULL;
    }
    struct errors_models *m = models_make(e, e->used);
    if (m) {
        m->next = e->cache->first;
        e->cache->first = m;
    }
    e->cache->failed |= !m;
    return m;
}

/* Sets the power of the correlations set by errors_share. */
static void factors(const struct errors *e, struct errors_models *m)
{
    for (struct shape *s = m->shape; s < m->shape + m->shapes; s++)
        for (size_t j = 0; j < s->size; j++) {
            double sum = 1.0;
            for (size_t k = 1; k <= e->nshared && k < s->size; k++)
                sum += 2.0 * e->shared[k - 1] * s->turn[2 * j * k % (4 * s->size)];
            s->factor[j] = fmax(sum, SHARED_MIN);
        }
}

/* Sets m->z to the power of the cosines of one run, averaged over the numbers, each relative to the
 * sum of squares of its deviations. */
static void cosines(const struct errors_rows *v, const double *square, size_t at,
                    const struct shape *s, struct errors_models *m)
{
    double *z = m->power;
    memset(m->z, 0, s->size * sizeof *m->z);
    for (size_t r = 0; r < v->count; r++) {
        memset(z, 0, s->size * sizeof *z);
        for (size_t b = 0; b < s->size; b++) {
            double d = v->dev[r * v->next + (at + b) * v->stride];
            const double *c = s->cosine + b * s->size;
            for (size_t j = 0; j < s->size; j++)
                z[j] += d * c[j];
        }
        for (size_t j = 0; j < s->size; j++)
            m->z[j] += z[j] * z[j] / (square[r] * (double)v->count);
    }
}

/* Computes the ratio of the observed power to the power of each model, summed over all runs. The
 * ratios are plain[models] and, with the known correlations, known[models]. */
static void scales(const struct errors *e, const struct errors_rows *v, const double *square,
                   struct errors_models *m, double *plain, double *known)
{
    size_t at = 0;
    for (size_t g = 0; g < m->models; g++)
        plain[g] = known[g] = 0.0;
    for (size_t k = 0; k < e->nruns; at += e->run[k++]) {
        if (!e->used[k])
            continue;
        const struct shape *s = &m->shape[m->of[k]];
        cosines(v, square, at, s, m);
        for (size_t j = m->runs == 1; j < s->size; j++) { /* the sum of a single run is 0 */
            double power = m->z[j], over = e->nshared ? power / s->factor[j] : 0.0;
            const double *inverse = s->inverse + j * m->models;
            for (size_t g = 0; g < m->models; g++) {
                plain[g] += power * inverse[g];
                known[g] += over * inverse[g];
            }
        }
    }
}

/* Returns the half width of the interval that contains 68.27 % of a mixture of normal distributions
 * of these widths. This fraction is a concave function, so Newton's steps stay below the result. */
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

/* Models and their likelihoods. */
struct mixture {
    size_t n, first, last; /* models [first, last) give the number of samples */
    double like[2 * MODELS], var[2 * MODELS], memory[2 * MODELS];
};

/* Appends all models with these scales. They include the known correlations if `known` is set. */
static void mix(struct mixture *x, const struct errors_models *m, const double *scale, double rows,
                bool known, double part)
{
    double logs = 0.0, blocks = m->blocks;
    for (size_t k = 0; known && k < m->shapes; k++)
        for (size_t j = 0; j < m->shape[k].size; j++)
            logs -= 0.5 * (double)m->shape[k].count *
                    (j ? 1.0 : 1.0 - (double)m->shape[k].size / blocks) *
                    log(m->shape[k].factor[j]);
    for (size_t g = 0; part > 0.0 && g < m->models; g++, x->n++) {
        double sum = known ? 0.0 : m->sum[g];
        for (size_t k = 0; known && k < m->shapes; k++)
            sum += m->shape[k].factor[0] / m->shape[k].inverse[g] * (double)m->shape[k].size /
                   blocks * (double)m->shape[k].count;
        x->like[x->n] = m->prior[g] + log(part * (g == 0 && known ? SHARED_ALL : 1.0)) +
                        rows * (m->log[g] + logs - 0.5 * m->dof * log(scale[g]));
        x->var[x->n] = scale[g] * sum;
        x->memory[x->n] = g > 0 && g <= EDGES ? 1.0 : m->sum[g];
    }
}

/* Returns the geometric mean of twice the correlation times of models [from, to), weighted by their
 * likelihoods. */
static double memory_time(const struct mixture *x, size_t from, size_t to)
{
    double max = -INFINITY, sum = 0.0, logs = 0.0;
    for (size_t g = from; g < to; g++)
        max = fmax(max, x->like[g]);
    for (size_t g = from; g < to; g++) {
        sum += exp(x->like[g] - max);
        logs += exp(x->like[g] - max) * log(x->memory[g]);
    }
    return exp(logs / sum);
}

/* Returns the error of numbers whose deviations have the sum of squares 1, from all models,
 * weighted by their likelihoods. */
static struct error by_models(struct mixture *x, const struct errors_models *m)
{
    double max = -INFINITY, sum = 0.0, mean = 0.0, squares = 0.0, independent, *width = x->memory;
    size_t n = 0;
    for (size_t g = 0; g < x->n; g++)
        max = fmax(max, x->like[g]);
    independent = m->blocks / memory_time(x, x->first, x->last);
    for (size_t g = 0; g < x->n; g++) {
        double w = exp(x->like[g] - max), l = log(x->var[g]);
        if (w < 1e-7)
            continue;
        sum += w;
        mean += w * l;
        squares += w * l * l;
        x->like[n] = w;
        width[n++] = sqrt(x->var[g]);
    }
    for (size_t g = 0; g < n; g++)
        x->like[g] /= sum;
    mean /= sum;
    return (struct error){within(x->like, width, n) * m->student,
                          2.0 / (fmax(squares / sum - mean * mean, 0.0) + 2.0 / m->dof),
                          independent, true};
}

/* Returns how many of the numbers are independent, from the correlations of their deviations. */
static double amount_of(const struct errors *e, const struct errors_rows *v, const double *square,
                        size_t used)
{
    double sum = 0.0, n = (double)v->count;
    for (size_t r = 0; r < v->count; r++)
        for (size_t q = 0; q < r; q++) {
            double product = 0.0;
            for (size_t b = 0; b < e->blocks; b++)
                product +=
                    v->dev[r * v->next + b * v->stride] * v->dev[q * v->next + b * v->stride];
            double r2 = product * product / (square[r] * square[q]);
            sum += 2.0 * fmax(r2 - 1.0 / (double)used, 0.0);
        }
    return n * n / (n + sum);
}

/* Returns the error for deviations whose sum of squares is 1. The caller has set e->used. */
static struct error pooled(const struct errors *e, const struct errors_rows *v, size_t used)
{
    double plain[MODELS], known[MODELS], square[ERRORS_POOL], rows;
    struct mixture x;
    struct errors_models *m = used < ERRORS_FEW ? NULL : models_of(e);
    if (!m)
        return (struct error){NAN, 0.0, 0.0, false};
    for (size_t r = 0; r < v->count; r++)
        square[r] = errors_square(e, v->dev + r * v->next, v->stride);
    x.n = x.first = 0;
    factors(e, m);
    scales(e, v, square, m, plain, known);
    rows = v->count > 1 ? amount_of(e, v, square, used) : 1.0;
    if (e->nshared)
        mix(&x, m, known, rows, true, e->part);
    x.last = x.n;
    if (!e->overlap && e->part < 1.0) /* values of few samples look less correlated than they are */
        x.first = x.n;
    mix(&x, m, plain, rows, false, e->nshared ? 1.0 - e->part : 1.0);
    if (x.first || !x.last)
        x.last = x.n;
    struct error it = by_models(&x, m);
    it.se *=
        sqrt(1.0 + fmax(1.0 - it.independent / m->blocks, 0.0) *
                       (FEW_WIDEN + FEWEST_WIDEN * pow(it.independent, -3.0)) / it.independent);
    it.known = it.independent >= fmin(ERRORS_INDEPENDENT, 0.25 * m->blocks);
    return it;
}

struct error errors_pooled(const struct errors *e, const struct errors_rows *v)
{
    size_t used = look(e, v->dev + (v->count - 1) * v->next, v->stride, NULL), all = 0;
    for (size_t k = 0; used && k < e->nruns; k++) {
        size_t grain = 1; /* with few lengths, the models are made once */
        while (32 * grain <= e->used[k])
            grain *= 2;
        all += e->used[k] -= e->used[k] % grain;
    }
    return pooled(e, v, all);
}

struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n)
{
    const struct errors_rows v = {dev, 1, 0, stride};
    double square = errors_square(e, dev, stride);
    size_t used = n ? 0 : e->blocks, last = look(e, dev, stride, n);
    for (size_t b = 0; n && b < e->blocks; b++)
        used += n[b] != 0.0;
    if (used < 2)
        return (struct error){NAN, 0.0, 0.0, false};
    if (!e->levels || square == 0.0)
        return (struct error){sqrt(square), (double)used - 1.0, (double)used, true};
    struct error it = pooled(e, &v, last);
    it.se = it.known ? it.se * sqrt(square) : NAN;
    it.dof = isnan(it.se) ? 0.0 : it.dof;
    return it;
}
