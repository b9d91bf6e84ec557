/* SPDX-License-Identifier: MIT */
/* frame_index_file.c: writes and reads FILE.mbi, which is bound to the content of FILE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/frame_index.h"
#include "stream/frame_reader.h"

enum { END_FRAME = 256 };

/* Returns META of the index, which follows entirely from the file, or NULL if out of memory. */
static struct meta *index_meta(const struct frame_index *x, uint64_t bytes,
                               const struct frame_totals *t)
{
    char content[33];
    struct meta *m = meta_new();
    frame_hex(t->content_hash, content);
    if (m && (meta_set(m, "data.quantity", "index") || meta_set(m, "data.columns", "step byte") ||
              meta_setf(m, "data.of.bytes", "%llu", (unsigned long long)bytes) ||
              meta_setf(m, "data.of.steps", "%llu", (unsigned long long)t->steps) ||
              meta_set(m, "data.of.content", content) ||
              (x->uneven && meta_set(m, "data.of.numbering", "uneven")))) {
        meta_free(m);
        return NULL;
    }
    return m;
}

char *frame_index_name(const char *file)
{
    char *name = NULL;
    return asprintf(&name, "%s.mbi", file) < 0 ? NULL : name;
}

int frame_index_write(const struct frame_index *x, const char *file, uint64_t bytes,
                      const struct frame_totals *t, struct err *e)
{
    const struct frame_writer_opts opts = {.tool = "frame-index", .like = file};
    struct frame_desc d = {.type = FRAME_SPEC,
                           .dtype = FRAME_F64,
                           .ndim = 2,
                           .dims = {x->n, 2},
                           .time = NAN,
                           .flags = FRAME_CRITICAL};
    if (t->wire_bytes + END_FRAME != bytes)
        return err_in(
            e, ERR_BAD, file, 0,
            "expected one segment for an index, found several (join them with frame-cat)");
    if (x->n == 0)
        return err_in(e, ERR_BAD, file, 0, "expected time steps to index, found none");
    char *name = frame_index_name(file);
    struct meta *m = index_meta(x, bytes, t);
    struct frame_writer *w = name && m ? frame_create(name, &opts, e) : NULL;
    if (!name || !m)
        err_memory(e, "an index");
    int rc = w && frame_put_meta(w, m) == 0 && frame_put(w, &d, x->entry) == 0 &&
                     frame_end(w, t->status, t->stream_hash, NULL) == 0
                 ? 0
                 : -1;
    rc = w ? frame_close_writer(w, e) : rc;
    meta_free(m);
    free(name);
    return rc;
}

/* Returns whether rows ascend, and begin where a block can begin. */
static bool ascends(const struct frame_index *x, uint64_t bytes)
{
    const double *before = NULL;
    for (size_t k = 0; k < x->n; before = x->entry[k++]) {
        const double *at = x->entry[k];
        if (!(at[0] >= 0 && at[1] > 0 && at[1] < (double)bytes) || at[0] != floor(at[0]) ||
            at[1] != floor(at[1]) || (k == 0 && at[0] != 0) ||
            (before && !(at[0] > before[0] && at[1] > before[1])))
            return false;
    }
    return x->n > 0;
}

/* Reads all of an open index. Returns 0 or -1. */
static int take(struct frame_index *x, struct frame_reader *in, const struct frame_reader *r,
                struct err *e)
{
    struct frame f;
    struct frame_totals own, of;
    unsigned long long bytes = 0;
    char content[33];
    uint64_t size = frame_file_bytes(r);
    if (!frame_totals(r, &of))
        return err_in(e, ERR_BAD, frame_name(r), 0,
                      "expected an end mark (END), which is needed to check the index, found none");
    if (frame_next(in, &f) <= 0)
        goto broken;
    const struct meta *m = frame_meta(in);
    const char *what = meta_get(m, "data.quantity"), *of_content = meta_get(m, "data.of.content");
    const char *found = what ? what : "other data";
    frame_hex(of.content_hash, content);
    x->uneven = meta_get(m, "data.of.numbering") != NULL;
    if (!what || strcmp(what, "index") != 0 || meta_get_u64(m, "data.of.bytes", &bytes) != 1 ||
        !of_content)
        return err_in(e, ERR_BAD, frame_name(in), 0, "expected an index, found %.60s", found);
    if (frame_next(in, &f) <= 0)
        goto broken;
    if (f.desc.type == FRAME_SPEC && f.desc.ndim == 2 && f.desc.dims[1] == 2) {
        if (err_over(e, 2.0 * (double)f.bytes, r->opts.max_mem, NULL, "the index %s",
                     frame_name(in)))
            return -1;
        x->entry = malloc(f.bytes + 1);
        if (!x->entry)
            return err_memory(e, "an index");
        memcpy(x->entry, f.data, f.bytes);
        x->n = x->capacity = (size_t)f.desc.dims[0];
    }
    if (frame_next(in, &f) <= 0)
        goto broken;
    if (bytes != size || of.wire_bytes + END_FRAME != size || strcmp(content, of_content) != 0 ||
        !frame_totals(in, &own) || memcmp(own.parent_hash[0], of.stream_hash, 16) != 0)
        return err_in(e, ERR_BAD, frame_name(in), 0,
                      "expected the index of %s, found the index of a file of %llu bytes with "
                      "content hash %s (create it again with frame-index, or delete it)",
                      frame_name(r), bytes, of_content);
    if (f.desc.type != FRAME_END || !ascends(x, size))
        return err_in(e, ERR_BAD, frame_name(in), 0,
                      "expected one table of ascending steps and byte positions, found other data");
    return 0;
broken:
    *e = *frame_error(in);
    return -1;
}

int frame_index_read(struct frame_index *x, const struct frame_reader *r, struct err *e)
{
    *x = (struct frame_index){0};
    char *name = frame_is_named(r) ? frame_index_name(frame_name(r)) : NULL;
    if (!name || access(name, F_OK) != 0) {
        free(name);
        return 0;
    }
    struct frame_reader *in =
        frame_open(name, &(struct frame_reader_opts){.max_mem = r->opts.max_mem});
    int rc = in ? take(x, in, r, e) : err_memory(e, "an index");
    frame_close_reader(in);
    free(name);
    if (rc)
        frame_index_free(x);
    return rc ? -1 : 1;
}
