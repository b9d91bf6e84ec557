/* SPDX-License-Identifier: MIT */
#include "motion/lags.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "base/memory.h"
#include "motion/lags_tile.h"

#define BATCH_BYTES ((size_t)24 << 20) /* spectra kept before they are multiplied */
#define BATCH_MAX 64                   /* complex series in a batch (larger ones do not help) */

struct lags {
    struct lags_setup s;
    size_t blocks, pieces; /* requested blocks, and pieces in their reach */
    size_t depth;          /* pieces in the reach of one block, including itself */
    size_t width;          /* capacity in pieces, which is odd for the sets of a cache */
    size_t m, tiles;       /* length of a transform, and tiles of frequencies 0 to m/2 */
    size_t batch;          /* complex series per batch */
    size_t capacity;       /* complex numbers in the scratch memory of a thread */
    fftw_complex
        *scratch; /* [threads][capacity]: a piece, and its spectrum after LAGS_TILE zeros */
    fftw_plan forth, back;
    lags_tile *z;     /* [tiles][2 batch][width]: spectra of real series */
    lags_tile *sum;   /* [tiles][blocks][depth] */
    double *square;   /* [batch][steps in reach] squares */
    double *squares;  /* squares, summed over the series */
    uint64_t at, end; /* range of steps in reach */
    void (*products)(size_t, size_t, size_t, size_t, size_t, const lags_tile *, lags_tile *);
    /* members of the present call */
    lags_fill *fill;
    void *ctx;
    size_t first, n; /* series in the batch */
    double scale, *to;
    size_t stride;
};

/* ---- blocks */

void lags_blocks(struct stats_blocks *b, size_t want, size_t lags, size_t row)
{
    size_t doubles;
    if (__builtin_mul_overflow(lags, row, &doubles))
        doubles = SIZE_MAX / sizeof(double);
    if (want)
        stats_blocks_init(b, stats_blocks_max(want), doubles, 0);
    else
        stats_blocks_init_levels(b, lags / 64 + 1, doubles, 0);
}

uint64_t *lags_bounds(const struct stats_blocks *b, uint64_t samples, size_t want)
{
    uint64_t *bound = malloc((want + 1) * sizeof *bound);
    for (size_t k = 0; bound && k <= want; k++)
        bound[k] = stats_blocks_bound(b, samples, want, k);
    return bound;
}

/* Returns the index of the first boundary at or after `step`. */
static size_t piece_end(const uint64_t *bound, size_t blocks, uint64_t step)
{
    size_t k = 0;
    while (k < blocks && bound[k] < step)
        k++;
    return k;
}

uint64_t lags_end(const uint64_t *bound, size_t blocks, size_t to, size_t lags)
{
    return bound[piece_end(bound, blocks, bound[to] + lags - 1)];
}

/* ---- a run */

/* Computes the sizes for the whole run, so that part K of N uses the same transforms. */
static void measure(struct lags *l, const struct lags_setup *s)
{
    size_t all = s->from, longest = 1;
    while (s->bound[all] < s->steps)
        all++;
    l->s = *s;
    l->blocks = s->to - s->from;
    if (!l->blocks) /* this is part K of N, without blocks */
        return;
    l->pieces = piece_end(s->bound, all, s->bound[s->to] + s->lags - 1) - s->from;
    for (size_t b = 0; b < all; b++) {
        size_t n = (size_t)(s->bound[b + 1] - s->bound[b]);
        longest = n > longest ? n : longest;
    }
    for (size_t b = s->from; b < s->to; b++) {
        size_t n = piece_end(s->bound, all, s->bound[b + 1] + s->lags - 1) - b;
        l->depth = n > l->depth ? n : l->depth;
    }
    l->m = fft_size(2 * longest);
    l->tiles = l->m / 2 / LAGS_TILE + 1;
    l->capacity = 2 * ((l->m / LAGS_TILE + 3) * LAGS_TILE);
    l->at = s->bound[s->from];
    l->end = s->bound[s->from + l->pieces];
    l->width = l->pieces | 1;
    size_t one = 2 * l->tiles * l->width * sizeof *l->z, max = BATCH_BYTES;
    max = s->max_mem && s->max_mem / 8 < max ? (size_t)(s->max_mem / 8) : max;
    l->batch = one < max ? max / one : 1;
    l->batch = l->batch < BATCH_MAX ? l->batch : BATCH_MAX;
    l->batch = l->batch < s->pairs ? l->batch : s->pairs;
}

static double bytes(const struct lags *l)
{
    double tile = sizeof(lags_tile), tiles = (double)l->tiles;
    double squares =
        l->s.kind == LAGS_SQUARE ? 8.0 * (double)(l->batch + 1) * (double)(l->end - l->at) : 0.0;
    return tile * tiles * (double)l->width * 2.0 * (double)l->batch +
           tile * tiles * (double)l->blocks * (double)l->depth + squares +
           16.0 * (double)l->capacity * pool_threads(l->s.pool);
}

