/* SPDX-License-Identifier: MIT */
#include "formats/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/rows.h"

#define SMALL_BYTES ((size_t)1 << 16) /* first read: small inputs need little memory */
#define FIRST_BYTES ((size_t)1 << 20)
#define CACHE_BYTES ((size_t)1 << 19)
#define LINE_MAX_BYTES ((size_t)1 << 24)
#define PAUSE_SECONDS 0.2

struct bytes_block {
    struct prefetch_block b;
    void *result;
};

int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e)
{
    b->from = b->have = 0;
    b->offset = b->line = b->done = 0;
    b->block = FIRST_BYTES;
    b->whole = b->longest = 0;
    b->result = NULL;
    b->eof = b->cut = b->torn = false;
    b->path = path && strcmp(path, "-") != 0 ? path : "/dev/stdin";
    int rc = b->o->source && !path ? input_take(&b->in, &b->o->source->io, foreign)
                                   : input_open(&b->in, path, foreign);
    if (rc == 0)
        return 0;
    *e = b->in.err;
    return -1;
}

void bytes_close(struct bytes *b)
{
    bytes_unshare(b);
    prefetch_free(b->ahead);
    b->ahead = NULL;
    input_close(&b->in);
    b->from = b->have = 0;
}

void bytes_free(struct bytes *b)
{
    bytes_close(b);
    free(b->buf);
    free(b->spare.p);
}

int bytes_bad(const struct bytes *b, struct err *e, const char *fmt, ...)
{
    struct err why;
    va_list ap;
    va_start(ap, fmt);
    err_setv(&why, ERR_BAD, fmt, ap);
    va_end(ap);
    return err_set(e, ERR_BAD, "byte %" PRIu64 ": %s", b->offset, why.text);
}

int bytes_bad_line(const struct bytes *b, struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    err_setv(e, ERR_BAD, fmt, ap);
    va_end(ap);
    return err_line(e, b->line);
}

/* Makes room for at least `min` bytes after buf[have), and for up to `want` bytes from buf[from).
 * The buffer grows with the bytes read, so that a damaged length does not allocate more than the
 * file size. */
static int make_room(struct bytes *b, size_t want, size_t min, struct err *e)
{
    b->result = NULL;
    if (b->from > 0) {
        memmove(b->buf, b->buf + b->from, b->have - b->from);
        b->have -= b->from;
        b->from = 0;
    }
    while (b->cap - b->have < min) {
        size_t cap = b->cap ? 2 * b->cap : SMALL_BYTES;
        if (want > FIRST_BYTES && cap > want)
            cap = want;
        /* small buffers count twice, for the memory of the data that are read */
        if (err_over(e, (cap > FIRST_BYTES ? 1.0 : 2.0) * (double)cap, b->o->max_mem, NULL,
                     "reading"))
            return -1;
        unsigned char *buf = realloc(b->buf, cap + BYTES_SLACK);
        if (!buf)
            return err_memory(e, "a frame");
        b->buf = buf;
        b->cap = cap;
    }
    return 0;
}

/* Returns the bytes of the records that fit into a cache, or of one record; 0 if bytes_whole is
 * unset. */
static size_t wholes(const struct bytes *b)
{
    return b->whole && !b->alone && b->whole < CACHE_BYTES ? CACHE_BYTES / b->whole * b->whole
                                                           : b->whole;
}

/* Returns whether max_mem allows read-ahead: a dozen blocks, in buffers twice as long. */
static bool affordable(const struct bytes *b, size_t block)
{
    return !b->o->max_mem || block < b->o->max_mem / 32;
}

void bytes_whole(struct bytes *b, size_t n)
{
    b->whole = n;
    b->alone = false;
}

bool bytes_alone(struct bytes *b, size_t n)
{
    if (b->in.io.regular || b->ahead || b->conveyor)
        return false;
    b->whole = n;
    b->alone = true;
    return true;
}

/* Reads once, as input_read, but waits instead of returning FDIO_NOTHING_YET. */
static ssize_t read_to(struct bytes *b, void *to, size_t n)
{
    ssize_t got = input_read(&b->in, to, n, b->o->idle ? PAUSE_SECONDS : -1.0);
    if (got == FDIO_NOTHING_YET) {
        b->o->idle(b->o->ctx);
        got = input_read(&b->in, to, n, -1.0);
    }
    b->done = b->in.io.bytes;
    return got;
}

