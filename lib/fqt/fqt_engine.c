/* SPDX-License-Identifier: MIT */
/* fqt_engine.c: the code shared by the engines of fqt_engine.h, except for the sums of waves
 * (waves_sum.h). The waves and currents of every step are stored signal by signal, and positions
 * atom by atom, until several chunks and the later chunks that their products need are complete.
 * Then the signals are transformed, multiplied and summed, row by row (fqt_products.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/real.h"
#include "fqt/fqt_engine.h"
#include "fqt/fqt_products.h"
#include "waves/waves_sum.h"

#define PIECE 256      /* signals of the self part that one thread sums */
#define STORE_CHUNK 64 /* vectors that a thread stores at a time */

enum { KIND_RHO, KIND_LONG, KIND_ACROSS, KIND_MAX = 4 };

struct fqt_engine {
    struct fqt_setup p;
    struct pool *pool;
    struct waves_sum *sum;
    size_t kinds, channels;              /* a signal has one vector (by rows), channel and kind */
    int *channel;                        /* [channels] species, or -1 for the total */
    int (*of_pair)[2];                   /* [1 + npairs] channels of each function */
    uint32_t *vector;                    /* [w->n] by rows */
    size_t *row;                         /* [rows + 1] first index in vector */
    double (*axes)[3][3];                /* [w->n] directions along q and two across it */
    uint32_t *atom;                      /* [natoms] by species */
    size_t *species;                     /* [nspecies + 1] first index in atom */
    double *ones;                        /* [nspecies] */
    double *rho;                         /* [batch][nspecies][kinds][w->n][2] */
    struct box *boxes;                   /* [batch] */
    size_t batch, capacity, steps, span; /* numbers of steps: capacity, stored, per span */
    double (*series)[2];                 /* [signals][capacity] */
    char *place;                         /* [natoms][3][capacity] of the dtype, Å */
    uint64_t chunk;                      /* chunk of the first stored step */
    struct fqt_products products;
    void (*phases)(size_t n, const double *places, size_t stride, const int *hkl, double *out,
                   size_t m);
    size_t scratch; /* doubles per thread */
    double **work;  /* [threads] */
    double *sums;   /* [origins][lags][rows][functions] */
    struct err err;
};

static size_t number_bytes(const struct fqt_engine *s)
{
    return s->p.dtype == FRAME_F32 ? 4 : 8;
}

/* ---- fixed data */

/* Returns the channel of a species, and appends a new channel if necessary. */
static int channel_of(struct fqt_engine *s, int species)
{
    size_t k = 1;
    while (k < s->channels && s->channel[k] != species)
        k++;
    s->channel[k] = species;
    s->channels = k == s->channels ? k + 1 : s->channels;
    return (int)k;
}

/* Sets the directions along q, and two directions across it. */
static void find_axes(const struct box *b, const int32_t hkl[3], double axes[3][3])
{
    double *q = axes[0], *u = axes[1], *v = axes[2], norm = 0.0;
    for (int a = 0; a < 3; a++)
        q[a] = hkl[0] * b->inv[a][0] + hkl[1] * b->inv[a][1] + hkl[2] * b->inv[a][2];
    norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int a = 0; a < 3; a++)
        q[a] /= norm;
    int min = fabs(q[0]) <= fabs(q[1]) ? 0 : 1;
    min = fabs(q[2]) < fabs(q[min]) ? 2 : min;
    norm = sqrt(1.0 - q[min] * q[min]);
    for (int a = 0; a < 3; a++)
        u[a] = ((a == min) - q[min] * q[a]) / norm;
    box_cross(q, u, v);
}

