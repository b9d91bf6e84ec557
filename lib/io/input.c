/* SPDX-License-Identifier: MIT */
#include "io/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES = 1 << 18 };

static int cut_short(struct input *in)
{
    const char *kind = in->zstd ? "zstd" : "gzip";
    in->cut = true;
    return err_bad(&in->err, "truncated: the %s data is incomplete", kind);
}

int input_open(struct input *in, const char *path, input_foreign *foreign)
{
    *in = (struct input){.io.fd = -1, .raw = malloc(RAW_BYTES), .foreign = foreign};
    if (!in->raw)
        return err_memory(&in->err, "the input");
    if (fdio_open(&in->io, path) == 0)
        return 0;
    if (in->io.error == EISDIR)
        return err_bad(&in->err, "is a directory");
    return err_set(&in->err, err_errno(in->io.error), "cannot open: %s", strerror(in->io.error));
}

int input_take(struct input *in, const struct fdio *io, input_foreign *foreign)
{
    *in = (struct input){.io = *io, .raw = malloc(RAW_BYTES), .foreign = foreign};
    return in->raw ? 0 : err_memory(&in->err, "the input");
}

bool input_plain(const struct input *in)
{
    return in->io.regular && in->sniffed && !in->packed && in->raw_at == in->raw_len;
}

void input_close(struct input *in)
{
    if (!in->raw)
        return;
    gunzip_close(in->gunzip);
    zstd_close(in->zstd);
    fdio_close(&in->io);
    free(in->raw);
    *in = (struct input){.io.fd = -1};
}

/* Reads the descriptor once. The argument `wait` is the same as in input_read(). */
static ssize_t read_some(struct input *in, void *buf, size_t n, double wait)
{
    ssize_t got = fdio_read(&in->io, buf, n, wait);
    in->eof = got == 0;
    if (got != FDIO_ERROR)
        return got;
    return err_set(&in->err, ERR_MACHINE, "read error after byte %llu: %s",
                   (unsigned long long)in->io.bytes, strerror(in->io.error));
}

/* Refills raw[] and moves the remaining bytes to the front. */
static ssize_t refill(struct input *in, double wait)
{
    memmove(in->raw, in->raw + in->raw_at, in->raw_len - in->raw_at);
    in->raw_len -= in->raw_at;
    in->raw_at = 0;
    ssize_t got = in->eof ? 0 : read_some(in, in->raw + in->raw_len, RAW_BYTES - in->raw_len, wait);
    if (got > 0)
        in->raw_len += (size_t)got;
    return got;
}

/* Examines the first bytes. Returns 1 to continue, or else a result of input_read(). */
static ssize_t sniff(struct input *in, double wait)
{
    while (in->raw_len < INPUT_SNIFF && !in->eof) {
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
        const unsigned char *nl = memchr(in->raw, '\n', in->raw_len);
        if (nl) /* one line suffices to recognise text, so that a live run is not delayed */
            break;
    }
    const char *what = in->foreign ? in->foreign(in->raw, in->raw_len) : NULL;
    if (what)
        return err_bad(&in->err, "%s", what);
    if (in->raw_len == 1 && in->raw[0] == 0x1f)
        return cut_short(in);
    in->member_open = in->raw_len >= 2 && in->raw[0] == 0x1f && in->raw[1] == 0x8b;
    if (in->member_open && !(in->gunzip = gunzip_open(&in->err)))
        return FDIO_ERROR;
    if (zstd_begins(in->raw, in->raw_len) && !(in->zstd = zstd_open(&in->err)))
        return FDIO_ERROR;
    in->packed = in->gunzip || in->zstd;
    in->sniffed = true;
    return 1;
}

/* Handles the data after a member, which are the next member, the end, or zeros up to the end, as
 * on tapes. */
static ssize_t next_member(struct input *in, double wait)
{
    while (in->raw_len - in->raw_at < 2 && !in->eof) {
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
    }
    size_t left = in->raw_len - in->raw_at;
    const unsigned char *p = in->raw + in->raw_at;
    if (left == 0)
        return FDIO_END;
    if (left >= 2 && p[0] == 0x1f && p[1] == 0x8b) {
        in->member_open = true;
        return 1;
    }
    if (left == 1 && p[0] == 0x1f)
        return cut_short(in);
    for (size_t k = 0; k < left; k++)
        if (p[k] != 0)
            return err_bad(&in->err, "corrupt: bytes that are not gzip follow the compressed data");
    in->raw_at = in->raw_len;
    return in->eof ? FDIO_END : 1;
}

static ssize_t bad_gzip(struct input *in, const struct err *why)
{
    if (why->status != ERR_BAD)
        in->err = *why;
    else
        err_bad(&in->err, "corrupt gzip data before byte %llu: %s",
                (unsigned long long)(in->io.bytes - (in->raw_len - in->raw_at)), why->text);
    return FDIO_ERROR;
}

static ssize_t read_gzip(struct input *in, void *buf, size_t n, double wait)
{
    for (;;) {
        while (!in->member_open) {
            ssize_t more = next_member(in, wait);
            if (more != 1)
                return more;
        }
        struct err why;
        bool ended;
        long made =
            gunzip_inflate(in->gunzip, in->raw, in->raw_len, &in->raw_at, buf, n, &ended, &why);
        if (made < 0)
            return bad_gzip(in, &why);
        in->member_open = !ended;
        if (made > 0)
            return made;
        if (ended)
            continue;
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
        if (got == 0)
            return cut_short(in);
    }
}

static ssize_t read_zstd(struct input *in, void *buf, size_t n, double wait)
{
    for (;;) {
        int whole;
        long made =
            zstd_inflate(in->zstd, in->raw, in->raw_len, &in->raw_at, buf, n, &whole, &in->err);
        if (made != 0)
            return made;
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
        if (got == 0 && in->raw_at == in->raw_len)
            return whole ? FDIO_END : cut_short(in);
    }
}

/* The first decompressed bytes may still show a file of the wrong kind. */
static ssize_t read_packed(struct input *in, void *buf, size_t n, double wait)
{
    ssize_t done = (in->zstd ? read_zstd : read_gzip)(in, buf, n, wait);
    if (done <= 0 || in->looked_inside)
        return done;
    in->looked_inside = true;
    const char *what = in->foreign ? in->foreign(buf, (size_t)done) : NULL;
    return what ? err_bad(&in->err, "this %s-compressed file %s", in->zstd ? "zstd" : "gzip", what)
                : done;
}

ssize_t input_read(struct input *in, void *buf, size_t n, double wait)
{
    if (in->err.status)
        return FDIO_ERROR;
    if (!in->sniffed) {
        ssize_t ok = sniff(in, wait);
        if (ok != 1)
            return ok;
    }
    if (in->packed)
        return read_packed(in, buf, n, wait);
    size_t left = in->raw_len - in->raw_at;
    if (left > 0) {
        left = left < n ? left : n;
        memcpy(buf, in->raw + in->raw_at, left);
        in->raw_at += left;
        return (ssize_t)left;
    }
    return in->eof ? FDIO_END : read_some(in, buf, n, wait);
}