static ssize_t read_now(struct bytes *b)
{
    size_t capacity = b->cap - b->have, left = b->have - b->from, max = wholes(b);
    if (max > left && max - left < capacity)
        capacity = max - left;
    ssize_t got = read_to(b, b->buf + b->have, capacity);
    b->have += got > 0 ? (size_t)got : 0;
    return got;
}

/* Appends a block to the bytes left in buf; *next receives the unused buffer. Returns as
 * input_read, or FDIO_ERROR and sets *e if memory is exhausted. */
static ssize_t take_block(struct bytes *b, struct prefetch_block *next, struct err *e)
{
    size_t left = b->have - b->from;
    b->done = next->taken;
    if (next->got <= 0)
        return next->got;
    if (left <= next->at && affordable(b, b->cap / 2)) {
        struct prefetch_block mine = {.p = b->buf, .cap = b->cap};
        if (left)
            memcpy(next->p + next->at - left, b->buf + b->from, left);
        b->buf = next->p;
        b->cap = next->cap;
        b->from = next->at - left;
        b->have = next->at + (size_t)next->got;
        b->result_at = next->at;
        ssize_t got = next->got;
        *next = mine;
        return got;
    }
    /* more bytes are left than fit in front of the block, or buf is too large to pass on */
    if (make_room(b, left + (size_t)next->got, (size_t)next->got, e) != 0)
        return FDIO_ERROR;
    memcpy(b->buf + b->have, next->p + next->at, (size_t)next->got);
    b->result_at = b->have;
    b->have += (size_t)next->got;
    return next->got;
}

/* Takes the block that was read ahead. Blocks grow with the requests, but only by a factor of two
 * each, in case a damaged file requests too much. Returns as take_block. */
static ssize_t take_prefetch(struct bytes *b, size_t want, struct err *e)
{
    if (want > b->block && affordable(b, 2 * b->block))
        b->block = want < 2 * b->block ? want : 2 * b->block;
    prefetch_next(b->ahead, b->whole ? wholes(b) : b->block, &b->spare);
    return take_block(b, &b->spare, e);
}

/* ---- shared blocks: each thread works on the blocks that it reads */

static void fetch(void *ctx, int slot, uint64_t n)
{
    struct bytes *b = ctx;
    struct prefetch_block *k = &b->blocks[slot].b;
    int error = 0; /* after an error, the rest is read again in order */
    uint64_t at = b->fetch_from + n * BYTES_SHARED;
    k->got = 0;
    if (prefetch_room(k, BYTES_SHARED))
        k->got = (ssize_t)fdio_read_at(&b->in.io, at, k->p + k->at, BYTES_SHARED, &error);
    k->taken = at + (uint64_t)k->got;
}

/* Reads a block sequentially. Returns 1, 0 at the end (b->end), or -1 if no data are ready yet. */
static int read_block(struct bytes *b, struct prefetch_block *k, bool wait)
{
    size_t have = 0;
    b->end = prefetch_room(k, BYTES_SHARED) ? 1 : err_memory(&b->in.err, "reading ahead");
    while (b->end > 0 && have < BYTES_SHARED) {
        unsigned char *to = k->p + k->at + have;
        double pause = have || !wait ? 0.0 : b->o->idle ? PAUSE_SECONDS : -1.0;
        ssize_t got = input_read(&b->in, to, BYTES_SHARED - have, pause);
        if (got == FDIO_NOTHING_YET && (have || !wait))
            break;
        if (got == FDIO_NOTHING_YET) {
            b->o->idle(b->o->ctx);
            got = input_read(&b->in, to, BYTES_SHARED - have, -1.0);
        }
        have += got > 0 ? (size_t)got : 0;
        b->end = got;
    }
    k->got = (ssize_t)have;
    k->taken = b->in.io.bytes;
    return have > 0 ? 1 : b->end > 0 ? -1 : 0;
}

static int bytes_begin(void *ctx, int slot, int ahead)
{
    struct bytes *b = ctx;
    struct prefetch_block *k = &b->blocks[slot].b;
    int got = b->blocks_end ? 0 : 1;
    if (got && b->fetches) {
        got = k->got > 0;
        b->in.io.bytes = k->taken;
        b->blocks_end = k->got < BYTES_SHARED;
    } else if (got) {
        got = read_block(b, k, ahead == 0 || b->in.io.regular);
        b->blocks_end = b->end <= 0;
    }
    return got > 0 ? 1 : got < 0 ? CONVEYOR_LATER : CONVEYOR_END;
}

