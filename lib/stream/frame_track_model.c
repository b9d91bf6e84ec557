/* SPDX-License-Identifier: MIT */
/* frame_track_model.c: the grid and the predictor of a part for codec 2, and how a writer chooses
 * them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stream/frame_track.h"

enum {
    SAMPLE = 2048, /* numbers that decide whether there is a grid */
    FIT = 8192     /* approximate number of predictions that are fitted */
};

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
    float there[SAMPLE];
    double finer = 0;
    size_t off = 0;
    track_levels(t);
    SIMD_PICK(track_on_grid)(t, some, there, n);
    for (size_t k = 0; k < n; k++) {
        unsigned l = 0;
        off += memcmp(&there[k], &some[k], sizeof there[k]) != 0;
        while (l + 1 < t->levels && fabs((double)some[k]) >= t->from[l + 1])
            l++;
        finer += ilogb(fabs((double)some[k]) + t->unit[l]) - FLT_MANT_DIG + 1 - log2(t->unit[l]);
    }
    return off <= n / TRACK_OFF_GRID ? -finer : 0;
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
        }
    }
    t->kind = best.kind;
    t->levels = best.levels;
    t->base = best.base;
    t->per = best.per;
    track_levels(t);
}

/* Returns the displacement in the last step, through the nearest face. */
static double way(const struct track *t, const float *x, size_t row, size_t k)
{
    double d = (double)x[k] - x[k - row], edge = t->edge[(t->phase + k % row) % 3];
    return edge > 0 && d > 0.5 * edge ? d - edge : edge > 0 && d < -0.5 * edge ? d + edge : d;
}

/* Sums products of displacements. Index 0 is the predicted step, and k the step k steps earlier. */
static void products(const struct track *t, const float *x, size_t count, size_t row,
                     unsigned order, double a[TRACK_ORDER + 1][TRACK_ORDER + 1])
{
    size_t rows = count / row - order - 1, step = rows * row / FIT + 1;
    for (size_t i = 0; i < rows * row; i += step) {
        double d[TRACK_ORDER + 1];
        size_t k = i + (order + 1) * row;
        for (unsigned q = 0; q <= order; q++)
            d[q] = way(t, x, row, k - q * row);
        for (unsigned q = 0; q <= order; q++)
            for (unsigned p = 0; p <= q; p++)
                a[q][p] += d[q] * d[p];
    }
}

/* Fits 1 to `order` previous steps by least squares. The normal equations are the leading parts of
 * one matrix, so its Cholesky factor grows by one row per step. Returns the number of steps that
 * are worth using. */
static unsigned fit(double a[TRACK_ORDER + 1][TRACK_ORDER + 1], unsigned order,
                    float coef[TRACK_ORDER][TRACK_ORDER])
{
    double l[TRACK_ORDER][TRACK_ORDER] = {{0}}, z[TRACK_ORDER], left = a[0][0],
           left_of[TRACK_ORDER + 1] = {left};
    unsigned q;
    for (q = 0; q < order; q++) {
        double c[TRACK_ORDER];
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
        left -= z[q] * z[q];
        left_of[q + 1] = left;
        for (unsigned p = q + 1; p-- > 0;) {
            c[p] = z[p];
            for (unsigned k = p + 1; k <= q; k++)
                c[p] -= l[k][p] * c[k];
            c[p] /= l[p][p];
            coef[q][p] = (float)c[p];
        }
    }
    while (q > 0 && left_of[q - 1] <= 1.03 * left_of[q])
        q--;
    return q;
}

/* Fits the coefficients for all rows. */
static void choose_order(struct track *t, const float *x, size_t count, size_t row)
{
    double a[TRACK_ORDER + 1][TRACK_ORDER + 1] = {{0}};
    size_t rows = count / row;
    unsigned max = rows < 3 ? 0 : rows - 2 < TRACK_ORDER ? (unsigned)rows - 2 : TRACK_ORDER;
    if (max)
        products(t, x, count, row, max, a);
    t->order = max ? fit(a, max, t->coef) : 0;
}

bool track_choose(struct track *t, const float *x, size_t count, size_t row)
{
    float some[SAMPLE + 1], largest;
    size_t n = sample(x, count, some, &largest);
    if (n == 0)
        return false;
    choose_order(t, x, count, row);
    choose_grid(t, some, n, largest);
    return true;
}
