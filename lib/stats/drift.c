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
#define ROUNDING 1e-24              /* largest relative mean square of rounding errors */
#define GROUPS 64                   /* largest number of groups of bins per pair of species */
#define WHAT 160                    /* bytes of the name of a tested quantity */
#define CUTS (DRIFT_PIECES + 1 - 2 * CUT_FROM)

/* The numbers of the pieces (or their cube roots), and the fraction of the whole in each piece. */
struct pieces {
    double y[DRIFT_PIECES], n[DRIFT_PIECES], value[DRIFT_PIECES];
    double min;  /* of y */
    size_t item; /* number of the row for the caller */
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

/* Returns the probability of a larger f in the F distribution with these degrees of freedom, with
 * the approximation of Paulson (Ann Math Stat 13 (1942) 233). */
static double f_tail(double f, double dof1, double dof2)
{
    double a = 2.0 / (9.0 * dof1), b = 2.0 / (9.0 * dof2), c = cbrt(f);
    return 0.5 * erfc(((1.0 - b) * c - (1.0 - a)) / sqrt(2.0 * (b * c * c + a)));
}

/* Compares pieces [0, cut) of all rows with the rest. The scatter is that of pieces [from,
 * DRIFT_PIECES), where `from` is 0 or `cut`. Rows without scatter are ignored. */
static void try_cut(struct drift *d, const struct pieces *p, size_t rows, size_t cut, size_t from,
                    size_t tests)
{
    double pieces = (double)(DRIFT_PIECES - from), dof = pieces - (from ? 1.0 : 2.0), used = 0.0;
    double gram[DRIFT_PIECES][DRIFT_PIECES] = {{0.0}}, sum = 0.0, product = 0.0, squares = 0.0;
    struct drift now = {.t = NAN};
    for (size_t i = 0; i < rows; i++) {
        double part[2], dev[DRIFT_PIECES], square = 0.0;
        double m[2] = {mean(p[i].value, p[i].n, 0, cut, &part[0]),
                       mean(p[i].value, p[i].n, cut, DRIFT_PIECES, &part[1])};
        for (size_t k = from; k < DRIFT_PIECES; k++) {
            dev[k] = (p[i].value[k] - m[k >= cut]) * p[i].n[k];
            square += dev[k] * dev[k];
        }
        if (!(square > ROUNDING * m[1] * m[1]))
            continue;
        used++;
        for (size_t k = from; k < DRIFT_PIECES; k++)
            for (size_t l = from; l < DRIFT_PIECES; l++)
                gram[k][l] += dev[k] * dev[l] / square;
        double t = (m[1] - m[0]) / sqrt(square * (1.0 / part[0] + 1.0 / part[1]));
        sum += t * t;
        if (!(fabs(t) <= fabs(now.t)))
            now = (struct drift){.part = part[0], .t = t, .row = i};
    }
    for (size_t k = from; k < DRIFT_PIECES; k++) {
        product += k > from ? gram[k][k - 1] / used : 0.0;
        for (size_t l = from; l < DRIFT_PIECES; l++)
            squares += gram[k][l] * gram[k][l] / (used * used);
    }
    double r = fmax(0.0, product + (pieces - dof) / pieces + DRIFT_R_ERROR);
    double scale = dof / DRIFT_PIECES * (1.0 - r) / (1.0 + r);
    double independent = 1.0 / fmax(squares - 0.5 / dof, 1.0 / used);
    double dof1 = fmax(1.0, (dof - 4.0) / (dof - 1.0) * independent), dof2 = sqrt(dof1) * dof;
    double ignored;
    p += now.row;
    now.before = mean(p->y, p->n, 0, cut, &ignored);
    now.after = mean(p->y, p->n, cut, DRIFT_PIECES, &ignored);
    now.row = p->item;
    now.rows = (size_t)used;
    now.t *= sqrt(scale);
    double chance = used == 1.0 ? errors_tail(now.t, dof)
                                : f_tail(sum / used * scale * (dof - 2.0) / dof, dof1, dof2);
    now.chance = isfinite(now.t) ? fmin(1.0, (double)tests * chance) : 1.0;
    if (isnan(d->t) || now.chance < d->chance)
        *d = now;
}

/* Tests all rows together. */
static void find(struct drift *d, const struct pieces *p, size_t rows)
{
    *d = (struct drift){NAN, NAN, NAN, NAN, 1.0, 0, rows};
    for (size_t cut = CUT_FROM; rows && cut <= DRIFT_PIECES - CUT_FROM; cut++)
        try_cut(d, p, rows, cut, 0, 2 * CUTS);
    for (size_t cut = 1; rows && cut <= STARTS; cut++)
        try_cut(d, p, rows, cut, cut, 2 * STARTS);
}

/* Puts the blocks into pieces. An array n of NULL stands for ones. Returns false if there are fewer
 * blocks than pieces, or a block is as long as two pieces. */
static bool cut_up(struct pieces *p, size_t blocks, const double *y, const double *n, bool square)
{
    double sum = 0.0, all = 0.0;
    memset(p->y, 0, sizeof p->y);
    memset(p->n, 0, sizeof p->n);
    p->min = INFINITY;
    for (size_t b = 0; b < blocks; b++)
        all += n ? n[b] : 1.0;
    for (size_t b = 0; b < blocks && all > 0.0;
         b++) { /* the piece that contains the middle of the block */
        double part = n ? n[b] : 1.0;
        size_t k = (size_t)(DRIFT_PIECES * (sum + 0.5 * part) / all);
        k = k < DRIFT_PIECES ? k : DRIFT_PIECES - 1;
        p->y[k] += y[b];
        p->n[k] += part / all;
        sum += part;
    }
    for (size_t k = 0; k < DRIFT_PIECES; k++) {
        if (p->n[k] == 0.0)
            return false;
        p->y[k] /= p->n[k] * all;
        p->min = fmin(p->min, p->y[k]);
    }
    for (size_t k = 0; k < DRIFT_PIECES; k++)
        p->value[k] = square && p->min > 0.0 ? cbrt(p->y[k]) : p->y[k];
    return true;
}

void drift_find(struct drift *d, size_t blocks, const double *y, const double *n, bool square)
{
    struct pieces p = {.item = 0};
    find(d, &p, cut_up(&p, blocks, y, n, square));
}

/* Tests rows together and replaces *d if the probability times `tests` is lower. */
static void choose(struct drift *d, const struct pieces *p, size_t rows, size_t tests)
{
    struct drift new;
    find(&new, p, rows);
    new.chance = fmin(1.0, new.chance *(double)tests);
    if (new.chance < d->chance)
        *d = new;
}

bool drift_print(const struct drift *d, const char *what, char *text, size_t size)
{
    *text = '\0';
    if (!(d->chance < DRIFT_CHANCE))
        return false;
    char others[64] = "";
    if (d->rows > 1)
        snprintf(others, sizeof others, ", the largest change of %zu values", d->rows);
    snprintf(text, size,
             "%s is %.5g in the first %.0f %% of the run and %.5g in the rest, a change of %.2g "
             "standard errors%s. The results and their errors do not describe one state of "
             "equilibrium (if the run began before equilibrium, omit the beginning with --from in "
             "the program that reads the trajectory or series)",
             what, d->before, 100.0 * d->part, d->after, fabs(d->t), others);
    return true;
}

void drift_means(struct drift *d, size_t steps, size_t columns, const double *v, const bool *use)
{
    struct pieces *p = malloc((columns + 1) * sizeof *p);
    size_t n = 0;
    *d = (struct drift){.chance = 1.0};
    for (size_t c = 0; p && c < columns; c++) {
        p[n].item = c;
        n += (!use || use[c]) && cut_up(&p[n], steps, v + c * steps, NULL, false);
    }
    for (size_t i = 0; i < n; i++)
        choose(d, p + i, 1, n > 1 ? 2 * n : 1);
    choose(d, p, n > 1 ? n : 0, 2);
    free(p);
}

/* A CORR segment. The tested items are functions of rows, if the axis is not time, or else of
 * components in row `at`. */
struct table {
    const struct meta *m;
    const char *axis; /* NULL: time */
    size_t blocks, rows, ncomp, nf, at;
    const uint64_t *counts;
    const double *sums;
    double *y, *n; /* [blocks] sums and counts of a function of an item */
    bool square;
};

/* Adds function f of row or component k to t->y and t->n. */
static void take(const struct table *t, size_t k, size_t f)
{
    for (size_t b = 0; b < t->blocks; b++) {
        size_t row = b * t->rows + (t->axis ? k : t->at);
        t->y[b] += t->sums[(row * t->ncomp + (t->axis ? 0 : k)) * t->nf + f];
        t->n[b] += (double)t->counts[row];
    }
}

/* Takes only function f of row or component k, and returns its mean. */
static double take_only(const struct table *t, size_t k, size_t f)
{
    double y = 0.0, n = 0.0;
    memset(t->y, 0, t->blocks * sizeof *t->y);
    memset(t->n, 0, t->blocks * sizeof *t->n);
    take(t, k, f);
    for (size_t b = 0; b < t->blocks; b++) {
        y += t->y[b];
        n += t->n[b];
    }
    return n > 0.0 ? y / n : -INFINITY;
}

static size_t largest(const struct table *t, size_t items, size_t f)
{
    size_t best = 0;
    for (size_t k = 1; k < items; k++)
        if (take_only(t, k, f) > take_only(t, best, f))
            best = k;
    return best;
}

/* Describes function f of row or component k. */
static void describe(const struct table *t, size_t k, size_t f, char *text, size_t size)
{
    char word[SERIES_WORD] = "", of[SERIES_WORD] = "";
    const char *list = meta_get(t->m, "data.component");
    char *q = (char *)meta_get(t->m, "data.axis2.values");
    double value = t->axis ? take_only(t, k, 0) : NAN;
    for (size_t i = 0; q && i <= k; i++)
        value = strtod(q, &q);
    (void)series_word(series_functions(t->m), f, word, sizeof word);
    if (list && t->ncomp > 1)
        (void)series_word(list, k, of, sizeof of);
    if (t->axis && *t->axis == 'l')
        snprintf(text, size, "the mean of %s_l for l = %.3g", word, value);
    else if (t->axis || q)
        snprintf(text, size, "%s(%s) at q = %.3g 1/A", word, q ? "q,0" : "q", value);
    else
        snprintf(text, size, "%s%s%s%s", word, *of ? "_" : "", of, t->at ? " at lag 1" : "(0)");
}

/* Tests the functions from `first` on of all items together. Also tests the functions of item
 * `only`, or of all items if there is no such item, one at a time or, for g4-cpu(1), the mean of G2
 * over all components. */
static bool find_table(const struct table *t, size_t items, size_t first, size_t only, char *text,
                       size_t size)
{
    char what[WHAT] = "";
    size_t n = 0, tests = 0, nf = t->nf - first;
    struct pieces *p = malloc((items * nf + 1) * sizeof *p);
    struct drift d = {.chance = 1.0};
    bool g4 = !t->axis && series_word(series_functions(t->m), 1, what, SERIES_WORD) == 1 &&
              strcmp(what, "G2") == 0;
    for (size_t k = 0; p && k < items * nf; k++) {
        (void)take_only(t, k / nf, first + k % nf);
        p[n].item = k;
        if (cut_up(&p[n], t->blocks, t->y, t->n, t->square)) {
            tests += only == items || k / nf == only;
            n++;
        }
    }
    for (size_t i = 0; i < n && !g4; i++)
        if (only == items || p[i].item / nf == only)
            choose(&d, p + i, 1, tests * (n > 1 ? 2 : 1));
    choose(&d, p, n > 1 ? n : 0, 2);
    if (d.chance < 1.0)
        describe(t, d.row / nf, first + d.row % nf, what, sizeof what);
    if (n && g4) {
        double chance = d.chance;
        (void)take_only(t, 0, 1);
        for (size_t k = 1; k < items; k++)
            take(t, k, 1);
        choose(&d, p, cut_up(p, t->blocks, t->y, t->n, true), 2);
        if (d.chance < chance)
            snprintf(what, sizeof what, "G2(0)");
    }
    free(p);
    return drift_print(&d, what, text, size);
}

bool drift_corr(const struct meta *m, size_t blocks, size_t rows, size_t ncomp, size_t nfunctions,
                const uint64_t *counts, const double *sums, char *text, size_t size)
{
    const char *is = meta_get(m, "data.quantity"), *axis = meta_get(m, "data.axis");
    struct table t = {m, axis, blocks, rows, ncomp, nfunctions, .counts = counts, .sums = sums};
    bool orders = axis && strcmp(axis, "l") == 0, changed = false;
    size_t items = axis ? rows : ncomp;
    t.at = is && (strcmp(is, "mean-square-displacement") == 0 || strcmp(is, "reorientation") == 0);
    t.square = !orders;
    *text = '\0';
    if (axis ? nfunctions < 2 || (!orders && strcmp(axis, "q_A-1") != 0) : t.at >= rows)
        return false;
    t.y = calloc(2 * blocks + 1, sizeof *t.y);
    t.n = t.y ? t.y + blocks : NULL;
    if (t.y && items)
        changed = find_table(&t, items, axis != NULL,
                             orders                              ? items - 1
                             : axis || meta_get(m, "data.axis2") ? largest(&t, items, axis != NULL)
                                                                 : items,
                             text, size);
    free(t.y);
    return changed;
}

bool drift_hist(const struct meta *m, size_t blocks, size_t npairs, size_t bins,
                const uint64_t *counts, const double *steps, size_t stride, char *text, size_t size)
{
    const char *list = meta_get(m, "data.pairs");
    char what[WHAT] = "the sum of r^-12 over pairs, A^-12,", word[SERIES_WORD] = "";
    size_t groups = bins < GROUPS ? bins : GROUPS, n = 0;
    double rmax, *y = calloc((npairs * groups + 2) * blocks + 1, sizeof *y);
    struct pieces *p = malloc((npairs * groups + 1) * sizeof *p);
    struct drift d = {.chance = 1.0};
    *text = '\0';
    if (!y || !p || meta_get(m, "data.lags") || meta_get_f64(m, "data.rmax", &rmax, 1) != 1) {
        free(y);
        free(p);
        return false;
    }
    double *all = y + npairs * groups * blocks, *one = all + blocks;
    for (size_t b = 0; b < blocks; b++) {
        for (size_t k = 0; k < npairs * bins; k++) {
            double c = (double)counts[b * npairs * bins + k];
            all[b] += c * pow(((double)(k % bins) + 0.5) * rmax / (double)bins, -12.0);
            y[(k / bins * groups + k % bins * groups / bins) * blocks + b] += c;
        }
        one[b] = steps[b * stride];
    }
    p->item = npairs * groups;
    choose(&d, p, cut_up(p, blocks, all, one, false), 2);
    for (size_t k = 0; k < npairs * groups; k++) {
        p[n].item = k;
        n += cut_up(&p[n], blocks, y + k * blocks, one, false) && p[n].min > 0.0;
    }
    choose(&d, p, n, 2);
    if (d.row < npairs * groups) {
        size_t pair = d.row / groups;
        double r = rmax * ((double)(d.row % groups) + 0.5) / (double)groups;
        if (npairs > 1 && list)
            (void)series_word(list, pair, word, sizeof word);
        snprintf(what, sizeof what, "the mean number of pairs%s%s at r = %.3g A", *word ? " " : "",
                 word, r);
    }
    free(y);
    free(p);
    return drift_print(&d, what, text, size);
}
