/* SPDX-License-Identifier: MIT */
#include "base/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES = 1 << 18 };

static int cut_short(struct input *in)
{
    in->cut = true;
    return err_set(&in->err, ERR_BAD, "truncated: the %s data ends in the middle",
                   in->zstd ? "zstd" : "gzip");
}

int input_open(struct input *in, const char *path, input_foreign *foreign)
{
    *in = (struct input){.io.fd = -1, .raw = malloc(RAW_BYTES), .foreign = foreign};
    if (!in->raw)
        return err_memory(&in->err, "the input");
    if (fdio_open(&in->io, path) == 0)
        return 0;
    if (in->io.error == EISDIR)
        return err_set(&in->err, ERR_BAD, "is a directory");
    return err_set(&in->err, err_errno(in->io.error), "cannot open: %s", strerror(in->io.error));
}

bool input_plain(const struct input *in)
{
    return in->io.regular && in->sniffed && !in->packed && in->raw_at == in->raw_len;
}

void input_close(struct input *in)
{
    if (!in->raw)
        return;
    gunzip_free(in->gunzip);
    if (in->packed && !in->zstd)
        inflateEnd(&in->z);
    zstd_close(in->zstd);
    fdio_close(&in->io);
    free(in->raw);
    *in = (struct input){.io.fd = -1};
}

/* One read of the descriptor; wait as in input_read. */
static ssize_t read_some(struct input *in, void *buf, size_t n, double wait)
{
    ssize_t got = fdio_read(&in->io, buf, n, wait);
    in->eof = got == 0;
    if (got != FDIO_ERROR)
        return got;
    return err_set(&in->err, ERR_MACHINE, "read error after byte %llu: %s",
                   (unsigned long long)in->io.bytes, strerror(in->io.error));
}

/* Refill raw[]; what is left in it moves to the front. */
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

/* What the first bytes say. 1: go on, else a status of input_read. */
static ssize_t sniff(struct input *in, double wait)
{
    while (in->raw_len < INPUT_SNIFF && !in->eof) {
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
        const unsigned char *nl = memchr(in->raw, '\n', in->raw_len);
        if (nl) /* text is text after its first line, however short: a live run is not held back */
            break;
    }
    const char *what = in->foreign ? in->foreign(in->raw, in->raw_len) : NULL;
    if (what)
        return err_set(&in->err, ERR_BAD, "%s", what);
    if (in->raw_len == 1 && in->raw[0] == 0x1f)
        return cut_short(in);
    in->packed = in->raw_len >= 2 && in->raw[0] == 0x1f && in->raw[1] == 0x8b;
    if (in->packed && inflateInit2(&in->z, 15 + 16) != Z_OK) {
        in->packed = false;
        return err_memory(&in->err, "inflating");
    }
    in->member_open = in->packed;
    if (zstd_begins(in->raw, in->raw_len) && !(in->zstd = zstd_open(&in->err)))
        return FDIO_ERROR;
    if (in->packed)
        in->gunzip = gunzip_new(&in->io, in->threads, in->max_mem);
    in->packed |= in->zstd != NULL;
    in->sniffed = true;
    return 1;
}

/* zlib goes on where several threads had to stop. */
static int go_on(struct input *in)
{
    const struct gunzip_place *p = gunzip_stopped(in->gunzip);
    unsigned used = p->bit & 7;
    in->io.bytes = p->bit / 8;
    in->raw_at = in->raw_len = 0;
    in->eof = false;
    if (fdio_seek(&in->io, p->bit / 8) != 0)
        return err_set(&in->err, ERR_MACHINE, "cannot seek: %s", strerror(in->io.error));
    if (p->bit > 0) { /* within a member */
        if (refill(in, -1.0) < 0)
            return -1;
        if (in->raw_len == 0)
            return cut_short(in);
        in->bare = true;
        in->crc = p->crc;
        in->size = p->size;
        in->raw_at = used > 0;
        if (inflateReset2(&in->z, -15) != Z_OK ||
            (used && inflatePrime(&in->z, (int)(8 - used), in->raw[0] >> used) != Z_OK) ||
            inflateSetDictionary(&in->z, p->window + INFLATE_WINDOW - p->have, p->have) != Z_OK)
            return err_set(&in->err, ERR_MACHINE, "zlib failed");
    }
    gunzip_free(in->gunzip);
    in->gunzip = NULL;
    return 0;
}

