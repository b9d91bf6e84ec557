/* SPDX-License-Identifier: MIT */
/* frame_array.c: payloads: parts of one array, verified while they are hot. */
#include <stdlib.h>
#include <string.h>

#include "stream/frame_hash.h"
#include "stream/frame_reader.h"

enum { PIECE = 256 * 1024, START_BYTES = 64 << 20 };

int reader_reserve(struct frame_reader *r, struct buffer *b, size_t n, size_t keep)
{
    if (n <= b->cap && b->p)
        return 0;
    size_t want = (n | 4095) + 1, others = r->held - b->cap;
    if (want < n)
        want = n;
    if (r->opts.max_mem && (others > r->opts.max_mem || n > r->opts.max_mem - others))
        return reader_fail(r, ERR_BAD,
                           "frame %llu: expected to need at most %zu bytes of memory (--max-mem), "
                           "found an array of %zu",
                           (unsigned long long)r->frames, r->opts.max_mem, n);
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

static int padding(struct frame_reader *r, uint64_t stored)
{
    unsigned char zero[WIRE_ALIGN];
    size_t n = wire_padding(stored), got = input_read(&r->in, zero, n);
    if (got < n)
        return reader_truncated(r, "padding", n, got);
    for (size_t k = 0; k < n; k++)
        if (zero[k])
            return reader_corrupt(r, "expected zero padding, found byte %d", zero[k]);
    return 0;
}

static int stored_hash_ok(struct frame_reader *r, uint64_t found)
{
    if (found == r->head.stored_hash)
        return 0;
    return reader_corrupt(
        r, "expected payload hash %016llx, found %016llx: the bytes of %s were changed",
        (unsigned long long)r->head.stored_hash, (unsigned long long)found, r->head.desc.code);
}

/* Stored bytes of the part in pieces, hashed while they are in cache; to dst, or nowhere through
 * the scratch buffer. */
static int stored_bytes(struct frame_reader *r, unsigned char *dst)
{
    uint64_t left = r->head.stored;
    if (!dst && reader_reserve(r, &r->scratch, PIECE, 0))
        return -1;
    XXH3_64bits_reset(r->part);
    while (left > 0) {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        unsigned char *to = dst ? dst : r->scratch.p;
        size_t got = input_read(&r->in, to, n);
        if (got < n)
            return reader_truncated(r, r->head.desc.code, r->head.stored,
                                    r->head.stored - left + got);
        SIMD_PICK(frame_hash_update)(r->part, to, n);
        left -= n;
        if (dst)
            dst += n;
    }
    return padding(r, r->head.stored) || stored_hash_ok(r, XXH3_64bits_digest(r->part)) ? -1 : 0;
}

int reader_part(struct frame_reader *r, unsigned char *dst)
{
    const struct wire_header *h = &r->head;
    struct err why;
    if (h->codec == WIRE_STORED)
        return stored_bytes(r, dst);
    if (reader_reserve(r, &r->stored, (size_t)h->stored, 0) || stored_bytes(r, r->stored.p))
        return -1;
    if (h->filter != WIRE_PLAIN && reader_reserve(r, &r->scratch, (size_t)h->raw, 0))
        return -1;
    if (codec_inflate(h, r->stored.p, dst, r->scratch.p, &why))
        return reader_corrupt(r, "%s", why.text);
    if (wire_hash(dst, (size_t)h->raw) != h->raw_hash)
        return reader_corrupt(r, "expected raw hash %016llx, found %016llx",
                              (unsigned long long)h->raw_hash,
                              (unsigned long long)wire_hash(dst, (size_t)h->raw));
    return 0;
}

void reader_count(struct frame_reader *r)
{
    const struct wire_header *h = &r->head;
    unsigned char c[WIRE_CONTENT];
    wire_content(h, c);
    XXH3_128bits_update(r->stream, r->wire, WIRE_HEADER);
    XXH3_128bits_update(r->content, c, WIRE_CONTENT);
    r->sum.frames++;
    r->sum.raw_bytes += h->raw;
    if (h->desc.flags & WIRE_LAST) {
        r->sum.arrays++;
        if (frame_counts_steps(&h->desc))
            r->sum.steps += h->desc.dims[0];
        r->announced = false;
    }
    r->seq++;
    r->frames++;
}

/* The part after one of array d that ended at byte `end`. */
static int next_part(struct frame_reader *r, const struct frame_desc *d, uint64_t end)
{
    if (reader_header(r) <= 0)
        return -1;
    const struct frame_desc *n = &r->head.desc;
    bool same = memcmp(n->code, d->code, 4) == 0 && n->dtype == d->dtype && n->ndim == d->ndim &&
                memcmp(n->dims, d->dims, sizeof d->dims) == 0 && n->index == d->index &&
                memcmp(&n->time, &d->time, sizeof d->time) == 0 &&
                ((n->flags ^ d->flags) & (FRAME_CRITICAL | FRAME_COPYSAFE)) == 0;
    if (!same || r->head.offset != end)
        return reader_corrupt(r, "expected the next part of %s at byte %llu, found %s at byte %llu",
                              d->code, (unsigned long long)end, n->code,
                              (unsigned long long)r->head.offset);
    return 0;
}

/* Grow with what has arrived, not with what a header claims. */
static int room_for(struct frame_reader *r, size_t total)
{
    size_t need = (size_t)(r->head.offset + r->head.raw),
           want = need > START_BYTES ? 2 * need : START_BYTES;
    if (r->opts.max_mem && total > r->opts.max_mem)
        want = total; /* refused at once, naming both */
    return reader_reserve(r, &r->data,
                          need <= r->data.cap ? need
                          : want < total      ? want
                                              : total,
                          (size_t)r->head.offset);
}

int reader_keep(struct frame_reader *r, size_t *bytes)
{
    const struct frame_desc d = r->head.desc;
    size_t total = frame_bytes(&d);
    for (;;) {
        uint64_t end = r->head.offset + r->head.raw;
        if (room_for(r, total) || reader_part(r, r->data.p + r->head.offset))
            return -1;
        reader_count(r);
        if (end == total)
            break;
        if (next_part(r, &d, end))
            return -1;
    }
    *bytes = total;
    return 0;
}

static int skip_part(struct frame_reader *r, bool verify)
{
    const struct wire_header *h = &r->head;
    if (r->in.io.regular && !verify) {
        uint64_t n = h->stored + wire_padding(h->stored), got = input_skip(&r->in, n);
        return got < n || r->in.io.error ? reader_truncated(r, h->desc.code, n, got) : 0;
    }
    if (verify && h->codec != WIRE_STORED)
        return reader_reserve(r, &r->data, (size_t)h->raw, 0) || reader_part(r, r->data.p) ? -1 : 0;
    return stored_bytes(r, NULL);
}

int reader_drop(struct frame_reader *r, bool verify)
{
    const struct frame_desc d = r->head.desc;
    for (;;) {
        uint64_t end = r->head.offset + r->head.raw;
        if (skip_part(r, verify))
            return -1;
        reader_count(r);
        if (!r->announced)
            return 0;
        if (next_part(r, &d, end))
            return -1;
    }
}

/* One part to w in pieces; its last piece goes out only when the hash was right. */
static int pass_part(struct frame_reader *r, struct frame_writer *w, const struct wire_header *h)
{
    uint64_t left = r->head.stored;
    if (reader_reserve(r, &r->scratch, PIECE, 0))
        return -1;
    if (writer_part_begin(w, h))
        return -2;
    XXH3_64bits_reset(r->part);
    for (;;) {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        size_t got = input_read(&r->in, r->scratch.p, n);
        if (got < n)
            return reader_truncated(r, r->head.desc.code, r->head.stored,
                                    r->head.stored - left + got);
        SIMD_PICK(frame_hash_update)(r->part, r->scratch.p, n);
        left -= n;
        if (left == 0 &&
            (padding(r, r->head.stored) || stored_hash_ok(r, XXH3_64bits_digest(r->part))))
            return -1;
        if (writer_part_bytes(w, r->scratch.p, n))
            return -2;
        if (left == 0)
            return writer_part_end(w, h) ? -2 : 0;
    }
}

int reader_pass(struct frame_reader *r, struct frame_writer *w, const struct frame_desc *to)
{
    const struct frame_desc d = r->head.desc;
    for (;;) {
        struct wire_header h = r->head;
        uint64_t end = r->head.offset + r->head.raw;
        h.desc.index = to->index;
        h.desc.time = to->time;
        int rc = pass_part(r, w, &h);
        if (rc)
            return rc;
        reader_count(r);
        if (!r->announced)
            return 0;
        if (next_part(r, &d, end))
            return -1;
    }
}
