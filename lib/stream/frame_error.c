/* SPDX-License-Identifier: MIT */
/* frame_error.c: how a reader words what is wrong with its input. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stream/frame_reader.h"

int reader_fail(struct frame_reader *r, int status, const char *fmt, ...)
{
    if (r->state != READER_FAILED) {
        char why[ERR_BYTES];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(why, sizeof why, fmt, ap);
        va_end(ap);
        r->state = READER_FAILED;
        err_set(&r->err, status, "%s: %s", r->name, why);
    }
    return -1;
}

/* Who wrote this, and how far it was good: the end of both messages. */
static const char *circumstances(const struct frame_reader *r, char *buf, size_t n)
{
    const char *tool = r->meta ? meta_last_tool(r->meta) : NULL;
    int k = r->frames > 0
                ? snprintf(buf, n, "last good frame %llu", (unsigned long long)(r->frames - 1))
                : snprintf(buf, n, "no good frame before");
    if (tool)
        snprintf(buf + k, n - (size_t)k, ", written by %s", tool);
    return buf;
}

int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got)
{
    char c[256];
    if (r->in.io.error)
        return reader_fail(r, ERR_MACHINE, "offset %llu: reading failed: %s",
                           (unsigned long long)r->in.offset, strerror(r->in.io.error));
    return reader_fail(r, ERR_BAD,
                       "TRUNCATED at offset %llu, frame %llu: expected %llu bytes of %s, found the "
                       "end after %llu (%s)",
                       (unsigned long long)r->in.offset, (unsigned long long)r->frames,
                       (unsigned long long)want, what, (unsigned long long)got,
                       circumstances(r, c, sizeof c));
}

int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
{
    char why[512], c[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return reader_fail(r, ERR_BAD, "CORRUPT at offset %llu, frame %llu: %s (%s)",
                       (unsigned long long)r->head_at, (unsigned long long)r->frames, why,
                       circumstances(r, c, sizeof c));
}

int reader_wrong_magic(struct frame_reader *r, const unsigned char *p, size_t n)
{
    char shown[33];
    size_t k = 0, text = 0;
    for (size_t i = 0; i < n; i++)
        text += isprint(p[i]) || isspace(p[i]);
    for (; k < n && k < 32; k++)
        shown[k] = isprint(p[k]) ? (char)p[k] : '.';
    shown[k] = '\0';
    const char *guess = "this is not a frame stream";
    if (n >= 4 && memcmp(p, "\x89MBF", 4) == 0)
        guess = "a frame stream whose line ends were converted on the way";
    else if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        guess = "gzip: pipe it through gzip -d, or through xyz2bin if it is a trajectory";
    else if (n >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
        guess = "zstd: pipe it through zstd -d";
    else if (memmem(p, n, WIRE_MAGIC, 8) || memmem(r->in.buf, r->in.have, WIRE_MAGIC, 8))
        guess = "a stream begins further on: did a login banner or a message get in before it?";
    else if (text == n && isdigit(p[strspn((const char *)p, " \t")]))
        guess = "text that begins with a number: an XYZ file goes through xyz2bin first";
    else if (text == n)
        guess = "text: a message or a login banner instead of a stream?";
    return reader_fail(r, ERR_BAD, "offset 0: expected an MBF stream, found \"%s\" (%s)", shown,
                       guess);
}
