/* SPDX-License-Identifier: MIT */
/* frame_read.c: headers in order and the grammar of a stream: META array* (END | ERR). */
#include <stdio.h>
#include <string.h>

#include "stream/frame_reader.h"

/* Does this frame follow from what came before? */
static int check_order(struct frame_reader *r)
{
    const struct wire_header *h = &r->head;
    bool meta = h->desc.type == FRAME_META;
    if (r->state != READER_SEGMENT && !meta)
        return reader_corrupt(r, "expected META at the start of a segment, found %s", h->desc.code);
    if (r->state == READER_SEGMENT && meta)
        return reader_corrupt(
            r, "expected END before the next META: a segment was cut, then another one appended");
    uint64_t want = meta ? 0 : r->seq;
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
    r->head_at = r->in.offset;
    size_t got = input_read(&r->in, r->wire, WIRE_HEADER);
    if (got == 0 && !r->in.io.error && r->state == READER_AFTER_END)
        return 0;
    if (got == 0 && !r->in.io.error && r->state == READER_START)
        return reader_fail(r, ERR_BAD, "offset 0: empty input: the upstream program wrote nothing");
    if (got > 0 && r->state == READER_START && memcmp(r->wire, WIRE_MAGIC, got < 8 ? got : 8) != 0)
        return reader_wrong_magic(r, r->wire, got < 64 ? got : 64);
    if (got < WIRE_HEADER)
        return reader_truncated(r, got ? "a frame header" : "the next frame", WIRE_HEADER, got);
    if (wire_unpack(r->wire, &r->head, &damaged, &why))
        return damaged ? reader_corrupt(r, "%s", why.text)
                       : reader_fail(r, ERR_BAD, "offset %llu: %s", (unsigned long long)r->head_at,
                                     why.text);
    return check_order(r) ? -1 : 1;
}

/* Whole payload of a control frame, at most META_MAX_BYTES, into r->data. */
static int control_payload(struct frame_reader *r)
{
    return reader_reserve(r, &r->data, (size_t)r->head.raw, 0) || reader_part(r, r->data.p) ? -1
                                                                                            : 0;
}

static int on_meta(struct frame_reader *r)
{
    struct err why;
    if (control_payload(r))
        return -1;
    struct meta *m = meta_parse((const char *)r->data.p, (size_t)r->head.raw, &why);
    if (!m)
        return reader_corrupt(r, "%s", why.text);
    meta_free(r->meta);
    r->meta = m;
    r->segment_at = r->head_at;
    r->sum = (struct frame_totals){.frames = 1};
    r->seq = 1;
    r->frames++;
    XXH3_128bits_reset(r->stream);
    XXH3_128bits_reset(r->content);
    XXH3_128bits_update(r->stream, r->wire, WIRE_HEADER);
    r->state = READER_SEGMENT;
    return 1;
}

static const char *end_differs(const struct frame_totals *found, const struct frame_totals *said)
{
    if (said->frames != found->frames)
        return "number of frames";
    if (said->arrays != found->arrays)
        return "number of arrays";
    if (said->raw_bytes != found->raw_bytes)
        return "raw bytes";
    if (said->wire_bytes != found->wire_bytes)
        return "wire bytes";
    if (said->steps != found->steps)
        return "number of steps";
    if (memcmp(said->stream_hash, found->stream_hash, 16) != 0)
        return "stream hash";
    if (memcmp(said->content_hash, found->content_hash, 16) != 0)
        return "content hash";
    return NULL;
}

static int on_end(struct frame_reader *r)
{
    struct err why;
    struct wire_end e;
    if (control_payload(r))
        return -1;
    if (wire_unpack_end(r->data.p, r->head.minor, &e, &why))
        return reader_corrupt(r, "%s", why.text);
    XXH128_canonical_t c;
    r->sum.wire_bytes = r->head_at - r->segment_at;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(r->stream));
    memcpy(r->sum.stream_hash, c.digest, 16);
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(r->content));
    memcpy(r->sum.content_hash, c.digest, 16);
    const char *field = end_differs(&r->sum, &e.totals);
    if (field)
        return reader_corrupt(r, "expected an END that agrees with its segment, found another %s",
                              field);
    if (e.totals.status == FRAME_PARTIAL && !r->opts.allow_partial)
        return reader_fail(r, ERR_BAD,
                           "offset %llu: expected a complete segment, found one marked partial",
                           (unsigned long long)r->head_at);
    r->end = e.totals;
    r->have_end = true;
    r->frames++;
    r->state = READER_AFTER_END;
    return 1;
}

