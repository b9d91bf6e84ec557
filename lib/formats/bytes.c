/* SPDX-License-Identifier: MIT */
#include "formats/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rows.h"

#define FIRST_BYTES ((size_t)1 << 20)
#define CACHE_BYTES ((size_t)1 << 19)
#define SHARED_BYTES ((size_t)1 << 22) /* a few ms of work for two threads */
#define LINE_MAX_BYTES ((size_t)1 << 24)
#define PAUSE_SECONDS 0.2

int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e)
{
    b->from = b->have = 0;
    b->offset = b->line = b->done = 0;
    b->block = FIRST_BYTES;
    b->whole = b->chunks = b->sliced = 0;
    b->counted = 0;
    b->eof = b->cut = b->torn = b->shares = b->slicing = b->last_slice = false;
    int rc = input_open(&b->in, path, foreign);
    b->in.threads = b->threads;
    b->in.max_mem = b->max_mem;
    if (rc == 0)
        return 0;
    *e = b->in.err;
    return -1;
}

void bytes_close(struct bytes *b)
{
    ahead_free(b->ahead);
    pool_free(b->pool);
    b->ahead = NULL;
    input_close(&b->in);
    free(b->buf);
    free(b->spare.p);
    free(b->ready.p);
    b->pool = NULL;
    b->buf = NULL;
    b->spare = b->ready = (struct ahead_block){.p = NULL};
    b->from = b->have = b->cap = 0;
}

static int bad(struct err *e, const char *unit, uint64_t at, const char *fmt, va_list ap)
{
    char text[ERR_BYTES];
    vsnprintf(text, sizeof text, fmt, ap);
    return err_set(e, ERR_BAD, "%s %llu: %s", unit, (unsigned long long)at, text);
}

int bytes_bad(const struct bytes *b, struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    bad(e, "byte", b->offset, fmt, ap);
    va_end(ap);
    return -1;
}

int bytes_bad_line(const struct bytes *b, struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    bad(e, "line", b->line, fmt, ap);
    va_end(ap);
    return -1;
}

/* Room for `least` bytes behind buf[have), and more, up to `want` from buf[from): grown as the bytes
 * come, so that a damaged length asks for no more memory than the file has bytes. */
static int make_room(struct bytes *b, size_t want, size_t least, struct err *e)
{
    b->chunks = 0;
    if (b->from > 0) {
        memmove(b->buf, b->buf + b->from, b->have - b->from);
        b->have -= b->from;
        b->from = 0;
    }
    while (b->cap - b->have < least) {
        size_t cap = b->cap ? 2 * b->cap : FIRST_BYTES;
        if (want > FIRST_BYTES && cap > want)
            cap = want;
        if (cap > FIRST_BYTES && err_over(e, (double)cap, b->max_mem, NULL, "reading"))
            return -1;
        unsigned char *buf = realloc(b->buf, cap + BYTES_SLACK);
        if (!buf)
            return err_memory(e, "a frame");
        b->buf = buf;
        b->cap = cap;
    }
    return 0;
}

/* Whole things that stay in a cache, or one; 0: nobody said what is whole. */
static size_t wholes(const struct bytes *b)
{
    return b->whole && b->whole < CACHE_BYTES ? CACHE_BYTES / b->whole * b->whole : b->whole;
}

/* May blocks of so many bytes be read ahead? A dozen are on their way, in buffers twice as long. */
static bool affordable(const struct bytes *b, size_t block)
{
    return !b->max_mem || block < b->max_mem / 32;
}

void bytes_whole(struct bytes *b, size_t n)
{
    b->whole = n;
}

/* One read into the buffer. As input_read, but for FDIO_NOTHING_YET. */
static ssize_t read_now(struct bytes *b)
{
    unsigned char *to = b->buf + b->have;
    size_t room = b->cap - b->have, left = b->have - b->from, most = wholes(b);
    if (most > left && most - left < room)
        room = most - left;
    ssize_t got = input_read(&b->in, to, room, b->idle ? PAUSE_SECONDS : -1.0);
    if (got == FDIO_NOTHING_YET) {
        b->idle(b->ctx);
        got = input_read(&b->in, to, room, -1.0);
    }
    b->have += got > 0 ? (size_t)got : 0;
    b->done = b->in.io.bytes;
    return got;
}

