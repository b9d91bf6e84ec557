/* SPDX-License-Identifier: MIT */
/* frame_track_model.c: the grid, the links and the predictors of a part for codec 3, and how a
 * writer chooses them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stream/frame_track.h"

enum {
    SAMPLE = 2048, /* numbers that decide whether there is a grid */
    FIRST = 128,   /* numbers that exclude most grids */
    FIT = 2048,    /* approximate number of predictions that are fitted */
    FEATURES = TRACK_ORDER + 1,
    CHUNK = 256,   /* atoms that are linked at a time */
    LENGTHS = 256, /* approximate number of lengths that are compared */
    LINKED = 16    /* at least 1 in 16 atoms must be linked */
};

#define BOND 1.7f /* Å */

void track_levels(struct track *t)
{
    double per = t->per;
    double step = t->base / 10 * 9;
    for (unsigned l = 0; l < TRACK_LEVELS; l++) {
        bool used = l < t->levels;
        t->per_of[l] = per;
        t->unit[l] = 1.0 / per;
        t->from[l] = !used ? INFINITY : l ? (float)(t->base / t->per_of[l - 1]) : 0;
        t->first[l] = !used ? INFINITY : l ? t->base + (l - 1) * step : 0;
        t->ahead[l] = l * step;
        per /= 10;
    }
}

void track_shape(struct track *t, size_t row)
{
    t->row = row < t->count ? row : t->count;
    t->lead = (3 - t->phase) % 3;
    t->natoms = t->row > t->lead ? (t->row - t->lead) / 3 : 0;
}

bool track_sort(struct track *t, unsigned char *depth)
{
    size_t natoms = t->natoms, at[TRACK_GENERATIONS];
    t->begin[0] = 0;
    for (size_t k = 0; k < natoms; k++) {
        unsigned link = t->link[k];
        depth[k] = link == 0 ? 0 : link <= k ? (unsigned char)(depth[k - link] + 1) : UINT8_MAX;
        if (link > TRACK_LINK || depth[k] >= t->generations)
            return false;
    }
    for (unsigned g = 0; g < t->generations; g++) {
        uint32_t n = 0;
        for (size_t k = 0; k < natoms; k++)
            n += depth[k] == g;
        at[g] = t->begin[g];
        t->begin[g + 1] = at[g] + n;
    }
    for (size_t k = 0, end; k < natoms;) {
        uint64_t n = 0; /* 16 bits per generation: counters in memory would be slower */
        for (end = natoms - k < UINT16_MAX ? natoms : k + UINT16_MAX; k < end; k++) {
            unsigned g = depth[k];
            t->atom[at[g] + (n >> 16 * g & UINT16_MAX)] = (uint32_t)k;
            n += (uint64_t)1 << 16 * g;
        }
        for (unsigned g = 0; g < t->generations; g++)
            at[g] += n >> 16 * g & UINT16_MAX;
    }
    return true;
}

/* Takes a sample of x and finds its largest number. Returns 0 if a number is NaN, or so large that
 * sums could overflow. */
static size_t sample(const float *x, size_t count, float *some, float *largest)
{
    uint32_t max = 0;
    size_t step = count / SAMPLE + 1, n = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t b;
        memcpy(&b, x + k, sizeof b);
        b &= 0x7fffffff;
        max = b > max ? b : max; /* the bits of floats are ordered like the floats, NaN last */
    }
    memcpy(largest, &max, sizeof max);
    if (!(*largest < 0x1p60f))
        return 0;
    for (size_t k = 0; k < count; k += step)
        some[n++] = x[k];
    return n;
}

/* Returns the bits that the grid saves over all floats in the sample, or 0 if too many numbers of
 * the sample are off the grid. */
static double saves(struct track *t, const float *some, size_t n)
{
    float there[SAMPLE + 1];
    double finer = 0, digits[TRACK_LEVELS];
    size_t done = 0, off = 0;
    track_levels(t);
    for (size_t to = n < FIRST ? n : FIRST; done < n; to = n) {
        SIMD_PICK(track_on_grid)(t, some + done, there + done, to - done);
        for (; done < to; done++)
            off += memcmp(&there[done], &some[done], sizeof there[done]) != 0;
        if (off > n / TRACK_OFF_GRID)
            return 0;
    }
    for (unsigned l = 0; l < t->levels; l++)
        digits[l] = log2(t->per_of[l]) - FLT_MANT_DIG + 1;
    for (size_t k = 0; k < n; k++) {
        unsigned l = 0;
        while (l + 1 < t->levels && fabs((double)some[k]) >= t->from[l + 1])
            l++;
        finer += ilogb(fabs((double)some[k]) + t->unit[l]) + digits[l];
    }
    return -finer;
}

