/* SPDX-License-Identifier: MIT */
#include "formats/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "base/conveyor.h"
#include "base/portable.h"
#include "io/rows.h"

#define SMALL_BYTES ((size_t)1 << 16) /* size of the first read, for small inputs */
#define FIRST_BYTES ((size_t)1 << 20)
#define CACHE_BYTES ((size_t)1 << 19)
#define LINE_MAX_BYTES ((size_t)1 << 24)
#define PAUSE_SECONDS 0.2

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
    input_close(&b->in);
    b->from = b->have = 0;
}

void bytes_free(struct bytes *b)
{
    bytes_close(b);
    free(b->buf);
    free(b->spare.p);
}

/* Allocates room for at least `min` bytes after buf[have), and for up to `want` bytes after
 * buf[from). The buffer grows with the bytes read, so that a damaged length does not make it larger
 * than the file. */
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
        /* small buffers count twice, because the data that are read from them also need memory */
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

/* Returns the bytes of as many records as fit into a cache, or of a single record, or 0 if
 * bytes_whole() was not called. */
static size_t wholes(const struct bytes *b)
{
    return b->whole && !b->alone && b->whole < CACHE_BYTES ? CACHE_BYTES / b->whole * b->whole
                                                           : b->whole;
}

/* Returns whether max_mem allows read-ahead, which needs a dozen blocks in buffers twice as
 * long. */
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
    if (b->in.io.regular || b->ahead)
        return false;
    b->whole = n;
    b->alone = true;
    return true;
}

/* Reads once, like input_read(). Returns FDIO_NOTHING_YET only if `wait` is false. */
static ssize_t read_input(void *ctx, void *to, size_t n, bool wait)
{
    struct bytes *b = ctx;
    ssize_t got = input_read(&b->in, to, n, !wait ? 0.0 : b->o->idle ? PAUSE_SECONDS : -1.0);
    if (wait && got == FDIO_NOTHING_YET) {
        b->o->idle(b->o->ctx);
        got = input_read(&b->in, to, n, -1.0);
    }
    return got;
}

static ssize_t read_to(struct bytes *b, void *to, size_t n)
{
    ssize_t got = read_input(b, to, n, true);
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

/* Appends a block to the bytes left in `buf`. Sets *next to the unused buffer. Returns the values
 * of input_read(), or FDIO_ERROR and sets *e if memory is exhausted. */
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
    /* more bytes are left than fit before the block, or buf is too large to pass on */
    if (make_room(b, left + (size_t)next->got, (size_t)next->got, e) != 0)
        return FDIO_ERROR;
    memcpy(b->buf + b->have, next->p + next->at, (size_t)next->got);
    b->result_at = b->have;
    b->have += (size_t)next->got;
    return next->got;
}

/* Takes the block that was read ahead. Blocks grow with the requests, but at most by a factor of
 * two each time, because a damaged file may request too much. Returns as take_block() does. */
static ssize_t take_prefetch(struct bytes *b, size_t want, struct err *e)
{
    if (want > b->block && affordable(b, 2 * b->block))
        b->block = want < 2 * b->block ? want : 2 * b->block;
    prefetch_next(b->ahead, b->work ? BYTES_SHARED : b->whole ? wholes(b) : b->block, &b->spare);
    const void *result = b->spare.result;
    ssize_t got = take_block(b, &b->spare, e);
    b->result = got > 0 ? result : NULL;
    return got;
}

void bytes_share(struct bytes *b, prefetch_work *f, void *ctx)
{
    b->work = f;
    b->work_ctx = ctx;
}

void bytes_unshare(struct bytes *b)
{
    prefetch_free(b->ahead);
    b->ahead = NULL;
    b->result = NULL;
    b->work = NULL;
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
    if (b->eof)
        return 0;
    size_t left = b->have - b->from, min = CACHE_BYTES / 2;
    if (want > FIRST_BYTES) /* let the request grow by at most FIRST_BYTES */
        min = want - left < FIRST_BYTES ? want - left : FIRST_BYTES;
    if (!b->ahead && make_room(b, want, b->cap ? min : 1, e) != 0)
        return -1;
    ssize_t got = b->ahead ? take_prefetch(b, want, e) : read_now(b);
    if (got < 0)
        return read_failed(b, e);
    b->eof = got == 0;
    /* small files need no thread, and pipes are read on request. Records of plain files are copied
     * in less time than another processor needs to pass them on */
    bool copied = b->whole > 1 && input_plain(&b->in),
         large = b->offset > 0 && b->offset + b->have - b->from >= FIRST_BYTES;
    size_t block = b->work    ? BYTES_SHARED
                   : b->whole ? wholes(b)
                              : b->block,
           shared = (size_t)conveyor_slots(b->o->threads) * 8 * BYTES_SHARED; /* with results */
    if (large && !b->eof && !b->ahead && b->o->threads > 1 &&
        (b->work ? !b->o->max_mem || shared < b->o->max_mem
                 : b->in.io.regular && !copied && affordable(b, block)))
        b->ahead = prefetch_new(&(struct prefetch_use){&b->in, read_input, b, b->work, b->work_ctx},
                                block, b->o->threads);
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
        if (got == 0)
            return bytes_cut(
                b, e, "truncated: expected %zu bytes of %s, but the file ends after %zu bytes", n,
                what, b->have - b->from);
    }
    *p = b->buf + b->from;
    return 1;
}

bool bytes_peek_around(struct bytes *b, size_t n, size_t at, size_t len, void *to,
                       const unsigned char **p)
{
    if (b->have > b->from || b->cap < n || b->eof || b->ahead || !input_plain(&b->in))
        return false;
    struct iovec v[] = {{b->buf, at}, {to, len}, {b->buf + at + len, n - at - len}};
    ssize_t got = readv(b->in.io.fd, v, 3);
    if (got <= 0) /* bytes_peek tries again */
        return false;
    b->done = b->in.io.bytes += (size_t)got;
    b->from = 0;
    b->have = (size_t)got;
    *p = b->buf;
    if (b->have == n)
        return true;
    memcpy(b->buf + at, to, len);
    return false;
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
    return bytes_cut(b, e, "truncated: expected %zu bytes of %s, but the file ends here", n, what);
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
            break; /* one line suffices to recognise text, and a live run should not wait */
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
    return got != 0; /* a damaged input is also treated as more input */
}

/* Reports a line of text that is too long. */
static int too_long(struct bytes *b, const char *s, size_t n, struct err *e)
{
    size_t text = SIMD_PICK(rows_control)(s, n);
    b->line++;
    if (text < n)
        return bytes_bad_line(b, e, "expected text, found byte 0x%02x", (unsigned char)s[text]);
    if (b->longest)
        return bytes_bad_line(
            b, e, "expected a line of XYZ text, found %zu bytes without a line break", n);
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
    const char *nl = b->have > b->from ? portable_memrchr(*s, '\n', b->have - b->from) : NULL;
    return nl ? (size_t)(nl + 1 - *s) : 0;
}
