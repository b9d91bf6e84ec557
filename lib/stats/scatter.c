/* SPDX-License-Identifier: MIT */
#include "stats/scatter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

#define SEGMENTS 32
#define SEGMENTS_MIN 8
#define LAGS (1 + EINSTEIN_SCALES)
#define DECAYED 0.05 /* P1 and P2 below this value do not determine a rate */

struct scatter {
    enum scatter_kind kind;
    size_t kinds, points, lags, slots; /* points: measured points */
    size_t *from, *all;                /* [kinds + 1] measured points, [kinds] number of points */
    size_t *point;                     /* [points] index in the steps */
    float *ring;                       /* [slots][3][points] latest time origins */
    double *place;                     /* [3][points] unwrapped displacement, for SCATTER_SQUARE */
    double *before;                    /* [3][points] latest positions */
    double *sum;                       /* [lags][SEGMENTS][3][points] */
    uint64_t steps, origins, length;   /* length: time origins per segment */
};

/* Returns L of lag k, in time origins. */
static size_t lag_of(size_t k)
{
    return k ? (size_t)einstein_scale(k - 1) / SCATTER_EVERY : 0;
}

/* Returns the number of measured points of a kind of n points. */
static size_t measured(size_t n)
{
    return n < SCATTER_POINTS ? n : SCATTER_POINTS;
}

static size_t lags_below(size_t lags)
{
    size_t n = 1;
    while (n < LAGS && (!lags || lag_of(n) * SCATTER_EVERY < lags))
        n++;
    return n;
}

double scatter_bytes(size_t kinds, const size_t *first, size_t lags)
{
    double points = 0.0, n = (double)lags_below(lags);
    for (size_t k = 0; k < kinds; k++)
        points += (double)measured(first[k + 1] - first[k]);
    return points * (3.0 * (4.0 * (double)(lag_of((size_t)n - 1) + 1) + 8.0 * n * SEGMENTS) + 56.0);
}

struct scatter *scatter_open(enum scatter_kind kind, size_t kinds, const size_t *first,
                             const uint32_t *order, size_t lags)
{
    struct scatter *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct scatter){.kind = kind, .kinds = kinds, .lags = lags_below(lags), .length = 1};
    s->slots = lag_of(s->lags - 1) + 1;
    s->from = calloc(2 * kinds + 1, sizeof *s->from);
    s->point = calloc(kinds * SCATTER_POINTS + 1, sizeof *s->point);
    if (!s->from || !s->point)
        return scatter_free(s), NULL;
    s->all = s->from + kinds + 1;
    for (size_t k = 0; k < kinds; k++) {
        size_t n = s->all[k] = first[k + 1] - first[k], m = measured(n);
        for (size_t p = 0; p < m; p++) {
            size_t i = first[k] + p * n / m;
            s->point[s->points++] = order ? order[i] : i;
        }
        s->from[k + 1] = s->points;
    }
    s->ring = calloc(3 * s->slots * s->points + 1, sizeof *s->ring);
    s->place = calloc(6 * s->points + 1, sizeof *s->place);
    s->before = s->place ? s->place + 3 * s->points : NULL;
    s->sum = calloc(3 * s->lags * SEGMENTS * s->points + 1, sizeof *s->sum);
    if (!s->ring || !s->place || !s->sum)
        return scatter_free(s), NULL;
    return s;
}

void scatter_free(struct scatter *s)
{
    if (!s)
        return;
    free(s->from);
    free(s->point);
    free(s->ring);
    free(s->place);
    free(s->sum);
    free(s);
}

/* Stores the values of the step in its slot. */
static void take(struct scatter *s, const void *now, bool wide, const double *drift,
                 const struct box *box, float *to)
{
    size_t n = s->points;
    for (size_t p = 0; p < n; p++) {
        double v[3], d[3];
        real_vector(now, wide, s->point[p], v);
        for (size_t a = 0; a < 3; a++) {
            v[a] -= drift ? drift[a] : 0.0;
            d[a] = v[a] - s->before[a * n + p];
            s->before[a * n + p] = v[a];
        }
        if (box && s->origins)
            box_image(box, d);
        for (size_t a = 0; a < 3; a++) {
            if (box && s->origins)
                v[a] = s->place[a * n + p] += d[a];
            to[a * n + p] = (float)(box && !s->origins ? 0.0 : v[a]);
        }
    }
}

/* Adds the products of two time origins to sum[3][n]. */
static void add(enum scatter_kind kind, const float *now, const float *then, size_t n, double *sum)
{
    if (kind == SCATTER_PRODUCT)
        for (size_t k = 0; k < 3 * n; k++)
            sum[k] += (double)(now[k] * then[k]);
    else if (kind == SCATTER_SQUARE)
        for (size_t k = 0; k < 3 * n; k++)
            sum[k] += (double)((now[k] - then[k]) * (now[k] - then[k]));
    else
        for (size_t p = 0; p < n; p++) {
            double x = (double)(now[p] * then[p] + now[n + p] * then[n + p] +
                                now[2 * n + p] * then[2 * n + p]);
            sum[p] += x;
            sum[n + p] += 1.5 * x * x - 0.5;
        }
}