/* Chooses a grid of fixed decimals, or of C's %g (six digits). */
static void choose_grid(struct track *t, const float *some, size_t n, float largest)
{
    static const uint32_t base[] = {0, 1000000};
    struct track grid = {.kind = TRACK_GRID}, best = {.kind = TRACK_FLOATS};
    double max = 0;
    for (int b = 0; b < 2; b++) {
        grid.per = 1;
        grid.base = base[b];
        for (int digits = 0; digits <= 9; digits++, grid.per *= 10) {
            double reach = grid.base ? grid.base / grid.per : 0x1p30 / grid.per, bits;
            for (grid.levels = 1; grid.base && reach <= (double)largest; grid.levels++)
                reach *= 10;
            if (grid.levels > TRACK_LEVELS || (double)largest >= reach)
                continue;
            bits = saves(&grid, some, n);
            if (bits > max) {
                max = bits;
                best = grid;
            }
            if (bits > 0)
                break; /* finer grids save less */
        }
    }
    t->kind = best.kind;
    t->levels = best.levels;
    t->base = best.base;
    t->per = best.per;
    track_levels(t);
}

/* ---- links */

/* Computes the squares of the distances between each of n atoms from atom k on and the atoms 1 to
 * TRACK_LINK before it. */
static void distances2(const struct track *t, const float *x, size_t k, size_t n,
                       float d2[TRACK_LINK][CHUNK])
{
    float p[CHUNK + TRACK_LINK];
    memset(d2, 0, TRACK_LINK * sizeof *d2);
    for (size_t a = 0; a < 3; a++) {
        float edge = t->edge[a] > 0 ? t->edge[a] : INFINITY;
        for (size_t i = 0; i < n + TRACK_LINK; i++)
            p[i] = k + i < TRACK_LINK ? INFINITY : x[t->lead + 3 * (k + i - TRACK_LINK) + a];
        for (size_t l = 1; l <= TRACK_LINK; l++)
            for (size_t i = 0; i < n; i++) {
                float d = fabsf(p[i + TRACK_LINK] - p[i + TRACK_LINK - l]), other = fabsf(edge - d);
                d = d < other ? d : other;
                d2[l - 1][i] += d * d;
            }
    }
}

/* Links each of the atoms from `from` up to `to` to its nearest atom in the first row, if they are
 * bonded in the first and in the last row. Returns the number of linked atoms. */
static size_t link_atoms(const struct track *t, const float *x, unsigned char *link,
                         unsigned char *depth, size_t from, size_t to)
{
    float first[TRACK_LINK][CHUNK], last[TRACK_LINK][CHUNK];
    size_t rows = t->count / t->row, linked = 0;
    for (size_t k = from, n; k < to; k += n) {
        n = to - k < CHUNK ? to - k : CHUNK;
        distances2(t, x, k, n, first);
        distances2(t, x + (rows - 1) * t->row, k, rows > 1 ? n : 0, last);
        for (size_t i = 0; i < n; i++) {
            unsigned char *own = depth + k + i;
            float least = BOND * BOND;
            unsigned best = 0;
            for (unsigned l = 1; l <= TRACK_LINK && l <= k + i - from; l++) {
                bool nearer = first[l - 1][i] < least && last[l - 1][i] < BOND * BOND &&
                              own[-(int)l] + 1 < TRACK_GENERATIONS;
                least = nearer ? first[l - 1][i] : least;
                best = nearer ? l : best;
            }
            *own = best ? (unsigned char)(own[-(int)best] + 1) : 0;
            link[k + i] = (unsigned char)best;
            linked += best > 0;
        }
    }
    return linked;
}

/* Links the atoms. Returns false if few atoms would be linked. */
static bool choose_links(struct track *t, const float *x, unsigned char *room)
{
    unsigned char *link = room + sizeof *t->atom * t->natoms, *depth = link + t->natoms;
    size_t n = t->natoms, few = n < FIT ? n : FIT / 4;
    bool whole = (t->phase == 0 && t->row % 3 == 0) || t->row == t->count;
    t->generations = 1;
    if (!whole ||
        link_atoms(t, x, link, depth, n / 2 - few / 2, n / 2 - few / 2 + few) * LINKED <= few ||
        link_atoms(t, x, link, depth, 0, n) * LINKED <= n)
        return false;
    for (size_t k = 0; k < n; k++)
        t->generations = depth[k] >= t->generations ? depth[k] + 1u : t->generations;
    t->atom = (uint32_t *)(void *)room;
    t->link = link;
    return track_sort(t, depth);
}

