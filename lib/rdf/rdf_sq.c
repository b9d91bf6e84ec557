/* SPDX-License-Identifier: MIT */
#include "rdf/rdf_sq.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/units.h"
#include "stats/blocks.h"
#include "stats/series_source.h"
#include "stream/traj.h"

/* ---- an unreduced HIST segment, because the transform needs the blocks */

void sq_free(struct sq_hist *h)
{
    series_hist_free(&h->in);
    pair_names_close(&h->names);
    memset(h, 0, sizeof *h);
}

/* Converts data.pairs to species, and modifies the list. */
static int read_names(struct series_source *in, struct sq_hist *h, char *list)
{
    const struct meta *m = frame_meta(in->r);
    const char *names[256];
    unsigned long long natoms = 0;
    size_t n = 0;
    char *save = NULL;
    if (meta_get_u64(m, "sys.natoms", &natoms) != 1 || natoms < 1)
        return series_refuse(in, ERR_BAD, "expected sys.natoms of 1 or more in a HIST segment");
    for (char *w = strtok_r(list, " ", &save); w && n < 256; w = strtok_r(NULL, " ", &save))
        if (strcmp(w, "all") != 0)
            names[n++] = w;
    struct err why;
    if (pair_names_open(&h->names, m, natoms, names, n, &why) != 0)
        return series_refuse(in, why.status, "data.pairs: %.900s", why.text);
    if (h->names.npairs != h->in.pairs)
        return series_refuse(in, ERR_BAD, "expected %zu pairs in data.pairs, found %zu",
                             h->in.pairs, h->names.npairs);
    return 0;
}

static int read_meta(struct series_source *in, struct sq_hist *h)
{
    const struct meta *m = frame_meta(in->r);
    struct box b;
    struct err why;
    if (traj_box(m, &b, &why) != 0)
        return series_refuse(in, why.status, "%s", why.text);
    if (h->in.lags)
        return series_refuse(in, ERR_BAD,
                             "expected g(r), found van Hove functions (use rdf-cpu "
                             "without --lag)");
    double width = 2.0 * box_half_width(&b);
    const char *thickness = meta_get(m, "data.thickness");
    h->plane = thickness && strcmp(thickness, "plane") == 0;
    h->qmin = isfinite(width) ? 2.0 * UNITS_PI / width : 0.0;
    char *list = strdup(meta_get(m, "data.pairs") ? meta_get(m, "data.pairs") : "all");
    int rc = list ? read_names(in, h, list) : series_refuse(in, ERR_MEMORY, "out of memory");
    free(list);
    return rc;
}

int sq_read(struct frame_reader *r, struct sq_hist *h, struct err *e)
{
    struct series_source in = {r, e};
    struct frame f;
    memset(h, 0, sizeof *h);
    int rc = series_first_array(&in, &f, FRAME_HIST, "a pair histogram (HIST) of rdf-cpu");
    if (rc > 0 && (series_hist_read(&in, &f, &h->in) || read_meta(&in, h) || series_end(&in)))
        rc = -1;
    if (rc < 0)
        sq_free(h);
    return rc;
}

/* ---- the transform */

/* Returns sin x - x cos x. Where the two terms cancel, uses a series with an error below 1e-16 of
 * the leading term. */
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
    /* for a thin shell at large r, the difference of two large terms would lose digits, but the
     * corrected midpoint rule does not */
    double x = q * 0.5 * (a + b), h = 0.5 * q * (b - a);
    if (h < 1e-3 && x > 100.0 * h)
        return 3.0 * (b - a) / volume * 0.5 * (a + b) / q *
               (sin(x) + h * h / 6.0 * (2.0 * cos(x) / x - sin(x)));
    return 3.0 * (spherical(q * b) - spherical(q * a)) / (q * q * q * volume);
}

/* Returns the sum over bins k of weight * count-like[k] * j_k(q), for one block and pair. */
static double block_sum(const struct sq_hist *h, const struct sq_params *p, size_t b, size_t q,
                        const double *j)
{
    const uint64_t *c = h->in.counts + (b * h->in.pairs + q) * h->in.bins;
    const double *e = h->in.expected + (b * h->in.pairs + q) * h->in.bins;
    double sum = 0.0;
    for (size_t k = 0; k < h->in.bins; k++)
        sum += ((double)c[k] - (p->method == SQ_TRANSFORM ? e[k] : 0.0)) * j[k];
    return sum;
}

