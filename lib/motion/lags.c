/* SPDX-License-Identifier: MIT */
#include "motion/lags.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "base/fft_size.h"
#include "base/memory.h"
#include "motion/lags_tile.h"

#define BATCH_BYTES ((size_t)8 << 20)  /* spectra per thread before they are multiplied */
#define BATCH_LIMIT ((size_t)24 << 20) /* spectra of all threads */
#define BATCH_MAX 64                   /* pairs of series in a batch (larger ones do not help) */

/* Parts of the scratch memory of a thread: two series and the real and imaginary part of their
 * spectrum. LAGS_TILE zeros precede both parts of the spectrum. */
enum { RE, IM, SPECTRUM_RE, SPECTRUM_IM, PARTS };

struct lags {
    struct lags_setup s;
    size_t blocks, pieces; /* requested blocks, and pieces in their reach */
    size_t depth;          /* pieces in the reach of one block, including itself */
    size_t m, tiles;       /* length of a transform, and tiles of frequencies 0 to m/2 */
    size_t batch;          /* pairs of series per batch */
    size_t stride;   /* from one tile of frequencies to the next, odd for the sets of a cache */
    size_t part;     /* length of a part of the scratch memory of a thread */
    double *scratch; /* [threads][PARTS][part] */
    fftw_plan plan;
    lags_tile *z;     /* [tiles][stride]: spectra of real series (lags_tile.h) */
    lags_tile *sum;   /* [tiles][blocks][depth] */
    double *square;   /* [batch][steps in reach] squares */
    double *squares;  /* squares, summed over the series */
    uint64_t at, end; /* range of steps in reach */
    void (*products)(size_t, size_t, size_t, size_t, size_t, const lags_tile *, lags_tile *);
    /* members of the present call */
    lags_fill *fill;
    void *ctx;
    size_t first, n; /* first series of the batch, and number of series */
    double scale, *to;
    size_t row;
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
    l->part = (l->m / LAGS_TILE + 3) * LAGS_TILE;
    l->at = s->bound[s->from];
    l->end = s->bound[s->from + l->pieces];
    size_t width = (l->pieces + LAGS_GROUP - 1) / LAGS_GROUP * LAGS_GROUP,
           one = 2 * l->tiles * width * sizeof *l->z,
           max = BATCH_BYTES * (size_t)pool_threads(s->pool);
    max = max < BATCH_LIMIT ? max : BATCH_LIMIT;
    max = s->max_mem && s->max_mem / 8 < max ? (size_t)(s->max_mem / 8) : max;
    l->batch = one < max ? max / one : 1;
    l->batch = l->batch < BATCH_MAX ? l->batch : BATCH_MAX;
    l->batch = l->batch < (s->series + 1) / 2 ? l->batch : (s->series + 1) / 2;
    l->stride = 2 * l->batch * width + 1;
}

static double bytes(const struct lags *l)
{
    double tile = sizeof(lags_tile), tiles = (double)l->tiles;
    double squares =
        l->s.kind == LAGS_SQUARE ? 8.0 * (double)(l->batch + 1) * (double)(l->end - l->at) : 0.0;
    return tile * tiles * (double)l->stride + tile * tiles * (double)l->blocks * (double)l->depth +
           squares + 8.0 * PARTS * (double)l->part * pool_threads(l->s.pool);
}

double lags_bytes(const struct lags_setup *s)
{
    struct lags l = {0};
    measure(&l, s);
    return bytes(&l);
}

/* Returns a part of the scratch memory of a thread. */
static double *part(const struct lags *l, int thread, size_t k)
{
    return l->scratch + ((size_t)thread * PARTS + k) * l->part + (k < SPECTRUM_RE ? 0 : LAGS_TILE);
}

static int allocate(struct lags *l, struct err *e)
{
    size_t threads = (size_t)pool_threads(l->s.pool), reached = (size_t)(l->end - l->at);
    if (l->m > INT32_MAX)
        return err_bad(e, "blocks of %zu steps are too long for one FFT", l->m / 2);
    if (err_over(e, bytes(l), l->s.max_mem, "fewer --lags or --method window",
                 "transforms of %zu points, %zu blocks of %zu lags", l->m, l->blocks, l->s.lags))
        return -1;
    size_t spectra = l->tiles * l->stride;
    l->scratch = fftw_malloc(threads * PARTS * l->part * sizeof *l->scratch);
    l->z = fftw_malloc(spectra * sizeof *l->z);
    l->sum = fftw_malloc(l->tiles * l->blocks * l->depth * sizeof *l->sum);
    if (l->s.kind == LAGS_SQUARE) {
        l->square = malloc(l->batch * reached * sizeof *l->square);
        l->squares = malloc(reached * sizeof *l->squares);
    }
    if (!l->scratch || !l->z || !l->sum ||
        (l->s.kind == LAGS_SQUARE && (!l->square || !l->squares)))
        return err_memory(e, "transforms");
    memset(l->scratch, 0, threads * PARTS * l->part * sizeof *l->scratch);
    memory_large_pages(l->z, spectra * sizeof *l->z);
    memory_large_pages(l->sum, l->tiles * l->blocks * l->depth * sizeof *l->sum);
    fftw_iodim dim = {.n = (int)l->m, .is = 1, .os = 1};
    l->plan =
        fftw_plan_guru_split_dft(1, &dim, 0, NULL, part(l, 0, RE), part(l, 0, IM),
                                 part(l, 0, SPECTRUM_RE), part(l, 0, SPECTRUM_IM), FFTW_ESTIMATE);
    return l->plan ? 0 : err_memory(e, "transforms");
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
    fftw_destroy_plan(l->plan);
    fftw_free(l->scratch);
    fftw_free(l->z);
    fftw_free(l->sum);
    free(l->square);
    free(l->squares);
    free(l);
}

