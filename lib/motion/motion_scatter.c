/* SPDX-License-Identifier: MIT */
/* motion_scatter.c: measures how much squared displacements or products differ between points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "motion/motion.h"
#include "stats/scatter.h"

#define INTERVALS_MIN 4

struct motion_scatter {
    uint64_t steps;
    float *last; /* [EINSTEIN_SCALES][points][3]: positions at the end of the last interval */
    double *sum; /* sums of squared displacements, of the same shape */
    struct scatter *products; /* in place of squared displacements */
};

/* Returns the first kind of points of which products are measured, and sets the number of such
 * kinds. Of the kinds of axes, only the axes u are measured. */
static size_t product_kinds(const struct motion *m, size_t *kinds)
{
    *kinds = m->c.tracks.axis ? 1 : m->t.kinds;
    return m->c.tracks.axis ? 2 : 0;
}

double motion_scatter_bytes(const struct motion *m)
{
    size_t kinds, first = product_kinds(m, &kinds);
    if (m->base.shared->shard.n || (m->kind == LAGS_PRODUCT && m->base.want))
        return 0.0;
    return m->kind == LAGS_SQUARE
               ? 3.0 * EINSTEIN_SCALES * (sizeof(float) + sizeof(double)) * (double)m->t.points
               : scatter_bytes(kinds, m->t.first + first, m->lags);
}

int motion_scatter_open(struct motion *m)
{
    struct motion_scatter *s = m->scatter = calloc(1, sizeof *s);
    size_t kinds, first = product_kinds(m, &kinds);
    if (!s)
        return -1;
    if (m->kind == LAGS_PRODUCT) {
        s->products = scatter_open(m->c.tracks.axis ? SCATTER_LEGENDRE : SCATTER_PRODUCT, kinds,
                                   m->t.first + first, NULL, m->lags);
        return s->products ? 0 : -1;
    }
    s->last = calloc(3 * EINSTEIN_SCALES * m->t.points + 1, sizeof *s->last);
    s->sum = calloc(3 * EINSTEIN_SCALES * m->t.points + 1, sizeof *s->sum);
    return s->last && s->sum ? 0 : -1;
}

void motion_scatter_free(struct motion_scatter *s)
{
    if (!s)
        return;
    free(s->last);
    free(s->sum);
    scatter_free(s->products);
    free(s);
}

/* Adds the squared displacements over the intervals that end at a step. */
static inline void add(float *last, double *sum, const void *now, bool wide, const double drift[3],
                       size_t n)
{
    for (size_t k = 0; k < 3 * n; k += 3)
        for (size_t a = 0; a < 3; a++) {
            float u = (float)(real_at(now, wide, k + a) - drift[a]), d = u - last[k + a];
            last[k + a] = u;
            sum[k + a] += (double)d * (double)d;
        }
}

void motion_scatter_add(struct motion *m, size_t nsteps)
{
    static const double none[3];
    struct motion_scatter *s = m->scatter;
    const double(*drift)[3];
    const void *now = tracks_now(&m->t, &drift);
    size_t n = s->products && !m->t.all ? m->t.stored : m->t.points;
    bool wide = tracks_wide(&m->t);
    for (size_t step = 0; s->products && step < nsteps; step++, s->steps++)
        scatter_add(s->products, (const char *)now + 3 * step * n * (wide ? 8 : 4), wide,
                    drift ? drift[step] : NULL, NULL);
    for (size_t step = 0; !s->products && step < nsteps; step++, s->steps++)
        for (size_t k = 0; k < EINSTEIN_SCALES && s->steps % (uint64_t)einstein_scale(k) == 0;
             k++) {
            float *last = s->last + 3 * k * n;
            double *sum = s->sum + 3 * k * n;
            const double *of = drift ? drift[step] : none;
            if (wide)
                add(last, sum, (const double *)now + 3 * step * n, true, of, n);
            else
                add(last, sum, (const float *)now + 3 * step * n, false, of, n);
            if (s->steps == 0)
                memset(sum, 0, 3 * n * sizeof *sum);
        }
}

/* Sets *mean to the mean over the points of one kind of their sums for one axis, or for all axes if
 * axis < 0. Sets *var to the squared error of this mean. */
static void moments(const struct motion *m, size_t scale, size_t kind, int axis, double *mean,
                    double *var)
{
    const double *sum = m->scatter->sum + 3 * scale * m->t.points;
    double n = 0.0, squares = 0.0;
    *mean = 0.0;
    for (size_t p = m->t.first[kind]; p < m->t.first[kind + 1]; p++) {
        double x = axis < 0 ? sum[3 * p] + sum[3 * p + 1] + sum[3 * p + 2]
                            : sum[3 * p + (size_t)axis],
               d = x - *mean;
        *mean += d / ++n;
        squares += d * (x - *mean);
    }
    *var = squares / (n * (n - 1.0)); /* which is NaN for one point */
}

