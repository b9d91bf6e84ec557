/* SPDX-License-Identifier: MIT */
#include "stats/drift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/errors.h"
#include "stats/series.h"

#define CUT_FROM (DRIFT_PIECES / 8) /* pieces of a part, at least */
#define STARTS 4                    /* cuts in the first quarter */
#define CUTS (DRIFT_PIECES + 1 - 2 * CUT_FROM)

struct pieces {
    double y[DRIFT_PIECES], n[DRIFT_PIECES], all; /* all: sum of n */
};

/* Compares pieces [0, cut) with the rest. */
static void try_cut(struct drift *d, const struct pieces *p, size_t cut)
{
    double y[2] = {0.0, 0.0}, n[2] = {0.0, 0.0}, square = 0.0, product = 0.0, before = 0.0;
    for (size_t k = 0; k < DRIFT_PIECES; k++) {
        y[k >= cut] += p->y[k];
        n[k >= cut] += p->n[k];
    }
    double m[2] = {y[0] / n[0], y[1] / n[1]};
    for (size_t k = 0; k < DRIFT_PIECES; k++) {
        double dev = (p->y[k] - m[k >= cut] * p->n[k]) / p->all;
        square += dev * dev;
        product += dev * before;
        before = dev;
    }
    double r = product / square + 2.0 / DRIFT_PIECES, dof = DRIFT_PIECES - 2;
    double se = sqrt(square * (DRIFT_PIECES / dof) * (1.0 + 2.0 * fmax(0.0, r)));
    double t = (m[1] - m[0]) / (se * sqrt(p->all / n[0] + p->all / n[1]));
    double chance = isfinite(t) ? fmin(1.0, CUTS * errors_tail(t, dof)) : 1.0;
    if (isnan(d->t) || chance < d->chance)
        *d = (struct drift){n[0] / p->all, m[0], m[1], t, chance};
}

/* Compares the first pieces with the scatter of the rest, so that a start far from
 * equilibrium does not enter the error. */
static void try_start(struct drift *d, const struct pieces *p, size_t cut)
{
    double y = 0.0, n = 0.0, square = 0.0, product = 0.0, last = 0.0, first = 0.0, few = 0.0,
           rest = (double)(DRIFT_PIECES - cut);
    for (size_t k = 0; k < DRIFT_PIECES; k++) {
        *(k < cut ? &first : &y) += p->y[k];
        *(k < cut ? &few : &n) += p->n[k];
    }
    for (size_t k = cut; k < DRIFT_PIECES; k++) {
        double dev = p->y[k] / p->n[k] - y / n;
        square += dev * dev;
        product += dev * last;
        last = dev;
    }
    double r = product / square + 1.0 / rest,
           se = sqrt(square / (rest - 1.0) * (1.0 + 2.0 * fmax(0.0, r)) *
                     (1.0 / (double)cut + 1.0 / rest)),
           t = (y / n - first / few) / se,
           chance = isfinite(t) ? fmin(1.0, STARTS * errors_tail(t, rest - 1.0)) : 1.0;
    if (isnan(d->t) || chance < d->chance)
        *d = (struct drift){few / p->all, first / few, y / n, t, chance};
}

/* Puts the blocks into pieces. Returns false if there are fewer blocks than pieces, or a block is
 * as long as two pieces. */
static bool cut_up(struct pieces *p, size_t blocks, const double *y, const double *n)
{
    double sum = 0.0;
    for (size_t b = 0; b < blocks; b++)
        p->all += n[b];
    for (size_t b = 0; b < blocks && p->all > 0.0;
         b++) { /* the piece that contains the middle of the block */
        size_t k = (size_t)(DRIFT_PIECES * (sum + 0.5 * n[b]) / p->all);
        k = k < DRIFT_PIECES ? k : DRIFT_PIECES - 1;
        p->y[k] += y[b];
        p->n[k] += n[b];
        sum += n[b];
    }
    for (size_t k = 0; k < DRIFT_PIECES; k++)
        if (p->n[k] == 0.0)
            return false;
    return true;
}

void drift_find(struct drift *d, size_t blocks, const double *y, const double *n)
{
    struct pieces p = {.all = 0.0};
    *d = (struct drift){NAN, NAN, NAN, NAN, 1.0};
    if (!cut_up(&p, blocks, y, n))
        return;
    for (size_t cut = CUT_FROM; cut <= DRIFT_PIECES - CUT_FROM; cut++)
        try_cut(d, &p, cut);
}

