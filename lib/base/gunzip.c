/* SPDX-License-Identifier: MIT */
#include "base/gunzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/queue.h"

#define PIECE ((size_t)1 << 20)                /* of the file */
#define OVERLAP ((size_t)1 << 19)              /* the last block of a piece ends in here */
#define MOST ((size_t)16 << 20)                /* symbols of a piece */
#define MOST_SLOT (4 * MOST + PIECE + OVERLAP) /* memory, about */
#define NONE UINT64_MAX                        /* no piece */
enum { MOST_THREADS = 8 };

struct slot {
    uint64_t piece;
    unsigned char *raw; /* [PIECE + OVERLAP + INFLATE_PAD] */
    size_t len;
    struct inflate_part part;
    enum inflate_status status;
    bool stopped; /* this piece, or one before, is left to zlib */
    bool full;    /* finished, and not yet read: */
    const unsigned char *bytes;
    size_t n, at;
};

struct gunzip {
    struct fdio *io;
    uint64_t pieces, next; /* of the file; the one to begin next */
    struct slot *slot;
    int nslots;
    struct queue *queue;
    uint64_t read; /* pieces */
    /* after the last piece that was finished */
    struct gunzip_place place;
    unsigned char byte[256 + INFLATE_WINDOW]; /* that a symbol stands for */
    bool stopped;                             /* later pieces are not looked at */
    uint64_t done;
};

/* ---- a piece */

static void work(void *ctx, int k)
{
    struct gunzip *g = ctx;
    struct slot *s = &g->slot[k];
    if (s->piece == NONE)
        return;
    uint64_t from = s->piece * PIECE;
    size_t want = PIECE + OVERLAP;
    bool last = g->io->size - from <= want, header = s->piece == 0;
    s->len = last ? (size_t)(g->io->size - from) : want;
    memset(s->raw + s->len, 0, INFLATE_PAD);
    s->status = INFLATE_BAD;
    s->part.start = UINT64_MAX;
    if (__atomic_load_n(&g->stopped, __ATOMIC_RELAXED) ||
        fdio_peek(g->io, from, s->raw, s->len) != 0) {
        s->len = 0;
        return;
    }
    uint64_t stop = 8 * (uint64_t)PIECE, bit = 0;
    while (s->status == INFLATE_BAD && bit < stop) {
        bit = s->piece ? inflate_find(s->raw, s->len, bit, stop, &header) : 0;
        if (bit < stop)
            s->status = inflate_part(&s->part, s->raw, s->len, last, bit, header, stop,
                                     s->piece ? NULL : s->raw, 0, MOST);
        bit = s->piece ? bit + 1 : stop;
    }
}

/* Marks become the bytes of the window that they stand for. The bytes, in the place of the symbols;
 * NULL: one stands for a byte that there is not. */
static unsigned char *fill_in(struct gunzip *g, struct inflate_part *part)
{
    const struct gunzip_place *p = &g->place;
    const uint16_t *from = part->out + INFLATE_WINDOW;
    unsigned char *to = (unsigned char *)(part->out + INFLATE_WINDOW);
    unsigned char *byte = g->byte;
    for (size_t k = 0; p->have < INFLATE_WINDOW && k < part->n; k++)
        if (from[k] >= 256 && from[k] < 256 + INFLATE_WINDOW - p->have)
            return NULL;
    for (int k = 0; k < 256; k++)
        byte[k] = (unsigned char)k;
    memcpy(byte + 256, p->window, INFLATE_WINDOW);
    /* marks stay: words of a text always come by a match */
    for (size_t k = 0; k < part->n; k++)
        to[k] = byte[from[k]];
    return to;
}

/* Members that end in the part against their trailers; p is then what stands at its end. */
static bool check(const struct inflate_part *part, const unsigned char *bytes,
                  struct gunzip_place *p)
{
    size_t from = 0;
    for (size_t k = 0; k <= part->nmembers; k++) {
        const struct inflate_member *m = k < part->nmembers ? &part->members[k] : NULL;
        size_t to = m ? m->at : part->n;
        p->crc = (uint32_t)crc32_z(p->crc, bytes + from, to - from);
        p->size += (uint32_t)(to - from);
        if (m && (p->crc != m->crc || p->size != m->size))
            return false;
        if (m)
            p->crc = p->size = p->have = 0;
        from = m ? to : from;
    }
    size_t n = part->n - from;
    unsigned have = n < INFLATE_WINDOW ? (unsigned)n : INFLATE_WINDOW, old = INFLATE_WINDOW - have;
    memmove(p->window, p->window + have, old);
    memcpy(p->window + old, bytes + part->n - have, have);
    p->have = p->have + have < INFLATE_WINDOW ? p->have + have : INFLATE_WINDOW;
    return true;
}

