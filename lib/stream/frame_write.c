/* SPDX-License-Identifier: MIT */
/* frame_write.c: writes META, arrays, and END or ERR. Arrays are divided into parts, which several
 * threads hash and compress and which are written in order. A stream is complete only after
 * frame_end(). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/frame_codec.h"
#include "stream/frame_pack.h"
#include "stream/frame_track.h"
#include "stream/frame_writer.h"

enum {
    MAX_THREADS = 16, /* a part has up to 4 MiB, and four copies of it wait in memory */
    TRIAL_MIN = 16    /* number of elements below which there is no trial */
};

static const unsigned char ZERO[WIRE_ALIGN];

/* ---- failures */

/* Records the first failure and returns -1. */
#define fail(w, code, ...)                                                                         \
    ((w)->err.status ? -1 : err_in(&(w)->err, code, (w)->name, 0, __VA_ARGS__))

static int write_failed(struct frame_writer *w, int e)
{
    return fail(w, ERR_MACHINE, "writing failed: %s", strerror(e));
}

/* Returns whether the conveyor or an earlier step failed to write. */
static int check(struct frame_writer *w)
{
    int e = __atomic_load_n(&w->late_error, __ATOMIC_RELAXED);
    if (e)
        write_failed(w, e);
    if (__atomic_load_n(&w->unnoted, __ATOMIC_ACQUIRE))
        fail(w, w->why_unnoted.status, "%s", w->why_unnoted.text);
    return w->err.status ? -1 : 0;
}

int writer_drain(struct frame_writer *w)
{
    if (w->conveyor)
        conveyor_wait(w->conveyor, 0);
    return check(w);
}

/* ---- frames */

/* Returns whether this segment is part of a run (--shard). */
static bool is_share(const struct frame_writer *w)
{
    static const unsigned char none[16];
    return memcmp(w->sums.totals.of_hash, none, 16) != 0;
}

/* Numbers the frame, packs its header and adds it to the sums. */
static void number(struct frame_writer *w, struct wire_header *h, unsigned char wire[WIRE_HEADER])
{
    h->minor = wire_minor(h);
    if (h->desc.type == FRAME_END && is_share(w)) /* MBF 1.0 has zeros in this field */
        h->minor = 1;
    h->seq = w->sums.totals.frames;
    if (w->opts.index && h->offset == 0 && h->desc.type != FRAME_META &&
        h->desc.type != FRAME_END && h->desc.type != FRAME_ERR && !w->unnoted &&
        frame_index_note(&w->index, &h->desc, w->out.written, &w->why_unnoted))
        __atomic_store_n(&w->unnoted, true, __ATOMIC_RELEASE);
    wire_pack(h, wire);
    wire_sums_add(&w->sums, h, wire);
}

/* Writes header, payload and padding. Returns 0, or -1 and sets errno. */
static int frame_out(struct frame_writer *w, struct wire_header *h, const void *stored)
{
    unsigned char wire[WIRE_HEADER];
    number(w, h, wire);
    struct iovec iov[3] = {{wire, WIRE_HEADER},
                           {(void *)(uintptr_t)stored, (size_t)h->stored},
                           {(void *)(uintptr_t)ZERO, wire_padding(h->stored)}};
    return output_writev(&w->out, iov, 3);
}

/* Works like frame_out(), but after all parts on the conveyor. */
static int put_frame(struct frame_writer *w, struct wire_header *h, const void *stored)
{
    if (writer_drain(w))
        return -1;
    return frame_out(w, h, stored) ? write_failed(w, errno) : 0;
}

int writer_part_bytes(struct frame_writer *w, const void *p, size_t n)
{
    struct iovec iov = {(void *)(uintptr_t)p, n};
    if (w->err.status)
        return -1;
    return output_writev(&w->out, &iov, 1) ? write_failed(w, errno) : 0;
}

int writer_part_begin(struct frame_writer *w, const struct wire_header *from)
{
    unsigned char wire[WIRE_HEADER];
    struct wire_header h = *from;
    if (writer_drain(w))
        return -1;
    number(w, &h, wire);
    return writer_part_bytes(w, wire, WIRE_HEADER);
}

int writer_part_end(struct frame_writer *w, const struct wire_header *h)
{
    return writer_part_bytes(w, ZERO, wire_padding(h->stored));
}

/* Writes a frame of one stored part: META, END, ERR. */
static int put_control(struct frame_writer *w, enum frame_type type, const void *p, size_t n)
{
    uint64_t hash = wire_hash(p, n);
    struct wire_header h = {.raw = n, .stored = n, .raw_hash = hash, .stored_hash = hash};
    h.desc = (struct frame_desc){.type = type,
                                 .dtype = type == FRAME_END ? FRAME_U8 : FRAME_UTF8,
                                 .ndim = 1,
                                 .dims = {n},
                                 .time = NAN,
                                 .flags = FRAME_CRITICAL | WIRE_LAST};
    return put_frame(w, &h, p);
}

