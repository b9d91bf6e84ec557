/* SPDX-License-Identifier: MIT */
#include "fqt/fqt_products.h"

#include <fftw3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static fftw_plan plan(size_t m, double *x)
{
    fftw_iodim dim = {.n = (int)m, .is = 1, .os = 1};
    /* ESTIMATE, so that the same input gives the same algorithm and the same bits */
    return fftw_plan_guru_split_dft(1, &dim, 0, NULL, x, x + m, x + 2 * m, x + 3 * m,
                                    FFTW_ESTIMATE | FFTW_UNALIGNED);
}

int fqt_products_open(struct fqt_products *p, size_t n, size_t lags)
{
    *p = (struct fqt_products){.n = n, .m = 2 * n, .lags = lags, .reach = (lags + n - 1) / n};
    p->add = SIMD_PICK(fqt_multiply);
    double *x = p->m <= INT32_MAX ? fftw_malloc(4 * p->m * sizeof *x) : NULL;
    p->forth = x ? plan(p->m, x) : NULL;
    fftw_free(x);
    return p->forth ? 0 : -1;
}

void fqt_products_close(struct fqt_products *p)
{
    if (p->forth)
        fftw_destroy_plan(p->forth);
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

void fqt_products_forth(const struct fqt_products *p, const double *in, double *out)
{
    fftw_execute_split_dft(p->forth, (double *)in, (double *)in + p->m, out, out + p->m);
}

void fqt_products_add(const struct fqt_products *p, const double *a, const double *b, double *to)
{
    size_t one = 2 * p->m;
    for (size_t c = 0; c < p->origins; c++)
        for (size_t k = p->first[c], j = c; k < p->first[c + 1]; k++, j++)
            p->add(p->m, a + c * one, b + j * one, to + k * one);
}

void fqt_products_lags(const struct fqt_products *p, const double *sums, size_t c, double scale,
                       double *scratch, double *out, size_t stride)
{
    size_t one = 2 * p->m;
    double *x = scratch, *y = scratch + one;
    for (size_t j = 0; j * p->n < p->lags; j++) {
        size_t at = p->first[c] + j, from = j * p->n,
               n = p->lags - from < p->n ? p->lags - from : p->n;
        bool here = at < p->first[c + 1], behind = at + 1 < p->first[c + 1];
        for (size_t k = 0; k < p->m; k++) {
            double sign = behind ? (k % 2 ? -1.0 : 1.0) : 0.0;
            const double *a = sums + at * one + k, *b = behind ? a + one : a;
            /* swapped: the transform of what is swapped is the inverse, swapped */
            x[k] = here ? a[p->m] + sign * b[p->m] : 0.0;
            x[p->m + k] = here ? a[0] + sign * b[0] : 0.0;
        }
        if (here)
            fqt_products_forth(p, x, y);
        for (size_t k = 0; k < n; k++)
            out[(from + k) * stride] = here ? y[p->m + k] * (scale / (double)p->m) : 0.0;
    }
}
