/* SPDX-License-Identifier: MIT */
#include "formats/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_BYTES ((size_t)1 << 20)
#define LINE_MAX_BYTES ((size_t)1 << 24)
#define PAUSE_SECONDS 0.2

int bytes_open(struct bytes *b, const char *path, input_foreign *foreign, struct err *e)
{
    b->from = b->have = 0;
    b->offset = b->line = 0;
    b->eof = b->cut = false;
    if (input_open(&b->in, path, foreign) == 0)
        return 0;
    *e = b->in.err;
    return -1;
}

void bytes_close(struct bytes *b)
{
    input_close(&b->in);
    free(b->buf);
    b->buf = NULL;
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

/* Room for more behind buf[have), up to `want` bytes from buf[from): grown as the bytes come, so
 * that a damaged length asks for no more memory than the file has bytes. */
static int make_room(struct bytes *b, size_t want, struct err *e)
{
    if (b->from > 0) {
        memmove(b->buf, b->buf + b->from, b->have - b->from);
        b->have -= b->from;
        b->from = 0;
    }
    if (b->have < b->cap)
        return 0;
    size_t cap = b->cap ? 2 * b->cap : FIRST_BYTES;
    if (want > FIRST_BYTES && cap > want)
        cap = want;
    if (b->max_mem && cap > b->max_mem && cap > FIRST_BYTES)
        return err_set(e, ERR_MEMORY,
                       "reading needs %zu bytes of memory: over the limit of %zu (--max-mem)", cap,
                       b->max_mem);
    unsigned char *buf = realloc(b->buf, cap + BYTES_SLACK);
    if (!buf)
        return err_memory(e, "a frame");
    b->buf = buf;
    b->cap = cap;
    return 0;
}

/* Some more bytes. 1, 0 at the end, -1. */
static int fill(struct bytes *b, size_t want, struct err *e)
{
    if (b->eof)
        return 0;
    if (make_room(b, want, e) != 0)
        return -1;
    ssize_t got =
        input_read(&b->in, b->buf + b->have, b->cap - b->have, b->idle ? PAUSE_SECONDS : -1.0);
    if (got == FDIO_NOTHING_YET) {
        b->idle(b->ctx);
        got = input_read(&b->in, b->buf + b->have, b->cap - b->have, -1.0);
    }
    if (got < 0) {
        b->cut = b->in.cut;
        *e = b->in.err;
        return -1;
    }
    b->eof = got == 0;
    b->have += (size_t)got;
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
        b->line++;
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
