/* SPDX-License-Identifier: MIT */
/* frame_end.c: END or ERR, and the end of a writer. Nothing but frame_end makes a stream complete.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_writer.h"

static void digest(const XXH3_state_t *s, unsigned char out[16])
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(s));
    memcpy(out, c.digest, 16);
}

int frame_end(struct frame_writer *w, enum frame_status status, const unsigned char *parent0,
              const unsigned char *parent1)
{
    unsigned char payload[WIRE_END];
    if (writer_drain(w))
        return -1;
    if (!w->in_segment)
        return writer_fail(w, "END outside a segment");
    struct wire_end e;
    const unsigned char *parent[2] = {parent0 ? parent0 : parent1, parent0 ? parent1 : NULL};
    w->sum.status = status;
    w->sum.wire_bytes = w->out.written - w->segment_at;
    digest(w->stream, w->sum.stream_hash);
    digest(w->content, w->sum.content_hash);
    e.parents = 0;
    for (int k = 0; k < 2; k++)
        if (parent[k])
            memcpy(w->sum.parent_hash[e.parents++], parent[k], 16);
    e.totals = w->sum;
    wire_pack_end(&e, payload);
    struct wire_header h = writer_control(FRAME_END, FRAME_U8, payload, WIRE_END);
    struct frame_totals kept = w->sum; /* END itself is in none of the sums */
    if (writer_frame(w, &h, payload))
        return -1;
    w->sum = kept;
    w->in_segment = false;
    w->complete = true;
    w->segments++;
    return 0;
}

static int err_text(struct frame_writer *w, const struct err *why,
                    const struct frame_reader *upstream, struct meta *m)
{
    const struct meta *from = upstream ? frame_received(upstream) : NULL;
    const char *tool = from ? meta_get(from, "err.tool") : NULL,
               *what = from ? meta_get(from, "err.msg") : NULL;
    const char *hop = from ? meta_get(from, "err.hop") : NULL,
               *code = from ? meta_get(from, "err.exit") : NULL;
    int bad = meta_setf(m, "err.msg", "%.1000s", what ? what : why->text);
    bad |= meta_setf(m, "err.tool", "%.100s", tool ? tool : w->tool);
    bad |= code ? meta_setf(m, "err.exit", "%.10s", code)
                : meta_setf(m, "err.exit", "%d", why->status);
    bad |= meta_setf(m, "err.seq", "%llu", (unsigned long long)w->seq);
    bad |= meta_setf(m, "err.hop", "%.400s%s%.100s", hop ? hop : "", hop && *hop ? " " : "",
                     from ? w->tool : "");
    return bad;
}

int frame_fail(struct frame_writer *w, const struct err *why, const struct frame_reader *upstream)
{
    size_t n;
    if (writer_drain(w))
        return -1;
    bool passed_on = upstream && frame_received(upstream);
    if (w->segments == 0 && !w->in_segment &&
        !passed_on) { /* an empty stream is an error as it is */
        w->err = *why;
        return -1;
    }
    struct meta *m = meta_new(),
                *source = w->in_segment ? NULL : meta_derive(NULL, w->tool, "", "");
    /* After a whole segment an end of file would look like success: begin one, to fail in it. */
    int rc = !m || (!w->in_segment && (!source || frame_put_meta(w, source))) ||
             err_text(w, why, upstream, m);
    char *text = rc ? NULL : meta_text(m, &n, NULL);
    if (text && n <= WIRE_ERR_MAX) {
        struct wire_header h = writer_control(FRAME_ERR, FRAME_UTF8, text, n);
        rc = writer_frame(w, &h, text);
    }
    free(text);
    meta_free(m);
    meta_free(source);
    if (!w->err.status)
        w->err = *why;
    return rc;
}

int frame_close_writer(struct frame_writer *w, struct err *e)
{
    struct err why = {.text = "the output is not complete", .status = ERR_MACHINE};
    if (!w)
        return 0;
    writer_drain(w); /* a part that could not be written is a failure */
    writer_pack_free(w);
    bool keep = w->complete && !w->in_segment && !w->err.status;
    int rc = output_close(&w->out, keep, &why);
    if (!keep || rc) {
        if (w->err.status)
            why = w->err;
        rc = err_set(e, why.status, "%s", why.text);
    }
    if (w->stream)
        XXH3_freeState(w->stream);
    if (w->content)
        XXH3_freeState(w->content);
    free(w->tool);
    free(w->name);
    free(w);
    return rc;
}

const struct err *frame_writer_error(const struct frame_writer *w)
{
    return &w->err;
}

uint64_t frame_written(const struct frame_writer *w)
{
    return w->out.written;
}

bool frame_in_segment(const struct frame_writer *w)
{
    return w->in_segment;
}

void frame_writer_totals(const struct frame_writer *w, struct frame_totals *t)
{
    *t = w->sum;
}

bool frame_is_live(const struct frame_writer *w)
{
    return !w->out.regular;
}
