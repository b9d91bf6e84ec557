/* SPDX-License-Identifier: MIT */
/* frame_part.c: reads frames. It checks the order of headers, verifies payloads while they are in
 * the cache, and writes error messages. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/magic.h"
#include "stream/frame_hash.h"
#include "stream/frame_reader.h"

enum { PIECE = 256 * 1024 };

/* ---- errors */

/* Writes the end of both messages, with the last good frame and the program that wrote it. */
static const char *circumstances(const struct frame_reader *r, char *buf, size_t n)
{
    const char *tool = r->meta ? meta_last_tool(r->meta) : NULL;
    int k = snprintf(buf, n, "no good frame before it");
    if (r->frames > 0)
        k = snprintf(buf, n, "last good frame %llu", (unsigned long long)(r->frames - 1));
    if (tool)
        snprintf(buf + k, n - (size_t)k, ", written by %s", tool);
    return buf;
}

int reader_truncated(struct frame_reader *r, const char *what, uint64_t want, uint64_t got)
{
    char c[256];
    if (r->io.error)
        return reader_fail(r, ERR_MACHINE, "offset %llu: reading failed: %s",
                           (unsigned long long)r->offset, strerror(r->io.error));
    r->damage = FRAME_TRUNCATED;
    return reader_fail(r, ERR_BAD,
                       "TRUNCATED at offset %llu, frame %llu: expected %llu bytes of %s, found the "
                       "end after %llu (%s)",
                       (unsigned long long)r->offset, (unsigned long long)r->frames,
                       (unsigned long long)want, what, (unsigned long long)got,
                       circumstances(r, c, sizeof c));
}

int reader_corrupt(struct frame_reader *r, const char *fmt, ...)
{
    struct err why;
    char c[256];
    va_list ap;
    va_start(ap, fmt);
    err_setv(&why, ERR_BAD, fmt, ap);
    va_end(ap);
    r->damage = FRAME_CORRUPT;
    return reader_fail(r, ERR_BAD, "CORRUPT at offset %llu, frame %llu: %s (%s)",
                       (unsigned long long)r->head_at, (unsigned long long)r->frames, why.text,
                       circumstances(r, c, sizeof c));
}