/* Writes ":excess" of one function to `text`. Kinds of one point count as random walkers, unless
 * all kinds have one point. Returns the number of equal random walkers that would have the error of
 * a random walk of these points. */
static double excess(const struct motion *m, size_t set, int axis, size_t scale, char text[32])
{
    double all = 0.0, var = 0.0, walk = 0.0, known = NAN,
           intervals = (double)((m->scatter->steps - 1) / (uint64_t)einstein_scale(scale)),
           error = (axis < 0 ? 2.0 / 3.0 : 2.0) / intervals; /* squared, of a random walker */
    for (size_t k = 0; k < m->t.kinds; k++) {
        double mean, of, part = set ? set == k + 1 : m->part[k];
        if (!(part > 0.0))
            continue;
        moments(m, scale, k, axis, &mean, &of);
        if (m->t.first[k + 1] - m->t.first[k] > 1)
            known = 0.0;
        else
            of = mean * mean * m->scale[k] * error;
        all += part * mean;
        var += part * part * of;
        walk += part * part * mean * mean * m->scale[k];
    }
    snprintf(text, 32, ":%.4g", known + (var - walk * error) / (all * all));
    return all * all / walk;
}

int motion_scatter_points(const struct motion *m, const char *functions, struct meta *meta)
{
    size_t n, capacity = 32 + m->nf * (SERIES_WORD + 32);
    char *text = malloc(capacity), word[SERIES_WORD];
    if (!text)
        return -1;
    n = (size_t)snprintf(text, capacity, "%zu", m->times.steps);
    for (size_t f = 1; f < m->nf && series_word(functions, f, word, sizeof word) == 1; f++) {
        size_t set = (f - 1) / m->each, of = (f - 1) % m->each;
        double all = 0.0, walk = 0.0;
        for (size_t k = 0; k < m->t.kinds; k++) {
            double mean = 0.0, part = set ? set == k + 1 : m->part[k];
            const double *v = m->sums + motion_column(m, motion_set(m, k), of);
            for (size_t i = 0; i < m->nblocks * m->lags; i++)
                mean += v[i * m->nf];
            all += part * mean;
            walk += part * part * mean * mean * m->scale[k];
        }
        if (!(m->c.fourth && of + 1 == m->each) && walk > 0.0)
            n += (size_t)snprintf(text + n, capacity - n, " %s:%.6g", word, all * all / walk);
    }
    int rc = meta_set(meta, "data.scatter", text) | uneven_times(&m->times, meta);
    free(text);
    return rc;
}

/* Sets data.scatter for products. Returns 0 or -1. */
static int product_meta(const struct motion *m, const char *functions, struct meta *meta)
{
    bool axes = m->c.tracks.axis != NULL;
    double *weight = calloc(m->t.kinds + 1, sizeof *weight);
    char word[SERIES_WORD];
    int bad = !weight;
    for (size_t f = 0; !bad && f < (axes ? 2 : m->nf); f++) {
        size_t set = axes ? 1 : f / m->each;
        for (size_t k = 0; k < m->t.kinds; k++)
            weight[k] =
                set ? set == k + 1
                    : m->part[k] * m->scale[k] * (double)(m->t.first[k + 1] - m->t.first[k]);
        bad = series_word(functions, f, word, sizeof word) == 1 &&
              scatter_meta(m->scatter->products, word, weight,
                           axes ? (int)f : (int)(f % m->each) - 1, meta) != 0;
    }
    free(weight);
    return bad ? -1 : 0;
}

int motion_scatter_meta(const struct motion *m, const char *functions, struct meta *meta)
{
    if (m->scatter->products)
        return product_meta(m, functions, meta);
    const struct motion_scatter *s = m->scatter;
    size_t scales = 0, n, capacity = 32 + m->nf * (SERIES_WORD + 32 * (EINSTEIN_SCALES + 1));
    while (scales < EINSTEIN_SCALES && s->steps > INTERVALS_MIN * (uint64_t)einstein_scale(scales))
        scales++;
    char *text = scales ? malloc(capacity) : NULL, word[SERIES_WORD], part[EINSTEIN_SCALES][32];
    if (!text)
        return scales ? -1 : 0;
    n = (size_t)snprintf(text, capacity, "%llu", (unsigned long long)s->steps);
    for (size_t f = 0; f < m->nf && series_word(functions, f, word, sizeof word) == 1; f++) {
        size_t of = f % m->each;
        double points = 0.0;
        if (m->c.fourth && of + 1 == m->each)
            continue;
        for (size_t k = 0; k < scales; k++)
            points = excess(m, f / m->each, (int)of - 1, k, part[k]);
        if (!(points > 0.0) || strstr(part[0], "nan") || strstr(part[scales - 1], "nan"))
            continue;
        n += (size_t)snprintf(text + n, capacity - n, " %s:%.6g", word, points);
        for (size_t k = 0; k < scales; k++)
            n += (size_t)snprintf(text + n, capacity - n, "%s", part[k]);
    }
    int rc = meta_set(meta, "data.scatter", text);
    free(text);
    return rc;
}