/* The block that was read ahead, behind what is left. Blocks grow with what is wanted, but not
 * faster than the file shows that it has so much. As input_read; FDIO_ERROR with e: no memory. */
static ssize_t take_ahead(struct bytes *b, size_t want, struct err *e)
{
    struct ahead_block next = b->ahead ? b->spare : b->ready;
    bool sliced = !b->ahead && b->sliced; /* its newlines are counted */
    b->sliced = 0;
    size_t left = b->have - b->from;
    if (want > b->block && affordable(b, 2 * b->block))
        b->block = want < 2 * b->block ? want : 2 * b->block;
    if (b->ahead)
        ahead_next(b->ahead, b->whole ? wholes(b) : b->block, &next);
    else
        b->ready = b->spare;
    b->ready.got = 0;
    b->spare.p = NULL;
    b->spare.cap = 0;
    b->done = next.taken;
    if (next.got > 0 && left <= next.at && affordable(b, b->cap / 2)) {
        if (left)
            memcpy(next.p + next.at - left, b->buf + b->from, left);
        b->spare = (struct ahead_block){.p = b->buf, .cap = b->cap};
        b->buf = next.p;
        b->cap = next.cap;
        b->from = next.at - left;
        b->have = next.at + (size_t)next.got;
        b->counted ^= sliced;
        b->chunks = sliced ? (size_t)next.got / BYTES_CHUNK : 0;
        b->chunks = b->chunks < BYTES_CHUNKS ? b->chunks : BYTES_CHUNKS;
        b->chunks_at = next.at;
        return next.got;
    }
    b->spare = next;
    if (next.got <= 0)
        return next.got;
    /* more is left than there is room for before the block, or buf is not one to give away */
    if (make_room(b, left + (size_t)next.got, (size_t)next.got, e) != 0)
        return FDIO_ERROR;
    memcpy(b->buf + b->have, next.p + next.at, (size_t)next.got);
    b->have += (size_t)next.got;
    return next.got;
}

/* ---- a plain file, read by several between two bytes_run */

static void read_slice(void *ctx, size_t k, int thread)
{
    struct bytes *b = ctx;
    size_t one = b->sliced / BYTES_SLICES, at = k * one, chunk = at / BYTES_CHUNK;
    unsigned char *to = b->ready.p + b->ready.at + at;
    int error = 0; /* what stands behind is read again, one after the other */
    (void)thread;
    b->slice[k] = fdio_read_at(&b->in.io, b->in.io.bytes + at, to, one, &error);
    for (size_t i = 0; i + BYTES_CHUNK <= b->slice[k] && chunk < BYTES_CHUNKS; i += BYTES_CHUNK) {
        size_t left = BYTES_CHUNK;
        const char *p = (const char *)to + i;
        (void)SIMD_PICK(rows_skip_lines)(p, p + BYTES_CHUNK, &left);
        b->newlines[!b->counted][chunk++] = (uint16_t)(BYTES_CHUNK - left);
    }
}

const char *bytes_skip_lines(const struct bytes *b, const char *p, const char *end, size_t *lines)
{
    const char *block = (const char *)b->buf + b->chunks_at;
    size_t k = p >= block ? ((size_t)(p - block) + BYTES_CHUNK - 1) / BYTES_CHUNK : b->chunks;
    if (k < b->chunks && block + k * BYTES_CHUNK < end) {
        const uint16_t *newlines = b->newlines[b->counted];
        p = SIMD_PICK(rows_skip_lines)(p, block + k * BYTES_CHUNK, lines);
        for (; k < b->chunks && newlines[k] < *lines && end - p >= BYTES_CHUNK; k++) {
            *lines -= newlines[k];
            p += BYTES_CHUNK;
        }
    }
    return *lines ? SIMD_PICK(rows_skip_lines)(p, end, lines) : p;
}

/* The next block is on its way. */
static void begin_block(struct bytes *b)
{
    if (!b->pool || b->last_slice || b->eof || b->ready.got || !input_plain(&b->in) ||
        !ahead_room(&b->ready, b->block))
        return;
    b->sliced = b->block / (BYTES_SLICES * BYTES_CHUNK) * (BYTES_SLICES * BYTES_CHUNK);
    b->slicing = true;
    pool_begin(b->pool, read_slice, b, BYTES_SLICES);
}