double lags_bytes(const struct lags_setup *s)
{
    struct lags l = {0};
    measure(&l, s);
    return bytes(&l);
}

/* Returns the place of the spectrum of a piece. Before it and after it, there are at least
 * LAGS_TILE finite numbers. */
static fftw_complex *spectrum(const struct lags *l, fftw_complex *piece)
{
    return piece + l->capacity / 2 + LAGS_TILE;
}

static int allocate(struct lags *l, struct err *e)
{
    size_t threads = (size_t)pool_threads(l->s.pool), reached = (size_t)(l->end - l->at);
    if (l->m > INT32_MAX)
        return err_bad(e, "blocks of %zu steps are too long for one FFT", l->m / 2);
    if (err_over(e, bytes(l), l->s.max_mem, "fewer --lags or --method window",
                 "transforms of %zu points, %zu blocks of %zu lags", l->m, l->blocks, l->s.lags))
        return -1;
    size_t spectra = 2 * l->tiles * l->batch * l->width;
    l->scratch = fftw_malloc(threads * l->capacity * sizeof *l->scratch);
    l->z = fftw_malloc(spectra * sizeof *l->z);
    l->sum = fftw_malloc(l->tiles * l->blocks * l->depth * sizeof *l->sum);
    if (l->s.kind == LAGS_SQUARE) {
        l->square = malloc(l->batch * reached * sizeof *l->square);
        l->squares = malloc(reached * sizeof *l->squares);
    }
    if (!l->scratch || !l->z || !l->sum ||
        (l->s.kind == LAGS_SQUARE && (!l->square || !l->squares)))
        return err_memory(e, "transforms");
    memset(l->scratch, 0, threads * l->capacity * sizeof *l->scratch);
    memory_large_pages(l->z, spectra * sizeof *l->z);
    memory_large_pages(l->sum, l->tiles * l->blocks * l->depth * sizeof *l->sum);
    fftw_complex *to = spectrum(l, l->scratch);
    l->forth = fftw_plan_dft_1d((int)l->m, l->scratch, to, FFTW_FORWARD, FFTW_ESTIMATE);
    l->back = fftw_plan_dft_1d((int)l->m, to, l->scratch, FFTW_BACKWARD, FFTW_ESTIMATE);
    return l->forth && l->back ? 0 : err_memory(e, "transforms");
}

struct lags *lags_open(const struct lags_setup *s, struct err *e)
{
    struct lags *l = calloc(1, sizeof *l);
    if (!l) {
        err_memory(e, "transforms");
        return NULL;
    }
    measure(l, s);
    l->products = SIMD_PICK(lags_products);
    if (l->blocks && allocate(l, e) != 0) {
        lags_close(l);
        return NULL;
    }
    return l;
}

void lags_close(struct lags *l)
{
    if (!l)
        return;
    fftw_destroy_plan(l->forth);
    fftw_destroy_plan(l->back);
    fftw_free(l->scratch);
    fftw_free(l->z);
    fftw_free(l->sum);
    free(l->square);
    free(l->squares);
    free(l);
}

/* Transforms piece b of complex series a of the batch to the spectra of two real series. */
static void transform(void *ctx, size_t k, int thread)
{
    const struct lags *l = ctx;
    size_t a = k % l->n, b = k / l->n; /* neighbouring series are stored together */
    uint64_t from = l->s.bound[l->s.from + b], to = l->s.bound[l->s.from + b + 1];
    size_t n = (size_t)(to - from);
    fftw_complex *z = l->scratch + (size_t)thread * l->capacity;
    l->fill(l->ctx, l->first + a, from, to, z);
    if (l->s.kind == LAGS_SQUARE) {
        double *q = l->square + a * (size_t)(l->end - l->at) + (size_t)(from - l->at);
        for (size_t t = 0; t < n; t++)
            q[t] = z[t][0] * z[t][0] + z[t][1] * z[t][1];
    }
    fftw_complex *of = spectrum(l, z);
    memset(z + n, 0, (l->m - n) * sizeof *z);
    fftw_execute_dft(l->forth, z, of);
    memcpy(of + l->m, of, sizeof *of);
    SIMD_PICK(lags_scatter)
    (of, l->m, l->tiles, 2 * l->batch * l->width, l->width, l->z + 2 * a * l->width + b);
}

static void multiply(void *ctx, size_t t, int thread)
{
    const struct lags *l = ctx;
    (void)thread;
    l->products(2 * l->n, l->width, l->pieces, l->blocks, l->depth,
                l->z + t * 2 * l->batch * l->width, l->sum + t * l->blocks * l->depth);
}

