/* SPDX-License-Identifier: MIT */
/* frame_resume.c: opens a writer that continues after the frames of a stopped run, from the mark
 * where they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/frame_writer.h"

static void mark(const struct frame_writer *w, struct frame_mark *m)
{
    struct wire_sums s = w->sums;
    m->bytes = w->out.written;
    wire_sums_end(&s);
    frame_hex(s.totals.stream_hash, m->hash);
}

int frame_keep(struct frame_writer *w, struct frame_mark *m, struct err *e)
{
    if (writer_drain(w)) {
        *e = w->err;
        return -1;
    }
    mark(w, m);
    return output_keep(&w->out, e);
}

/* Checks META of the file to continue, and takes the cell. Returns 0, or -1 and sets e. */
static int resume_meta(struct frame_writer *w, int fd, const struct wire_header *h,
                       const struct meta *like, enum frame_found *found, struct err *e)
{
    char *text = h->stored <= META_MAX_BYTES ? malloc((size_t)h->stored + 1) : NULL;
    bool good = text && pread(fd, text, (size_t)h->stored, WIRE_HEADER) == (ssize_t)h->stored &&
                wire_hash(text, (size_t)h->stored) == h->stored_hash;
    struct meta *m = good ? meta_parse(text, (size_t)h->stored, e) : NULL;
    free(text);
    if (!m)
        return err_bad(e, "expected readable META, found none");
    const char *key = like ? meta_sys_differs(m, like) : NULL;
    if (like && !key)
        key = meta_differs(m, like, "data.");
    if (key)
        *found = FRAME_OF_OTHERS;
    const char *want = key ? meta_get(m, key) : NULL, *has = key ? meta_get(like, key) : NULL,
               *none = "absent";
    if (key)
        err_bad(e,
                "expected %s %.100s as in the frames already written, found %.100s (use another -o "
                "to keep both)",
                key, want ? want : none, has ? has : none);
    writer_edges(m, w->edge);
    meta_free(m);
    return key ? -1 : 0;
}

/* Adds the headers in `fd`, up to the mark, to the sums. Returns 0, or -1 and sets e. */
static int resume_sums(struct frame_writer *w, int fd, const struct frame_mark *m,
                       const struct meta *like, enum frame_found *found, struct err *e)
{
    unsigned char wire[WIRE_HEADER];
    struct wire_header h;
    struct frame_mark now;
    bool damaged;
    wire_sums_begin(&w->sums);
    while (w->out.written < m->bytes) {
        if (pread(fd, wire, sizeof wire, (off_t)w->out.written) != (ssize_t)sizeof wire ||
            wire_unpack(wire, &h, &damaged, e) != 0 ||
            (w->out.written == 0) != (h.desc.type == FRAME_META) || h.desc.type == FRAME_END ||
            h.desc.type == FRAME_ERR)
            return err_bad(
                e, "expected the frames that the stopped run wrote, found different frames");
        if (w->out.written == 0 && resume_meta(w, fd, &h, like, found, e))
            return -1;
        if (w->opts.index && h.offset == 0 && h.desc.type != FRAME_META &&
            frame_index_note(&w->index, &h.desc, w->out.written, e))
            return -1;
        wire_sums_add(&w->sums, &h, wire);
        w->out.written += WIRE_HEADER + h.stored + wire_padding(h.stored);
    }
    mark(w, &now);
    if (now.bytes != m->bytes || strcmp(now.hash, m->hash) != 0)
        return err_bad(e, "expected the frames that the stopped run wrote, found different frames");
    return 0;
}

struct frame_writer *frame_resume(const char *path, const struct frame_writer_opts *opts,
                                  const struct frame_mark *m, const struct meta *like,
                                  enum frame_found *found, struct err *e)
{
    bool is_part = false, only_part = *found == FRAME_IN_PART;
    struct frame_writer *w = writer_new(path, opts, e);
    int fd = w ? output_find(path, m->bytes, &is_part) : -1;
    *found = FRAME_GONE;
    if (w && fd < 0)
        err_bad(e, "%s.part: expected a file with the frames of the stopped run, found none", path);
    if (fd >= 0 && resume_sums(w, fd, m, like, found, e) != 0) {
        err_set(e, e->status, "%s%s: %s", path, is_part ? ".part" : "", e->text);
    } else if (fd >= 0) {
        *found = is_part ? FRAME_IN_PART : FRAME_IN_FILE;
    }
    bool wanted = *found == FRAME_IN_PART || (*found == FRAME_IN_FILE && !only_part);
    if (!wanted && fd >= 0)
        close(fd);
    if (!wanted || output_resume(&w->out, path, fd, is_part, m->bytes, e) != 0) {
        (void)frame_close_writer(w, NULL);
        return NULL;
    }
    w->out.at_once = opts->at_once;
    w->in_segment = true;
    return w;
}
