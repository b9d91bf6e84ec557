/* SPDX-License-Identifier: MIT */
#include "acf/acf_jumps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JUMPS_TYPICAL 20.0 /* in median steps (the largest of 1e9 Gaussian steps is 9) */
#define JUMPS_GAP 5.0      /* in units of the largest ordinary step */
#define JUMPS_RARE 50      /* at most one jump per this number of steps */
#define JUMPS_APART 8      /* steps within this distance of each other count as one jump */
#define SAMPLE 1023        /* largest sample for a median */
#define ALTERNATE 2        /* jumps back and forth by the same amount: two levels or a pulse */

struct step {
    size_t at; /* index of the value after the step */
    double d;
};

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(((const struct step *)a)->d), y = fabs(((const struct step *)b)->d);
    return (x < y) - (x > y);
}

static int by_place(const void *a, const void *b)
{
    size_t x = ((const struct step *)a)->at, y = ((const struct step *)b)->at;
    return (x > y) - (x < y);
}

/* Returns the median of x[from..to), or of the sizes of its steps, from an evenly spaced sample. */
static double median(const double *x, size_t from, size_t to, bool steps)
{
    double v[SAMPLE];
    size_t every = (to - from) / SAMPLE + 1, n = 0;
    for (size_t k = from; k < to; k += every)
        v[n++] = steps ? fabs(x[k + 1] - x[k]) : x[k];
    qsort(v, n, sizeof *v, by_number);
    return n ? v[n / 2] : NAN;
}

/* Returns the steps that are large and far larger than all other steps, in order, or NULL if there
 * are no such steps. */
static struct step *large_steps(const double *x, size_t n, double typical, size_t *count)
{
    size_t max = n / JUMPS_RARE + 1, c = 0, keep = 0;
    struct step *s = NULL;
    double rest = 0.0, gap = JUMPS_GAP;
    for (size_t k = 1; k < n; k++) {
        double d = x[k] - x[k - 1];
        if (!(fabs(d) > JUMPS_TYPICAL * typical)) {
            rest = fabs(d) > rest ? fabs(d) : rest;
            continue;
        }
        if (c == max || (!s && !(s = malloc(max * sizeof *s)))) {
            free(s);
            return NULL;
        }
        s[c++] = (struct step){k, d};
    }
    if (c)
        qsort(s, c, sizeof *s, by_size);
    for (size_t k = 0; k < c; k++) {
        double below = k + 1 < c ? fabs(s[k + 1].d) : rest;
        if (fabs(s[k].d) >= gap * below) {
            gap = fabs(s[k].d) / below;
            keep = k + 1;
        }
    }
    if (keep)
        qsort(s, keep, sizeof *s, by_place);
    *count = keep;
    return s;
}

/* Merges steps close to each other into their net step. Removes steps that cancel. Returns the
 * number of remaining steps. */
static size_t join(const double *x, struct step *s, size_t n, double size)
{
    size_t m = 0;
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && s[end].at - s[end - 1].at < JUMPS_APART;)
            end++;
        double net = x[s[end - 1].at] - x[s[k].at - 1];
        if (fabs(net) >= 0.5 * size)
            s[m++] = (struct step){s[end - 1].at, net};
    }
    return m;
}

/* Returns how many of the steps `s` lead to another level. */
static size_t lasting(const double *x, size_t n, const struct step *s, size_t count)
{
    size_t last = 0;
    for (size_t k = 0; k < count; k++) {
        size_t from = k ? s[k - 1].at : 0, at = s[k].at, to = k + 1 < count ? s[k + 1].at : n;
        if (at - from < JUMPS_APART || to - at < JUMPS_APART)
            continue;
        double was = median(x, from, at, false), half = 0.5 * s[k].d * s[k].d;
        last += (median(x, at, to, false) - was) * s[k].d > half &&
                (median(x, to - (to - at + 3) / 4, to, false) - was) * s[k].d > half;
    }
    return last;
}

/* Returns true if the steps alternate between two levels. */
static bool alternate(const struct step *s, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (!(fabs(s[k].d + s[k - 1].d) < 0.2 * fabs(s[k].d)))
            return false;
    return n >= ALTERNATE;
}

bool acf_jumps(const double *x, size_t n, struct acf_jumps *j)
{
    size_t count = 0, lasts;
    *j = (struct acf_jumps){.typical = n > JUMPS_RARE ? median(x, 0, n - 1, true) : 0.0};
    if (!(j->typical > 0.0))
        return false;
    struct step *s = large_steps(x, n, j->typical, &count);
    j->size = INFINITY;
    for (size_t k = 0; k < count; k++)
        j->size = fmin(j->size, fabs(s[k].d));
    size_t all = count;
    count = join(x, s, count, j->size);
    lasts = lasting(x, n, s, count);
    if (lasts && 2 * lasts >= count && 4 * count >= all && !alternate(s, count)) {
        j->n = count;
        j->first = s[0].at;
    }
    free(s);
    return j->n > 0;
}

void acf_jumps_text(const struct acf_jumps *j, const char *column, char *text, size_t size)
{
    snprintf(
        text, size,
        "%s jumps to another level, which dominates its correlation function. Number of "
        "jumps: %zu; first jump: row %zu (counted from 0); smallest jump: %.4g; median change from "
        "row to row: %.3g. If this is a dipole moment of wrapped ions, unwrap the positions first",
        column, j->n, j->first, j->size, j->typical);
}