/* ---- arrays */

static void work(void *ctx, int slot, int piece)
{
    struct frame_writer *w = ctx;
    (void)piece;
    pack_part(&w->part[slot], w->opts.compress, w->edge);
}

/* After a failure, nothing more is written. The next call reports the failure to the caller. */
static void emit(void *ctx, int slot)
{
    struct frame_writer *w = ctx;
    if (!__atomic_load_n(&w->late_error, __ATOMIC_RELAXED) &&
        frame_out(w, &w->part[slot].h, w->part[slot].stored))
        __atomic_store_n(&w->late_error, errno ? errno : EIO, __ATOMIC_RELAXED);
}

/* Returns the number of parts in progress with this number of threads. */
static size_t slots(int threads)
{
    return threads > 1 ? (size_t)(threads + threads / 2 + 1) : 1;
}

/* Allocates the memory for compression, at the first array. */
static int parts(struct frame_writer *w)
{
    int t = w->opts.compress ? w->opts.threads : 1;
    t = t < MAX_THREADS ? t : MAX_THREADS;
    if (w->part)
        return 0;
    while (t > 1 && w->opts.max_mem && slots(t) * 4 * FRAME_PART_BYTES > w->opts.max_mem)
        t--;
    w->nparts = (int)slots(t);
    w->part = calloc((size_t)w->nparts, sizeof *w->part);
    if (!w->part)
        return fail(w, ERR_MEMORY, "out of memory");
    w->conveyor =
        t > 1 ? conveyor_new(t, w->nparts, (struct conveyor_work){work, emit, .ctx = w}) : NULL;
    return 0;
}

/* Allocates the buffers of a part, for compression and, if the part has to wait, for a copy of the
 * raw bytes. */
static int part_room(struct frame_writer *w, struct part *p, size_t n, bool waits)
{
    size_t one = (n + 64) / 64 * 64, need = 2 * one + track_room(one) + (waits ? one : 0);
    if (p->cap < need) {
        free(p->mem);
        struct err why;
        bool allowed = err_over(&why, (double)need, w->opts.max_mem, "no -z", "compressing") == 0;
        p->mem = allowed ? malloc(need) : NULL;
        p->cap = p->mem ? need : 0;
        if (!p->mem)
            return writer_drain(w) ? -1
                   : allowed       ? fail(w, ERR_MEMORY, "out of memory for %zu bytes", need)
                                   : fail(w, ERR_MEMORY, "%s", why.text);
    }
    p->packed = p->mem;
    p->unpacked = p->packed + one;
    p->scratch = p->unpacked + one;
    return 0;
}

/* Puts one part of d on the conveyor, or writes it. */
static int put_part(struct frame_writer *w, const struct frame_desc *d, const unsigned char *data,
                    size_t at, size_t n, int filter)
{
    struct part *p = &w->part[w->conveyor ? conveyor_fill(w->conveyor) : 0];
    bool last = at + n == frame_bytes(d), waits = w->conveyor != NULL;
    if ((waits || filter != PACK_STORE) && part_room(w, p, n, waits))
        return -1;
    p->h = (struct wire_header){.desc = *d, .offset = at, .raw = n};
    p->h.desc.flags = (d->flags & (FRAME_CRITICAL | FRAME_COPYSAFE)) | (last ? WIRE_LAST : 0);
    p->filter = filter;
    p->raw = data + at;
    if (waits) {
        unsigned char *copy = p->scratch + track_room((size_t)(p->unpacked - p->packed));
        if (n)
            memcpy(copy, data + at, n);
        p->raw = copy;
        conveyor_push(w->conveyor);
        return check(w);
    }
    pack_part(p, w->opts.compress, w->edge);
    return put_frame(w, &p->h, p->stored);
}

