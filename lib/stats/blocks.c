/* SPDX-License-Identifier: MIT */
#include "stats/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUBBLOCKS 64              /* sub-blocks kept per requested block */
#define WHOLE ((uint64_t)1 << 62) /* number of samples of a sub-block that holds all samples */

size_t stats_blocks_max(size_t want)
{
    size_t max;
    if (want <= 1)
        return 1;
    return __builtin_mul_overflow(want, (size_t)SUBBLOCKS, &max) ? SIZE_MAX : max;
}

size_t stats_blocks_bytes(size_t max, size_t row)
{
    size_t bytes;
    if (__builtin_mul_overflow(max, row, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}

void stats_blocks_init(struct stats_blocks *b, size_t max, size_t row, size_t ints)
{
    *b = (struct stats_blocks){
        .max = max > 1 ? max : 1, .row = row, .ints = ints, .s = max > 1 ? 1 : WHOLE};
}

void stats_blocks_init_levels(struct stats_blocks *b, uint64_t min, size_t row, size_t ints)
{
    size_t max = STATS_BLOCKS_MAX, values = 0;
    int sums = !__builtin_add_overflow(row, ints, &values);
    while (max > 1 && (!sums || stats_blocks_bytes(max, values) > STATS_BLOCKS_BYTES))
        max /= 2;
    stats_blocks_init(b, max, row, ints);
    while (b->s < min && b->s < WHOLE)
        b->s *= 2;
}

void stats_blocks_init_steps(struct stats_blocks *b, size_t want, size_t row, size_t ints)
{
    size_t places = want <= SUBBLOCKS / 4 ? SUBBLOCKS * want : (size_t)SUBBLOCKS * SUBBLOCKS / 4;
    if (want)
        stats_blocks_init(b, places > 4 * want ? places : 4 * want, row, ints);
    else
        stats_blocks_init_levels(b, 1, row, ints);
}

void stats_blocks_free(struct stats_blocks *b)
{
    free(b->v);
    free(b->c);
    *b = (struct stats_blocks){0};
}

static uint64_t taken(const struct stats_blocks *b, uint64_t samples)
{
    return samples / b->s + (samples % b->s != 0);
}

/* Stores the sum of sub-blocks [from, to) at index `at` <= from, which may be the first of them. */
static void fold(struct stats_blocks *b, size_t at, size_t from, size_t to)
{
    double *v = b->v + at * b->row;
    uint64_t *c = b->c + at * b->ints;
    for (size_t k = from; k < to; k++) {
        if (k == at)
            continue;
        for (size_t i = 0; i < b->row; i++)
            v[i] = (k == from ? 0.0 : v[i]) + b->v[k * b->row + i];
        for (size_t i = 0; i < b->ints; i++)
            c[i] = (k == from ? 0 : c[i]) + b->c[k * b->ints + i];
    }
}

/* Merges neighbours into sub-blocks of twice as many samples. */
static void merge(struct stats_blocks *b)
{
    size_t kept = (b->n + 1) / 2, gone = b->n - kept;
    for (size_t k = 0; k < kept; k++)
        fold(b, k, 2 * k, 2 * k + 2 < b->n ? 2 * k + 2 : b->n);
    if (gone && b->row)
        memset(b->v + kept * b->row, 0, gone * b->row * sizeof *b->v);
    if (gone && b->ints)
        memset(b->c + kept * b->ints, 0, gone * b->ints * sizeof *b->c);
    b->s *= 2;
    b->n = kept;
}

int stats_blocks_merges(const struct stats_blocks *b, uint64_t samples)
{
    return taken(b, samples) > b->max;
}

/* Enlarges [old][row] elements of 8 bytes to [capacity][row], with zeros in new rows. Returns NULL
 * if out of memory, and p then stays valid. */
static void *grow(void *p, size_t old, size_t capacity, size_t row)
{
    size_t bytes = stats_blocks_bytes(capacity, row);
    char *q = bytes < SIZE_MAX ? realloc(p, bytes ? bytes : 1) : NULL;
    if (q)
        memset(q + old * row * 8, 0, (capacity - old) * row * 8);
    return q;
}

int stats_blocks_reach(struct stats_blocks *b, uint64_t samples)
{
    while (stats_blocks_merges(b, samples))
        merge(b);
    size_t n = (size_t)taken(b, samples), capacity = b->capacity ? b->capacity : 1;
    while (capacity < n)
        capacity *= 2;
    capacity = capacity < b->max ? capacity : b->max;
    if (capacity > b->capacity) {
        double *v = grow(b->v, b->capacity, capacity, b->row);
        if (!v)
            return -1;
        b->v = v;
        uint64_t *c = b->ints ? grow(b->c, b->capacity, capacity, b->ints) : NULL;
        if (b->ints && !c)
            return -1;
        b->c = c;
        b->capacity = capacity;
    }
    b->n = n > b->n ? n : b->n;
    return 0;
}

size_t stats_blocks_index(const struct stats_blocks *b, uint64_t sample)
{
    return (size_t)(sample / b->s);
}

double *stats_blocks_at(struct stats_blocks *b, uint64_t sample)
{
    return b->v + stats_blocks_index(b, sample) * b->row;
}

uint64_t stats_blocks_end(const struct stats_blocks *b, uint64_t sample)
{
    return (sample / b->s + 1) * b->s;
}

/* Returns round(k n / blocks), with halves rounded up, from k n = blocks (k (n / blocks)) + k (n %
 * blocks). */
static uint64_t boundary(uint64_t k, uint64_t n, uint64_t blocks)
{
    return k * (n / blocks) + (2 * k * (n % blocks) + blocks) / (2 * blocks);
}

uint64_t stats_blocks_bound(const struct stats_blocks *b, uint64_t samples, size_t want, size_t k)
{
    uint64_t sub = boundary(k, taken(b, samples), want);
    return sub < taken(b, samples) ? sub * b->s : samples;
}

void stats_blocks_origins(const uint64_t *bound, size_t blocks, uint64_t steps, size_t lags,
                          uint64_t *counts)
{
    for (size_t b = 0; b < blocks; b++)
        for (size_t k = 0; k < lags; k++) {
            uint64_t all = steps - k, to = bound[b + 1] < all ? bound[b + 1] : all;
            *counts++ = to > bound[b] ? to - bound[b] : 0;
        }
}

void stats_blocks_settle(struct stats_blocks *b, uint64_t samples)
{
    while (stats_blocks_merges(b, samples))
        b->s *= 2;
}

size_t stats_blocks_taken(const struct stats_blocks *b, uint64_t samples)
{
    return (size_t)taken(b, samples);
}

int stats_blocks_group(struct stats_blocks *b, uint64_t samples, size_t want)
{
    if (stats_blocks_reach(b, samples) || want > taken(b, samples))
        return -1;
    size_t n = (size_t)taken(b, samples);
    for (size_t k = 0; k < want; k++)
        fold(b, k, (size_t)boundary(k, n, want), (size_t)boundary(k + 1, n, want));
    b->n = want;
    return 0;
}

void stats_blocks_share(const struct stats_blocks *b, uint64_t total, size_t want, uint64_t k,
                        uint64_t n, struct stats_share *s)
{
    struct stats_blocks final = *b;
    while (stats_blocks_merges(&final, total))
        final.s *= 2;
    want = want ? want : (size_t)taken(&final, total);
    *s = (struct stats_share){.total = total,
                              .want = want,
                              .from = (size_t)boundary(k - 1, want, n),
                              .to = (size_t)boundary(k, want, n)};
    s->first = want ? stats_blocks_bound(&final, total, want, s->from) : 0;
    s->last = want ? stats_blocks_bound(&final, total, want, s->to) : 0;
}

int stats_blocks_take(struct stats_blocks *b, const struct stats_share *s)
{
    size_t n = s->to - s->from;
    if (stats_blocks_group(b, s->total, s->want))
        return -1;
    if (b->row && s->from)
        memmove(b->v, b->v + s->from * b->row, n * b->row * sizeof *b->v);
    if (b->ints && s->from)
        memmove(b->c, b->c + s->from * b->ints, n * b->ints * sizeof *b->c);
    b->n = n;
    return 0;
}

double stats_spread(size_t blocks)
{
    return blocks >= 2 ? sqrt((double)blocks / (double)(blocks - 1)) : NAN;
}

double stats_ratio(size_t blocks, const double *y, const double *n, double *se, double *dev,
                   size_t stride)
{
    double sum_y = 0.0, sum_n = 0.0, var = 0.0;
    size_t used = 0;
    for (size_t b = 0; b < blocks; b++) {
        sum_y += y[b];
        sum_n += n[b];
        used += n[b] != 0.0;
    }
    double m = sum_y / sum_n; /* 0/0 is NaN if nothing was counted */
    double scale = stats_spread(used) / sum_n;
    for (size_t b = 0; b < blocks; b++) {
        double d = scale * (y[b] - m * n[b]);
        if (dev)
            dev[b * stride] = d;
        var += d * d;
    }
    if (se)
        *se = sqrt(var);
    return m;
}
