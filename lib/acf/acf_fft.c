/* SPDX-License-Identifier: MIT */
#include "acf/acf.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "base/pool.h"
#include "stats/blocks.h"
#include "stats/series.h"

/* ---- a series ---- */

char (*acf_names(const struct meta *m, size_t *n, struct err *e))[48]
{
    const char *list = meta_get(m, "data.columns"), *is = meta_get(m, "data.quantity"),
               *found = list ? list
                        : is ? is
                             : "none";
    char word[SERIES_NAME], (*name)[48] = NULL;
    int rc;
    for (*n = 0; (rc = series_word(list ? list : "", *n, word, sizeof word)) > 0;)
        ++*n;
    if (rc < 0 || *n == 0)
        err_bad(
            e,
            "expected a time series (SERI) whose header names its columns (data.columns), found %s",
            found);
    else if (!(name = calloc(*n, sizeof *name)))
        err_memory(e, "the names of columns");
    for (size_t c = 0; name && c < *n; c++)
        (void)series_word(list, c, name[c], sizeof name[c]);
    return name;
}

int acf_grow(struct acf_series *s, size_t *capacity, size_t need, uint64_t max_mem,
             const char *what, struct err *e)
{
    size_t more = need + need / 2, bytes;
    double *v = NULL;
    if (need <= *capacity)
        return 0;
    if (__builtin_mul_overflow(more, s->columns * sizeof *v, &bytes))
        bytes = SIZE_MAX;
    if (err_over(e, (double)bytes, max_mem, NULL, "%zu steps of %zu %s", need, s->columns, what))
        return -1;
    if (bytes == SIZE_MAX || !(v = malloc(bytes)))
        return err_memory(e, "the series");
    for (size_t c = 0; c < s->columns && s->steps; c++)
        memcpy(v + c * more, s->v + c * *capacity, s->steps * sizeof *v);
    free(s->v);
    s->v = v;
    *capacity = more;
    return 0;
}

void acf_pack(struct acf_series *s, size_t capacity)
{
    for (size_t c = 1; c < s->columns; c++)
        memmove(s->v + c * s->steps, s->v + c * capacity, s->steps * sizeof *s->v);
}

/* ---- which pairs ---- */

static size_t acf_column(const struct acf_series *s, const char *name, size_t len)
{
    size_t c = 0;
    while (c < s->columns && (strlen(s->name[c]) != len || memcmp(s->name[c], name, len) != 0))
        c++;
    return c;
}

/* Parses one item of the list. Returns the number of ways to read it. */
static int acf_item(const struct acf_series *s, const char *text, size_t len, struct acf_pair *p)
{
    int ways = 0;
    size_t whole = acf_column(s, text, len);
    if (whole < s->columns) {
        *p = (struct acf_pair){whole, whole};
        ways++;
    }
    for (size_t k = 1; k + 1 < len; k++) {
        if (text[k] != '-')
            continue;
        size_t a = acf_column(s, text, k), b = acf_column(s, text + k + 1, len - k - 1);
        if (a < s->columns && b < s->columns) {
            *p = (struct acf_pair){a, b};
            ways++;
        }
    }
    return ways;
}

int acf_pairs(const struct acf_series *s, const char *list, struct acf_pair *pair, size_t max,
              struct err *e)
{
    size_t n = 0;
    if (!list) {
        if (s->columns > max)
            return err_bad(e,
                           "expected at most %zu columns, found %zu (choose pairs with --pairs, or "
                           "use --average)",
                           max, s->columns);
        for (; n < s->columns; n++)
            pair[n] = (struct acf_pair){n, n};
        return (int)n;
    }
    while (*list) {
        size_t len = strcspn(list, ",");
        if (n == max)
            return err_bad(e, "--pairs: expected at most %zu pairs, found more", max);
        int ways = acf_item(s, list, len, &pair[n++]);
        const char *why = ways ? "is ambiguous" : "is neither a column nor a pair A-B of columns";
        if (ways != 1)
            return err_bad(e, "--pairs: '%.*s' %s", (int)(len < 200 ? len : 200), list, why);
        for (size_t k = 0; k + 1 < n; k++)
            if (pair[k].a == pair[n - 1].a && pair[k].b == pair[n - 1].b)
                return err_bad(e, "--pairs: '%.*s' is given twice", (int)(len < 200 ? len : 200),
                               list);
        list += len + (list[len] == ',');
    }
    return n ? (int)n : err_bad(e, "--pairs: expected at least one pair, found none");
}

/* ---- the functions ---- */

struct acf_work {
    const struct acf_series *s;
    const struct acf_params *p;
    const uint64_t *bound; /* [blocks + 1] */
    size_t m;              /* length of a transform */
    double *x;             /* [threads][m] */
    fftw_complex *z;       /* [threads][2][m/2 + 1] */
    fftw_plan forth, back;
    double *sums;
};

/* Computes task k, which is one block and one pair. The time origins are the steps [from, to) of
 * `a`. Each origin is paired with the values of `b` from there to the largest lag. */
