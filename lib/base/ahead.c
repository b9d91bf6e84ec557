/* SPDX-License-Identifier: MIT */
#include "base/ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/pool.h"

enum { BLOCKS = 4, WAKE = 2 }; /* so many must be free before the reader is woken */

struct ahead {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct input *in;
    struct ahead_block ring[BLOCKS];
    unsigned put, taken; /* blocks ever filled and handed out */
    size_t block;
    bool stop;
    struct pool *pool;
};

void ahead_fill(struct input *in, size_t block, struct ahead_block *b)
{
    if (b->cap < 2 * block) {
        free(b->p);
        b->p = malloc(2 * block + AHEAD_SLACK);
        b->cap = b->p ? 2 * block : 0;
    }
    b->at = block;
    b->got =
        b->p ? input_read(in, b->p + block, block, -1.0) : err_memory(&in->err, "reading ahead");
    b->taken = in->io.bytes;
}

static void reader(void *ctx, size_t k, int thread)
{
    struct ahead *a = ctx;
    bool more = true;
    (void)k;
    (void)thread;
    pthread_mutex_lock(&a->lock);
    while (more && !a->stop) {
        if (a->put - a->taken == BLOCKS) {
            pthread_cond_wait(&a->emptied, &a->lock);
            continue;
        }
        struct ahead_block *b = &a->ring[a->put % BLOCKS];
        size_t block = a->block;
        pthread_mutex_unlock(&a->lock);
        ahead_fill(a->in, block, b);
        more = b->got > 0;
        pthread_mutex_lock(&a->lock);
        if (a->put++ == a->taken)
            pthread_cond_signal(&a->filled);
    }
    pthread_mutex_unlock(&a->lock);
}

struct ahead *ahead_new(struct input *in, size_t block)
{
    struct ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->in = in;
    a->block = block;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->filled, NULL);
    pthread_cond_init(&a->emptied, NULL);
    a->pool = pool_new(2);
    if (pool_threads(a->pool) == 2) {
        pool_begin(a->pool, reader, a, 1);
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
    pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
    pool_free(a->pool);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->filled);
    pthread_cond_destroy(&a->emptied);
    for (int k = 0; k < BLOCKS; k++)
        free(a->ring[k].p);
    free(a);
}

void ahead_next(struct ahead *a, size_t block, struct ahead_block *b)
{
    pthread_mutex_lock(&a->lock);
    a->block = block;
    while (a->put == a->taken)
        pthread_cond_wait(&a->filled, &a->lock);
    struct ahead_block *r = &a->ring[a->taken % BLOCKS], mine = *b;
    *b = *r;
    r->p = mine.p;
    r->cap = mine.cap;
    a->taken++;
    if (a->put - a->taken == BLOCKS - WAKE)
        pthread_cond_signal(&a->emptied);
    pthread_mutex_unlock(&a->lock);
}