/* Sorts vectors by rows and atoms by species. Returns 0 or -1. */
static int sort_all(struct fqt_engine *s)
{
    const struct waves *w = s->p.w;
    size_t nv = 0, na = 0;
    s->vector = malloc((w->n + 1) * sizeof *s->vector);
    s->row = calloc(s->p.rows + 1, sizeof *s->row);
    s->axes = malloc((w->n + 1) * sizeof *s->axes);
    s->atom = malloc((s->p.natoms + 1) * sizeof *s->atom);
    s->species = calloc((size_t)s->p.nspecies + 1, sizeof *s->species);
    if (!s->vector || !s->row || !s->axes || !s->atom || !s->species)
        return -1;
    for (size_t r = 0; r < s->p.rows; r++, s->row[r] = nv)
        for (size_t v = 0; v < w->n; v++)
            if (w->shell[v] == r)
                s->vector[nv++] = (uint32_t)v;
    for (size_t v = 0; v < w->n; v++)
        find_axes(&s->p.box, w->hkl[v], s->axes[v]);
    for (int a = 0; a < s->p.nspecies; a++, s->species[a] = na)
        for (size_t i = 0; i < s->p.natoms; i++)
            if (s->p.species[i] == a)
                s->atom[na++] = (uint32_t)i;
    return 0;
}

/* Assigns channels to all functions. Returns 0 or -1. */
static int deal_channels(struct fqt_engine *s)
{
    s->kinds = s->p.currents ? KIND_MAX : 1;
    s->channel = malloc((2 * s->p.npairs + 2) * sizeof *s->channel);
    s->of_pair = malloc((s->p.npairs + 1) * sizeof *s->of_pair);
    s->ones = malloc((size_t)s->p.nspecies * sizeof *s->ones);
    if (!s->channel || !s->of_pair || !s->ones)
        return -1;
    for (int a = 0; a < s->p.nspecies; a++)
        s->ones[a] = 1.0;
    s->channel[0] = -1;
    s->channels = 1;
    s->of_pair[0][0] = s->of_pair[0][1] = 0;
    for (size_t k = 0; k < s->p.npairs; k++) {
        s->of_pair[k + 1][0] = channel_of(s, s->p.pairs[k].a);
        s->of_pair[k + 1][1] = channel_of(s, s->p.pairs[k].b);
    }
    return 0;
}

static size_t signals(const struct fqt_engine *s)
{
    return s->p.w->n * s->channels * s->kinds;
}

double fqt_step_bytes(const struct fqt_engine *s)
{
    return 16.0 * (double)signals(s) +
           (s->p.self ? 3.0 * (double)(s->p.natoms * number_bytes(s)) : 0.0);
}

/* ---- steps */

/* Makes room for `capacity` steps. Returns 0 or -1. */
static int make_room(struct fqt_engine *s, size_t capacity)
{
    size_t bytes = number_bytes(s), rows = s->p.self ? 3 * s->p.natoms : 0;
    if (err_over(&s->err, fqt_step_bytes(s) * (double)capacity, s->p.max_mem,
                 s->p.lags ? "fewer --lags or --vectors" : "--tmax, --lags or fewer --vectors",
                 "the waves of %zu steps", capacity))
        return -1;
    double(*series)[2] = malloc(signals(s) * capacity * sizeof *series);
    char *place = malloc(rows * capacity * bytes + 1);
    if (!series || !place) {
        free(series);
        free(place);
        return err_memory(&s->err, "the waves of all steps");
    }
    for (size_t k = 0; s->steps && k < signals(s); k++)
        memcpy(series + k * capacity, s->series + k * s->capacity, s->steps * sizeof *series);
    for (size_t k = 0; s->steps && k < rows; k++)
        memcpy(place + k * capacity * bytes, s->place + k * s->capacity * bytes, s->steps * bytes);
    free(s->series);
    free(s->place);
    s->series = series;
    s->place = place;
    s->capacity = capacity;
    return 0;
}

/* Returns the number of doubles of scratch memory per thread. */
static size_t work_size(const struct fqt_engine *s)
{
    const struct fqt_products *p = &s->products;
    size_t one = fqt_products_signal(p), kinds = s->p.currents ? 3 : 1,
           need = FQT_AT_ONCE * s->channels * s->kinds * one +
                  (1 + s->p.npairs) * kinds * fqt_products_all(p) + 4 * p->m,
           self = FQT_AT_ONCE * one + 2 * p->m + 3 * p->chunks * p->n + 4 * p->m;
    return need > self ? need : self;
}

/* Returns the number of doubles in the sums of all origins. */
static size_t sums_size(const struct fqt_engine *s)
{
    return s->products.origins * s->products.lags * s->p.rows * fqt_functions(&s->p);
}

