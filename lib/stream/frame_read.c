/* SPDX-License-Identifier: MIT */
/* frame_read.c: reads a stream by its grammar, META array* (END | ERR), and arrays from their
 * parts. */
#include <stdlib.h>
#include <string.h>

#include "stream/frame_reader.h"

enum { START_BYTES = 64 << 20 };

/* ---- arrays */

/* What to do with an array. */
enum fate { KEEP, VERIFY, SKIP, PASS };

/* Reads the header of the part of array d that begins at byte `end` of the array. */
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

/* The buffer grows with the bytes that have arrived, not with the size that a header states. */
static int room_for(struct frame_reader *r, size_t total)
{
    size_t need = (size_t)(r->head.offset + r->head.raw),
           want = need > START_BYTES ? 2 * need : START_BYTES;
    if (r->opts.max_mem && total > r->opts.max_mem)
        want = total; /* the next call then refuses it with both numbers */
    return reader_reserve(r, &r->data,
                          need <= r->data.cap ? need
                          : want < total      ? want
                                              : total,
                          (size_t)r->head.offset);
}

/* Writes a header with index and time of `to`, and the stored bytes, to `w`. Returns 0, -1, or -2
 * if `w` failed. */
static int pass_part(struct frame_reader *r, struct frame_writer *w, const struct frame_desc *to)
{
    struct wire_header h = r->head;
    h.desc.index = to->index;
    h.desc.time = to->time;
    if (h.codec == WIRE_STORED) {
        if (writer_part_begin(w, &h))
            return -2;
        int rc = reader_stored(r, w);
        return rc ? rc : writer_part_end(w, &h) ? -2 : 0;
    }
    /* Data is passed on only after decompression, because a correct hash of the stored bytes does
     * not prove that it can be decompressed. */
    if (reader_reserve(r, &r->data, (size_t)h.raw, 0) || reader_raw(r, r->data.p))
        return -1;
    return writer_part_begin(w, &h) || writer_part_bytes(w, r->stored.p, (size_t)h.stored) ||
                   writer_part_end(w, &h)
               ? -2
               : 0;
}

/* Handles one part, whose header has been read. With KEEP, stores it in r->data. */
static int part(struct frame_reader *r, enum fate fate, struct frame_writer *w,
                const struct frame_desc *to)
{
    const struct wire_header *h = &r->head;
    if (fate == PASS)
        return pass_part(r, w, to);
    int ahead = fate == SKIP ? 0 : reader_prefetch(r, fate == KEEP);
    if (ahead)
        return ahead < 0 ? -1 : 0;
    r->finite = false;
    if (fate == SKIP)
        r->limits.types |= (uint64_t)1 << h->desc.type;
    if (fate == KEEP)
        return room_for(r, frame_bytes(&h->desc)) || reader_raw(r, r->data.p + h->offset) ? -1 : 0;
    if (fate == SKIP && r->io.regular)
        return reader_skip(r);
    if (fate == VERIFY && h->codec != WIRE_STORED)
        return reader_reserve(r, &r->data, (size_t)h->raw, 0) || reader_raw(r, r->data.p) ? -1 : 0;
    return reader_stored(r, NULL);
}

/* Handles the rest of the announced array. Returns 0, -1, or -2 if w failed. */
static int array(struct frame_reader *r, enum fate fate, struct frame_writer *w,
                 const struct frame_desc *to)
{
    const struct frame_desc d = r->head.desc;
    for (;;) {
        uint64_t end = r->head.offset + r->head.raw;
        int rc = part(r, fate, w, to);
        if (rc)
            return rc;
        wire_sums_add(&r->sums, &r->head, r->wire);
        r->frames++;
        r->announced = !(r->head.desc.flags & WIRE_LAST);
        if (!r->announced)
            return 0;
        if (next_part(r, &d, end))
            return -1;
    }
}

/* ---- events */

/* Reads the payload of a control frame, at most META_MAX_BYTES, into r->data. */
static int control_payload(struct frame_reader *r)
{
    return reader_reserve(r, &r->data, (size_t)r->head.raw, 0) || reader_raw(r, r->data.p) ? -1 : 0;
}

