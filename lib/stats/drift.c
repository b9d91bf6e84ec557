/* SPDX-License-Identifier: MIT */
#include "stats/drift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/errors.h"
#include "stats/series.h"

#define CUT_FROM (DRIFT_PIECES / 8) /* smallest number of pieces of a part */
#define STARTS 4                    /* number of cuts in the first quarter */
#define CUTS (DRIFT_PIECES + 1 - 2 * CUT_FROM)

/* The numbers of the pieces (or their cube roots), and the fraction of the whole in each piece. */
struct pieces {
    double y[DRIFT_PIECES], n[DRIFT_PIECES], value[DRIFT_PIECES];
};

static double mean(const double *y, const double *n, size_t from, size_t to, double *part)
{
    double sum = 0.0;
    *part = 0.0;
    for (size_t k = from; k < to; k++) {
        sum += y[k] * n[k];
        *part += n[k];
    }
    return sum / *part;
}

/* Compares pieces [0, cut) with the rest. The scatter is that of pieces [from, DRIFT_PIECES), where
 * `from` is 0 or `cut`. */
static void try_cut(struct drift *d, const struct pieces *p, size_t cut, size_t from, size_t tests)
{
    double part[2], pieces = (double)(DRIFT_PIECES - from), dof = pieces - (from ? 1.0 : 2.0);
    double m[2] = {mean(p->value, p->n, 0, cut, &part[0]),
                   mean(p->value, p->n, cut, DRIFT_PIECES, &part[1])};
    double square = 0.0, product = 0.0, before = 0.0;
    for (size_t k = from; k < DRIFT_PIECES; k++) {
        double dev = (p->value[k] - m[k >= cut]) * p->n[k];
        square += dev * dev;
        product += dev * before;
        before = dev;
    }
    double r = fmax(0.0, product / square + (pieces - dof) / pieces + DRIFT_R_ERROR);
    double se = sqrt(square * DRIFT_PIECES / dof * (1.0 + r) / (1.0 - r));
    double t = (m[1] - m[0]) / (se * sqrt(1.0 / part[0] + 1.0 / part[1]));
    double chance = isfinite(t) ? fmin(1.0, (double)tests * errors_tail(t, dof)) : 1.0;
    if (isnan(d->t) || chance < d->chance) {
        double sum;
        *d = (struct drift){part[0], mean(p->y, p->n, 0, cut, &sum),
                            mean(p->y, p->n, cut, DRIFT_PIECES, &sum), t, chance};
    }
}

/* Puts the blocks into pieces. Returns false if there are fewer blocks than pieces, or a block is
 * as long as two pieces. */
static bool cut_up(struct pieces *p, size_t blocks, const double *y, const double *n, bool square)
{
    double sum = 0.0, all = 0.0;
    bool positive = square;
    for (size_t b = 0; b < blocks; b++)
        all += n[b];
    for (size_t b = 0; b < blocks && all > 0.0;
         b++) { /* the piece that contains the middle of the block */
        size_t k = (size_t)(DRIFT_PIECES * (sum + 0.5 * n[b]) / all);
        k = k < DRIFT_PIECES ? k : DRIFT_PIECES - 1;
        p->y[k] += y[b];
        p->n[k] += n[b] / all;
        sum += n[b];
    }
    for (size_t k = 0; k < DRIFT_PIECES; k++) {
        if (p->n[k] == 0.0)
            return false;
        p->y[k] /= p->n[k] * all;
        positive = positive && p->y[k] > 0.0;
    }
    for (size_t k = 0; k < DRIFT_PIECES; k++)
        p->value[k] = positive ? cbrt(p->y[k]) : p->y[k];
    return true;
}

void drift_find(struct drift *d, size_t blocks, const double *y, const double *n, bool square)
{
    struct pieces p = {.y = {0.0}};
    *d = (struct drift){NAN, NAN, NAN, NAN, 1.0};
    if (!cut_up(&p, blocks, y, n, square))
        return;
    for (size_t cut = CUT_FROM; cut <= DRIFT_PIECES - CUT_FROM; cut++)
        try_cut(d, &p, cut, 0, 2 * CUTS);
    for (size_t cut = 1; cut <= STARTS; cut++)
        try_cut(d, &p, cut, cut, 2 * STARTS);
}

bool drift_print(const struct drift *d, const char *what, char *text, size_t size)
{
    *text = '\0';
    if (!(d->chance < DRIFT_CHANCE))
        return false;
    snprintf(text, size,
             "%s changes from %.5g in the first %.0f %% of the run to %.5g in the rest, by %.2g "
             "standard errors. The errors of the results are not valid (if the run began before "
             "equilibrium, omit the beginning with --from)",
             what, d->before, 100.0 * d->part, d->after, fabs(d->t));
    return true;
}

/* Allocates zeros for the sums y of blocks, followed by the counts n of blocks, or returns NULL. */
static double *capacity(size_t blocks)
{
    return calloc(2 * blocks + 1, sizeof(double));
}

/* Returns the row in which function 1, averaged over all blocks, is largest. */
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

