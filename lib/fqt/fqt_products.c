/* SPDX-License-Identifier: MIT */
#include "fqt/fqt_products.h"

#include <stdlib.h>

int fqt_products_open(struct fqt_products *p, size_t n, size_t lags)
{
    *p = (struct fqt_products){.n = n,
                               .m = (2 * n + FQT_TILE - 1) / FQT_TILE * FQT_TILE,
                               .lags = lags,
                               .reach = (lags + n - 1) / n};
    p->add = SIMD_PICK(fqt_multiply);
    p->forth = fqt_transform_open(2 * n, p->m);
    return p->forth ? 0 : -1;
}

void fqt_products_close(struct fqt_products *p)
{
    fqt_transform_close(p->forth);
    free(p->first);
    *p = (struct fqt_products){0};
}

int fqt_products_steps(struct fqt_products *p, size_t steps, size_t origins)
{
    origins = origins < steps ? origins : steps;
    p->chunks = (steps + p->n - 1) / p->n;
    p->origins = (origins + p->n - 1) / p->n;
    free(p->first);
    if (!(p->first = malloc((p->origins + 1) * sizeof *p->first)))
        return -1;
    p->first[0] = 0;
    for (size_t c = 0; c < p->origins; c++) {
        size_t reach = p->chunks - c - 1;
        p->first[c + 1] = p->first[c] + 1 + (reach < p->reach ? reach : p->reach);
    }
    return 0;
}

size_t fqt_products_signal(const struct fqt_products *p)
{
    return p->chunks * 2 * p->m;
}

size_t fqt_products_all(const struct fqt_products *p)
{
    return p->first[p->origins] * 2 * p->m;
}

/* Sums are stored tile by tile, with all products of a tile together, so that a pass reads memory
 * in order. */
void fqt_products_add(const struct fqt_products *p, size_t signals, const double *a,
                      const double *b, size_t stride, double *to)
{
    size_t one = 2 * p->m;
    for (size_t at = 0; at < p->m; at += FQT_TILE)
        for (size_t c = 0; c < p->origins; c++)
            for (size_t k = p->first[c], j = c; k < p->first[c + 1]; k++, j++, to += 2 * FQT_TILE)
                p->add(p->m, signals, a + c * one + at, b + j * one + at, stride, to);
}

/* Copies product `at` to x[2][m]. If `next` is set, adds the next product with alternating signs.
 * Real and imaginary parts are swapped, because the transform of swapped input is the swapped
 * inverse transform. */
static void gather(const struct fqt_products *p, const double *sums, size_t at, bool next,
                   double *x)
{
    for (size_t k = 0; k < p->m; k += FQT_TILE) {
        const double *a = sums + (k / FQT_TILE * p->first[p->origins] + at) * 2 * FQT_TILE,
                     *b = a + 2 * FQT_TILE;
        for (size_t i = 0; i < FQT_TILE; i++) {
            double sign = i % 2 ? -1.0 : 1.0;
            x[k + i] = next ? a[FQT_TILE + i] + sign * b[FQT_TILE + i] : a[FQT_TILE + i];
            x[p->m + k + i] = next ? a[i] + sign * b[i] : a[i];
        }
    }
}

void fqt_products_lags(const struct fqt_products *p, const double *sums, size_t c, double scale,
                       double *scratch, double *out, size_t stride)
{
    double *x = scratch, *y = scratch + 2 * p->m, by = scale / (double)(2 * p->n);
    for (size_t j = 0; j * p->n < p->lags; j++) {
        size_t at = p->first[c] + j, from = j * p->n,
               n = p->lags - from < p->n ? p->lags - from : p->n;
        bool here = at < p->first[c + 1];
        if (here) {
            gather(p, sums, at, at + 1 < p->first[c + 1], x);
            fqt_transform_run(p->forth, x, y);
        }
        for (size_t k = 0; k < n; k++)
            out[(from + k) * stride] = here ? y[p->m + k] * by : 0.0;
    }
}