static int on_err(struct frame_reader *r)
{
    struct err why;
    if (control_payload(r))
        return -1;
    struct meta *m = meta_parse((const char *)r->data.p, (size_t)r->head.raw, &why);
    if (!m)
        return reader_corrupt(r, "%s", why.text);
    const char *tool = meta_get(m, "err.tool"), *msg = meta_get(m, "err.msg"),
               *hop = meta_get(m, "err.hop");
    r->received = m;
    return reader_fail(r, ERR_BAD, "offset %llu: ERR from upstream: %s: %s%s%s%s",
                       (unsigned long long)r->head_at, tool ? tool : "?", msg ? msg : "no message",
                       hop && *hop ? " (passed on by " : "", hop ? hop : "",
                       hop && *hop ? ")" : "");
}

/* An array begins: is it whole from its start, and do we know it? 1: hand it out, 0: leave it out,
 * -1. */
static int on_array(struct frame_reader *r)
{
    const struct frame_desc *d = &r->head.desc;
    if (r->head.offset != 0)
        return reader_corrupt(r,
                              "expected the first part of an array, found %s at byte %llu of one",
                              d->code, (unsigned long long)r->head.offset);
    r->announced = true;
    if (d->type != FRAME_OTHER || d->flags & FRAME_COPYSAFE)
        return 1;
    if (d->flags & FRAME_CRITICAL)
        return reader_fail(
            r, ERR_BAD,
            "offset %llu: expected a type that this version knows, found critical type %s",
            (unsigned long long)r->head_at, d->code);
    if (!r->left_out && r->opts.left_out && !r->walking)
        r->opts.left_out(r->name, d->code);
    r->left_out = true;
    return 0;
}

static int next_event(struct frame_reader *r)
{
    for (;;) {
        int rc = reader_header(r);
        if (rc <= 0) {
            r->state = rc < 0 ? READER_FAILED : READER_OVER;
            return rc;
        }
        switch (r->head.desc.type) {
        case FRAME_META: return on_meta(r);
        case FRAME_END: return on_end(r);
        case FRAME_ERR: return on_err(r);
        default: rc = on_array(r);
        }
        if (rc)
            return rc;
        if (reader_drop(r, true))
            return -1;
    }
}

int frame_peek(struct frame_reader *r, struct frame *f)
{
    memset(f, 0, sizeof *f);
    if (r->state == READER_FAILED)
        return -1;
    if (r->state == READER_OVER)
        return 0;
    if (r->announced && reader_drop(r, false))
        return -1;
    int rc = next_event(r);
    if (rc > 0) {
        f->desc = r->head.desc;
        f->desc.flags &= FRAME_CRITICAL | FRAME_COPYSAFE;
        f->bytes = r->announced ? frame_bytes(&f->desc) : 0;
    }
    return rc;
}

int frame_load(struct frame_reader *r, struct frame *f)
{
    if (!r->announced)
        return r->state == READER_FAILED ? -1 : 1;
    if (reader_keep(r, &f->bytes))
        return -1;
    f->data = r->data.p;
    return 1;
}

int frame_next(struct frame_reader *r, struct frame *f)
{
    int rc = frame_peek(r, f);
    return rc > 0 && r->announced ? frame_load(r, f) : rc;
}

int frame_drop(struct frame_reader *r)
{
    if (r->state == READER_FAILED)
        return -1;
    return r->announced ? reader_drop(r, true) : 0;
}

int frame_pass(struct frame_reader *r, struct frame_writer *w, const struct frame_desc *d)
{
    if (r->state == READER_FAILED || !r->announced)
        return -1;
    return reader_pass(r, w, d);
}