/* Returns the bytes of `capacity` stored steps and of all products. */
static double all_bytes(const struct fqt_engine *s, size_t capacity)
{
    double threads = pool_threads(s->pool), all = (double)fqt_products_all(&s->products);
    return fqt_step_bytes(s) * (double)capacity +
           8.0 * ((double)sums_size(s) + threads * (double)work_size(s) +
                  (s->p.self ? (1.0 + threads) * all : 0.0));
}

/* Chooses the number of origins that are processed at a time. More origins need fewer transforms
 * but more memory. At the end of a run, all stored steps are origins. Returns 0 or -1. */
static int choose_span(struct fqt_engine *s)
{
    for (s->span = 2 * s->products.reach;; s->span /= 2) {
        size_t steps = (s->span + s->products.reach) * s->p.chunk;
        if (fqt_products_steps(&s->products, steps, steps) != 0)
            return -1;
        if (s->span == 1 || !s->p.max_mem || all_bytes(s, steps) <= (double)s->p.max_mem)
            return make_room(s, steps);
    }
}

struct store_job {
    struct fqt_engine *s;
    size_t n;
    const void *pos;
};

/* Stores n steps of channel ch of vector v in [kinds][capacity], from rho
 * [n][nspecies][kinds][w->n][2]. */
static void store_channel(const struct fqt_engine *s, size_t v, size_t ch, size_t n,
                          double (*series)[2])
{
    size_t ns = (size_t)s->p.nspecies, nv = s->p.w->n, from = 0, to = ns;
    const double *f = s->p.f + v * ns;
    if (s->channel[ch] >= 0) {
        from = (size_t)s->channel[ch];
        to = from + 1;
        f = s->ones;
    }
    for (size_t t = 0; s->kinds == 1 && t < n; t++) {
        const double *rho = s->rho + 2 * (t * ns * nv + v);
        double re = 0.0, im = 0.0;
        for (size_t a = from; a < to; a++) {
            re += f[a] * rho[2 * a * nv];
            im += f[a] * rho[2 * a * nv + 1];
        }
        series[t][0] = re;
        series[t][1] = im;
    }
    for (size_t t = 0; s->kinds > 1 && t < n; t++) {
        const double *rho = s->rho + 2 * (t * ns * s->kinds * nv + v);
        double sum[KIND_MAX][2] = {{0}};
        for (size_t a = from; a < to; a++)
            for (size_t k = 0; k < s->kinds; k++)
                for (size_t c = 0; c < 2; c++)
                    sum[k][c] += f[a] * rho[2 * (a * s->kinds + k) * nv + c];
        series[t][0] = sum[0][0];
        series[t][1] = sum[0][1];
        for (size_t k = 1; k < s->kinds; k++) {
            const double *axis = s->axes[v][k - 1];
            for (size_t c = 0; c < 2; c++)
                series[k * s->capacity + t][c] =
                    axis[0] * sum[1][c] + axis[1] * sum[2][c] + axis[2] * sum[3][c];
        }
    }
}

static void store_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct store_job *j = ctx;
    struct fqt_engine *s = j->s;
    (void)thread;
    for (size_t at = from; at < to; at++)
        for (size_t ch = 0; ch < s->channels; ch++)
            store_channel(s, s->vector[at], ch, j->n,
                          s->series + (at * s->channels + ch) * s->kinds * s->capacity + s->steps);
}

static void place_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct store_job *j = ctx;
    struct fqt_engine *s = j->s;
    size_t step = 3 * s->p.natoms;
    bool f64 = s->p.dtype == FRAME_F64;
    (void)thread;
    for (size_t t = 0; t < j->n; t++)
        for (size_t k = 3 * from; k < 3 * to; k++)
            real_set(s->place, f64, k * s->capacity + s->steps + t,
                     real_at(j->pos, f64, t * step + k));
}

/* ---- products */

/* Transforms all chunks of one signal to [chunks][2][m]. The array in[2][m] is scratch memory. */
static void transform_series(const struct fqt_engine *s, size_t signal, double *in, double *out)
{
    const struct fqt_products *p = &s->products;
    const double(*x)[2] = (const double(*)[2])s->series + signal * s->capacity;
    for (size_t c = 0; c < p->chunks; c++) {
        size_t n = s->steps - c * p->n < p->n ? s->steps - c * p->n : p->n;
        memset(in, 0, 2 * p->m * sizeof *in);
        for (size_t t = 0; t < n; t++) {
            in[t] = x[c * p->n + t][0];
            in[p->m + t] = x[c * p->n + t][1];
        }
        fqt_transform_run(p->forth, in, out + c * 2 * p->m);
    }
}