static void add_squares(void *ctx, size_t from, size_t to, int thread)
{
    const struct lags *l = ctx;
    size_t reached = (size_t)(l->end - l->at);
    (void)thread;
    for (size_t a = 0; a < l->n; a++)
        for (size_t t = from; t < to; t++)
            l->squares[t] += l->square[a * reached + t];
}

void lags_begin(struct lags *l)
{
    if (!l->blocks)
        return;
    memset(l->sum, 0, l->tiles * l->blocks * l->depth * sizeof *l->sum);
    if (l->squares)
        memset(l->squares, 0, (size_t)(l->end - l->at) * sizeof *l->squares);
}

void lags_add(struct lags *l, size_t pairs, lags_fill *fill, void *ctx)
{
    l->fill = fill;
    l->ctx = ctx;
    for (l->first = 0; l->blocks && l->first < pairs; l->first += l->n) {
        l->n = pairs - l->first < l->batch ? pairs - l->first : l->batch;
        pool_run(l->s.pool, transform, l, l->n * l->pieces);
        pool_run(l->s.pool, multiply, l, l->tiles);
        if (l->squares)
            pool_pieces(l->s.pool, add_squares, l, (size_t)(l->end - l->at), 2048);
    }
}

/* Adds v to a sum, and adds the rounding error to the second part of the sum. */
static void add_exactly(double sum[2], double v)
{
    double s = sum[0] + v, back = s - sum[0];
    sum[1] += (sum[0] - (s - back)) + (v - back);
    sum[0] = s;
}

/* Adds S1 of block b. As the lag grows, values at one end are subtracted from exact sums, and
 * values at the other end are added. */
static void put_squares(const struct lags *l, size_t b, double *to)
{
    const uint64_t *bound = l->s.bound + l->s.from + b;
    const double *q = l->squares;
    uint64_t first = bound[0] - l->at, last = bound[1] - l->at, steps = l->s.steps - l->at;
    double now[2] = {0}, later[2] = {0};
    for (uint64_t t = first; t < last; t++) {
        add_exactly(now, q[t]);
        add_exactly(later, q[t]);
    }
    for (size_t k = 0; k < l->s.lags && first + k < steps; k++) {
        if (k) {
            add_exactly(later, -q[first + k - 1]);
            if (last + k <= steps)
                add_exactly(later, q[last + k - 1]);
            else
                add_exactly(now, -q[steps - k]);
        }
        to[k * l->stride] += l->scale * ((now[0] + later[0]) + (now[1] + later[1]));
    }
}

/* Transforms block b from spectra to lags. */
static void put_block(void *ctx, size_t b, int thread)
{
    const struct lags *l = ctx;
    const uint64_t *bound = l->s.bound + l->s.from + b;
    fftw_complex *lag = l->scratch + (size_t)thread * l->capacity, *z = spectrum(l, lag);
    double *to = l->to + b * l->s.lags * l->stride,
           by = l->scale * (l->s.kind == LAGS_SQUARE ? -0.5 : 0.25) / (double)l->m;
    for (size_t k = 0; k < l->s.lags; k++)
        to[k * l->stride] = 0.0;
    for (size_t d = 0; d < l->depth && b + d < l->pieces; d++) {
        const lags_tile *in = l->sum + b * l->depth + d;
        for (size_t t = 0; t < l->tiles; t++, in += l->blocks * l->depth)
            for (int f = 0; f < LAGS_TILE; f++) {
                z[t * LAGS_TILE + (size_t)f][0] = (*in)[0][f];
                z[t * LAGS_TILE + (size_t)f][1] = (*in)[1][f];
            }
        for (size_t f = 1; f <= l->m / 2; f++) { /* the series are real */
            z[l->m - f][0] = z[f][0];
            z[l->m - f][1] = -z[f][1];
        }
        fftw_execute_dft(l->back, z, lag);
        int64_t far = (int64_t)(bound[d] - bound[0]), own = (int64_t)(bound[1] - bound[0]),
                other = (int64_t)(bound[d + 1] - bound[d]);
        for (int64_t shift = d ? 1 - own : 0; shift < other; shift++)
            if (far + shift < (int64_t)l->s.lags)
                to[(size_t)(far + shift) * l->stride] +=
                    by * lag[shift < 0 ? (size_t)(shift + (int64_t)l->m) : (size_t)shift][0];
    }
    if (l->squares) {
        put_squares(l, b, to);
        to[0] = 0.0; /* exact value */
    }
}

void lags_put(struct lags *l, double scale, double *sums, size_t stride)
{
    l->scale = scale;
    l->to = sums;
    l->stride = stride;
    pool_run(l->s.pool, put_block, l, l->blocks);
}