static void work(void *ctx, int slot, int k)
{
    struct bytes *b = ctx;
    struct bytes_block *s = &b->blocks[slot];
    (void)k;
    b->work(b->work_ctx, &s->result, s->b.p + s->b.at, (size_t)s->b.got);
}

static void begin_sharing(struct bytes *b)
{
    b->nblocks = conveyor_slots(b->o->threads);
    b->fetches = input_plain(&b->in);
    b->fetch_from = b->in.io.bytes;
    b->blocks_end = false;
    b->blocks = calloc((size_t)b->nblocks, sizeof *b->blocks);
    if (b->blocks)
        b->conveyor = conveyor_new(
            b->o->threads, b->nblocks,
            (struct conveyor_work){.work = work, .begin = bytes_begin, .fetch = fetch, .ctx = b});
    if (b->conveyor && b->in.io.regular)
        conveyor_open(b->conveyor, b->fetches);
}

static void end_sharing(struct bytes *b)
{
    conveyor_free(b->conveyor);
    b->conveyor = NULL;
    b->result = NULL;
    for (int k = 0; b->blocks && k < b->nblocks; k++) {
        free(b->blocks[k].b.p);
        free(b->blocks[k].result);
    }
    free(b->blocks);
    b->blocks = NULL;
}

void bytes_share(struct bytes *b, bytes_work *f, void *ctx)
{
    b->work = f;
    b->work_ctx = ctx;
}

void bytes_unshare(struct bytes *b)
{
    end_sharing(b);
    b->work = NULL;
}

/* Takes a shared block. Returns as take_block, or FDIO_NOTHING_YET after the last block. */
static ssize_t take_shared(struct bytes *b, struct err *e)
{
    int slot = conveyor_next(b->conveyor);
    if (slot == CONVEYOR_END) {
        end_sharing(b);
        b->work = NULL;
        if (!b->fetches)
            return b->end;
        return fdio_seek(&b->in.io, b->in.io.bytes) == 0
                   ? FDIO_NOTHING_YET
                   : err_set(&b->in.err, ERR_MACHINE, "cannot seek: %s", strerror(b->in.io.error));
    }
    ssize_t got = take_block(b, &b->blocks[slot].b, e);
    b->result = got > 0 ? b->blocks[slot].result : NULL;
    return got;
}

static int read_failed(struct bytes *b, struct err *e)
{
    b->cut = b->in.cut;
    if (b->in.err.status)
        *e = b->in.err;
    return -1;
}

/* Reads more bytes. Returns 1, 0 at the end, or -1. */
static int fill(struct bytes *b, size_t want, struct err *e)
{
    ssize_t got = FDIO_NOTHING_YET;
    if (b->eof)
        return 0;
    if (b->conveyor)
        got = take_shared(b, e);
    if (got == FDIO_NOTHING_YET) {
        size_t left = b->have - b->from, min = CACHE_BYTES / 2;
        if (want > FIRST_BYTES) /* grow by at most FIRST_BYTES at a time */
            min = want - left < FIRST_BYTES ? want - left : FIRST_BYTES;
        if (!b->ahead && make_room(b, want, b->cap ? min : 1, e) != 0)
            return -1;
        got = b->ahead ? take_prefetch(b, want, e) : read_now(b);
    }
    if (got < 0)
        return read_failed(b, e);
    b->eof = got == 0;
    /* small files do not need a thread, and pipes are read on request */
    bool large = b->offset > 0 && b->offset + b->have - b->from >= FIRST_BYTES;
    size_t block = b->whole ? wholes(b) : b->block;
    if (!large || b->eof || b->ahead || b->conveyor || b->o->threads <= 1)
        return got > 0;
    size_t shared =
        (size_t)conveyor_slots(b->o->threads) * 8 * BYTES_SHARED; /* blocks and results */
    if (b->work && (!b->o->max_mem || shared < b->o->max_mem))
        begin_sharing(b);
    else if (!b->work && b->in.io.regular && affordable(b, block))
        b->ahead = prefetch_new(&b->in, block, b->o->threads);
    return got > 0;
}