static void acf_task(void *ctx, size_t k, int thread)
{
    const struct acf_work *w = ctx;
    size_t block = k / w->p->npairs, pair = k % w->p->npairs, lags = w->p->lags,
           bins = w->m / 2 + 1;
    size_t from = (size_t)w->bound[block], to = (size_t)w->bound[block + 1], last = to + lags - 1;
    const double *a = w->s->v + w->p->pair[pair].a * w->s->steps;
    const double *b = w->s->v + w->p->pair[pair].b * w->s->steps;
    double *x = w->x + (size_t)thread * w->m;
    fftw_complex *za = w->z + 2 * (size_t)thread * bins, *zb = za + bins;
    last = last < w->s->steps ? last : w->s->steps;

    memcpy(x, a + from, (to - from) * sizeof *x);
    memset(x + (to - from), 0, (w->m - (to - from)) * sizeof *x);
    fftw_execute_dft_r2c(w->forth, x, za);
    memcpy(x, b + from, (last - from) * sizeof *x);
    memset(x + (last - from), 0, (w->m - (last - from)) * sizeof *x);
    fftw_execute_dft_r2c(w->forth, x, zb);
    for (size_t j = 0; j < bins; j++) { /* conj(a) b */
        double re = za[j][0] * zb[j][0] + za[j][1] * zb[j][1];
        zb[j][1] = za[j][0] * zb[j][1] - za[j][1] * zb[j][0];
        zb[j][0] = re;
    }
    fftw_execute_dft_c2r(w->back, zb, x);
    for (size_t l = 0; l < lags; l++)
        w->sums[(block * lags + l) * w->p->npairs + pair] = x[l] / (double)w->m;
}

void acf_centre(double *v, size_t n)
{
    double mean = 0.0, rest = 0.0; /* rest: part that the first sum lost by rounding */
    for (size_t t = 0; t < n; t++)
        mean += v[t];
    mean /= (double)n;
    for (size_t t = 0; t < n; t++)
        rest += v[t] - mean;
    mean += rest / (double)n;
    for (size_t t = 0; t < n; t++)
        v[t] -= mean;
}

static void acf_blocks_init(struct stats_blocks *b, const struct acf_params *p)
{
    if (p->min)
        stats_blocks_init_levels(b, p->min, p->lags * (p->row ? p->row : p->npairs), 0);
    else
        stats_blocks_init(b, stats_blocks_max(p->blocks), 0, 0);
    b->row = 0;
}

void acf_blocks(const struct acf_series *s, struct acf_params *p)
{
    struct stats_blocks b;
    p->min = p->lags / 24 + 1;
    acf_blocks_init(&b, p);
    stats_blocks_settle(&b, s->steps);
    p->blocks = stats_blocks_taken(&b, s->steps);
}

/* Returns the first origin of each block and the length of the longest block. */
static size_t acf_bounds(const struct acf_series *s, const struct acf_params *p, uint64_t *bound)
{
    struct stats_blocks b;
    size_t longest = 0, blocks = p->blocks;
    acf_blocks_init(&b, p);
    if (stats_blocks_reach(&b, s->steps))
        return 0;
    for (size_t k = 0; k <= blocks; k++) {
        bound[k] = stats_blocks_bound(&b, s->steps, blocks, k);
        if (k && bound[k] - bound[k - 1] > longest)
            longest = (size_t)(bound[k] - bound[k - 1]);
    }
    stats_blocks_free(&b);
    return longest;
}

int acf_compute(struct acf_series *s, const struct acf_params *p, uint64_t *counts, double *sums,
                struct err *e)
{
    struct acf_work w = {.s = s, .p = p, .sums = sums};
    uint64_t *bound = malloc((p->blocks + 1) * sizeof *bound);
    size_t longest = bound ? acf_bounds(s, p, bound) : 0;
    struct pool *pool = longest ? pool_new(p->threads) : NULL;
    size_t threads = pool ? (size_t)pool_threads(pool) : 1;
    int rc = 0;
    w.bound = bound;
    w.m = fft_size(longest + p->lags); /* may be even or odd */
    double need = (double)threads * (8.0 * (double)w.m + 16.0 * ((double)w.m + 2.0));
    if (!pool)
        rc = err_memory(e, "threads and blocks");
    else if (err_over(e, need, p->max_mem, "fewer --threads or --lags",
                      "transforms of %zu points on %zu threads", w.m, threads))
        rc = -1;
    else if (w.m > INT32_MAX)
        rc = err_bad(e,
                     "a block of %zu steps with %zu lags is too long for one FFT (use more "
                     "--blocks or fewer --lags)",
                     longest, p->lags);
    else if (!(w.x = fftw_malloc(threads * w.m * sizeof *w.x)) ||
             !(w.z = fftw_malloc(threads * 2 * (w.m / 2 + 1) * sizeof *w.z)) ||
             !(w.forth =
                   fftw_plan_dft_r2c_1d((int)w.m, w.x, w.z, FFTW_ESTIMATE | FFTW_UNALIGNED)) ||
             !(w.back = fftw_plan_dft_c2r_1d((int)w.m, w.z, w.x, FFTW_ESTIMATE | FFTW_UNALIGNED)))
        rc = err_memory(e, "transforms");
    else {
        for (size_t c = 0; p->subtract && c < s->columns; c++)
            acf_centre(s->v + c * s->steps, s->steps);
        stats_blocks_origins(bound, p->blocks, s->steps, p->lags, counts);
        pool_run(pool, acf_task, &w, p->blocks * p->npairs);
    }
    pool_free(pool);
    if (w.forth)
        fftw_destroy_plan(w.forth);
    if (w.back)
        fftw_destroy_plan(w.back);
    fftw_free(w.x);
    fftw_free(w.z);
    free(bound);
    return rc;
}