/* Adds the products of the signals of n vectors to the products of all functions. */
static void multiply(const struct fqt_engine *s, size_t n, const double *a, double *sums)
{
    const struct fqt_products *p = &s->products;
    size_t one = fqt_products_signal(p), all = fqt_products_all(p), nf = 1 + s->p.npairs,
           stride = s->channels * s->kinds * one;
    for (size_t kind = 0; kind < s->kinds; kind++)
        for (size_t f = 0; f < nf; f++) {
            const double *x = a + ((size_t)s->of_pair[f][0] * s->kinds + kind) * one,
                         *y = a + ((size_t)s->of_pair[f][1] * s->kinds + kind) * one;
            double *to = sums + ((kind < KIND_ACROSS ? kind : KIND_ACROSS) * nf + f) * all;
            fqt_products_add(p, n, x, y, stride, to);
            if (x != y)
                fqt_products_add(p, n, y, x, stride, to);
        }
}

/* Adds the functions of one row of all kinds to s->sums. The array `work` contains the transforms
 * of vectors, the products of functions, and scratch memory. */
static void row_task(void *ctx, size_t r, int thread)
{
    struct fqt_engine *s = ctx;
    const struct fqt_products *p = &s->products;
    size_t of_vector = s->channels * s->kinds, one = fqt_products_signal(p),
           all = fqt_products_all(p), nf = 1 + s->p.npairs, kinds = s->p.currents ? 3 : 1,
           functions = fqt_functions(&s->p), row = s->p.rows * functions, n;
    double *a = s->work[thread], *sums = a + FQT_AT_ONCE * of_vector * one,
           *scratch = sums + nf * kinds * all;
    memset(sums, 0, nf * kinds * all * sizeof *sums);
    for (size_t at = s->row[r]; at < s->row[r + 1]; at += n) {
        n = s->row[r + 1] - at < FQT_AT_ONCE ? s->row[r + 1] - at : FQT_AT_ONCE;
        for (size_t k = 0; k < n * of_vector; k++)
            transform_series(s, at * of_vector + k, scratch, a + k * one);
        multiply(s, n, a, sums);
    }
    for (size_t c = 0; c < p->origins; c++)
        for (size_t k = 0; k < nf * kinds; k++) {
            const int *ab = s->of_pair[k % nf];
            double scale = (ab[0] == ab[1] ? 1.0 : 0.5) * (k / nf < KIND_ACROSS ? 1.0 : 0.5);
            fqt_products_lags(p, sums + k * all, c, scale, scratch,
                              s->sums + c * p->lags * row + r * functions + k, row);
        }
}

/* The self part of some atoms, for the marked vectors of a row. */
struct self_job {
    struct fqt_engine *s;
    size_t row, first, last, piece, done; /* atoms of the species, atoms per piece, pieces done */
    double *sums;                         /* [threads][products], then summed in total[products] */
    double *total;
    size_t pieces;
};

/* Computes the fractional coordinates [3][chunks n] of an atom. */
static void fractions(const struct fqt_engine *s, size_t atom, double *to)
{
    const struct fqt_products *p = &s->products;
    const double(*inv)[3] = s->p.box.inv;
    size_t stride = p->chunks * p->n;
    for (size_t t = 0; t < s->steps; t++) {
        double r[3];
        for (size_t a = 0; a < 3; a++)
            r[a] = real_at(s->place, s->p.dtype == FRAME_F64, (3 * atom + a) * s->capacity + t);
        for (size_t a = 0; a < 3; a++)
            to[a * stride + t] = r[0] * inv[0][a] + r[1] * inv[1][a] + r[2] * inv[2][a];
    }
}