/* It is there. */
static void end_block(struct bytes *b)
{
    size_t got = 0, one = b->sliced / BYTES_SLICES, k = 0;
    if (!b->slicing)
        return;
    b->slicing = false;
    pool_end(b->pool);
    while (k < BYTES_SLICES && (k == 0 || b->slice[k - 1] == one))
        got += b->slice[k++];
    b->ready.got = (ssize_t)got;
    b->ready.taken = b->in.io.bytes += got;
    b->last_slice = got < b->sliced;
    /* the next block may be read with no bytes_run before it; a failure is that of its read */
    (void)!fdio_seek(&b->in.io, b->in.io.bytes);
}

/* Some more bytes. 1, 0 at the end, -1. */
static int fill(struct bytes *b, size_t want, struct err *e)
{
    if (b->eof)
        return 0;
    end_block(b);
    bool ahead = b->ahead || b->ready.got;
    if (!ahead && make_room(b, want, 1, e) != 0)
        return -1;
    ssize_t got = ahead ? take_ahead(b, want, e) : read_now(b);
    if (got < 0) {
        b->cut = b->in.cut;
        if (b->in.err.status)
            *e = b->in.err;
        return -1;
    }
    b->eof = got == 0;
    /* small files are not worth a thread, and a pipe is read when it is asked for */
    bool large = b->in.io.regular && b->offset > 0 && b->offset + b->have - b->from >= FIRST_BYTES;
    size_t block = b->whole ? wholes(b) : b->block;
    if (large && !b->eof && !b->ahead && !b->shares && b->threads > 1 && affordable(b, block))
        b->ahead = ahead_new(&b->in, block, b->threads);
    return got > 0;
}

void bytes_share(struct bytes *b)
{
    b->shares = b->threads > 1 && (!b->max_mem || 8 * SHARED_BYTES < b->max_mem);
    if (b->shares)
        b->block = SHARED_BYTES;
}

struct share {
    struct bytes *b;
    void (*run)(void *ctx, size_t k, int thread);
    void *ctx;
};

static void share_run(void *ctx, size_t k, int thread)
{
    const struct share *s = ctx;
    if (k > 0)
        s->run(s->ctx, k - 1, thread);
    else if (s->b->in.io.regular && !s->b->eof && !s->b->ahead && !s->b->ready.got &&
             !input_plain(&s->b->in))
        ahead_fill(&s->b->in, s->b->block, &s->b->ready);
}

void bytes_run(struct bytes *b, void (*run)(void *ctx, size_t k, int thread), void *ctx, size_t n)
{
    struct share s = {b, run, ctx};
    end_block(b);
    if (b->shares && !b->pool && n > 1)
        b->pool = pool_new(b->threads);
    if (b->pool && n > 1)
        pool_run(b->pool, share_run, &s, n + 1);
    else
        pool_run(NULL, run, ctx, n);
    begin_block(b);
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
            return bytes_bad(b, e, "truncated: expected %zu bytes of %s, the file ends after %zu",
                             n, what, b->have - b->from);
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
    return bytes_bad(b, e, "truncated: expected %zu bytes of %s, the file ends", n, what);
}

size_t bytes_head(struct bytes *b, size_t n, const unsigned char **p, struct err *e)
{
    int got = 1;
    while (b->have - b->from < n && got == 1) {
        size_t left = b->have - b->from;
        const unsigned char *at = left ? b->buf + b->from : NULL;
        if (at && memchr(at, '\n', left) && !memchr(at, 0, left))
            break; /* text is text after its first line: a live run is not held back */
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

int bytes_line(struct bytes *b, const char **s, size_t *len, struct err *e)
{
    size_t seen = 0;
    for (;;) {
        size_t left = b->have - b->from;
        const char *p = (const char *)b->buf + b->from;
        const char *nl = left > seen ? memchr(p + seen, '\n', left - seen) : NULL;
        int got = 1;
        if (!nl && left > LINE_MAX_BYTES)
            return err_set(e, ERR_BAD, "line %llu: longer than %zu bytes: this is no text",
                           (unsigned long long)b->line + 1, LINE_MAX_BYTES);
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
