/* SPDX-License-Identifier: MIT */
#include "rdf/sq.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "stats/blocks.h"

/* sin x - x cos x; a series where the two terms cancel (error below 1e-16 of the leading term). */
static double spherical(double x)
{
    double x2 = x * x;
    if (x2 > 0.25)
        return sin(x) - x * cos(x);
    return x * x2 *
           (1.0 / 3 -
            x2 * (1.0 / 30 -
                  x2 * (1.0 / 840 - x2 * (1.0 / 45360 - x2 * (1.0 / 3991680 - x2 / 518918400)))));
}

double sq_shell(double q, double a, double b)
{
    double volume = (b - a) * (a * a + a * b + b * b);
    if (q <= 0.0 || volume <= 0.0)
        return 1.0;
    /* a thin shell far out: the difference of two large terms loses digits, the midpoint rule with
     * its correction does not */
    double x = q * 0.5 * (a + b), h = 0.5 * q * (b - a);
    if (h < 1e-3 && x > 100.0 * h)
        return 3.0 * (b - a) / volume * 0.5 * (a + b) / q *
               (sin(x) + h * h / 6.0 * (2.0 * cos(x) / x - sin(x)));
    return 3.0 * (spherical(q * b) - spherical(q * a)) / (q * q * q * volume);
}

/* sum_k weight * count-like[k] * j_k(q) of one block and pair. */
static double block_sum(const struct sq_hist *h, const struct sq_params *p, size_t b, size_t q,
                        const double *j)
{
    const uint64_t *c = h->counts + (b * h->pairs + q) * h->bins;
    const double *e = h->expected + (b * h->pairs + q) * h->bins;
    double sum = 0.0;
    for (size_t k = 0; k < h->bins; k++)
        sum += ((double)c[k] - (p->method == SQ_TRANSFORM ? e[k] : 0.0)) * j[k];
    return sum;
}

/* Weight of a pair: 2/N_A, or 1/sqrt(N_A N_B). */
static double pair_weight(const struct sq_hist *h, size_t q)
{
    struct rdf_pair p = h->names.pairs[q];
    double a = (double)(p.a == RDF_EVERY ? h->names.natoms : h->names.atoms[p.a]);
    double b = (double)(p.b == RDF_EVERY ? h->names.natoms : h->names.atoms[p.b]);
    return p.a == p.b ? 2.0 / a : 1.0 / sqrt(a * b);
}

/* One q: S of every pair and its deviations. work: [bins] and [blocks]. */
static void one_q(const struct sq_hist *h, const struct sq_params *p, size_t iq, double *s,
                  double *dev, double *j, double *y)
{
    double dr = h->rmax / (double)h->bins, q = p->qstep * (double)(iq + 1), steps = 0.0;
    for (size_t k = 0; k < h->bins; k++) {
        double x = UNITS_PI * ((double)k + 0.5) / (double)h->bins;
        j[k] = sq_shell(q, dr * (double)k, dr * (double)(k + 1));
        if (p->window == SQ_LORCH && p->method == SQ_TRANSFORM)
            j[k] *= sin(x) / x;
    }
    for (size_t b = 0; b < h->blocks; b++)
        steps += h->steps[b];
    for (size_t i = 0; i < h->pairs; i++) {
        double w = pair_weight(h, i), sum = 0.0;
        for (size_t b = 0; b < h->blocks; b++) {
            y[b] = w * block_sum(h, p, b, i, j);
            sum += y[b];
        }
        double m = sum / steps;
        s[iq * h->pairs + i] = (h->names.pairs[i].a == h->names.pairs[i].b ? 1.0 : 0.0) + m;
        for (size_t b = 0; dev && b < h->blocks; b++)
            dev[(b * p->nq + iq) * h->pairs + i] =
                stats_spread(h->blocks) * (y[b] - m * h->steps[b]) / steps;
    }
}

int sq_compute(const struct sq_hist *h, const struct sq_params *p, double *s, double *dev,
               char *err, size_t errlen)
{
    int bad = 0;
    if (p->method == SQ_TRANSFORM && !isfinite(h->expected[0])) {
        snprintf(err, errlen,
                 "there is no cell, so no density to transform g(r) with: --method debye");
        return -1;
    }
#pragma omp parallel num_threads(p->threads > 0 ? p->threads : 1) reduction(| : bad)
    {
        double *work = malloc((h->bins + h->blocks) * sizeof *work);
        bad |= !work;
#pragma omp for schedule(static)
        for (size_t iq = 0; iq < p->nq; iq++)
            if (work)
                one_q(h, p, iq, s, dev, work, work + h->bins);
        free(work);
    }
    if (bad)
        snprintf(err, errlen, "out of memory");
    return bad ? -1 : 0;
}

long sq_fit(const struct sq_params *p, size_t pairs, size_t pair, size_t blocks, const double *s,
            const double *dev, double lo, double hi, struct sq_fit *f)
{
    double n = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0, var = 0.0, edge = 1e-9 * p->qstep;
    size_t first = p->nq, last = 0;
    for (size_t i = 0; i < p->nq; i++) {
        double q = p->qstep * (double)(i + 1), v = s[i * pairs + pair];
        if (q < lo - edge || q > hi + edge)
            continue;
        if (!(v > 0.0))
            return -1;
        first = i < first ? i : first;
        last = i;
        n += 1.0;
        mx += log(q);
        my += log(v);
    }
    if (n < 3.0)
        return -1;
    mx /= n;
    my /= n;
    for (size_t i = first; i <= last; i++) {
        double x = log(p->qstep * (double)(i + 1)) - mx;
        sxx += x * x;
        sxy += x * (log(s[i * pairs + pair]) - my);
    }
    f->slope = sxy / sxx;
    f->amplitude = exp(my - f->slope * mx);
    for (size_t b = 0; dev && b < blocks; b++) {
        double d = 0.0;
        for (size_t i = first; i <= last; i++)
            d += (log(p->qstep * (double)(i + 1)) - mx) / sxx *
                 dev[(b * p->nq + i) * pairs + pair] / s[i * pairs + pair];
        var += d * d;
    }
    f->slope_se = dev && blocks >= 2 ? sqrt(var) : NAN;
    return (long)n;
}
