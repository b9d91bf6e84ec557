/* SPDX-License-Identifier: MIT */
#include "io/prefetch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/conveyor.h"

enum { BLOCKS = 4, READERS = 3 };

struct prefetch {
    struct input *in;
    struct conveyor *conveyor;
    struct slot {
        struct prefetch_block b;
        uint64_t at; /* offset in a plain file */
        size_t block;
        int error; /* errno after b.got bytes, or 0 */
    } ring[BLOCKS * READERS];
    size_t block;     /* size of the blocks read from now on; atomic, as is short_block */
    bool short_block; /* no block is begun any more */
    uint64_t at;      /* offset of the next block in a plain file */
    bool plain;       /* any thread can read a block on its own */
    bool ends;        /* no block is returned any more */
    int error;        /* reason, or 0 */
};

bool prefetch_room(struct prefetch_block *b, size_t block)
{
    if (b->cap < 2 * block) {
        free(b->p);
        b->p = malloc(2 * block + PREFETCH_SLACK);
        b->cap = b->p ? 2 * block : 0;
    }
    b->at = block;
    return b->p != NULL;
}

/* Begins a block; in a plain file this only assigns its offset. */
static int prefetch_begin(void *ctx, int slot, int before)
{
    struct prefetch *a = ctx;
    struct slot *s = &a->ring[slot];
    (void)before;
    if (__atomic_load_n(&a->short_block, __ATOMIC_RELAXED))
        return CONVEYOR_END;
    s->block = __atomic_load_n(&a->block, __ATOMIC_RELAXED);
    s->at = a->at;
    a->at += s->block;
    if (a->plain)
        return 1;
    s->b.got = prefetch_room(&s->b, s->block) ? input_read(a->in, s->b.p + s->block, s->block, -1.0)
                                              : err_memory(&a->in->err, "reading ahead");
    s->b.taken = a->in->io.bytes;
    a->short_block = s->b.got < 1;
    return 0;
}

static void work(void *ctx, int slot, int piece)
{
    struct prefetch *a = ctx;
    struct slot *s = &a->ring[slot];
    (void)piece;
    s->error = prefetch_room(&s->b, s->block) ? 0 : ENOMEM;
    s->b.got = 0;
    if (!s->error)
        s->b.got = (ssize_t)fdio_read_at(&a->in->io, s->at, s->b.p + s->block, s->block, &s->error);
    s->b.taken = s->at + (uint64_t)s->b.got;
    if (s->b.got < (ssize_t)s->block)
        __atomic_store_n(&a->short_block, true, __ATOMIC_RELAXED);
}

struct prefetch *prefetch_new(struct input *in, size_t block, int threads)
{
    struct prefetch *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->in = in;
    a->block = block;
    a->at = in->io.bytes;
    a->plain = input_plain(in);
    int readers = !a->plain ? 1 : threads - 1 < READERS ? threads - 1 : READERS;
    a->conveyor =
        conveyor_new(1 + readers, BLOCKS * readers,
                     (struct conveyor_work){.work = work, .begin = prefetch_begin, .ctx = a});
    if (a->conveyor && conveyor_threads(a->conveyor) > 1) {
        conveyor_open(a->conveyor, false);
        return a;
    }
    prefetch_free(a);
    return NULL;
}

void prefetch_free(struct prefetch *a)
{
    if (!a)
        return;
    conveyor_free(a->conveyor);
    for (int k = 0; k < BLOCKS * READERS; k++)
        free(a->ring[k].b.p);
    free(a);
}

/* Returns the end or error of a plain file, as input_read does. */
static ssize_t end(struct prefetch *a)
{
    if (!a->error)
        return FDIO_END;
    if (a->error == ENOMEM)
        return err_memory(&a->in->err, "reading ahead");
    return err_set(&a->in->err, err_errno(a->error), "read error after byte %llu: %s",
                   (unsigned long long)a->in->io.bytes, strerror(a->error));
}

void prefetch_next(struct prefetch *a, size_t block, struct prefetch_block *b)
{
    __atomic_store_n(&a->block, block, __ATOMIC_RELAXED);
    int slot = a->ends ? CONVEYOR_END : conveyor_next(a->conveyor);
    bool over = slot == CONVEYOR_END;
    if (!over) {
        struct prefetch_block mine = *b;
        *b = a->ring[slot].b;
        a->ring[slot].b = (struct prefetch_block){.p = mine.p, .cap = mine.cap};
    }
    if (a->plain && !over) {
        a->in->io.bytes = b->taken;
        a->ends = b->got < (ssize_t)b->at; /* later blocks were read too late */
        a->error = a->ring[slot].error;
    }
    a->ends |= over;
    if (a->ends && (over || b->got == 0)) {
        b->got = end(a);
        b->taken = a->in->io.bytes;
    }
}
