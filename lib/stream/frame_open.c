/* SPDX-License-Identifier: MIT */
/* frame_open.c: a reader's beginning and end, and what can be asked of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_reader.h"

/*
 * Look at the end of a regular file. When it is no END, walk over the headers, without the
 * payloads, to the place where the stream stops being good (or to its ERR), so that hours of
 * computing do not come first.
 */
static void look_at_tail(struct frame_reader *r)
{
    unsigned char tail[WIRE_TAIL];
    struct wire_header h;
    struct wire_end e;
    bool damaged;
    if (r->in.io.size >= WIRE_TAIL &&
        fdio_peek(&r->in.io, r->in.io.size - WIRE_TAIL, tail, WIRE_TAIL) == 0 &&
        wire_unpack(tail, &h, &damaged, NULL) == 0 && h.desc.type == FRAME_END &&
        wire_hash(tail + WIRE_HEADER, WIRE_END) == h.stored_hash &&
        wire_unpack_end(tail + WIRE_HEADER, h.minor, &e, NULL) == 0) {
        r->end = e.totals;
        r->have_tail = true;
        return;
    }
    struct frame f;
    r->walking = true;
    while (frame_peek(r, &f) > 0)
        ;
    reader_truncated(r, "an END frame", WIRE_TAIL, 0);
}

struct frame_reader *frame_open(const char *path, const struct frame_reader_opts *opts)
{
    struct frame_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->name = strdup(path && strcmp(path, "-") != 0 ? path : "stdin");
    r->stream = XXH3_createState();
    r->content = XXH3_createState();
    r->part = XXH3_createState();
    if (opts)
        r->opts = *opts;
    (void)!fdio_open(&r->in.io, path); /* met below */
    if (!r->name || !r->stream || !r->content || !r->part) {
        frame_close_reader(r);
        return NULL;
    }
    int e = r->in.io.error;
    if (e)
        reader_fail(r, ERR_MACHINE, "cannot open: %s", strerror(e));
    else if (r->in.io.regular)
        look_at_tail(r);
    return r;
}

void frame_close_reader(struct frame_reader *r)
{
    if (!r)
        return;
    fdio_close(&r->in.io);
    meta_free(r->meta);
    meta_free(r->received);
    if (r->stream)
        XXH3_freeState(r->stream);
    if (r->content)
        XXH3_freeState(r->content);
    if (r->part)
        XXH3_freeState(r->part);
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
    if (!r->have_end && !r->have_tail)
        return 0;
    *t = r->end;
    return 1;
}

uint64_t frame_wire_bytes(const struct frame_reader *r)
{
    return r->in.offset;
}

uint64_t frame_file_bytes(const struct frame_reader *r)
{
    return r->in.io.regular ? r->in.io.size : 0;
}
