/* SPDX-License-Identifier: MIT */
/* The reader: batches of frames parsed in parallel while the next batch is being gathered, handed
 * out in order. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xyz/xyz_reader.h"

int xyz_fail(struct xyz_reader *x, size_t span, size_t row, const char *fmt, ...)
{
    const struct xyz_span *s = &x->batch[x->cur].spans[span];
    va_list ap;
    uint64_t line = s->line + 1 + (row == SIZE_MAX ? 0 : row + 1);
    int n = snprintf(x->err, sizeof x->err,
                     "%s: frame %llu: line %llu: ", xyz_scan_name(&x->sc, s->file),
                     (unsigned long long)s->number, (unsigned long long)line);
    va_start(ap, fmt);
    if (n > 0 && (size_t)n < sizeof x->err)
        vsnprintf(x->err + n, sizeof x->err - (size_t)n, fmt, ap);
    va_end(ap);
    x->status = 2;
    x->ready = span;
    return -1;
}

int xyz_out_of_memory(struct xyz_reader *x)
{
    snprintf(x->err, sizeof x->err, "out of memory");
    x->status = 3;
    x->ready = 0;
    return -1;
}

struct xyz_reader *xyz_open(char *const *paths, int npaths, const struct xyz_opts *opts)
{
    struct xyz_reader *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->pool = pool_new(opts->threads);
    if (!x->pool) {
        free(x);
        return NULL;
    }
    x->opts = *opts;
    x->dialect = opts->dialect;
    x->sigma = x->dt = NAN;
    xyz_scan_init(&x->sc, &x->opts, paths, npaths);
    if (xyz_scan_batch(&x->sc, NULL, &x->batch[1]) != 0)
        x->batch[1].last = true; /* the scanner holds the error */
    return x;
}

void xyz_close(struct xyz_reader *x)
{
    if (!x)
        return;
    pool_free(x->pool);
    xyz_scan_free(&x->sc);
    for (int k = 0; k < 2; k++) {
        free(x->batch[k].text);
        free(x->batch[k].spans);
        free(x->batch[k].pieces);
    }
    free(x->comment);
    free(x->names8);
    free(x->names);
    free(x->ids0);
    free(x->order0);
    free(x->ids_sorted);
    free(x->seen);
    free(x->heads);
    free(x->pos);
    free(x->last);
    free(x->scratch);
    free(x->ids);
    free(x->bad_row);
    free(x);
}

/* *p with room for n * size bytes; what it held is lost. */
static int reserve(void *p, size_t *cap, size_t n, size_t size)
{
    void **q = p;
    size_t bytes;
    if (n <= *cap)
        return 0;
    free(*q);
    *cap = n + n / 4;
    *q = __builtin_mul_overflow(*cap, size, &bytes) ? NULL : malloc(bytes);
    if (!*q)
        *cap = 0;
    return *q ? 0 : -1;
}

static int make_room(struct xyz_reader *x, const struct xyz_batch *b)
{
    if (x->natoms == 0) {
        x->natoms = (size_t)x->sc.natoms;
        if (__builtin_mul_overflow(x->natoms, x->opts.f64 ? 24u : 12u, &x->frame_bytes))
            return xyz_out_of_memory(x);
        x->last = malloc(x->frame_bytes);
        x->scratch = malloc(x->frame_bytes);
        if (!x->last || !x->scratch)
            return xyz_out_of_memory(x);
    }
    return reserve(&x->heads, &x->cap_heads, b->nspans, sizeof *x->heads) ||
                   reserve(&x->pos, &x->cap_pos, b->nspans, x->frame_bytes) ||
                   reserve(&x->bad_row, &x->cap_bad, b->npieces, sizeof *x->bad_row)
               ? xyz_out_of_memory(x)
               : 0;
}

/* Frames whose rows are all right: errors, order and jumps, in the order of the frames. */
static void check_frames(struct xyz_reader *x)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    for (size_t k = 0; k < b->npieces && b->pieces[k].span < x->ready; k++)
        if (x->bad_row[k] != SIZE_MAX)
            (void)xyz_explain_row(x, b->pieces[k].span, x->bad_row[k]);
    for (size_t k = 0; k < x->ready; k++) {
        const char *now = x->pos + k * x->frame_bytes, *before = k ? now - x->frame_bytes
                                                                 : x->has_last ? x->last
                                                                               : NULL;
        if (x->has_ids && x->heads[k].layout.id < 0)
            (void)xyz_fail(x, k, SIZE_MAX,
                           "expected an id column in Properties as in the first frame");
        else if (x->has_ids && xyz_order_rows(x, k) != 0)
            return;
        else if (before && !x->opts.unsorted_ok && !x->has_ids)
            (void)xyz_check_sorted(x, k, before, now);
    }
}