/* Refuses an array that no reader would accept, before any of it is written. */
static int check_desc(struct frame_writer *w, const struct frame_desc *d, const void *data)
{
    if (!w->in_segment)
        return fail(w, ERR_MACHINE, "cannot write an array outside a segment");
    if ((unsigned)d->type > FRAME_SCAL || d->type == FRAME_META)
        return fail(w, ERR_BAD, "expected a type of data array, found type %d", (int)d->type);
    if (!frame_dtype_size(d->dtype))
        return fail(w, ERR_BAD, "expected numbers with a data type from %d to %d, found %d",
                    FRAME_U8, FRAME_UTF8, (int)d->dtype);
    if (d->ndim < 1 || d->ndim > 4)
        return fail(w, ERR_BAD, "expected an array of 1 to 4 dimensions, found %d", d->ndim);
    for (int k = d->ndim; k < 4; k++)
        if (d->dims[k])
            return fail(
                w, ERR_BAD,
                "expected 0 for the unused dimensions of an array with %d dimensions, found %llu",
                d->ndim, (unsigned long long)d->dims[k]);
    if (frame_bytes(d) == SIZE_MAX || isinf(d->time))
        return fail(w, ERR_BAD,
                    "expected a product of dimensions that fits in 64 bits and a time that is not "
                    "infinite, found other values");
    if (d->type == FRAME_OTHER && !wire_is_new(d))
        return fail(w, ERR_BAD, "expected a new four-letter type that is not critical, found %.4s",
                    d->code);
    if (!data && frame_bytes(d))
        return fail(w, ERR_BAD, "expected %zu bytes of data, found none", frame_bytes(d));
    return 0;
}

int frame_put(struct frame_writer *w, const struct frame_desc *d, const void *data)
{
    if (check(w) || check_desc(w, d, data) || parts(w))
        return -1;
    size_t total = frame_bytes(d), first = total < FRAME_PART_BYTES ? total : FRAME_PART_BYTES;
    int filter = w->opts.compress && total >= frame_dtype_size(d->dtype) * TRIAL_MIN ? PACK_CHOOSE
                                                                                     : PACK_STORE;
    /* All parts of an array have the same filter. For an array of one part, its worker chooses the
     * filter. If codec 3 fails, each part chooses its own filter. */
    if (filter == PACK_CHOOSE && total > FRAME_PART_BYTES && !pack_predicts(w->opts.compress, d)) {
        struct part trial = {0};
        if (part_room(w, &trial, first, false))
            return -1;
        filter = codec_choose(d, w->opts.compress, data, first, trial.packed, trial.scratch);
        free(trial.mem);
    }
    size_t at = 0;
    do {
        size_t n = total - at < FRAME_PART_BYTES ? total - at : FRAME_PART_BYTES;
        if (put_part(w, d, data, at, n, filter))
            return -1;
        at += n;
    } while (at < total);
    return 0;
}

int frame_flush(struct frame_writer *w)
{
    return writer_drain(w);
}

/* ---- segments */

void writer_edges(const struct meta *m, float edge[3])
{
    double cell[9];
    const char *pbc = meta_get(m, "sys.pbc");
    bool known = meta_get_f64(m, "sys.cell", cell, 9) > 0 && (!pbc || strlen(pbc) == 3);
    for (int k = 0; k < 9 && known; k++)
        known = isfinite(cell[k]) && (k % 4 ? cell[k] == 0 : cell[k] >= 0);
    for (int k = 0; k < 3; k++)
        edge[k] = known && (!pbc || pbc[k] == 'T') ? (float)cell[4 * k] : 0;
}

int frame_put_meta(struct frame_writer *w, const struct meta *m)
{
    struct err why;
    size_t n;
    if (writer_drain(w))
        return -1;
    if (w->in_segment)
        return fail(w, ERR_MACHINE, "cannot write META inside a segment");
    char *text = meta_text(m, &n, &why);
    if (!text)
        return fail(w, why.status, "%s", why.text);
    wire_sums_begin(&w->sums);
    writer_edges(m, w->edge);
    w->segment_at = w->out.written;
    w->in_segment = true;
    w->complete = false;
    int rc = put_control(w, FRAME_META, text, n);
    free(text);
    return rc;
}

int frame_end(struct frame_writer *w, enum frame_status status, const unsigned char *parent0,
              const unsigned char *parent1)
{
    const unsigned char *parent[2] = {parent0 ? parent0 : parent1, parent0 ? parent1 : NULL};
    struct frame_totals *t = &w->sums.totals;
    if (writer_drain(w))
        return -1;
    if (!w->in_segment)
        return fail(w, ERR_MACHINE, "cannot write END outside a segment");
    if ((unsigned)status > FRAME_PARTIAL)
        return fail(w, ERR_BAD, "expected a status from %d to %d, found %d", FRAME_COMPLETE,
                    FRAME_PARTIAL, (int)status);
    t->status = status;
    t->wire_bytes = w->out.written - w->segment_at;
    wire_sums_end(&w->sums);
    for (int k = 0; k < 2; k++)
        if (parent[k])
            memcpy(t->parent_hash[t->parents++], parent[k], 16);
    if (put_control(w, FRAME_END, t, WIRE_END))
        return -1;
    w->in_segment = false;
    w->complete = true;
    w->segments++;
    return 0;
}

void frame_share_of(struct frame_writer *w, const unsigned char content[16])
{
    memcpy(w->sums.totals.of_hash, content, 16);
}

