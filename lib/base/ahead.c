/* SPDX-License-Identifier: MIT */
#include "base/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

enum { BLOCKS = 4, READERS = 3 };

struct ahead {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct input *in;
    struct slot {
        struct ahead_block b;
        bool ready;
        int error; /* errno of what follows b.got bytes */
    } ring[BLOCKS * READERS];
    unsigned slots, put, taken; /* blocks ever begun and handed out */
    size_t block;
    uint64_t at;            /* of the next block, in a plain file */
    bool plain;             /* each block can be read by itself, by whoever comes */
    bool ended, ends, stop; /* ended: nothing is begun any more; ends: nor handed out, */
    int error;              /* and why */
    struct pool *pool;
};

bool ahead_room(struct ahead_block *b, size_t block)
{
    if (b->cap < 2 * block) {
        free(b->p);
        b->p = malloc(2 * block + AHEAD_SLACK);
        b->cap = b->p ? 2 * block : 0;
    }
    b->at = block;
    return b->p != NULL;
}

static void fill(struct input *in, size_t block, struct ahead_block *b)
{
    b->got = ahead_room(b, block) ? input_read(in, b->p + block, block, -1.0)
                                  : err_memory(&in->err, "reading ahead");
    b->taken = in->io.bytes;
}

/* The same at `at` of a plain file. */
static void fill_at(const struct input *in, uint64_t at, size_t block, struct slot *s)
{
    s->error = ahead_room(&s->b, block) ? 0 : ENOMEM;
    s->b.got = 0;
    if (!s->error)
        s->b.got = (ssize_t)fdio_read_at(&in->io, at, s->b.p + block, block, &s->error);
    s->b.taken = at + (uint64_t)s->b.got;
}

/* The next block, which nobody has begun. The lock is held. */
static void read_one(struct ahead *a)
{
    unsigned mine = a->put++;
    struct slot *s = &a->ring[mine % a->slots];
    size_t block = a->block;
    uint64_t at = a->at;
    a->at += block;
    pthread_mutex_unlock(&a->lock);
    if (a->plain)
        fill_at(a->in, at, block, s);
    else
        fill(a->in, block, &s->b);
    pthread_mutex_lock(&a->lock);
    s->ready = true;
    a->ended |= s->b.got < (a->plain ? (ssize_t)block : 1);
    if (mine == a->taken)
        pthread_cond_signal(&a->filled);
}

static bool may_read(const struct ahead *a)
{
    return !a->ended && a->put - a->taken < a->slots;
}

static void reader(void *ctx, size_t k, int thread)
{
    struct ahead *a = ctx;
    (void)k;
    (void)thread;
    pthread_mutex_lock(&a->lock);
    while (!a->stop && !a->ended)
        if (may_read(a))
            read_one(a);
        else
            pthread_cond_wait(&a->emptied, &a->lock);
    pthread_mutex_unlock(&a->lock);
}

struct ahead *ahead_new(struct input *in, size_t block, int threads)
{
    struct ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->in = in;
    a->block = block;
    a->at = in->io.bytes;
    a->plain = input_plain(in);
    int readers = !a->plain ? 1 : threads - 1 < READERS ? threads - 1 : READERS;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->filled, NULL);
    pthread_cond_init(&a->emptied, NULL);
    a->pool = pool_new(1 + readers);
    readers = pool_threads(a->pool) - 1;
    a->slots = BLOCKS * (unsigned)readers;
    if (readers > 0) {
        pool_begin(a->pool, reader, a, (size_t)readers);
        return a;
    }
    ahead_free(a);
    return NULL;
}

void ahead_free(struct ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->emptied);
    pthread_mutex_unlock(&a->lock);
    pool_free(a->pool);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->filled);
    pthread_cond_destroy(&a->emptied);
    for (int k = 0; k < BLOCKS * READERS; k++)
        free(a->ring[k].b.p);
    free(a);
}

/* The end of a plain file, as input_read has it. */
static ssize_t end(struct ahead *a)
{
    if (!a->error)
        return FDIO_END;
    if (a->error == ENOMEM)
        return err_memory(&a->in->err, "reading ahead");
    return err_set(&a->in->err, err_errno(a->error), "read error after byte %llu: %s",
                   (unsigned long long)a->in->io.bytes, strerror(a->error));
}

void ahead_next(struct ahead *a, size_t block, struct ahead_block *b)
{
    pthread_mutex_lock(&a->lock);
    a->block = block;
    struct slot *s = &a->ring[a->taken % a->slots];
    while (!a->ends && !s->ready)
        if (a->plain && may_read(a))
            read_one(a);
        else
            pthread_cond_wait(&a->filled, &a->lock);
    bool over = a->ends;
    if (!over) {
        struct ahead_block mine = *b;
        *b = s->b;
        s->b.p = mine.p;
        s->b.cap = mine.cap;
        s->ready = false;
        a->taken++;
        if (2 * (a->put - a->taken) <=
            a->slots) /* a reader that is woken finds more than one free */
            pthread_cond_signal(&a->emptied);
    }
    if (a->plain && !over) {
        a->in->io.bytes = b->taken;
        a->ends = b->got < (ssize_t)b->at; /* what was read behind it came too late */
        a->error = s->error;
    }
    if (a->ends && (over || b->got == 0)) {
        b->got = end(a);
        b->taken = a->in->io.bytes;
    }
    pthread_mutex_unlock(&a->lock);
}