void drift_start(struct drift *d, size_t blocks, const double *y, const double *n)
{
    struct pieces p = {.all = 0.0};
    *d = (struct drift){NAN, NAN, NAN, NAN, 1.0};
    if (!cut_up(&p, blocks, y, n))
        return;
    for (size_t cut = 1; cut <= STARTS; cut++)
        try_start(d, &p, cut);
}

bool drift_print(const struct drift *d, const char *what, char *text, size_t size)
{
    *text = '\0';
    if (!(d->chance < DRIFT_CHANCE))
        return false;
    const char *side = d->t < 0.0 ? "lower" : "higher";
    snprintf(text, size,
             "%s is %.5g in the first %.0f %% of the run and %.5g in the rest, %s by %.2g standard "
             "errors: the sample changed during the run (it froze, melted or evaporated, or it was "
             "not yet in equilibrium), and the errors are valid only for a stationary sample",
             what, d->before, 100.0 * d->part, d->after, side, fabs(d->t));
    return true;
}

/* Zeroed sums y of the blocks, followed by their counts n. NULL: no memory. */
static double *capacity(size_t blocks)
{
    return calloc(2 * blocks + 1, sizeof(double));
}

static bool tell(double *y, size_t blocks, const char *what, char *text, size_t size)
{
    struct drift d;
    drift_find(&d, blocks, y, y + blocks);
    free(y);
    return drift_print(&d, what, text, size);
}

/* Row in which function 1, averaged over all blocks, is largest. */
static size_t largest(size_t blocks, size_t rows, size_t nfunctions, const uint64_t *counts,
                      const double *sums)
{
    size_t best = 0;
    double max = -INFINITY;
    for (size_t r = 0; r < rows; r++) {
        double y = 0.0, n = 0.0;
        for (size_t b = 0; b < blocks; b++) {
            y += sums[(b * rows + r) * nfunctions + 1];
            n += (double)counts[b * rows + r];
        }
        if (n > 0.0 && y / n > max) {
            max = y / n;
            best = r;
        }
    }
    return best;
}

/* The function that is tested in a table with this axis, in its last row or in the largest. */
static const struct tested {
    const char *axis, *function, *what;
    bool last;
} tables[] = {{NULL, "G2", "G2(0)", false}, /* without an axis: row 0 */
              {"q_A-1", "S", "the peak of S(q) at q = %.3g 1/A", false},
              {"l", "q", "the mean of q_l for l = %.3g", true}};
enum { TABLES = sizeof tables / sizeof *tables };

bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size)
{
    char word[SERIES_WORD], what[80];
    const char *axis = meta_get(m, "data.axis");
    const struct tested *t = tables;
    while (axis && ++t < tables + TABLES && strcmp(axis, t->axis) != 0)
        ;
    size_t f = axis ? 1 : 0, at = 0;
    *text = '\0';
    if (t == tables + TABLES)
        return false;
    while (series_word(series_functions(m), f, word, sizeof word) == 1 &&
           strcmp(word, t->function) != 0)
        f++;
    double *y = f < nfunctions && rows > 0 ? capacity(blocks) : NULL;
    if (!y)
        return false;
    if (axis)
        at = t->last ? rows - 1 : largest(blocks, rows, nfunctions, counts, sums);
    double q = 0.0, all = 0.0;
    for (size_t b = 0; b < blocks; b++) {
        const double *v = sums + (b * rows + at) * ncomp * nfunctions;
        for (size_t c = 0; c < ncomp; c++)
            y[b] += v[c * nfunctions + f] / (double)ncomp;
        y[blocks + b] = (double)counts[b * rows + at];
        q += v[0];
        all += y[blocks + b];
    }
    snprintf(what, sizeof what, t->what, q / all);
    return tell(y, blocks, what, text, size);
}

bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text, size_t size)
{
    double rmax, *y = capacity(blocks);
    *text = '\0';
    if (!y || meta_get_f64(m, "data.rmax", &rmax, 1) != 1) {
        free(y);
        return false;
    }
    for (size_t b = 0; b < blocks; b++) {
        for (size_t k = 0; k < npairs * bins; k++) {
            double r = ((double)(k % bins) + 0.5) * rmax / (double)bins;
            y[b] += (double)counts[b * npairs * bins + k] * pow(r, -6.0);
        }
        y[blocks + b] = steps[b * stride];
    }
    return tell(y, blocks, "the sum of r^-6 over pairs, A^-6,", text, size);
}
