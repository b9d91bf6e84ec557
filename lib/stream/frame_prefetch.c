/* SPDX-License-Identifier: MIT */
#include "stream/frame_prefetch.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

#include "base/conveyor.h"
#include "stream/frame_hash.h"

enum {
    HELPERS = 8,         /* more helpers are not faster, because memory is the limit */
    SLOTS = 4 * HELPERS, /* number of parts in progress */
    PIECE = 256 << 10,   /* bytes hashed while they are in cache */
    FLIGHT = 16 << 20    /* bytes in progress; three times this if arrays are long */
};

struct slot {
    struct wire_header h;
    uint64_t at; /* file offset of the stored bytes */
    unsigned char *dst;
    int buffer; /* buffer of the array */
    bool last;  /* last part of an array of this many bytes and steps */
    uint64_t bytes, steps;
    uint64_t hash;
    bool good, finite;
};

struct frame_prefetch {
    struct fdio io; /* the descriptor belongs to the reader */
    struct conveyor *conveyor;
    size_t max, held; /* limit and present bytes of all buffers */
    struct slot slot[SLOTS];
    uint64_t pushed, taken; /* number of slots since the start, used modulo SLOTS */
    uint64_t scan;          /* offset of the next header, or 0 if only the reader knows it */
    uint64_t steps;         /* steps of the arrays in progress */
    uint64_t flight;        /* bytes of the arrays in progress */
    struct buffer buffer[SLOTS];
    bool used[SLOTS];
    uint64_t skipped; /* types to skip, one bit each */
    struct {          /* array whose headers are being read */
        int buffer;   /* -1 if skipped */
        unsigned char *p;
        uint64_t bytes, steps;
    } array;
};

size_t frame_infinite(const void *data, enum frame_dtype dtype, size_t n)
{
    size_t k = frame_not_finite(data, dtype, n);
    while (k < n &&
           !isinf(dtype == FRAME_F32 ? ((const float *)data)[k] : ((const double *)data)[k]))
        k++;
    return k;
}

size_t frame_not_finite(const void *data, enum frame_dtype dtype, size_t n)
{
    enum { ROUND = 1024 };
    const uint32_t *f32 = data;
    const uint64_t *f64 = data;
    for (size_t at = 0, end; at < n; at = end) {
        uint64_t bad = 0;
        uint32_t bad32 = 0;
        end = n - at < ROUND ? n : at + ROUND;
        if (dtype == FRAME_F32)
            for (size_t i = at; i < end; i++)
                bad32 |= (f32[i] & 0x7f800000u) == 0x7f800000u;
        else
            for (size_t i = at; i < end; i++)
                bad |= (f64[i] & 0x7ff0000000000000u) == 0x7ff0000000000000u;
        if (!bad && !bad32)
            continue;
        while (dtype == FRAME_F32 ? (f32[at] & 0x7f800000u) != 0x7f800000u
                                  : (f64[at] & 0x7ff0000000000000u) != 0x7ff0000000000000u)
            at++;
        return at;
    }
    return n;
}

/* Reads, hashes and checks the bytes of a part, on a helper thread or on the waiting caller. */
static void work(void *ctx, int k, int piece)
{
    struct frame_prefetch *a = ctx;
    struct slot *s = &a->slot[k];
    (void)piece;
    const struct frame_desc *d = &s->h.desc;
    XXH3_state_t sum;
    size_t left = (size_t)s->h.stored, size = frame_dtype_size(d->dtype);
    unsigned char *to = s->dst;
    uint64_t at = s->at;
    s->finite = (d->dtype == FRAME_F32 || d->dtype == FRAME_F64) && s->h.offset % size == 0 &&
                s->h.raw % size == 0;
    XXH3_64bits_reset(&sum);
    for (s->good = true; left > 0 && s->good;) {
        int error;
        size_t n = left < PIECE ? left : PIECE, got = fdio_read_at(&a->io, at, to, n, &error);
        s->good = got == n; /* the reader then finds the reason */
        SIMD_PICK(frame_hash_update)(&sum, to, got);
        s->finite = s->finite && frame_not_finite(to, d->dtype, n / size) == n / size;
        to += n;
        at += n;
        left -= n;
    }
    s->hash = XXH3_64bits_digest(&sum);
}

struct frame_prefetch *frame_prefetch_new(const struct fdio *io, int threads, size_t max)
{
    struct frame_prefetch *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->io = *io;
    a->max = max;
    a->array.buffer = -1;
    a->conveyor = threads > 1 ? conveyor_new(threads <= HELPERS ? threads : 1 + HELPERS, SLOTS,
                                             (struct conveyor_work){.work = work, .ctx = a})
                              : NULL;
    if (a->conveyor && conveyor_threads(a->conveyor) > 1)
        return a;
    frame_prefetch_free(a);
    return NULL;
}

void frame_prefetch_free(struct frame_prefetch *a)
{
    if (!a)
        return;
    conveyor_free(a->conveyor);
    for (int k = 0; k < SLOTS; k++)
        free(a->buffer[k].p);
    free(a);
}

/* ---- choice of the next part */

/* Returns an unused buffer of n bytes, or -1 if no buffer is free now. */
static int capacity(struct frame_prefetch *a, size_t n)
{
    int best = -1;
    for (int k = 0; k < SLOTS; k++)
        if (!a->used[k] && (best < 0 || a->buffer[k].cap > a->buffer[best].cap))
            best = k;
    if (best < 0)
        return -1;
    struct buffer *b = &a->buffer[best];
    if (b->cap < n) {
        void *p = NULL;
        a->held -= b->cap;
        free(b->p);
        *b = (struct buffer){NULL, 0};
        if (n > a->max - a->held || posix_memalign(&p, 64, n) != 0)
            return -1;
        *b = (struct buffer){p, n};
        a->held += n;
    }
    a->used[best] = true;
    return best;
}

