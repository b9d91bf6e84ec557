/* SPDX-License-Identifier: MIT */
#include "stats/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 64 /* halvings of any number of blocks */

int errors_init(struct errors *e, int levels, size_t blocks, const char *runs)
{
    size_t most = runs ? strlen(runs) / 2 + 1 : 1, sum = 0;
    *e = (struct errors){.levels = levels, .blocks = blocks};
    e->run = calloc(2 * most, sizeof *e->run);
    e->d = calloc(blocks + 1, sizeof *e->d);
    e->n = calloc(blocks + 1, sizeof *e->n);
    if (!e->run || !e->d || !e->n)
        return -1;
    e->left = e->run + most;
    if (!runs) {
        e->run[e->nruns++] = blocks;
        return 0;
    }
    for (char *end = NULL; *runs; runs = end) {
        unsigned long long n = strtoull(runs, &end, 10);
        if (end == runs || n == 0 || n > blocks - sum || e->nruns == most)
            return -1;
        sum += e->run[e->nruns++] = (size_t)n;
        end += *end == ' ';
    }
    return sum == blocks ? 0 : -1;
}

void errors_free(struct errors *e)
{
    free(e->run);
    free(e->d);
    free(e->n);
    *e = (struct errors){0};
}

/* 95 % quantile of chi-square; Wilson and Hilferty where the table ends. */
static double chi_square(int dof)
{
    static const double q[] = {0.0,       3.841459,  5.991465,  7.814728,  9.487729, 11.070498,
                               12.591587, 14.067140, 15.507313, 16.918978, 18.307038};
    double a = 2.0 / (9.0 * dof), b = 1.0 - a + 1.644854 * sqrt(a);
    return dof < (int)(sizeof q / sizeof *q) ? q[dof] : dof * b * b * b;
}

/* What a level says. */
struct level {
    size_t used;      /* blocks that hold something */
    double square, r; /* sum of d², correlation of neighbours less what the mean takes from it */
    double chi;       /* its share of M */
    int tells;        /* it has a share */
};

static struct level look(const struct errors *e, const double *d, const double *n)
{
    struct level l = {0};
    double product = 0.0;
    size_t pairs = 0, at = 0;
    for (size_t k = 0; k < e->nruns; k++)
        for (size_t b = 0; b < e->left[k]; b++, at++) {
            l.used += n[at] != 0.0;
            l.square += d[at] * d[at];
            if (b && n[at] != 0.0 && n[at - 1] != 0.0) {
                pairs++;
                product += d[at - 1] * d[at];
            }
        }
    double used = (double)l.used;
    if (pairs && l.used > 2 && l.square > 0.0) { /* two are opposite: they say nothing */
        l.tells = 1;
        l.r = product / l.square + (double)pairs / (used * (used - 1.0));
        l.chi = l.r * l.r * used * used / (double)pairs;
    }
    return l;
}

/* Neighbours of a run become one. 0: nothing left to merge. */
static int merge(const struct errors *e, double *d, double *n)
{
    size_t from = 0, to = 0;
    int merged = 0;
    for (size_t k = 0; k < e->nruns; k++) {
        size_t left = e->left[k];
        for (size_t b = 0; b < left; b += 2, to++, from += 2) {
            int two = b + 1 < left;
            d[to] = d[from] + (two ? d[from + 1] : 0.0);
            n[to] = n[from] + (two ? n[from + 1] : 0.0);
            merged |= two;
        }
        from -= left % 2;
        e->left[k] = (left + 1) / 2;
    }
    return merged;
}

static struct error plain(const struct level *l)
{
    return l->used < 2 ? (struct error){NAN, 0.0}
                       : (struct error){sqrt(l->square), (double)l->used - 1.0};
}

/* The first level that passes, of so many. */
static struct error choose(const struct level *l, int levels)
{
    double m = 0.0, finest = (double)l[0].used;
    int best = -1, dof = 0;
    for (int k = levels - 1; k >= 0; k--) {
        m += l[k].chi;
        dof += l[k].tells;
        if (dof == 0 || m < chi_square(dof))
            best = k;
    }
    if (best < 0 || l[best].used < ERRORS_BLOCKS)
        return (struct error){NAN, 0.0};
    double used = (double)l[best].used, extra = l[best].r > 0.0 ? 1.0 + 2.0 * l[best].r : 1.0,
           spread = used / (used - 1.0) / (finest / (finest - 1.0)),
           square = l[best].square * spread * extra;
    if (square * ERRORS_INDEPENDENT > finest * l[0].square)
        return (struct error){NAN, 0.0};
    /* a correlation of neighbours that is estimated too triples the variance of se² */
    return (struct error){sqrt(square), extra > 1.0 ? (used - 1.0) / 3.0 : used - 1.0};
}

struct error errors_of(const struct errors *e, const double *dev, size_t stride, const double *n)
{
    struct level l[LEVELS];
    int levels = 0;
    for (size_t b = 0; b < e->blocks; b++) {
        e->d[b] = dev[b * stride];
        e->n[b] = n ? n[b] : 1.0;
    }
    memcpy(e->left, e->run, e->nruns * sizeof *e->run);
    do
        l[levels] = look(e, e->d, e->n);
    while (l[levels].used >= 2 && e->levels && ++levels < LEVELS && merge(e, e->d, e->n));
    if (!e->levels || levels == 0)
        return plain(l);
    return choose(l, levels);
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
    if (!(dof < 1e6)) /* normal, to 1e-6 */
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