/* Returns the function that is tested in a table with this axis, in the last row or in the row
 * where it is largest. */
static const struct tested {
    const char *axis, *what;
    bool last;
} tables[] = {{"q_A-1", "the peak of S(q) at q = %.3g 1/A", false},
              {"l", "the mean of q_l for l = %.3g", true}};
enum { TABLES = sizeof tables / sizeof *tables };

static bool corr_axis(const char *axis, size_t blocks, size_t rows, size_t nfunctions,
                      const uint64_t *counts, const double *sums, double *y, char *text,
                      size_t size)
{
    const struct tested *t = tables;
    struct drift d;
    char what[80];
    double q = 0.0, all = 0.0;
    while (t < tables + TABLES && strcmp(axis, t->axis) != 0)
        t++;
    if (t == tables + TABLES)
        return false;
    size_t at = t->last ? rows - 1 : largest(blocks, rows, nfunctions, counts, sums);
    for (size_t b = 0; b < blocks; b++) {
        const double *v = sums + (b * rows + at) * nfunctions;
        y[b] = v[1];
        y[blocks + b] = (double)counts[b * rows + at];
        q += v[0];
        all += y[blocks + b];
    }
    drift_find(&d, blocks, y, y + blocks, !t->last);
    snprintf(what, sizeof what, t->what, q / all);
    return drift_print(&d, what, text, size);
}

/* Tests the functions of component c, or of the average over all components if c == ncomp, in row
 * `at`. The probability is multiplied by the number of tests. */
static void corr_component(const double *v, size_t step, size_t blocks, size_t c, size_t ncomp,
                           size_t f, size_t nf, double *y, struct drift *d)
{
    for (size_t b = 0; b < blocks; b++) {
        y[b] = 0.0;
        for (size_t k = c < ncomp ? c : 0; k < (c < ncomp ? c + 1 : ncomp); k++)
            y[b] += v[b * step + k * nf + f] / (c < ncomp ? 1.0 : (double)ncomp);
    }
    drift_find(d, blocks, y, y + blocks, true);
}

/* Returns the component whose first function at lag 0 is largest. */
static size_t peak(const double *v, size_t step, size_t blocks, size_t ncomp, size_t nf)
{
    size_t best = 0;
    double max = -INFINITY;
    for (size_t c = 0; c < ncomp; c++) {
        double y = 0.0;
        for (size_t b = 0; b < blocks; b++)
            y += v[b * step + c * nf];
        if (y > max) {
            max = y;
            best = c;
        }
    }
    return best;
}

static bool corr_time(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nf,
                      const uint64_t *counts, const double *sums, double *y, char *text,
                      size_t size)
{
    const char *is = meta_get(m, "data.quantity"), *list = series_functions(m);
    bool moves =
        is && (strcmp(is, "mean-square-displacement") == 0 || strcmp(is, "reorientation") == 0);
    size_t at = moves ? 1 : 0, step = rows * ncomp * nf, from = 0, to = ncomp, tests = 0;
    char word[SERIES_WORD], what[SERIES_WORD + 24], name[SERIES_WORD] = "";
    struct drift d, worst = {.chance = 1.0};
    bool g4 = series_word(list, 0, name, sizeof name) == 1 && strcmp(name, "G2") == 0;
    if (at >= rows)
        return false;
    const double *v = sums + at * ncomp * nf;
    if (g4)
        from = to++; /* index of the average over all components */
    else if (meta_get(m, "data.axis2"))
        to = (from = peak(v, step, blocks, ncomp, nf)) + 1;
    for (size_t b = 0; b < blocks; b++)
        y[blocks + b] = (double)counts[b * rows + at];
    for (size_t c = from; c < to; c++)
        for (size_t f = 0; f < (g4 ? 1 : nf); f++, tests++) {
            corr_component(v, step, blocks, c, ncomp, f, nf, y, &d);
            if (d.chance < worst.chance && series_word(list, f, word, sizeof word) == 1) {
                worst = d;
                memcpy(name, word, sizeof name);
            }
        }
    worst.chance *= (double)tests;
    snprintf(what, sizeof what, moves ? "%s at lag 1" : "%s(0)", name);
    return drift_print(&worst, what, text, size);
}

bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size)
{
    const char *axis = meta_get(m, "data.axis");
    double *y = rows > 0 ? capacity(blocks) : NULL;
    *text = '\0';
    bool changed =
        y && (axis ? nfunctions > 1 &&
                         corr_axis(axis, blocks, rows, nfunctions, counts, sums, y, text, size)
                   : corr_time(m, blocks, rows, ncomp, nfunctions, counts, sums, y, text, size));
    free(y);
    return changed;
}

bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text, size_t size)
{
    double rmax, *y = capacity(blocks);
    *text = '\0';
    if (!y || meta_get(m, "data.lags") || meta_get_f64(m, "data.rmax", &rmax, 1) != 1) {
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
    struct drift d;
    drift_find(&d, blocks, y, y + blocks, false);
    free(y);
    return drift_print(&d, "the sum of r^-6 over pairs, A^-6,", text, size);
}