int bytes_peek(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
{
    while (b->have - b->from < n) {
        int got = fill(b, n, e);
        if (got < 0)
            return -1;
        if (got == 0 && b->have == b->from)
            return 0;
        if (got == 0) {
            b->cut = true;
            return bytes_bad(
                b, e, "truncated: expected %zu bytes of %s, but the file ends after %zu bytes", n,
                what, b->have - b->from);
        }
    }
    *p = b->buf + b->from;
    return 1;
}

int bytes_get(struct bytes *b, size_t n, const char *what, const unsigned char **p, struct err *e)
{
    int got = n ? bytes_peek(b, n, what, p, e) : 1;
    if (got == 1) {
        bytes_take(b, n);
        return 0;
    }
    if (got < 0)
        return -1;
    b->cut = true;
    return bytes_bad(b, e, "truncated: expected %zu bytes of %s, but the file ends here", n, what);
}

int bytes_into(struct bytes *b, void *to, size_t n, const char *what, struct err *e)
{
    size_t have = b->have - b->from, done = have < n ? have : n;
    if (done)
        memcpy(to, b->buf + b->from, done);
    bytes_take(b, done);
    while (done < n && !b->eof) {
        ssize_t got = read_to(b, (char *)to + done, n - done);
        if (got < 0)
            return read_failed(b, e);
        b->eof = got == 0;
        b->offset += (size_t)got;
        done += (size_t)got;
    }
    b->cut |= done < n;
    return done < n
               ? bytes_bad(b, e,
                           "truncated: expected %zu bytes of %s, but the file ends after %zu bytes",
                           n, what, done)
               : 0;
}

size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e)
{
    int got = 1;
    while (b->have - b->from < n && got == 1) {
        size_t left = b->have - b->from;
        const unsigned char *at = left ? b->buf + b->from : NULL;
        if (at && memchr(at, '\n', left) && !memchr(at, 0, left))
            break; /* one line identifies text: do not make a live run wait */
        got = fill(b, n, e);
    }
    *p = b->buf + b->from;
    size_t left = b->have - b->from;
    return left < n ? left : n;
}

int bytes_skip(struct bytes *b, uint64_t n, const char *what, struct err *e)
{
    while (n > 0) {
        const unsigned char *p;
        size_t left = b->have - b->from, some = left ? left : 1;
        some = some < n ? some : (size_t)n;
        if (bytes_get(b, some, what, &p, e) != 0)
            return -1;
        n -= some;
    }
    return 0;
}

bool bytes_more(struct bytes *b)
{
    const unsigned char *p = NULL;
    struct err e;
    int got;
    while ((got = bytes_peek(b, 1, "more", &p, &e)) == 1 && *p <= ' ')
        bytes_take(b, 1);
    return got != 0; /* a damaged input also counts as more */
}

/* Reports a line of text that is too long. */
static int too_long(struct bytes *b, const char *s, size_t n, struct err *e)
{
    size_t text = SIMD_PICK(rows_control)(s, n);
    b->line++;
    if (text < n)
        return bytes_bad_line(b, e, "expected text, found byte 0x%02x", (unsigned char)s[text]);
    if (b->longest)
        return bytes_bad_line(b, e, "expected a line of XYZ, found no line end in %zu bytes", n);
    return bytes_bad_line(b, e, "expected text, found a line longer than %zu bytes", n);
}

int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e)
{
    size_t seen = 0, max = b->longest ? b->longest : LINE_MAX_BYTES;
    for (;;) {
        size_t left = b->have - b->from;
        const char *p = (const char *)b->buf + b->from;
        const char *nl = left > seen ? memchr(p + seen, '\n', left - seen) : NULL;
        int got = 1;
        if (left >= max && (!nl || nl >= p + max))
            return too_long(b, p, max, e);
        seen = left;
        if (!nl && (got = fill(b, 0, e)) < 0)
            return -1;
        if (!nl && got == 1)
            continue;
        p = (const char *)b->buf + b->from;
        size_t n = nl ? (size_t)(nl - p) : left;
        if (!nl && n == 0)
            return 0;
        bytes_take(b, n + (nl != NULL));
        b->torn = !nl;
        b->line++;
        size_t text = SIMD_PICK(rows_control)(p, n);
        if (text < n)
            return bytes_bad_line(b, e, "expected text, found byte 0x%02x", (unsigned char)p[text]);
        *s = p;
        *len = n > 0 && p[n - 1] == '\r' ? n - 1 : n;
        return 1;
    }
}

size_t bytes_lines(const struct bytes *b, const char **s)
{
    *s = (const char *)b->buf + b->from;
    const char *nl = b->have > b->from ? memrchr(*s, '\n', b->have - b->from) : NULL;
    return nl ? (size_t)(nl + 1 - *s) : 0;
}