/* Transforms the phases of one atom and vector for all chunks. The array in[2][m] is scratch. */
static void phase_signal(const struct fqt_engine *s, const int32_t hkl[3], const double *places,
                         double *in, double *out)
{
    const struct fqt_products *p = &s->products;
    for (size_t c = 0; c < p->chunks; c++) {
        size_t n = s->steps - c * p->n < p->n ? s->steps - c * p->n : p->n;
        s->phases(n, places + c * p->n, p->chunks * p->n, hkl, in, p->m);
        memset(in + n, 0, (p->m - n) * sizeof *in);
        memset(in + p->m + n, 0, (p->m - n) * sizeof *in);
        fqt_transform_run(p->forth, in, out + c * 2 * p->m);
    }
}

static void piece_task(void *ctx, size_t k, int thread)
{
    const struct self_job *j = ctx;
    struct fqt_engine *s = j->s;
    const struct fqt_products *p = &s->products;
    size_t from = j->first + (j->done + k) * j->piece, all = fqt_products_all(p),
           to = from + j->piece < j->last ? from + j->piece : j->last;
    size_t one = fqt_products_signal(p), n = 0;
    double *a = s->work[thread], *in = a + FQT_AT_ONCE * one, *places = in + 2 * p->m,
           *sums = j->sums + k * all;
    memset(sums, 0, all * sizeof *sums);
    for (size_t i = from; i < to; i++) {
        fractions(s, s->atom[i], places);
        for (size_t at = s->row[j->row]; at < s->row[j->row + 1]; at++) {
            size_t v = s->vector[at];
            if (!s->p.self[v])
                continue;
            phase_signal(s, s->p.w->hkl[v], places, in, a + n++ * one);
            if (n == FQT_AT_ONCE) {
                fqt_products_add(p, n, a, a, one, sums);
                n = 0;
            }
        }
    }
    fqt_products_add(p, n, a, a, one, sums);
}

static void gather_task(void *ctx, size_t from, size_t to, int thread)
{
    const struct self_job *j = ctx;
    size_t all = fqt_products_all(&j->s->products);
    (void)thread;
    for (size_t k = 0; k < j->pieces; k++)
        for (size_t i = from; i < to; i++)
            j->total[i] += j->sums[k * all + i];
}

static void lags_task(void *ctx, size_t c, int thread)
{
    const struct self_job *j = ctx;
    struct fqt_engine *s = j->s;
    size_t functions = fqt_functions(&s->p), row = s->p.rows * functions,
           f = functions - (size_t)s->p.nspecies + j->done;
    fqt_products_lags(&s->products, j->total, c, 1.0, s->work[thread],
                      s->sums + c * s->products.lags * row + j->row * functions + f, row);
}

/* Computes the self part of a row and species. Returns 0 or -1. */
static int self_row(struct fqt_engine *s, size_t row, size_t species, double *total, double *sums)
{
    size_t marked = 0, threads = (size_t)pool_threads(s->pool),
           all = fqt_products_all(&s->products);
    struct self_job j = {.s = s, .row = row, .sums = sums, .total = total};
    j.first = s->species[species];
    j.last = s->species[species + 1];
    for (size_t at = s->row[row]; at < s->row[row + 1]; at++)
        marked += s->p.self[s->vector[at]];
    j.piece = marked && marked < PIECE ? PIECE / marked : 1;
    size_t pieces = (j.last - j.first + j.piece - 1) / j.piece;
    memset(total, 0, all * sizeof *total);
    for (; marked && j.done < pieces; j.done += j.pieces) {
        j.pieces = pieces - j.done < threads ? pieces - j.done : threads;
        pool_run(s->pool, piece_task, &j, j.pieces);
        pool_pieces(s->pool, gather_task, &j, all, 4096);
    }
    j.done = species;
    pool_run(s->pool, lags_task, &j, s->products.origins);
    return 0;
}

/* Computes the self part of all rows. Returns 0 or -1. */
static int self_rows(struct fqt_engine *s)
{
    size_t all = fqt_products_all(&s->products), threads = (size_t)pool_threads(s->pool);
    double *total = malloc((1 + threads) * all * sizeof *total);
    int rc = total ? 0 : err_memory(&s->err, "products of single atoms");
    for (size_t r = 0; rc == 0 && r < s->p.rows; r++)
        for (size_t a = 0; rc == 0 && a < (size_t)s->p.nspecies; a++)
            rc = self_row(s, r, a, total, total + all);
    free(total);
    return rc;
}