/* In the order of the pieces. */
static void finish(void *ctx, int k)
{
    struct gunzip *g = ctx;
    struct slot *s = &g->slot[k];
    if (s->piece == NONE)
        return;
    uint64_t base = 8 * s->piece * PIECE, end = base + 8 * (uint64_t)PIECE;
    struct gunzip_place after = g->place;
    s->full = true;
    s->n = s->at = 0;
    s->stopped = g->stopped;
    if (s->stopped || g->place.bit >= end)
        return; /* a block of the piece before took it all */
    if (base + s->part.start != g->place.bit || s->status > INFLATE_END)
        s->status = inflate_part(
            &s->part, s->raw, s->len, base / 8 + s->len == g->io->size, g->place.bit - base, false,
            end - base, g->place.window + INFLATE_WINDOW - g->place.have, g->place.have, MOST);
    unsigned char *bytes = s->status > INFLATE_END ? NULL : fill_in(g, &s->part);
    if (!bytes || !check(&s->part, bytes, &after)) {
        s->stopped = true;
        __atomic_store_n(&g->stopped, true, __ATOMIC_RELAXED);
        return;
    }
    after.bit = s->status == INFLATE_END ? UINT64_MAX : base + s->part.end;
    g->place = after;
    s->bytes = bytes;
    s->n = s->part.n;
}

/* ---- reading */

struct gunzip *gunzip_new(struct fdio *io, int threads, size_t max_mem)
{
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    while (max_mem && threads > 1 && (size_t)(threads + 2) * MOST_SLOT > max_mem / 4)
        threads--;
    if (!io->regular || threads < 2 || io->size < 2 * PIECE)
        return NULL;
    struct gunzip *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->io = io;
    g->pieces = (io->size + PIECE - 1) / PIECE;
    g->nslots = threads + 2;
    g->slot = calloc((size_t)g->nslots, sizeof *g->slot);
    bool good = g->slot != NULL;
    for (int k = 0; good && k < g->nslots; k++)
        good = (g->slot[k].raw = malloc(PIECE + OVERLAP + INFLATE_PAD)) != NULL;
    if (good && (g->queue = queue_new(threads - 1, g->nslots, work, finish, g)) != NULL)
        return g;
    gunzip_free(g);
    return NULL;
}

void gunzip_free(struct gunzip *g)
{
    if (!g)
        return;
    __atomic_store_n(&g->stopped, true, __ATOMIC_RELAXED);
    queue_free(g->queue);
    for (int k = 0; g->slot && k < g->nslots; k++) {
        free(g->slot[k].raw);
        inflate_free(&g->slot[k].part);
    }
    free(g->slot);
    free(g);
}

/* The next piece to read; NULL: there is none. Slots that were read take pieces further on. */
static struct slot *next_slot(struct gunzip *g)
{
    while (g->read < g->pieces) {
        struct slot *s = &g->slot[queue_slot(g->queue)];
        if (s->full && s->at < s->n)
            return s;
        if (s->full && s->stopped)
            break;
        g->read += s->full;
        s->full = false;
        s->piece = g->next < g->pieces ? g->next++ : NONE;
        queue_push(g->queue);
    }
    return NULL;
}

ssize_t gunzip_read(struct gunzip *g, void *buf, size_t n)
{
    struct slot *s = next_slot(g);
    if (!s)
        return g->place.bit == UINT64_MAX ? FDIO_END : GUNZIP_GO_ON;
    n = n < s->n - s->at ? n : s->n - s->at;
    memcpy(buf, s->bytes + s->at, n);
    s->at += n;
    g->done = (s->piece + 1) * PIECE;
    return (ssize_t)n;
}

const struct gunzip_place *gunzip_stopped(const struct gunzip *g)
{
    return &g->place;
}

uint64_t gunzip_done(const struct gunzip *g)
{
    return g->done < g->io->size ? g->done : g->io->size;
}