/* ---- predictors */

/* Returns the shortest of the periodic images of d. */
static double shortest(double d, double edge)
{
    return edge > 0 && d > 0.5 * edge ? d - edge : edge > 0 && d < -0.5 * edge ? d + edge : d;
}

/* Sums products of displacements. Index 0 is the predicted step, followed by the vector itself if
 * g > 0, and by the earlier steps from the newest on. Returns the number of products. */
static size_t products(const struct track *t, const float *x, unsigned g, unsigned order,
                       size_t samples, double a[FEATURES + 1][FEATURES + 1])
{
    size_t begin = t->begin[g],
           columns = t->generations > 1 ? 3 * (t->begin[g + 1] - begin) : t->row,
           rows = t->count / t->row - order - 1, total = rows * columns, step = total / samples + 1,
           n = 0;
    unsigned from = g > 0, last = order + from;
    step += step % 3 == 0; /* so that all axes are included */
    for (size_t i = 0; i < total; i += step, n++) {
        double d[FEATURES + 1] = {0}, was = 0;
        size_t j = i % columns, other = 0;
        const float *p = x + (i / columns + order + 1) * t->row + j;
        double edge = (double)t->edge[(t->phase + j) % 3];
        if (t->generations > 1) {
            uint32_t atom = t->atom[begin + j / 3];
            p += t->lead + 3 * (size_t)atom + j % 3 - j;
            other = 3 * (size_t)t->link[atom];
            edge = (double)t->edge[j % 3];
        }
        for (unsigned q = 0; q <= order + 1; q++, p -= t->row) {
            double now = g > 0 ? shortest((double)p[0] - (double)*(p - other), edge) : (double)p[0];
            if (q > 0)
                d[q == 1 ? 0 : q - 1 + from] = shortest(was - now, edge);
            if (q == 1 && from)
                d[1] = now;
            was = now;
        }
        for (unsigned q = 0; q <= last; q++)
            for (unsigned p1 = 0; p1 <= q; p1++)
                a[q][p1] += d[q] * d[p1];
    }
    return n;
}

/* Fits 1 to n features by least squares. The normal equations are the leading parts of one matrix,
 * so its Cholesky factor grows by one row per feature. Returns the number of features that are
 * worth using, and sets *left to the remaining sum of squares. */
static unsigned fit(double a[FEATURES + 1][FEATURES + 1], unsigned n,
                    double coef[FEATURES][FEATURES], double *left)
{
    double l[FEATURES][FEATURES] = {{0}}, z[FEATURES], left_of[FEATURES + 1] = {a[0][0]};
    unsigned q;
    for (q = 0; q < n; q++) {
        for (unsigned p = 0; p <= q; p++) {
            l[q][p] = a[q + 1][p + 1];
            for (unsigned k = 0; k < p; k++)
                l[q][p] -= l[q][k] * l[p][k];
            l[q][p] = p < q ? l[q][p] / l[p][p] : l[q][p];
        }
        if (!(l[q][q] > 1e-13 * a[q + 1][q + 1]))
            break;
        l[q][q] = sqrt(l[q][q]);
        z[q] = a[q + 1][0];
        for (unsigned k = 0; k < q; k++)
            z[q] -= l[q][k] * z[k];
        z[q] /= l[q][q];
        left_of[q + 1] = left_of[q] - z[q] * z[q];
        for (unsigned p = q + 1; p-- > 0;) {
            coef[q][p] = z[p];
            for (unsigned k = p + 1; k <= q; k++)
                coef[q][p] -= l[k][p] * coef[q][k];
            coef[q][p] /= l[p][p];
        }
    }
    while (q > 0 && left_of[q - 1] <= 1.03 * left_of[q])
        q--;
    *left = left_of[q];
    return q;
}

/* Fits the predictor of generation g. Returns the approximate number of bits of its residuals,
 * apart from a constant per number. */