/* Allocates scratch memory for every thread, and memory for the sums. Returns 0 or -1. */
static int make_work(struct fqt_engine *s)
{
    size_t threads = (size_t)pool_threads(s->pool), need = work_size(s);
    if (err_over(&s->err, all_bytes(s, s->capacity), s->p.max_mem,
                 "fewer --lags or a larger --qstep", "products of %zu steps and %zu lags", s->steps,
                 s->products.lags))
        return -1;
    for (size_t t = 0; t < threads; t++) {
        free(s->work[t]);
        if (!(s->work[t] = aligned_alloc(64, (need + 8) / 8 * 64)))
            return err_memory(&s->err, "products");
        memset(s->work[t], 0, (need + 1) * sizeof **s->work);
    }
    free(s->sums);
    s->sums = calloc(sums_size(s) + 1, sizeof *s->sums);
    return s->sums ? 0 : err_memory(&s->err, "sums of products");
}

/* Correlates the first `origins` stored steps. Returns 0 or -1. */
static int correlate(struct fqt_engine *s, size_t origins)
{
    struct fqt_products *p = &s->products;
    if (fqt_products_steps(p, s->steps, origins) != 0 || make_work(s) != 0)
        return s->err.status ? -1 : err_memory(&s->err, "products");
    pool_run(s->pool, row_task, s, s->p.rows);
    if (s->p.self && self_rows(s) != 0)
        return -1;
    size_t one = p->lags * s->p.rows * fqt_functions(&s->p);
    for (size_t c = 0; c < p->origins; c++) {
        size_t left = s->steps - c * p->n;
        if (s->p.take(s->p.ctx, s->chunk + c, left < p->n ? left : p->n, p->lags,
                      s->sums + c * one) != 0)
            return err_memory(&s->err, "blocks");
    }
    return 0;
}

/* ---- steps at uneven times */

/* Returns the sums of row r for pair k of time lag `lag`. */
static double *pair_sums(const struct fqt_engine *s, size_t lag, size_t k, size_t r)
{
    size_t c = s->p.uneven->pair[k].then / s->p.chunk;
    return s->sums + ((c * s->p.lags + lag) * s->p.rows + r) * fqt_functions(&s->p);
}

/* Returns the sum of Re conj(a) b over the vectors of row r for two channels of a kind. */
static double pair_product(const struct fqt_engine *s, size_t r, size_t kind, const int ab[2],
                           const struct uneven_pair *t)
{
    double sum = 0.0;
    for (size_t at = s->row[r]; at < s->row[r + 1]; at++) {
        size_t a = (at * s->channels + (size_t)ab[0]) * s->kinds + kind,
               b = (at * s->channels + (size_t)ab[1]) * s->kinds + kind;
        const double *x = s->series[a * s->capacity + t->then],
                     *y = s->series[b * s->capacity + t->now];
        sum += x[0] * y[0] + x[1] * y[1];
    }
    return sum;
}

/* Adds the self part of a species to sum[pairs], for the marked vectors of row r. */
static void pair_self(const struct fqt_engine *s, size_t r, size_t species, double *work,
                      double *sum)
{
    const struct uneven *u = s->p.uneven;
    size_t n = s->steps, pairs = u->row[u->lags];
    const double *re = work, *im = work + n;
    for (size_t i = s->species[species]; i < s->species[species + 1]; i++) {
        fractions(s, s->atom[i], work + 2 * n);
        for (size_t at = s->row[r]; at < s->row[r + 1]; at++) {
            if (!s->p.self[s->vector[at]])
                continue;
            s->phases(n, work + 2 * n, n, s->p.w->hkl[s->vector[at]], work, n);
            for (size_t k = 0; k < pairs; k++)
                sum[k] += re[u->pair[k].then] * re[u->pair[k].now] +
                          im[u->pair[k].then] * im[u->pair[k].now];
        }
    }
}