/* What zlib does not check of a member whose head it has not seen. */
static ssize_t check_trailer(struct input *in, double wait)
{
    uint32_t crc, size;
    while (in->raw_len - in->raw_at < 8) {
        ssize_t got = refill(in, wait);
        if (got < 0)
            return got;
        if (got == 0)
            return cut_short(in);
    }
    memcpy(&crc, in->raw + in->raw_at, 4);
    memcpy(&size, in->raw + in->raw_at + 4, 4);
    if (crc != in->crc || size != in->size)
        return err_set(&in->err, ERR_BAD, "corrupt gzip data before byte %llu: incorrect %s check",
                       (unsigned long long)(in->io.bytes - (in->raw_len - in->raw_at)),
                       crc != in->crc ? "data" : "length");
    in->raw_at += 8;
    in->bare = in->trailer = in->member_open = false;
    return inflateReset2(&in->z, 15 + 16) == Z_OK ? 1
                                                  : err_set(&in->err, ERR_MACHINE, "zlib failed");
}

/* Between members: the next one, nothing, or padding with zeros up to the end (as tapes have it).
 */
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
        if (inflateReset(&in->z) != Z_OK)
            return err_set(&in->err, ERR_MACHINE, "zlib failed");
        in->member_open = true;
        return 1;
    }
    if (left == 1 && p[0] == 0x1f)
        return cut_short(in);
    for (size_t k = 0; k < left; k++)
        if (p[k] != 0)
            return err_set(&in->err, ERR_BAD,
                           "corrupt: something that is not gzip follows the compressed data");
    in->raw_at = in->raw_len;
    return in->eof ? FDIO_END : 1;
}

static ssize_t read_gzip(struct input *in, void *buf, size_t n, double wait)
{
    in->z.next_out = buf;
    in->z.avail_out = n > (1u << 30) ? 1u << 30 : (unsigned)n;
    size_t room = in->z.avail_out;
    while (in->z.avail_out == room) {
        if (in->trailer) {
            ssize_t good = check_trailer(in, wait);
            if (good != 1)
                return good;
        }
        if (!in->member_open) {
            ssize_t more = next_member(in, wait);
            if (more != 1)
                return more;
            continue;
        }
        if (in->raw_at == in->raw_len) {
            ssize_t got = refill(in, wait);
            if (got < 0)
                return got;
            if (got == 0)
                return cut_short(in);
        }
        in->z.next_in = in->raw + in->raw_at;
        in->z.avail_in = (unsigned)(in->raw_len - in->raw_at);
        int rc = inflate(&in->z, Z_NO_FLUSH);
        in->raw_at = in->raw_len - in->z.avail_in;
        if (in->bare) {
            in->crc = (uint32_t)crc32_z(in->crc, buf, room - in->z.avail_out);
            in->size += (uint32_t)(room - in->z.avail_out);
        }
        if (rc == Z_STREAM_END && in->bare)
            in->trailer = true;
        else if (rc == Z_STREAM_END)
            in->member_open = false;
        else if (rc == Z_MEM_ERROR)
            return err_memory(&in->err, "inflating");
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            return err_set(&in->err, ERR_BAD, "corrupt gzip data before byte %llu: %s",
                           (unsigned long long)(in->io.bytes - in->z.avail_in),
                           in->z.msg ? in->z.msg : "no deflate stream");
    }
    return (ssize_t)(room - in->z.avail_out);
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

/* By several threads, as far as they come. */
static ssize_t read_gunzip(struct input *in, void *buf, size_t n, double wait)
{
    ssize_t got = gunzip_read(in->gunzip, buf, n);
    in->io.bytes = gunzip_done(in->gunzip);
    if (got == FDIO_END)
        in->io.bytes = in->io.size;
    if (got != GUNZIP_GO_ON)
        return got;
    return go_on(in) == 0 ? read_gzip(in, buf, n, wait) : FDIO_ERROR;
}

/* What came out first may still be foreign. */
static ssize_t read_packed(struct input *in, void *buf, size_t n, double wait)
{
    ssize_t done = (in->zstd ? read_zstd : in->gunzip ? read_gunzip : read_gzip)(in, buf, n, wait);
    if (done <= 0 || in->looked_inside)
        return done;
    in->looked_inside = true;
    const char *what = in->foreign ? in->foreign(buf, (size_t)done) : NULL;
    return what ? err_set(&in->err, ERR_BAD, "compressed by %s, it %s", in->zstd ? "zstd" : "gzip",
                          what)
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