/* Returns whether the array that begins with h may be read ahead. It must not need more memory
 * than the file has bytes. */
static bool wanted(const struct frame_prefetch *a, const struct wire_header *h)
{
    uint64_t all = frame_bytes(&h->desc);
    return h->codec == WIRE_STORED && h->desc.type != FRAME_OTHER &&
           !(a->skipped >> h->desc.type & 1) && h->stored >= PREFETCH_LEAST &&
           all <= a->io.size - a->scan && all <= a->max / 2;
}

/* Begins the array whose first header is h. Returns 0, or -1 if this is not possible now. */
static int begin_array(struct frame_prefetch *a, const struct wire_header *h)
{
    uint64_t bytes = frame_bytes(&h->desc);
    a->array.buffer = -1;
    if (!wanted(a, h))
        return 0;
    if (a->flight > 0 && a->flight + bytes > (bytes > FLIGHT / 4 ? 3 : 1) * (uint64_t)FLIGHT)
        return -1;
    if ((a->array.buffer = capacity(a, (size_t)bytes)) < 0)
        return -1;
    a->array.p = a->buffer[a->array.buffer].p;
    a->array.bytes = bytes;
    a->array.steps = frame_counts_steps(&h->desc) ? h->desc.dims[0] : 0;
    a->flight += bytes;
    a->steps += a->array.steps;
    return 0;
}

static void push(struct frame_prefetch *a, const struct wire_header *h, uint64_t at)
{
    struct slot *s = &a->slot[conveyor_fill(a->conveyor)];
    s->h = *h;
    s->at = at;
    s->buffer = a->array.buffer;
    s->dst = a->array.p + h->offset;
    s->last = h->desc.flags & WIRE_LAST;
    s->bytes = a->array.bytes;
    s->steps = a->array.steps;
    a->pushed++;
    conveyor_push(a->conveyor);
}

/* Queues the part whose header is at a->scan. Returns 1, or 0 if there are no more parts or if this
 * is not possible now. */
static int queue_part(struct frame_prefetch *a)
{
    unsigned char wire[WIRE_HEADER];
    struct wire_header h;
    bool damaged;
    if (a->scan == 0)
        return 0;
    if (fdio_peek(&a->io, a->scan, wire, sizeof wire) != 0 ||
        wire_unpack(wire, &h, &damaged, NULL) != 0 || h.desc.type == FRAME_META ||
        h.desc.type == FRAME_END || h.desc.type == FRAME_ERR || h.stored > a->io.size - a->scan) {
        a->scan = 0;
        return 0;
    }
    if (h.offset == 0 && begin_array(a, &h) != 0)
        return 0;
    uint64_t at = a->scan + WIRE_HEADER;
    a->scan = at + h.stored + wire_padding(h.stored);
    if (a->array.buffer < 0)
        return 1;
    if (h.stored != h.raw || h.raw > a->array.bytes || h.offset > a->array.bytes - h.raw) {
        a->scan = 0; /* the reader reports the error */
        return 0;
    }
    push(a, &h, at);
    return 1;
}

/* ---- parts for the reader */

/* Frees the oldest slot. */
static void forget(struct frame_prefetch *a, const struct slot *s)
{
    a->taken++;
    if (!s->last)
        return;
    a->used[s->buffer] = false;
    a->flight -= s->bytes;
    a->steps -= s->steps;
}

/* Starts again after the part at `at`, because nothing in the queue fits. */
static void restart(struct frame_prefetch *a, const struct wire_header *h, uint64_t at)
{
    conveyor_wait(a->conveyor, 0);
    a->taken = a->pushed;
    a->steps = a->flight = 0;
    memset(a->used, 0, sizeof a->used);
    a->array.buffer = -1;
    a->scan = at + h->stored + wire_padding(h->stored);
}

/* Returns the finished slot of the part at `at`, or NULL if it is not in the queue. */
static struct slot *find(struct frame_prefetch *a, const struct wire_header *h, uint64_t at)
{
    while (a->taken < a->pushed) {
        struct slot *s = &a->slot[a->taken % SLOTS];
        if (s->at > at)
            return NULL;
        conveyor_wait(a->conveyor, (int)(a->pushed - a->taken) - 1);
        if (s->at == at)
            return s->good && s->h.stored == h->stored ? s : NULL;
        forget(a, s);
    }
    return NULL;
}

int frame_prefetch_take(struct frame_prefetch *a, const struct wire_header *h, uint64_t at,
                        struct buffer *data, const struct prefetch_limits *limits, uint64_t *hash,
                        bool *finite)
{
    uint64_t own = frame_counts_steps(&h->desc) ? h->desc.dims[0] : 0;
    struct slot *s = find(a, h, at);
    if (s && data && h->offset > 0 && s->dst != data->p + h->offset)
        s = NULL; /* the array of this part began elsewhere */
    if (s) {
        *hash = s->hash;
        *finite = s->finite;
    } else {
        restart(a, h, at);
    }
    if (s && data && h->offset == 0) {
        struct buffer mine = a->buffer[s->buffer];
        a->held += data->cap - mine.cap;
        a->buffer[s->buffer] = *data;
        *data = mine;
    }
    if (s)
        forget(a, s);
    /* steps in progress, except those of the array of h if it has more parts */
    uint64_t behind = a->steps - (s && !s->last ? s->steps : 0);
    uint64_t steps = limits->steps > own ? limits->steps - own : 0;
    a->skipped = limits->types;
    while (a->pushed - a->taken < SLOTS && behind < steps) {
        uint64_t before = a->steps;
        if (!queue_part(a))
            break;
        behind += a->steps - before;
    }
    return s != NULL;
}