static void pair_row(void *ctx, size_t r, int thread)
{
    struct fqt_engine *s = ctx;
    const struct uneven *u = s->p.uneven;
    size_t nf = 1 + s->p.npairs, self = fqt_functions(&s->p) - (size_t)s->p.nspecies;
    for (size_t lag = 0; lag < u->lags; lag++)
        for (size_t k = u->row[lag]; k < u->row[lag + 1]; k++)
            for (size_t f = 0; f < nf * s->kinds; f++) {
                size_t kind = f / nf;
                const int *ab = s->of_pair[f % nf], ba[2] = {ab[1], ab[0]};
                double v = pair_product(s, r, kind, ab, &u->pair[k]);
                if (ab[0] != ab[1])
                    v = 0.5 * (v + pair_product(s, r, kind, ba, &u->pair[k]));
                pair_sums(s, lag, k, r)[(kind < KIND_ACROSS ? kind : KIND_ACROSS) * nf + f % nf] +=
                    kind < KIND_ACROSS ? v : 0.5 * v;
            }
    for (size_t a = 0; s->p.self && a < (size_t)s->p.nspecies; a++) {
        double *sum = s->work[thread] + 5 * s->steps;
        memset(sum, 0, u->row[u->lags] * sizeof *sum);
        pair_self(s, r, a, s->work[thread], sum);
        for (size_t lag = 0; lag < u->lags; lag++)
            for (size_t k = u->row[lag]; k < u->row[lag + 1]; k++)
                pair_sums(s, lag, k, r)[self + a] += sum[k];
    }
}

/* Correlates all pairs of steps. Returns 0 or -1. */
static int correlate_pairs(struct fqt_engine *s)
{
    const struct uneven *u = s->p.uneven;
    size_t threads = (size_t)pool_threads(s->pool), one,
           work = s->p.self ? 5 * s->steps + u->row[u->lags] : 0;
    s->p.lags = u->lags;
    s->p.chunk = fqt_chunk(s->steps, s->p.parts);
    s->products.n = s->steps; /* the stride of fractions() */
    s->products.chunks = 1;
    size_t chunks = (s->steps + s->p.chunk - 1) / s->p.chunk;
    one = s->p.lags * s->p.rows * fqt_functions(&s->p);
    if (err_over(&s->err,
                 fqt_step_bytes(s) * (double)s->capacity + uneven_bytes(u) +
                     8.0 * ((double)chunks * (double)one + (double)threads * (double)work),
                 s->p.max_mem, UNEVEN_HELP, "products of %zu steps and %zu lags", s->steps,
                 s->p.lags))
        return -1;
    s->sums = calloc(chunks * one + 1, sizeof *s->sums);
    bool good = s->sums != NULL;
    for (size_t t = 0; good && t < threads; t++)
        good = (s->work[t] = malloc((work + 1) * sizeof **s->work)) != NULL;
    if (!good)
        return err_memory(&s->err, "products");
    pool_run(s->pool, pair_row, s, s->p.rows);
    for (size_t c = 0; c < chunks; c++) {
        size_t left = s->steps - c * s->p.chunk;
        if (s->p.take(s->p.ctx, c, left < s->p.chunk ? left : s->p.chunk, s->p.lags,
                      s->sums + c * one) != 0)
            return err_memory(&s->err, "blocks");
    }
    return 0;
}

/* Drops the first n steps, which are no longer needed as origins. */
static void drop(struct fqt_engine *s, size_t n)
{
    size_t left = s->steps - n, bytes = number_bytes(s);
    for (size_t k = 0; k < signals(s); k++)
        memmove(s->series + k * s->capacity, s->series + k * s->capacity + n,
                left * sizeof *s->series);
    for (size_t k = 0; s->p.self && k < 3 * s->p.natoms; k++)
        memmove(s->place + k * s->capacity * bytes, s->place + (k * s->capacity + n) * bytes,
                left * bytes);
    s->steps = left;
    s->chunk += n / s->p.chunk;
}

/* Returns the number of origins among n stored steps. */
static size_t are_origins(const struct fqt_engine *s, size_t n)
{
    uint64_t before = s->chunk * s->p.chunk,
             left = s->p.origins > before ? s->p.origins - before : 0;
    return left < n ? (size_t)left : n;
}

/* ---- the interface */