/* Returns the weight of a pair, which is 2/N_A or 1/sqrt(N_A N_B). */
static double pair_weight(const struct sq_hist *h, size_t q)
{
    struct species_pair p = h->names.pairs[q];
    double a = (double)(p.a == SPECIES_EVERY ? h->names.natoms : h->names.atoms[p.a]);
    double b = (double)(p.b == SPECIES_EVERY ? h->names.natoms : h->names.atoms[p.b]);
    return p.a == p.b ? 2.0 / a : 1.0 / sqrt(a * b);
}

/* Returns the range of S of pair i as the end of the integral moves from 3/4 rmax to rmax, plus the
 * change due to a window. The terms without a window are j, and the reported S is s. */
static double cut_error(const struct sq_hist *h, const struct sq_params *p, size_t i,
                        const double *j, double by, double s)
{
    double sum = h->names.pairs[i].a == h->names.pairs[i].b ? 1.0 : 0.0, low = INFINITY,
           high = -INFINITY;
    for (size_t k = 0; k < h->in.bins; k++) {
        double here = 0.0;
        for (size_t b = 0; b < h->in.blocks; b++) {
            size_t at = (b * h->in.pairs + i) * h->in.bins + k;
            here +=
                (double)h->in.counts[at] - (p->method == SQ_TRANSFORM ? h->in.expected[at] : 0.0);
        }
        sum += by * here * j[k];
        if (4 * (k + 1) >= 3 * h->in.bins) {
            low = fmin(low, sum);
            high = fmax(high, sum);
        }
    }
    return high - low + (p->window == SQ_LORCH ? fabs(s - sum) : 0.0);
}

bool sq_undamped(const struct sq_hist *h)
{
    bool any = false;
    for (size_t i = 0; i < h->in.pairs; i++) {
        double r2[2] = {0.0}, sum[2] = {0.0}; /* sums for the third and the last quarter */
        for (size_t k = h->in.bins / 2; k < h->in.bins; k++) {
            double c = 0.0, e = 0.0, r = (double)k + 0.5;
            for (size_t b = 0; b < h->in.blocks; b++) {
                size_t at = (b * h->in.pairs + i) * h->in.bins + k;
                c += (double)h->in.counts[at];
                e += h->in.expected[at];
            }
            if (e > 0.0) {
                r2[4 * k >= 3 * h->in.bins] += r * r;
                sum[4 * k >= 3 * h->in.bins] += r * r * (c / e - 1.0) * (c / e - 1.0);
            }
        }
        any |= sum[1] > SQ_DAMPED * SQ_DAMPED * sum[0] && sum[1] > SQ_FLAT * SQ_FLAT * r2[1];
    }
    return any;
}

struct sq_job {
    const struct sq_hist *h;
    const struct sq_params *p;
    double *s, *cut, *dev, *work; /* work: [threads][2 bins + blocks] */
};

/* Computes S, cut and deviations of every pair at one q. The scratch memory `work` holds 2 bins +
 * blocks numbers. */
static void one_q(const struct sq_hist *h, const struct sq_params *p, size_t iq,
                  const struct sq_job *out, double *work)
{
    double *j = work, *bare = j + h->in.bins, *y = bare + h->in.bins, *s = out->s, *dev = out->dev;
    double dr = h->in.rmax / (double)h->in.bins, q = p->qstep * (double)(iq + 1), steps = 0.0;
    for (size_t b = 0; b < h->in.blocks; b++)
        steps += h->in.steps[b];
    for (size_t k = 0; k < h->in.bins; k++) {
        double x = UNITS_PI * ((double)k + 0.5) / (double)h->in.bins;
        bare[k] = j[k] = sq_shell(q, dr * (double)k, dr * (double)(k + 1));
        if (p->window == SQ_LORCH && p->method == SQ_TRANSFORM)
            j[k] *= sin(x) / x;
    }
    for (size_t i = 0; i < h->in.pairs; i++) {
        double w = pair_weight(h, i), self = h->names.pairs[i].a == h->names.pairs[i].b ? 1.0 : 0.0;
        double sum = 0.0;
        for (size_t b = 0; b < h->in.blocks; b++)
            sum += y[b] = w * block_sum(h, p, b, i, j);
        double m = sum / steps;
        s[iq * h->in.pairs + i] = self + m;
        out->cut[iq * h->in.pairs + i] = cut_error(h, p, i, bare, w / steps, self + m);
        for (size_t b = 0; dev && b < h->in.blocks; b++)
            dev[(b * p->nq + iq) * h->in.pairs + i] =
                stats_spread(h->in.blocks) * (y[b] - m * h->in.steps[b]) / steps;
    }
}

