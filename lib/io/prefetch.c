/* SPDX-License-Identifier: MIT */
#include "io/prefetch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/conveyor.h"

enum { BLOCKS = 4, READERS = 3 };

struct prefetch {
    struct prefetch_use use;
    struct conveyor *conveyor;
    struct slot {
        struct prefetch_block b;
        uint64_t at; /* offset in a plain file */
        size_t block;
        int error; /* errno of the failure after b.got bytes, or 0 */
    } * ring;
    int slots;
    size_t block;     /* size of blocks read from now on (atomic, like short_block) */
    bool short_block; /* set if no more blocks are begun */
    uint64_t at;      /* offset of the next block in a plain file */
    bool plain;       /* each thread can read a block without others */
    bool ends;        /* set if no more blocks are returned */
    int error;        /* errno at the end of a plain file, or 0 */
    ssize_t end;      /* end of another input, as from input_read() */
};

/* Allocates `block` bytes and, in front of them, the same number of bytes. Returns false if out of
 * memory. */
static bool make_room(struct prefetch_block *b, size_t block)
{
    if (b->cap < 2 * block) {
        free(b->p);
        b->p = malloc(2 * block + PREFETCH_SLACK);
        b->cap = b->p ? 2 * block : 0;
    }
    b->at = block;
    b->got = 0;
    return b->p != NULL;
}

/* Reads a block of a file that is not plain. Returns the values of prefetch_begin(). */
static int read_block(struct prefetch *a, struct slot *s, bool wait)
{
    struct prefetch_block *b = &s->b;
    ssize_t got = make_room(b, s->block) ? 1 : err_memory(&a->use.in->err, "reading ahead");
    while (got > 0 && (size_t)b->got < s->block) {
        got = a->use.read(a->use.ctx, b->p + b->at + b->got, s->block - (size_t)b->got,
                          wait && b->got == 0);
        b->got += got > 0 ? got : 0;
    }
    b->taken = a->use.in->io.bytes;
    if (got == FDIO_END || got == FDIO_ERROR) {
        a->end = got;
        a->short_block = true;
    }
    return b->got > 0 ? 1 : a->short_block ? CONVEYOR_END : CONVEYOR_LATER;
}

/* Begins a block. In a plain file, only the offset of the block is assigned. */
static int prefetch_begin(void *ctx, int slot, int before)
{
    struct prefetch *a = ctx;
    struct slot *s = &a->ring[slot];
    if (__atomic_load_n(&a->short_block, __ATOMIC_RELAXED))
        return CONVEYOR_END;
    s->block = __atomic_load_n(&a->block, __ATOMIC_RELAXED);
    if (!a->plain)
        return read_block(a, s, before == 0 || a->use.in->io.regular);
    s->at = a->at;
    a->at += s->block;
    return 1;
}

static void work(void *ctx, int slot, int piece)
{
    struct prefetch *a = ctx;
    struct slot *s = &a->ring[slot];
    struct prefetch_block *b = &s->b;
    (void)piece;
    if (a->plain) {
        s->error = make_room(b, s->block) ? 0 : ENOMEM;
        if (!s->error)
            b->got =
                (ssize_t)fdio_read_at(&a->use.in->io, s->at, b->p + b->at, s->block, &s->error);
        b->taken = s->at + (uint64_t)b->got;
        if (b->got < (ssize_t)s->block)
            __atomic_store_n(&a->short_block, true, __ATOMIC_RELAXED);
    }
    if (a->use.work && b->got > 0)
        a->use.work(a->use.work_ctx, &b->result, b->p + b->at, (size_t)b->got);
}

struct prefetch *prefetch_new(const struct prefetch_use *use, size_t block, int threads)
{
    struct prefetch *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->use = *use;
    a->block = block;
    a->at = use->in->io.bytes;
    a->plain = input_plain(use->in);
    int readers = !a->plain ? 1 : threads - 1 < READERS ? threads - 1 : READERS;
    a->slots = use->work ? conveyor_slots(threads) : BLOCKS * readers;
    a->ring = calloc((size_t)a->slots, sizeof *a->ring);
    if (a->ring)
        a->conveyor =
            conveyor_new(use->work ? threads : 1 + readers, a->slots,
                         (struct conveyor_work){.work = work, .begin = prefetch_begin, .ctx = a});
    if (!a->conveyor || (!use->work && conveyor_threads(a->conveyor) == 1)) {
        prefetch_free(a);
        return NULL;
    }
    if (use->in->io.regular)
        conveyor_open(a->conveyor);
    return a;
}

void prefetch_free(struct prefetch *a)
{
    if (!a)
        return;
    conveyor_free(a->conveyor);
    for (int k = 0; a->ring && k < a->slots; k++) {
        free(a->ring[k].b.p);
        free(a->ring[k].b.result);
    }
    free(a->ring);
    free(a);
}

/* Returns the end or error of the input, like input_read(). */
static ssize_t end(struct prefetch *a)
{
    if (!a->error)
        return a->end;
    if (a->error == ENOMEM)
        return err_memory(&a->use.in->err, "reading ahead");
    return err_set(&a->use.in->err, err_errno(a->error), "read error after byte %llu: %s",
                   (unsigned long long)a->use.in->io.bytes, strerror(a->error));
}

void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b)
{
    __atomic_store_n(&a->block, block, __ATOMIC_RELAXED);
    int slot = a->ends ? CONVEYOR_END : conveyor_next(a->conveyor);
    bool over = slot == CONVEYOR_END;
    if (!over) {
        struct slot *s = &a->ring[slot];
        struct prefetch_block mine = *b;
        *b = s->b;
        s->b = (struct prefetch_block){.p = mine.p, .cap = mine.cap, .result = s->b.result};
    }
    if (a->plain && !over) {
        a->use.in->io.bytes = b->taken;
        a->ends = b->got < (ssize_t)b->at; /* later blocks were read too late */
        a->error = a->ring[slot].error;
    }
    a->ends |= over;
    if (a->ends && (over || b->got == 0)) {
        b->got = end(a);
        b->taken = a->use.in->io.bytes;
    }
}
