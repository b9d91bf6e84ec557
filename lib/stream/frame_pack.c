/* SPDX-License-Identifier: MIT */
/* frame_pack.c: arrays cut into parts, hashed, compressed by several threads and written in order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"
#include "stream/frame_writer.h"

enum {
    MAX_THREADS = 16, /* a part has up to 4 MiB, three times in memory while it waits */
    TRIAL_MIN = 16,   /* elements: below, nothing is tried */
    STORE = -1,       /* in the place of a filter */
    CHOOSE = -2
};

/* One part on its way. Pointers are into the caller's array, or into mem where it waits in a queue.
 */
struct part {
    struct wire_header h;
    int filter;
    const unsigned char *raw;
    unsigned char *packed, *scratch; /* of h.raw bytes each */
    const unsigned char *stored;     /* what goes out */
    unsigned char *mem;
    size_t cap;
};

struct pack {
    struct frame_writer *w;
    struct queue *queue; /* NULL: every part is written before frame_put returns */
    struct part *part;   /* one a slot of the queue, or one */
    int parts;
    int error; /* errno of the first write that failed in the queue */
};

/* Hash and compress a part; each is independent of the others. */
static void prepare(struct part *p, int level)
{
    struct wire_header *h = &p->h;
    size_t n = (size_t)h->raw, len = 0;
    if (p->filter == CHOOSE)
        p->filter = codec_choose(&h->desc, level, p->raw, n, p->packed, p->scratch);
    if (p->filter >= 0)
        len = codec_deflate(&h->desc, (enum wire_filter)p->filter, level, p->raw, n, p->packed,
                            p->scratch);
    h->raw_hash = wire_hash(p->raw, n);
    h->codec = len ? WIRE_ZLIB : WIRE_STORED;
    h->filter = len ? (unsigned)p->filter : WIRE_PLAIN;
    h->stored = len ? len : n;
    h->stored_hash = len ? wire_hash(p->packed, len) : h->raw_hash;
    p->stored = len ? p->packed : p->raw;
}

static void work(void *ctx, int slot)
{
    struct pack *k = ctx;
    prepare(&k->part[slot], k->w->opts.compress);
}

/* After a failure nothing more goes out; the caller learns of it in its next call. */
static void emit(void *ctx, int slot)
{
    struct pack *k = ctx;
    if (!__atomic_load_n(&k->error, __ATOMIC_RELAXED) &&
        writer_out(k->w, &k->part[slot].h, k->part[slot].stored))
        __atomic_store_n(&k->error, errno ? errno : EIO, __ATOMIC_RELAXED);
}

/* What compressing needs, with the first array. NULL: out of memory. */
static struct pack *pack_of(struct frame_writer *w)
{
    if (w->pack)
        return w->pack;
    struct pack *k = calloc(1, sizeof *k);
    int t = w->opts.compress ? w->opts.threads : 1;
    t = t < MAX_THREADS ? t : MAX_THREADS;
    int slots = t > 1 ? t + t / 2 + 1 : 1;
    if (k)
        k->part = calloc((size_t)slots, sizeof *k->part);
    if (!k || !k->part) {
        free(k);
        return NULL;
    }
    k->w = w;
    k->parts = slots;
    k->queue = t > 1 ? queue_new(t - 1, slots, work, emit, k) : NULL;
    return w->pack = k;
}

void writer_pack_free(struct frame_writer *w)
{
    struct pack *k = w->pack;
    if (!k)
        return;
    queue_free(k->queue);
    for (int i = 0; i < k->parts; i++)
        free(k->part[i].mem);
    free(k->part);
    free(k);
    w->pack = NULL;
}

/* Did the queue fail to write? */
static int check_queue(struct frame_writer *w)
{
    int e = w->pack ? __atomic_load_n(&w->pack->error, __ATOMIC_RELAXED) : 0;
    if (e && !w->err.status)
        writer_write_failed(w, e);
    return w->err.status ? -1 : 0;
}

int writer_drain(struct frame_writer *w)
{
    if (w->pack && w->pack->queue)
        queue_drain(w->pack->queue);
    return check_queue(w);
}

/* Buffers of a part: for compressing, and for a copy of the raw bytes where it has to wait. */
static int part_room(struct part *p, size_t n, bool waits)
{
    size_t one = (n + 64) / 64 * 64, need = (waits ? 3 : 2) * one;
    if (p->cap < need) {
        free(p->mem);
        p->mem = malloc(need);
        p->cap = p->mem ? need : 0;
        if (!p->mem)
            return -1;
    }
    p->packed = p->mem;
    p->scratch = p->mem + one;
    return 0;
}

/* One part of d into the queue, or out. */
static int put_part(struct pack *k, const struct frame_desc *d, const unsigned char *data,
                    size_t at, size_t n, int filter)
{
    struct part *p = &k->part[k->queue ? queue_slot(k->queue) : 0];
    bool last = at + n == frame_bytes(d), waits = k->queue != NULL;
    if ((waits || filter != STORE) && part_room(p, n, waits))
        return writer_drain(k->w) ? -1 : writer_fail(k->w, "out of memory");
    p->h = (struct wire_header){.desc = *d, .offset = at, .raw = n};
    p->h.desc.flags = (d->flags & (FRAME_CRITICAL | FRAME_COPYSAFE)) | (last ? WIRE_LAST : 0);
    p->filter = filter;
    p->raw = data + at;
    if (waits) {
        unsigned char *copy = p->scratch + (p->scratch - p->packed);
        if (n)
            memcpy(copy, data + at, n);
        p->raw = copy;
        queue_push(k->queue);
        return check_queue(k->w);
    }
    prepare(p, k->w->opts.compress);
    return writer_frame(k->w, &p->h, p->stored);
}

int frame_put(struct frame_writer *w, const struct frame_desc *d, const void *data)
{
    if (check_queue(w) || writer_check(w, d))
        return -1;
    struct pack *k = pack_of(w);
    if (!k)
        return writer_fail(w, "out of memory");
    size_t total = frame_bytes(d), first = total < FRAME_PART_BYTES ? total : FRAME_PART_BYTES;
    int filter =
        w->opts.compress && total >= frame_dtype_size(d->dtype) * TRIAL_MIN ? CHOOSE : STORE;
    /* The parts of one array share its filter; an array of one part leaves the choice to its
     * worker. */
    if (filter == CHOOSE && total > FRAME_PART_BYTES) {
        struct part trial = {0};
        if (part_room(&trial, first, false))
            return writer_fail(w, "out of memory");
        filter = codec_choose(d, w->opts.compress, data, first, trial.packed, trial.scratch);
        free(trial.mem);
    }
    size_t at = 0;
    do {
        size_t n = total - at < FRAME_PART_BYTES ? total - at : FRAME_PART_BYTES;
        if (put_part(k, d, data, at, n, filter))
            return -1;
        at += n;
    } while (at < total);
    return 0;
}