/* Reads the payload of a control frame as META. Returns NULL after a failure. */
static struct meta *control_meta(struct frame_reader *r)
{
    struct err why;
    if (control_payload(r))
        return NULL;
    struct meta *m = meta_parse((const char *)r->data.p, (size_t)r->head.raw, &why);
    if (!m && why.status == ERR_MEMORY)
        reader_fail(r, ERR_MEMORY, "%s", why.text);
    else if (!m)
        reader_corrupt(r, "%s", why.text);
    return m;
}

static int on_meta(struct frame_reader *r)
{
    struct meta *m = control_meta(r);
    if (!m)
        return -1;
    meta_free(r->meta);
    r->meta = m;
    r->segment_at = r->head_at;
    r->jumped = false;
    r->frames++;
    wire_sums_begin(&r->sums);
    wire_sums_add(&r->sums, &r->head, r->wire);
    r->state = READER_SEGMENT;
    return 1;
}

static const char *end_differs(const struct frame_totals *found, const struct frame_totals *given,
                               bool jumped)
{
    if (given->frames != found->frames)
        return "number of frames";
    if (given->wire_bytes != found->wire_bytes)
        return "number of bytes";
    if (jumped)
        return NULL;
    if (given->arrays != found->arrays)
        return "number of arrays";
    if (given->raw_bytes != found->raw_bytes)
        return "number of uncompressed bytes";
    if (given->steps != found->steps)
        return "number of steps";
    if (memcmp(given->stream_hash, found->stream_hash, 16) != 0)
        return "stream hash";
    if (memcmp(given->content_hash, found->content_hash, 16) != 0)
        return "content hash";
    return NULL;
}

static int on_end(struct frame_reader *r)
{
    struct err why;
    struct frame_totals e;
    if (control_payload(r))
        return -1;
    if (wire_unpack_end(r->data.p, r->head.minor, &e, &why))
        return reader_corrupt(r, "%s", why.text);
    r->sums.totals.wire_bytes = r->head_at - r->segment_at;
    wire_sums_end(&r->sums);
    const char *field = end_differs(&r->sums.totals, &e, r->jumped);
    if (field)
        return reader_corrupt(r, "expected END to match its segment, found a different %s", field);
    if (e.status == FRAME_PARTIAL && !r->opts.allow_partial)
        return reader_fail(
            r, ERR_BAD,
            "offset %llu: expected a complete segment, found a segment marked as partial "
            "(accept it with frame-cat --allow-partial)",
            (unsigned long long)r->head_at);
    r->end = e;
    r->have_end = true;
    r->frames++;
    r->state = READER_AFTER_END;
    return 1;
}

static int on_err(struct frame_reader *r)
{
    struct meta *m = control_meta(r);
    if (!m)
        return -1;
    const char *tool = meta_get(m, "err.tool"), *msg = meta_get(m, "err.msg"),
               *hop = meta_get(m, "err.hop");
    r->received = m;
    return reader_fail(r, ERR_BAD, "offset %llu: ERR from upstream: %s: %s%s%s%s",
                       (unsigned long long)r->head_at, tool ? tool : "?", msg ? msg : "no message",
                       hop && *hop ? " (passed on by " : "", hop ? hop : "",
                       hop && *hop ? ")" : "");
}

/* Begins an array: checks that it starts with its first part and has a known type. Returns 1 to
 * hand it out, 0 to skip it, or -1. */