static double choose_model(struct track *t, const float *x, unsigned g, size_t samples)
{
    struct track_model *m = &t->model[g];
    double a[FEATURES + 1][FEATURES + 1] = {{0}}, c[FEATURES][FEATURES], left;
    size_t rows = t->count / t->row, n = 0;
    unsigned from = g > 0, max = rows < 3                 ? 0
                                 : rows - 2 < TRACK_ORDER ? (unsigned)rows - 2
                                                          : TRACK_ORDER;
    memset(m, 0, sizeof *m);
    if (rows < 2 || (n = products(t, x, g, max, samples, a)) == 0)
        return 0;
    unsigned best = fit(a, max + from, c, &left);
    m->order = best > from ? best - from : 0;
    for (unsigned q = from ? 0 : 1; q <= m->order && q + from <= best; q++) {
        const double *of = c[q + from - 1];
        m->stay[q] = from ? (float)of[0] : 0;
        for (unsigned k = 0; k < q; k++)
            m->coef[q - 1][k] = (float)of[k + from];
    }
    return 1.5 * (double)(t->begin[g + 1] - t->begin[g]) *
           log2((left > 0 ? left : 0) / (double)n + 1e-12);
}

/* Returns the square of the length of the link of an atom in a row x, and sets *z to its z. */
static double length2_of(const struct track *t, const float *x, uint32_t atom, double *z)
{
    const float *p = x + t->lead + 3 * (size_t)atom, *other = p - 3 * (size_t)t->link[atom];
    double sum = 0;
    for (int k = 0; k < 3; k++, sum += *z * *z)
        *z = shortest((double)p[k] - (double)other[k], (double)t->edge[k]);
    return sum;
}

/* Decides whether z of generation g is predicted from lengths. The argument is the number of bits
 * per number without lengths, as in choose_model. Returns the same number of bits for z. */
static double choose_length(struct track *t, const float *x, unsigned g, double bits)
{
    size_t begin = t->begin[g], n = t->begin[g + 1] - begin, step = n / LENGTHS + 1, used = 0,
           rows = t->count / t->row;
    const float *now = x + (rows - 1) * t->row, *was = x + (rows > 1 ? rows - 2 : 0) * t->row;
    double sum = 0, all = 0, z, unit = t->kind == TRACK_GRID ? t->unit[t->levels - 1] : 0x1p-19;
    for (size_t k = begin; k < begin + n; k += step, used++)
        all += length2_of(t, x, t->atom[k], &z);
    all /= (double)used;
    bits = rows > 1 ? bits : 0.5 * log2(all / 3);
    for (size_t k = begin; k < begin + n; k += step) {
        double before = rows > 1 ? length2_of(t, was, t->atom[k], &z) : all,
               left = before - length2_of(t, now, t->atom[k], &z) + z * z;
        sum += log2(fabs(sqrt(left > 0 ? left : 0) - fabs(z)) + unit);
    }
    sum = sum / (double)used + 1.9;
    if (sum < bits)
        t->model[g].length2 = (float)all;
    return sum < bits ? sum : bits;
}

/* Chooses the predictors, and links only if they make the residuals smaller. */
static void choose_models(struct track *t, const float *x, bool positions, unsigned char *room)
{
    double alone, linked = 0;
    bool can = positions && choose_links(t, x, room);
    struct track one = *t;
    one.generations = 1;
    one.begin[1] = (one.row + 2) / 3;
    alone = choose_model(&one, x, 0, can ? FIT / 2 : FIT);
    for (unsigned g = 0; can && g < t->generations; g++) {
        double n = (double)(t->begin[g + 1] - t->begin[g]),
               bits = choose_model(t, x, g, FIT / 2) / (3 * n);
        linked += n * (2 * bits + (g > 0 ? choose_length(t, x, g, bits) : bits));
    }
    if (!can || (linked >= alone && t->row < t->count))
        *t = one;
}

/* Sets the prediction of the first row to the middle of its numbers on each axis. */
static void choose_middle(struct track *t, const float *x)
{
    float low[3], high[3];
    size_t n = t->row < SAMPLE ? t->row : SAMPLE;
    for (size_t k = 0; k < n; k++) {
        size_t a = (t->phase + k) % 3;
        low[a] = k < 3 || x[k] < low[a] ? x[k] : low[a];
        high[a] = k < 3 || x[k] > high[a] ? x[k] : high[a];
        t->middle[a] = 0.5f * (low[a] + high[a]);
    }
}

bool track_choose(struct track *t, const float *x, bool positions, unsigned char *room)
{
    float some[SAMPLE + 1], largest;
    size_t n = sample(x, t->count, some, &largest);
    if (n == 0)
        return false;
    choose_grid(t, some, n, largest);
    choose_models(t, x, positions, room);
    choose_middle(t, x);
    return true;
}