/* Reports the likely kind of an input whose first n bytes p are not a frame. */
static int wrong_magic(struct frame_reader *r, const unsigned char *p, size_t n)
{
    char shown[33];
    size_t k = 0, text = 0;
    for (size_t i = 0; i < n; i++)
        text += isprint(p[i]) || isspace(p[i]);
    for (; k < n && k < 32; k++)
        shown[k] = isprint(p[k]) ? (char)p[k] : '.';
    shown[k] = '\0';
    const char *guess = "is not a frame stream", *what;
    bool early = r->have >= n && memcmp(p, r->ahead, n) == 0; /* more of the input is in r->ahead */
    if (n >= 4 && memcmp(p, "\x89MBF", 4) == 0)
        guess = "is an MBF stream whose line endings were converted during a transfer";
    else if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        guess = "is compressed with gzip (decompress it with 'gzip -dc FILE |', or read a "
                "trajectory with xyz2bin or traj2bin)";
    else if (n >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
        guess = "is compressed with zstd (decompress it with 'zstd -dc FILE |', or read a "
                "trajectory with xyz2bin or traj2bin)";
    else if (memmem(p, n, WIRE_MAGIC, 8) || memmem(r->ahead, r->have, WIRE_MAGIC, 8))
        guess = "contains a stream only after other bytes, such as a login banner or a message";
    else if (magic_find(early ? r->ahead : p, early ? r->have : n, &what) != MAGIC_NO)
        guess = what;
    else if (text == n && isdigit(p[strspn((const char *)p, " \t")]))
        guess = "is text that begins with a number, such as an XYZ file (convert it with xyz2bin)";
    else if (text == n)
        guess = "is text, perhaps a message or a login banner instead of a stream";
    return reader_fail(r, ERR_BAD, "offset 0: expected an MBF stream, found \"%s\", which %s",
                       shown, guess);
}

/* ---- bytes and memory */

/* Reads n bytes. Returns the number read, which is below n at the end or if io.error is set. */
static size_t read_exactly(struct frame_reader *r, void *p, size_t n)
{
    unsigned char *to = p;
    size_t done = 0;
    while (done < n) {
        if (r->at < r->have) {
            size_t k = r->have - r->at < n - done ? r->have - r->at : n - done;
            memcpy(to + done, r->ahead + r->at, k);
            r->at += k;
            done += k;
            continue;
        }
        bool direct = n - done >= sizeof r->ahead;
        ssize_t got = fdio_read(&r->io, direct ? to + done : r->ahead,
                                direct ? n - done : sizeof r->ahead, -1.0);
        if (got <= 0)
            break;
        if (direct) {
            done += (size_t)got;
        } else {
            r->at = 0;
            r->have = (size_t)got;
        }
    }
    r->offset += done;
    return done;
}

void reader_jump(struct frame_reader *r, uint64_t to)
{
    if (to >= r->offset && to - r->offset <= r->have - r->at) {
        r->at += (size_t)(to - r->offset);
    } else {
        r->at = r->have = 0;
        (void)!fdio_seek(&r->io, to); /* sets io.error */
    }
    r->offset = to;
}

int reader_skip(struct frame_reader *r)
{
    uint64_t n = r->head.stored + wire_padding(r->head.stored), got = n,
             left = r->io.size > r->offset ? r->io.size - r->offset : 0;
    if (got > left)
        got = left;
    reader_jump(r, r->offset + got);
    return got < n || r->io.error ? reader_truncated(r, r->head.desc.code, n, got) : 0;
}

int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep)
{
    if (n <= b->cap && b->p)
        return 0;
    size_t want = (n | 4095) + 1, others = r->held - b->cap;
    if (want < n)
        want = n;
    struct err why;
    if (err_over(&why, (double)others + (double)n, r->opts.max_mem, NULL, "an array of %zu bytes",
                 n))
        return reader_fail(r, ERR_MEMORY, "frame %llu: %s", (unsigned long long)r->frames,
                           why.text);
    void *p = NULL;
    if (posix_memalign(&p, 64, want) != 0)
        return reader_fail(r, ERR_MEMORY, "frame %llu: out of memory for %zu bytes",
                           (unsigned long long)r->frames, n);
    if (keep)
        memcpy(p, b->p, keep);
    free(b->p);
    r->held = others + want;
    b->p = p;
    b->cap = want;
    return 0;
}

/* ---- headers */

/* Returns whether this frame continues the stream. */
static int check_order(struct frame_reader *r)
{
    const struct wire_header *h = &r->head;
    bool meta = h->desc.type == FRAME_META;
    if (r->state != READER_SEGMENT && !meta)
        return reader_corrupt(r, "expected META at the start of a segment, found %s", h->desc.code);
    if (r->state == READER_SEGMENT && meta)
        return reader_corrupt(r, "expected an end mark (END) before the next header (META), found "
                                 "a segment that was cut before another one was appended");
    if (r->landing) {
        r->frames += h->seq - r->sums.totals.frames;
        r->sums.totals.frames = h->seq;
        r->landing = false;
    }
    uint64_t want = meta ? 0 : r->sums.totals.frames;
    if (h->seq != want)
        return reader_corrupt(
            r, "expected sequence number %llu, found %llu: frames were lost, repeated or reordered",
            (unsigned long long)want, (unsigned long long)h->seq);
    return 0;
}

int reader_header(struct frame_reader *r)
{
    struct err why;
    bool damaged;
    r->head_at = r->offset;
    size_t got = read_exactly(r, r->wire, WIRE_HEADER);
    if (got == 0 && !r->io.error && r->state == READER_AFTER_END)
        return 0;
    if (got == 0 && !r->io.error && r->state == READER_START) {
        r->damage = FRAME_TRUNCATED;
        return reader_fail(
            r, ERR_BAD,
            "offset 0: expected a stream, found empty input: the upstream program wrote nothing");
    }
    if (got > 0 && r->state == READER_START && memcmp(r->wire, WIRE_MAGIC, got < 8 ? got : 8) != 0)
        return wrong_magic(r, r->wire, got < 64 ? got : 64);
    if (got < WIRE_HEADER)
        return reader_truncated(r, got ? "a frame header" : "the next frame", WIRE_HEADER, got);
    if (wire_unpack(r->wire, &r->head, &damaged, &why))
        return damaged ? reader_corrupt(r, "%s", why.text)
                       : reader_fail(r, ERR_BAD, "offset %llu: %s", (unsigned long long)r->head_at,
                                     why.text);
    return check_order(r) ? -1 : 1;
}