/* Joins pairs of segments. */
static void join(struct scatter *s)
{
    size_t row = 3 * s->points, half = SEGMENTS / 2 * row;
    for (double *sum = s->sum; sum < s->sum + s->lags * 2 * half; sum += 2 * half) {
        for (size_t b = 0; b < SEGMENTS / 2; b++)
            for (size_t i = 0; i < row; i++)
                sum[b * row + i] = sum[2 * b * row + i] + sum[(2 * b + 1) * row + i];
        memset(sum + half, 0, half * sizeof *sum);
    }
    s->length *= 2;
}

void scatter_add(struct scatter *s, const void *now, bool wide, const double *drift,
                 const struct box *box)
{
    size_t row = 3 * s->points;
    if (s->steps++ % SCATTER_EVERY)
        return;
    float *slot = s->ring + (size_t)(s->origins % s->slots) * row;
    take(s, now, wide, drift, box, slot);
    if (s->origins / s->length == SEGMENTS)
        join(s);
    for (size_t k = 0; k < s->lags && lag_of(k) <= s->origins; k++) {
        uint64_t then = s->origins - lag_of(k);
        add(s->kind, slot, s->ring + (size_t)(then % s->slots) * row, s->points,
            s->sum + (k * SEGMENTS + (size_t)(then / s->length)) * row);
    }
    s->origins++;
}

/* Returns the number of complete segments of lag k, or 0 if there are too few. */
static size_t segments(const struct scatter *s, size_t k)
{
    uint64_t lag = lag_of(k);
    size_t n = s->origins > lag ? (size_t)((s->origins - lag) / s->length) : 0;
    return n >= SEGMENTS_MIN && lag <= 2 * s->length ? n : 0;
}

static double mean_of(const struct scatter *s, size_t k, size_t segment, size_t p, int part)
{
    const double *v = s->sum + ((k * SEGMENTS + segment) * 3) * s->points + p;
    double x = part >= 0 ? v[(size_t)part * s->points] : v[0] + v[s->points] + v[2 * s->points];
    return x / (double)s->length;
}

/* Sets *mean to the mean over the points of one kind, and *var to its squared error that is due to
 * lasting differences between the points. */
static void variance(const struct scatter *s, size_t k, size_t kind, int part, double *mean,
                     double *var)
{
    double of_segment[SEGMENTS] = {0}, between = 0.0, all = 0.0;
    size_t from = s->from[kind], to = s->from[kind + 1], m = segments(s, k);
    double n = (double)(to - from), segs = (double)m;
    *mean = 0.0;
    for (size_t p = from; p < to; p++)
        for (size_t b = 0; b < m; b++)
            of_segment[b] += mean_of(s, k, b, p, part) / n;
    for (size_t b = 0; b < m; b++)
        *mean += of_segment[b] / segs;
    for (size_t p = from; p < to; p++) {
        double own = 0.0;
        for (size_t b = 0; b < m; b++) {
            double d = mean_of(s, k, b, p, part) - of_segment[b];
            own += d / segs;
            all += d * d;
        }
        between += own * own;
    }
    double within = (all - segs * between) / ((n - 1.0) * (segs - 1.0));
    *var = (between / (n - 1.0) - within / segs) / (double)s->all[kind]; /* NaN for one point */
}

int scatter_meta(const struct scatter *s, const char *name, const double *weight, int part,
                 struct meta *m)
{
    const char *before = meta_get(m, "data.scatter");
    char text[16 * LAGS] = "";
    size_t n = 0, points = 0;
    double first = 0.0;
    for (size_t kind = 0; kind < s->kinds; kind++)
        points += weight[kind] != 0.0 ? s->all[kind] : 0;
    for (size_t k = 0; k < s->lags && segments(s, k); k++) {
        double value = 0.0, var = NAN;
        for (size_t kind = 0; kind < s->kinds; kind++) {
            double mean, of;
            if (weight[kind] == 0.0)
                continue;
            variance(s, k, kind, part, &mean, &of);
            value += weight[kind] * mean;
            if (!isnan(of)) /* one point */
                var = (isnan(var) ? 0.0 : var) + weight[kind] * weight[kind] * of;
        }
        first = k ? first : value;
        if (s->kind == SCATTER_PRODUCT)
            value = first;
        else if (s->kind == SCATTER_LEGENDRE)
            value = value > DECAYED ? value * log(value) : NAN;
        if (k && !isfinite(var / (value * value)))
            break;
        if (k)
            n += (size_t)snprintf(text + n, sizeof text - n, ":%.4g", var / (value * value));
    }
    if (!n)
        return 0;
    return before ? meta_setf(m, "data.scatter", "%s %s:%zu%s", before, name, points, text)
                  : meta_setf(m, "data.scatter", "%llu %s:%zu%s", (unsigned long long)s->steps,
                              name, points, text);
}