/* The argument `received` is the ERR that is passed on, or NULL. */
static int err_text(const struct frame_writer *w, const struct err *why,
                    const struct meta *received, struct meta *m)
{
    const char *tool = received ? meta_get(received, "err.tool") : NULL,
               *what = received ? meta_get(received, "err.msg") : NULL,
               *hop = received ? meta_get(received, "err.hop") : NULL,
               *code = received ? meta_get(received, "err.exit") : NULL;
    int bad = meta_setf(m, "err.msg", "%.1000s", what ? what : why->text);
    bad |= meta_setf(m, "err.tool", "%.100s", tool ? tool : w->tool);
    bad |= code ? meta_setf(m, "err.exit", "%.10s", code)
                : meta_setf(m, "err.exit", "%d", why->status);
    bad |= meta_setf(m, "err.seq", "%llu", (unsigned long long)w->sums.totals.frames);
    bad |= meta_setf(m, "err.hop", "%.400s%s%.100s", hop ? hop : "", hop && *hop ? " " : "",
                     received ? w->tool : "");
    return bad;
}

int frame_fail(struct frame_writer *w, const struct err *why, const struct meta *received)
{
    size_t n;
    if (writer_drain(w))
        return -1;
    if (w->segments == 0 && !w->in_segment && !received) { /* an empty stream is always an error */
        w->err = *why;
        return -1;
    }
    struct meta *m = meta_new(),
                *source = w->in_segment ? NULL : meta_derive(NULL, w->tool, "", "");
    /* After a complete segment, the end would look like success. A new segment therefore contains
     * the failure. */
    int rc = !m || (!w->in_segment && (!source || frame_put_meta(w, source))) ||
             err_text(w, why, received, m);
    char *text = rc ? NULL : meta_text(m, &n, NULL);
    if (text && n <= WIRE_ERR_MAX)
        rc = put_control(w, FRAME_ERR, text, n);
    free(text);
    meta_free(m);
    meta_free(source);
    if (!w->err.status)
        w->err = *why;
    return rc;
}

/* ---- open, close, and queries */

struct frame_writer *writer_new(const char *path, const struct frame_writer_opts *opts,
                                struct err *e)
{
    if (opts->compress < FRAME_SMALL || opts->compress > 9) {
        err_bad(e, "compress: expected a level from -1 to 9, found %d", opts->compress);
        return NULL;
    }
    struct frame_writer *w = aligned_alloc(64, sizeof *w); /* hash states need 64-byte alignment */
    if (w) {
        memset(w, 0, sizeof *w);
        w->opts = *opts;
        w->index.max = opts->max_mem;
        w->tool = strdup(opts->tool ? opts->tool : "?");
        w->name = strdup(path && strcmp(path, "-") != 0 ? path : "stdout");
        w->out = (struct output){
            .fd = -1, .at_once = opts->at_once, .write = opts->write, .to = opts->to};
    }
    if (w && w->tool && w->name)
        return w;
    err_memory(e, "a frame writer");
    (void)frame_close_writer(w, NULL);
    return NULL;
}

struct frame_writer *frame_create(const char *path, const struct frame_writer_opts *opts,
                                  struct err *e)
{
    struct frame_writer *w = writer_new(path, opts, e);
    if (w && opts->write)
        return w;
    if (w && output_open(&w->out, path, opts->force, e) == 0) {
        w->out.at_once = opts->at_once;
        w->out.last = opts->last;
        if (opts->like)
            output_like(&w->out, opts->like);
        return w;
    }
    (void)frame_close_writer(w, NULL);
    return NULL;
}

int frame_close_writer(struct frame_writer *w, struct err *e)
{
    struct err why = {.text = "the output is not complete", .status = ERR_MACHINE};
    if (!w)
        return 0;
    writer_drain(w); /* reports a part that could not be written */
    conveyor_free(w->conveyor);
    for (int i = 0; i < w->nparts && w->part; i++)
        free(w->part[i].mem);
    free(w->part);
    bool keep = w->complete && !w->in_segment && !w->err.status;
    int rc = output_close(&w->out, keep, &why);
    if (!keep || rc) {
        if (e)
            *e = w->err.status ? w->err : why;
        rc = -1;
    }
    frame_index_free(&w->index);
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

const char *frame_writer_name(const struct frame_writer *w)
{
    return w->name;
}

struct frame_index *frame_writer_index(struct frame_writer *w)
{
    return writer_drain(w) == 0 && w->opts.index ? &w->index : NULL;
}

bool frame_in_segment(const struct frame_writer *w)
{
    return w->in_segment;
}

void frame_writer_totals(const struct frame_writer *w, struct frame_totals *t)
{
    *t = w->sums.totals;
}

bool frame_is_live(const struct frame_writer *w)
{
    return !w->out.regular;
}