struct fqt_engine *fqt_open(const struct fqt_setup *p, struct err *e)
{
    struct fqt_engine *s = calloc(1, sizeof *s);
    if (!s) {
        err_memory(e, "an engine");
        return NULL;
    }
    s->p = *p;
    s->phases = SIMD_PICK(fqt_phases);
    s->pool = pool_new(p->threads > 0 ? p->threads : 1);
    s->work = calloc((size_t)pool_threads(s->pool), sizeof *s->work);
    struct waves_setup sum = {.dtype = p->dtype,
                              .natoms = p->natoms,
                              .species = p->species,
                              .nspecies = p->nspecies,
                              .velocities = p->currents,
                              .threads = p->threads,
                              .max_mem = p->max_mem,
                              .devices = p->devices};
    s->sum = waves_sum_open(&sum, &s->err);
    size_t one = 8 * (size_t)p->nspecies * p->w->n * 2 * (p->currents ? KIND_MAX : 1);
    s->batch = one < waves_sum_bytes() ? waves_sum_bytes() / one : 1;
    s->rho = malloc(s->batch * one);
    s->boxes = malloc(s->batch * sizeof *s->boxes);
    for (size_t k = 0; s->boxes && k < s->batch; k++)
        s->boxes[k] = p->box;
    if (!s->sum || !s->work || !s->rho || !s->boxes || sort_all(s) != 0 || deal_channels(s) != 0)
        s->err.status ? 0 : err_memory(&s->err, "wave vectors");
    else if (waves_sum_waves(s->sum, p->w) != 0)
        s->err = *waves_sum_error(s->sum);
    else if (p->lags &&
             (fqt_products_open(&s->products, p->chunk, p->lags) != 0 || choose_span(s) != 0))
        s->err.status ? 0 : err_memory(&s->err, "transforms");
    if (s->err.status == 0)
        return s;
    *e = s->err;
    fqt_close(s);
    return NULL;
}

/* Makes room for one more step if necessary and possible. Returns 0 or -1. */
static int need_room(struct fqt_engine *s)
{
    if (s->steps < s->capacity)
        return 0;
    if (s->p.lags == 0) {
        size_t max =
            s->p.expected > s->steps ? (size_t)s->p.expected : s->capacity + s->capacity / 2 + 64;
        return make_room(s, max);
    }
    size_t n = s->span * s->p.chunk, origins = are_origins(s, n);
    if (origins && correlate(s, origins) != 0)
        return -1;
    drop(s, n);
    return 0;
}

int fqt_add(struct fqt_engine *s, size_t nsteps, const void *pos, const void *vel)
{
    size_t step = 3 * s->p.natoms * number_bytes(s), n;
    for (size_t done = 0; done < nsteps; done += n) {
        if (need_room(s) != 0)
            return -1;
        n = nsteps - done < s->batch ? nsteps - done : s->batch;
        n = n < s->capacity - s->steps ? n : s->capacity - s->steps;
        struct store_job j = {s, n, (const char *)pos + done * step};
        if (waves_sum_steps(s->sum, n, j.pos, vel ? (const char *)vel + done * step : NULL,
                            s->boxes, s->rho) != 0)
            return s->err = *waves_sum_error(s->sum), -1;
        pool_pieces(s->pool, store_task, &j, s->p.w->n, STORE_CHUNK);
        if (s->p.self)
            pool_pieces(s->pool, place_task, &j, s->p.natoms, STORE_CHUNK);
        s->steps += n;
    }
    return 0;
}

int fqt_finish(struct fqt_engine *s)
{
    if (s->p.uneven)
        return s->steps ? correlate_pairs(s) : 0;
    if (s->p.lags == 0 && s->steps) {
        s->p.lags = s->steps;
        s->p.chunk = fqt_chunk(s->p.lags, s->p.parts);
        if (fqt_products_open(&s->products, s->p.chunk, s->p.lags) != 0)
            return err_memory(&s->err, "transforms");
    }
    size_t origins = are_origins(s, s->steps);
    return origins ? correlate(s, origins) : 0;
}

const struct err *fqt_error(const struct fqt_engine *s)
{
    return &s->err;
}

void fqt_close(struct fqt_engine *s)
{
    if (!s)
        return;
    for (int t = 0; s->work && t < pool_threads(s->pool); t++)
        free(s->work[t]);
    waves_sum_close(s->sum);
    fqt_products_close(&s->products);
    void *all[] = {s->channel, s->of_pair, s->vector, s->row,   s->axes, s->atom, s->species,
                   s->rho,     s->boxes,   s->series, s->place, s->work, s->sums, s->ones};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    pool_free(s->pool);
    free(s);
}