/* Transforms piece b of series 2 a and 2 a + 1 of the batch to spectra. */
static void transform(void *ctx, size_t k, int thread)
{
    const struct lags *l = ctx;
    size_t pairs = (l->n + 1) / 2, a = k % pairs,
           b = k / pairs; /* neighbours are stored together */
    uint64_t from = l->s.bound[l->s.from + b], to = l->s.bound[l->s.from + b + 1];
    size_t n = (size_t)(to - from);
    double *x[PARTS];
    for (size_t p = 0; p < PARTS; p++)
        x[p] = part(l, thread, p);
    for (size_t p = 0; p < 2; p++) {
        bool none = 2 * a + p == l->n;
        if (!none)
            l->fill(l->ctx, l->first + 2 * a + p, from, to, x[p]);
        memset(x[p] + (none ? 0 : n), 0, (l->m - (none ? 0 : n)) * sizeof *x[p]);
    }
    if (l->s.kind == LAGS_SQUARE) {
        double *q = l->square + a * (size_t)(l->end - l->at) + (size_t)(from - l->at);
        for (size_t t = 0; t < n; t++)
            q[t] = x[RE][t] * x[RE][t] + x[IM][t] * x[IM][t];
    }
    fftw_execute_split_dft(l->plan, x[RE], x[IM], x[SPECTRUM_RE], x[SPECTRUM_IM]);
    x[SPECTRUM_RE][l->m] = x[SPECTRUM_RE][0];
    x[SPECTRUM_IM][l->m] = x[SPECTRUM_IM][0];
    SIMD_PICK(lags_scatter)
    (x[SPECTRUM_RE], x[SPECTRUM_IM], l->m, l->tiles, l->stride,
     l->z + lags_at(2 * l->batch, 2 * a, b));
}

static void multiply(void *ctx, size_t t, int thread)
{
    const struct lags *l = ctx;
    (void)thread;
    l->products(l->n, 2 * l->batch, l->pieces, l->blocks, l->depth, l->z + t * l->stride,
                l->sum + t * l->blocks * l->depth);
}

static void add_squares(void *ctx, size_t from, size_t to, int thread)
{
    const struct lags *l = ctx;
    size_t reached = (size_t)(l->end - l->at);
    (void)thread;
    for (size_t a = 0; a < (l->n + 1) / 2; a++)
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

void lags_add(struct lags *l, size_t series, lags_fill *fill, void *ctx)
{
    l->fill = fill;
    l->ctx = ctx;
    for (l->first = 0; l->blocks && l->first < series; l->first += l->n) {
        l->n = series - l->first < 2 * l->batch ? series - l->first : 2 * l->batch;
        pool_run(l->s.pool, transform, l, (l->n + 1) / 2 * l->pieces);
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
        to[k * l->row] += l->scale * ((now[0] + later[0]) + (now[1] + later[1]));
    }
}

/* Transforms block b from spectra to lags. */
static void put_block(void *ctx, size_t b, int thread)
{
    const struct lags *l = ctx;
    const uint64_t *bound = l->s.bound + l->s.from + b;
    double *re = part(l, thread, SPECTRUM_RE), *im = part(l, thread, SPECTRUM_IM),
           *lag = part(l, thread, RE);
    double *to = l->to + b * l->s.lags * l->row,
           by = l->scale * (l->s.kind == LAGS_SQUARE ? -0.5 : 0.25) / (double)l->m;
    for (size_t k = 0; k < l->s.lags; k++)
        to[k * l->row] = 0.0;
    for (size_t d = 0; d < l->depth && b + d < l->pieces; d++) {
        const lags_tile *in = l->sum + b * l->depth + d;
        for (size_t t = 0; t < l->tiles; t++, in += l->blocks * l->depth)
            for (int f = 0; f < LAGS_TILE; f++) {
                re[t * LAGS_TILE + (size_t)f] = (*in)[0][f];
                im[t * LAGS_TILE + (size_t)f] = (*in)[1][f];
            }
        for (size_t f = 1; f <= l->m / 2; f++) { /* the series are real */
            re[l->m - f] = re[f];
            im[l->m - f] = -im[f];
        }
        /* backwards, because real and imaginary parts are exchanged */
        fftw_execute_split_dft(l->plan, im, re, part(l, thread, IM), lag);
        int64_t far = (int64_t)(bound[d] - bound[0]), own = (int64_t)(bound[1] - bound[0]),
                other = (int64_t)(bound[d + 1] - bound[d]);
        for (int64_t shift = d ? 1 - own : 0; shift < other; shift++)
            if (far + shift < (int64_t)l->s.lags)
                to[(size_t)(far + shift) * l->row] +=
                    by * lag[shift < 0 ? (size_t)(shift + (int64_t)l->m) : (size_t)shift];
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
    l->row = stride;
    pool_run(l->s.pool, put_block, l, l->blocks);
}