/* ---- payloads */

/* Checks that padding is zero and that the stored bytes have the hash of the header. */
static int check_stored(struct frame_reader *r, uint64_t found)
{
    unsigned char zero[WIRE_ALIGN];
    size_t n = wire_padding(r->head.stored), got = read_exactly(r, zero, n);
    uint64_t want = r->head.stored_hash;
    if (got < n)
        return reader_truncated(r, "padding", n, got);
    for (size_t k = 0; k < n; k++)
        if (zero[k])
            return reader_corrupt(r, "expected zero padding, found byte %d", zero[k]);
    if (found == want)
        return 0;
    return reader_corrupt(
        r, "expected payload hash %016llx, found %016llx: the bytes of %s were changed",
        (unsigned long long)want, (unsigned long long)found, r->head.desc.code);
}

/* Reads stored bytes in pieces and hashes them while they are in the cache. The bytes go to `dst`,
 * or through the scratch buffer to `w` or to no output. */
static int stored_bytes(struct frame_reader *r, unsigned char *dst, struct frame_writer *w)
{
    uint64_t left = r->head.stored;
    if (!dst && reader_reserve(r, &r->scratch, PIECE, 0))
        return -1;
    XXH3_64bits_reset(&r->part);
    do {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        unsigned char *to = dst ? dst : r->scratch.p;
        size_t got = read_exactly(r, to, n);
        if (got < n)
            return reader_truncated(r, r->head.desc.code, r->head.stored,
                                    r->head.stored - left + got);
        SIMD_PICK(frame_hash_update)(&r->part, to, n);
        left -= n;
        if (left == 0 && check_stored(r, XXH3_64bits_digest(&r->part)))
            return -1;
        if (w && writer_part_bytes(w, to, n))
            return -2;
        if (dst)
            dst += n;
    } while (left > 0);
    return 0;
}

int reader_stored(struct frame_reader *r, struct frame_writer *w)
{
    return stored_bytes(r, NULL, w);
}

int reader_prefetch(struct frame_reader *r, bool keep)
{
    const struct wire_header *h = &r->head;
    uint64_t hash;
    bool finite;
    size_t cap = r->data.cap, max = r->opts.max_mem / 4;
    if (!r->io.regular || r->opts.threads < 2 || h->codec != WIRE_STORED ||
        h->stored < PREFETCH_LEAST)
        return 0;
    if (!r->fore && r->io.size - r->offset < 16 * PREFETCH_LEAST + h->stored)
        return 0;
    if (!r->fore)
        r->fore = frame_prefetch_new(&r->io, r->opts.threads, max ? max : 1 << 30);
    if (!r->fore) {
        r->opts.threads = 1;
        return 0;
    }
    r->limits.types &= ~((uint64_t)1 << h->desc.type);
    int there = frame_prefetch_take(r->fore, h, r->offset, keep ? &r->data : NULL, &r->limits,
                                    &hash, &finite);
    r->held += r->data.cap - cap;
    if (!there)
        return 0;
    r->finite = finite && (r->finite || h->offset == 0);
    reader_jump(r, r->offset + h->stored);
    return check_stored(r, hash) ? -1 : 1;
}

int reader_raw(struct frame_reader *r, unsigned char *dst)
{
    const struct wire_header *h = &r->head;
    struct err why;
    if (h->codec == WIRE_STORED)
        return stored_bytes(r, dst, NULL);
    if (reader_reserve(r, &r->stored, (size_t)h->stored, 0) || stored_bytes(r, r->stored.p, NULL))
        return -1;
    if (codec_room(h) && reader_reserve(r, &r->scratch, codec_room(h), 0))
        return -1;
    if (codec_inflate(h, r->stored.p, dst, r->scratch.p, &why))
        return why.status == ERR_BAD ? reader_corrupt(r, "%s", why.text)
                                     : reader_fail(r, why.status, "%s", why.text);
    uint64_t found = wire_hash(dst, (size_t)h->raw);
    if (found != h->raw_hash)
        return reader_corrupt(r, "expected hash %016llx of the uncompressed bytes, found %016llx",
                              (unsigned long long)h->raw_hash, (unsigned long long)found);
    return 0;
}
