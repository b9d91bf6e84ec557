/* SPDX-License-Identifier: MIT */
/* frame_write.c: frames out, one after the other. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_reader.h"
#include "stream/frame_writer.h"

static const unsigned char ZERO[WIRE_ALIGN];

int writer_fail(struct frame_writer *w, const char *fmt, ...)
{
    if (!w->err.status) {
        char why[ERR_BYTES];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(why, sizeof why, fmt, ap);
        va_end(ap);
        err_set(&w->err, ERR_MACHINE, "%s: %s", w->name, why);
    }
    return -1;
}

struct frame_writer *frame_create(const char *path, const struct frame_writer_opts *opts,
                                  struct err *e)
{
    struct frame_writer *w = calloc(1, sizeof *w);
    if (w) {
        w->opts = *opts;
        w->tool = strdup(opts->tool ? opts->tool : "?");
        w->name = strdup(path && strcmp(path, "-") != 0 ? path : "stdout");
        w->stream = XXH3_createState();
        w->content = XXH3_createState();
        w->out.fd = -1;
        w->out.slot = -1;
    }
    if (!w || !w->tool || !w->name || !w->stream || !w->content)
        err_memory(e, "a frame writer");
    else if (output_open(&w->out, path, opts->force, e) == 0)
        return w;
    (void)frame_close_writer(w, NULL);
    return NULL;
}

int writer_write_failed(struct frame_writer *w, int e)
{
    return writer_fail(w, "writing failed: %s", strerror(e));
}

static int write_all(struct frame_writer *w, struct iovec *iov, int n)
{
    if (w->err.status)
        return -1;
    return output_writev(&w->out, iov, n) ? writer_write_failed(w, errno) : 0;
}

/* Number the frame, pack its header and let it into the hashes. */
static void number(struct frame_writer *w, struct wire_header *h, unsigned char wire[WIRE_HEADER])
{
    h->minor = wire_minor(h->desc.type);
    h->seq = w->seq++;
    wire_pack(h, wire);
    XXH3_128bits_update(w->stream, wire, WIRE_HEADER);
    w->sum.frames++;
    if (h->desc.type == FRAME_META)
        return;
    unsigned char c[WIRE_CONTENT];
    wire_content(h, c);
    XXH3_128bits_update(w->content, c, WIRE_CONTENT);
    w->sum.raw_bytes += h->raw;
    if (!(h->desc.flags & WIRE_LAST))
        return;
    w->sum.arrays++;
    if (frame_counts_steps(&h->desc))
        w->sum.steps += h->desc.dims[0];
}

int writer_out(struct frame_writer *w, struct wire_header *h, const void *stored)
{
    unsigned char wire[WIRE_HEADER];
    number(w, h, wire);
    struct iovec iov[3] = {{wire, WIRE_HEADER},
                           {(void *)(uintptr_t)stored, (size_t)h->stored},
                           {(void *)(uintptr_t)ZERO, wire_padding(h->stored)}};
    return output_writev(&w->out, iov, 3);
}

int writer_frame(struct frame_writer *w, struct wire_header *h, const void *stored)
{
    if (writer_drain(w))
        return -1;
    return writer_out(w, h, stored) ? writer_write_failed(w, errno) : 0;
}

int writer_part_begin(struct frame_writer *w, const struct wire_header *from)
{
    unsigned char wire[WIRE_HEADER];
    struct wire_header h = *from;
    if (writer_drain(w))
        return -1;
    number(w, &h, wire);
    struct iovec iov = {wire, WIRE_HEADER};
    return write_all(w, &iov, 1);
}

int writer_part_bytes(struct frame_writer *w, const void *p, size_t n)
{
    struct iovec iov = {(void *)(uintptr_t)p, n};
    return write_all(w, &iov, 1);
}

int writer_part_end(struct frame_writer *w, const struct wire_header *h)
{
    struct iovec iov = {(void *)(uintptr_t)ZERO, wire_padding(h->stored)};
    return write_all(w, &iov, 1);
}

struct wire_header writer_control(enum frame_type type, enum frame_dtype dtype, const void *p,
                                  size_t n)
{
    uint64_t hash = wire_hash(p, n);
    struct wire_header h = {.raw = n, .stored = n, .raw_hash = hash, .stored_hash = hash};
    h.desc = (struct frame_desc){.type = type,
                                 .dtype = dtype,
                                 .ndim = 1,
                                 .dims = {n},
                                 .time = NAN,
                                 .flags = FRAME_CRITICAL | WIRE_LAST};
    return h;
}

int frame_put_meta(struct frame_writer *w, const struct meta *m)
{
    struct err why;
    size_t n;
    if (writer_drain(w))
        return -1;
    if (w->in_segment)
        return writer_fail(w, "META inside a segment");
    char *text = meta_text(m, &n, &why);
    if (!text)
        return writer_fail(w, "%s", why.text);
    struct wire_header h = writer_control(FRAME_META, FRAME_UTF8, text, n);
    XXH3_128bits_reset(w->stream);
    XXH3_128bits_reset(w->content);
    w->sum = (struct frame_totals){0};
    w->seq = 0;
    w->segment_at = w->out.written;
    w->in_segment = true;
    w->complete = false;
    int rc = writer_frame(w, &h, text);
    free(text);
    return rc;
}

int writer_check(struct frame_writer *w, const struct frame_desc *d)
{
    bool data = d->type != FRAME_META && d->type != FRAME_ERR && d->type != FRAME_END;
    if (!w->in_segment)
        return writer_fail(w, "an array outside a segment");
    if (!data || d->ndim < 1 || d->ndim > 4 || isinf(d->time) || frame_bytes(d) == SIZE_MAX)
        return writer_fail(w, "a description of an array that no reader would take");
    return 0;
}

int frame_flush(struct frame_writer *w)
{
    return writer_drain(w);
}