/* Item 0 is the next batch's text, the others are the pieces of the current batch. */
static void batch_item(void *ctx, size_t k, int thread)
{
    (void)thread;
    struct xyz_reader *x = ctx;
    const struct xyz_batch *b = &x->batch[x->cur];
    if (k == 0) {
        if (x->fill_next)
            (void)xyz_scan_fill(&x->sc, &x->batch[!x->cur], 1, 0.0);
        return;
    }
    x->bad_row[k - 1] = SIZE_MAX;
    if (b->pieces[k - 1].span < x->ready)
        xyz_parse_piece(x, b, &b->pieces[k - 1], &x->bad_row[k - 1]);
}

/* Rows of the current batch to numbers, while the other batch is filled as far as the input does
 * not pause. */
static int parse_batch(struct xyz_reader *x)
{
    const struct xyz_batch *b = &x->batch[x->cur];
    struct xyz_batch *next = &x->batch[!x->cur];
    x->handed = 0;
    x->ready = b->nspans;
    if (make_room(x, b) != 0)
        return -1;
    xyz_read_heads(x);
    if (x->ready > 0 && !x->started && xyz_read_names(x) != 0)
        return -1;
    if (x->ready > 0)
        x->started = true;
    if (x->has_ids && reserve(&x->ids, &x->cap_ids, x->ready * x->natoms, sizeof *x->ids) != 0)
        return xyz_out_of_memory(x);
    if (!b->last && !x->status && xyz_scan_batch(&x->sc, b, next) != 0)
        next->last = true;
    x->fill_next = !b->last && !x->status && !next->last;
    pool_run(x->pool, batch_item, x, 1 + b->npieces);
    check_frames(x);
    return 0;
}

/* The next batch becomes the current one. 1: it has frames, 0: the end, -1. */
static int advance(struct xyz_reader *x)
{
    struct xyz_batch *next = &x->batch[!x->cur];
    (void)xyz_scan_fill(&x->sc, next, 1, -1.0);
    if (!x->started && next->nspans == 1 && !next->last && xyz_needs_two(x, next))
        (void)xyz_scan_fill(&x->sc, next, 2, -1.0);
    if (x->ready > 0) {
        memcpy(x->last, x->pos + (x->ready - 1) * x->frame_bytes, x->frame_bytes);
        x->has_last = true;
    }
    x->cur = !x->cur;
    x->ready = 0;
    return next->nspans == 0 ? 0 : parse_batch(x) == 0;
}

/* No frame is left: the error that was waiting, or the end. */
static int finish(struct xyz_reader *x)
{
    x->ended = true;
    if (!x->status && x->sc.status) {
        x->status = x->sc.status;
        memcpy(x->err, x->sc.err, sizeof x->err);
    }
    if (!x->status && x->index == 0) {
        snprintf(x->err, sizeof x->err, "%s: expected frame %llu, found only %llu frames",
                 xyz_scan_name(&x->sc, x->sc.npaths ? x->sc.npaths - 1 : 0),
                 (unsigned long long)x->opts.first, (unsigned long long)x->sc.number);
        x->status = 2;
    }
    return x->status ? -1 : 0;
}

int xyz_next(struct xyz_reader *x, struct xyz_frame *f)
{
    if (x->ended)
        return x->status ? -1 : 0;
    while (x->handed == x->ready) {
        if (x->status || x->batch[x->cur].last || advance(x) != 1)
            return finish(x);
    }
    size_t k = x->handed++;
    f->index = x->index++;
    f->time = x->heads[k].time;
    f->box = &x->heads[k].box;
    f->pos = x->pos + k * x->frame_bytes;
    return 1;
}

int xyz_wait(struct xyz_reader *x, double seconds)
{
    if (x->handed < x->ready || x->ended || x->status || x->batch[x->cur].last)
        return 1;
    return xyz_scan_fill(&x->sc, &x->batch[!x->cur], 1, seconds);
}
