/* SPDX-License-Identifier: MIT */
/* errors_column.c: computes the errors of a column and decides which rows have one. */
#include <math.h>
#include <stdlib.h>

#include "stats/errors.h"

#define PART_PRODUCT 0.5 /* prior probability that samples are products of normal variables */
#define PART_SQUARE 0.95 /* prior probability for squared differences, whose overlap is certain */
#define WINDOW 6.0       /* correlations are summed up to this number of correlation times */
#define BAND 0.1         /* width of a band of rows, as a fraction of the row */
#define BAND_END 0.2     /* largest width of a band of lags, as a fraction of the remaining lags */

/* ---- correlations of samples that follow from the values of a column (Isserlis' theorem) */

static double value(const struct errors_column *c, double lag)
{
    size_t k = (size_t)fabs(lag), last = c->rows - 1, half = last / 2;
    if (k <= last)
        return c->value[k * c->next];
    double end = c->value[last * c->next], middle = c->value[half * c->next],
           more = last ? (double)(k - last) / (double)(last - half) : 0.0;
    if (c->kind == ERRORS_SQUARE)
        return end + more * (end - middle);
    return end / middle > 0.0 && end / middle < 1.0 ? end * pow(end / middle, more) : 0.0;
}

/* Returns the covariance of samples with the lag `lag` whose time origins are k steps apart. */
static double covariance(const struct errors_column *c, double lag, double k)
{
    if (c->kind == ERRORS_PRODUCT)
        return value(c, k) * value(c, k) + value(c, k + lag) * value(c, k - lag);
    double x = 0.5 * (value(c, k + lag) + value(c, k - lag)) - value(c, k);
    return x * x;
}

/* Computes the correlations c[max] of blocks from those of samples. Returns their number. */
static size_t share(const struct errors_column *col, size_t lag, double *c, size_t max)
{
    double first = covariance(col, (double)lag, 0.0), tau = 0.5, own = first * col->block,
           before = INFINITY;
    size_t n = 0;
    for (size_t b = 0; b < max; b++)
        c[b] = 0.0;
    for (size_t k = 1; k < 2 * col->rows &&
                       ((double)k <= WINDOW * tau || (col->kind == ERRORS_SQUARE && k <= lag));
         k++) {
        double x = covariance(col, (double)lag, (double)k), at = (double)k / col->block;
        if (col->kind == ERRORS_SQUARE && k > lag && x > before)
            break;
        before = x;
        size_t b = (size_t)at;
        tau += x / first;
        if (b > 0 && b - 1 < max)
            c[b - 1] += x * col->block * (1.0 - (at - (double)b));
        if (b == 0)
            own += 2.0 * x * col->block * (1.0 - at);
        if (b < max)
            c[b] += x * col->block * (at - (double)b);
        n = b + 1 < max ? b + 1 : max;
    }
    for (size_t b = 0; b < n; b++)
        c[b] /= own;
    return n;
}

/* ---- bands of neighbouring rows */

struct band {
    double row; /* centre of the band */
    size_t rows;
    struct error e; /* error for deviations with a sum of squares of 1 */
};

/* Collects up to ERRORS_POOL rows of [from, to) that vary. Returns false if there is none. */
static bool band_make(struct errors *e, const struct errors_column *c, size_t from, size_t to,
                      double *shared, struct band *b)
{
    size_t step = (to - from + ERRORS_POOL - 1) / ERRORS_POOL, first = from, n = 0;
    for (size_t k = from; k < to; k += step) {
        double square = errors_square(e, c->dev + k * c->next, c->stride);
        if (square > 0.0 && isfinite(square)) {
            first = n ? first : k;
            n++;
        } else if (n) {
            break;
        }
    }
    if (!n)
        return false;
    b->row = (double)first + 0.5 * (double)((n - 1) * step);
    b->rows = to - from;
    e->nshared = 0;
    if (c->kind != ERRORS_PLAIN && c->block > 0.0) {
        errors_share(e, shared, share(c, (size_t)b->row, shared, e->blocks));
        e->part = c->kind == ERRORS_SQUARE ? PART_SQUARE : PART_PRODUCT;
        e->overlap = c->kind == ERRORS_SQUARE;
    }
    b->e = errors_pooled(
        e, &(struct errors_rows){c->dev + first * c->next, n, step * c->next, c->stride});
    errors_share(e, NULL, 0);
    e->overlap = false;
    return true;
}

/* Returns the number of bands with errors, which is all or none or, for lags, the first few. It
 * minimises the number of rows in which an error is given although it is unknown, or is missing
 * although it is known. */
static size_t cut(const struct band *b, size_t n, bool lags)
{
    size_t best = 0;
    double balance = 0.0, max = 0.0;
    for (size_t k = 0; k < n; k++) {
        balance += b[k].e.known ? (double)b[k].rows : -(double)b[k].rows;
        if (balance > max && (lags || k + 1 == n)) {
            max = balance;
            best = k + 1;
        }
    }
    return best;
}

static void fill(const struct errors *e, const struct errors_column *c, const struct band *b,
                 size_t n, size_t stated, struct error *out)
{
    for (size_t k = 0, at = 0; k < c->rows; k++) {
        double square = errors_square(e, c->dev + k * c->next, c->stride), row = (double)k;
        while (at + 1 < n && b[at + 1].row <= row)
            at++;
        out[k] =
            (struct error){square == 0.0 ? 0.0 : NAN, 0.0, n ? b[at].e.independent : 0.0, false};
        if (!(square > 0.0) || at >= stated)
            continue;
        double factor = log(b[at].e.se), part;
        if (row > b[at].row && at + 1 < stated) {
            part = (row - b[at].row) / (b[at + 1].row - b[at].row);
            factor += part * (log(b[at + 1].e.se) - factor);
        }
        out[k].se = sqrt(square) * exp(factor);
        out[k].dof = b[at].e.dof;
    }
}

/* Returns the error if the user set --blocks. Empty blocks have no deviation. */
static struct error as_wanted(const struct errors *e, const double *dev, size_t stride)
{
    struct error it = errors_of(e, dev, stride, NULL);
    size_t used = 0;
    for (size_t b = 0; b < e->blocks; b++)
        used += dev[b * stride] != 0.0;
    it.independent = (double)(used ? used : e->blocks);
    it.dof = it.independent - 1.0;
    return it;
}

int errors_column(const struct errors *how, const struct errors_column *c, struct error *out)
{
    struct errors own = *how, *e = &own;
    if (!e->levels) {
        for (size_t k = 0; k < c->rows; k++)
            out[k] = as_wanted(e, c->dev + k * c->next, c->stride);
        return errors_failed(e) ? -1 : 0;
    }
    struct band *b = malloc((c->rows + 1) * sizeof *b);
    double *shared = malloc((e->blocks + 1) * sizeof *shared);
    size_t n = 0, run = 0;
    for (size_t k = 0; k < e->nruns; k++)
        run = e->run[k] > run ? e->run[k] : run;
    for (size_t from = 0, to; b && shared && from < c->rows; from = to) {
        double width = BAND * (double)from, rest = (double)run * c->block - (double)from;
        to = from + 1 + (size_t)(c->lags ? fmin(width, BAND_END * fmax(rest, 0.0)) : width);
        to = to < c->rows ? to : c->rows;
        n += band_make(e, c, from, to, shared, &b[n]);
    }
    if (b && shared)
        fill(e, c, b, n, cut(b, n, c->lags), out);
    int rc = b && shared && !errors_failed(e) ? 0 : -1;
    free(b);
    free(shared);
    return rc;
}