static void q_task(void *ctx, size_t iq, int thread)
{
    const struct sq_job *j = ctx;
    one_q(j->h, j->p, iq, j, j->work + (size_t)thread * (2 * j->h->in.bins + j->h->in.blocks));
}

int sq_compute(const struct sq_hist *h, const struct sq_params *p, double *s, double *cut,
               double *dev, struct err *e)
{
    if (p->method == SQ_TRANSFORM && !isfinite(h->in.expected[0]))
        return err_bad(
            e, "--method transform needs a cell, but the input has none (use --method debye)");
    if (p->method == SQ_TRANSFORM && h->plane)
        return err_bad(
            e, "expected g(r) of a three-dimensional sample, found g(r) of atoms in a plane (the "
               "transform is valid only in three dimensions)");
    struct pool *pool = pool_new(p->threads);
    struct sq_job j = {h, p, s, cut, dev, NULL};
    j.work = calloc((size_t)pool_threads(pool) * (2 * h->in.bins + h->in.blocks), sizeof *j.work);
    if (j.work)
        pool_run(pool, q_task, &j, p->nq);
    pool_free(pool);
    free(j.work);
    return j.work ? 0 : err_set(e, ERR_MEMORY, "out of memory");
}

long sq_fit(const struct sq_hist *h, const struct sq_params *p, size_t pair, const double *s,
            const double *dev, double lo, double hi, struct sq_fit *f)
{
    double n = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0, edge = 1e-9 * p->qstep;
    size_t pairs = h->in.pairs, first = p->nq, last = 0;
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
    f->slope_se = NAN;
    double *slope = dev ? calloc(h->in.blocks, sizeof *slope) : NULL;
    for (size_t b = 0; slope && b < h->in.blocks; b++)
        for (size_t i = first; i <= last; i++)
            slope[b] += (log(p->qstep * (double)(i + 1)) - mx) / sxx *
                        dev[(b * p->nq + i) * pairs + pair] / s[i * pairs + pair];
    if (slope)
        f->slope_se = errors_of(&h->in.errors, slope, 1, NULL).se;
    free(slope);
    return (long)n;
}

double *sq_table(const struct sq_hist *h, const struct sq_params *p, const double *s,
                 const double *cut, const double *dev, char *columns)
{
    static const char *const kind[] = {"", "_se", "_cut"};
    size_t pairs = h->in.pairs, cols = 2 + pairs * (dev ? 3 : 2);
    double *v = calloc(p->nq * cols, sizeof *v);
    struct error *se = dev ? malloc((p->nq * pairs + 1) * sizeof *se) : NULL;
    for (size_t k = 0; dev && k < pairs; k++) {
        struct errors_column c = {
            .dev = dev + k, .rows = p->nq, .next = pairs, .stride = p->nq * pairs};
        if (!v || !se || errors_column(&h->in.errors, &c, se + k * p->nq) != 0) {
            free(v);
            free(se);
            return NULL;
        }
    }
    columns += sprintf(columns, "q_A-1");
    for (int k = 0; k < 3; k += k == 0 && !dev ? 2 : 1)
        for (const char *w = h->names.list; *w; w += strcspn(w, " "), w += *w == ' ') {
            int len = (int)strcspn(w, " "), all = len == 3 && memcmp(w, "all", 3) == 0;
            columns += sprintf(columns, " S%s%.*s%s", all ? "" : "_", all ? 0 : len, w, kind[k]);
        }
    sprintf(columns, " flag");
    for (size_t i = 0; v && i < p->nq; i++) {
        double *row = v + i * cols, *flag = row + cols - 1;
        const double *si = s + i * pairs, *ci = cut + i * pairs;
        row[0] = p->qstep * (double)(i + 1);
        *flag = row[0] < h->qmin * (1.0 - 1e-9) ? 1.0 : 0.0;
        bool bad = false;
        for (size_t k = 0; k < pairs; k++) {
            double like = h->names.pairs[k].a == h->names.pairs[k].b;
            row[1 + k] = si[k];
            if (dev)
                row[1 + pairs + k] = se[k * p->nq + i].se;
            row[1 + pairs * (dev ? 2 : 1) + k] = ci[k];
            bad |= like && (si[k] < 0.0 || ci[k] > 0.5 * si[k]);
        }
        *flag += bad ? 2.0 : 0.0;
    }
    free(se);
    return v;
}