static int on_array(struct frame_reader *r)
{
    const struct frame_desc *d = &r->head.desc;
    if (r->head.offset != 0)
        return reader_corrupt(
            r, "expected the first part of an array, found the part of %s at byte %llu", d->code,
            (unsigned long long)r->head.offset);
    r->announced = true;
    if (d->type != FRAME_OTHER || d->flags & FRAME_COPYSAFE)
        return 1;
    if (d->flags & FRAME_CRITICAL)
        return reader_fail(
            r, ERR_BAD,
            "offset %llu: expected a frame type known to this version, found the critical type %s",
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
        if (array(r, VERIFY, NULL, NULL))
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
    if (r->announced && array(r, SKIP, NULL, NULL))
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
    if (r->state == READER_FAILED)
        return -1;
    if (!r->announced)
        return 1;
    if (array(r, KEEP, NULL, NULL))
        return -1;
    f->data = r->data.p;
    f->finite = r->finite;
    return 1;
}

void frame_steps(struct frame_reader *r, uint64_t n)
{
    r->limits.steps = n;
}

int frame_next(struct frame_reader *r, struct frame *f)
{
    int rc = frame_peek(r, f);
    return rc > 0 ? frame_load(r, f) : rc;
}

int frame_drop(struct frame_reader *r)
{
    if (r->state == READER_FAILED)
        return -1;
    return r->announced ? array(r, VERIFY, NULL, NULL) : 0;
}

int frame_pass(struct frame_reader *r, struct frame_writer *w, const struct frame_desc *d)
{
    return r->state == READER_FAILED || !r->announced ? -1 : array(r, PASS, w, d);
}

void frame_seek(struct frame_reader *r, uint64_t at)
{
    if (r->state != READER_SEGMENT || !r->io.regular)
        return;
    r->announced = false;
    r->jumped = r->landing = true;
    reader_jump(r, at);
}

/* ---- open, close, and queries */

/* Checks that a regular file ends in END. Otherwise reads the headers, without payloads, up to the
 * damage or to an ERR frame, so that the error appears before hours of computation. */
static void look_at_tail(struct frame_reader *r)
{
    unsigned char tail[WIRE_TAIL];
    struct wire_header h;
    bool damaged;
    if (r->io.size >= WIRE_TAIL &&
        fdio_peek(&r->io, r->io.size - WIRE_TAIL, tail, WIRE_TAIL) == 0 &&
        wire_unpack(tail, &h, &damaged, NULL) == 0 && h.desc.type == FRAME_END &&
        wire_hash(tail + WIRE_HEADER, WIRE_END) == h.stored_hash &&
        wire_unpack_end(tail + WIRE_HEADER, h.minor, &r->end, NULL) == 0) {
        r->have_end = true;
        return;
    }
    struct frame f;
    r->walking = !r->io.error;
    while (r->walking && frame_peek(r, &f) > 0)
        ;
    reader_truncated(r, "an END frame", WIRE_TAIL, 0);
}

struct frame_reader *frame_open(const char *path, const struct frame_reader_opts *opts)
{
    struct frame_reader *r = aligned_alloc(64, sizeof *r); /* hash states need 64-byte alignment */
    if (!r)
        return NULL;
    memset(r, 0, sizeof *r);
    r->io = (struct fdio){.fd = -1};
    if (opts && opts->read) {
        r->io.read = opts->read;
        r->io.from = opts->from;
    }
    bool failed = !r->io.read && fdio_open(&r->io, path) != 0;
    r->name = strdup(path && strcmp(path, "-") != 0 ? path : "stdin");
    r->limits.steps = UINT64_MAX;
    if (opts)
        r->opts = *opts;
    if (r->opts.window) {
        r->window = *r->opts.window;
        r->opts.window = &r->window;
    }
    if (!r->name) {
        frame_close_reader(r);
        return NULL;
    }
    if (failed)
        reader_fail(r, err_errno(r->io.error), "cannot open: %s", strerror(r->io.error));
    else if (r->io.regular)
        look_at_tail(r);
    return r;
}

void frame_close_reader(struct frame_reader *r)
{
    if (!r)
        return;
    frame_prefetch_free(r->fore);
    fdio_close(&r->io);
    meta_free(r->meta);
    meta_free(r->received);
    free(r->data.p);
    free(r->stored.p);
    free(r->scratch.p);
    free(r->name);
    free(r);
}

const struct err *frame_error(const struct frame_reader *r)
{
    return &r->err;
}

const struct meta *frame_meta(const struct frame_reader *r)
{
    return r->meta;
}

enum frame_damage frame_damage(const struct frame_reader *r)
{
    return r->damage;
}

const struct meta *frame_received(const struct frame_reader *r)
{
    return r->received;
}

const char *frame_name(const struct frame_reader *r)
{
    return r->name;
}

int frame_totals(const struct frame_reader *r, struct frame_totals *t)
{
    if (!r->have_end)
        return 0;
    *t = r->end;
    return 1;
}

uint64_t frame_wire_bytes(const struct frame_reader *r)
{
    return r->offset;
}

uint64_t frame_file_bytes(const struct frame_reader *r)
{
    return r->io.regular ? r->io.size : 0;
}

uint64_t frame_head_at(const struct frame_reader *r)
{
    return r->head_at;
}

const struct window *frame_window(const struct frame_reader *r)
{
    return r->opts.window;
}

bool frame_is_named(const struct frame_reader *r)
{
    return r->io.regular && r->io.own;
}
