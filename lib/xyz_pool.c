/* SPDX-License-Identifier: MIT */
#include "xyz_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct xyz_pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    int helpers;
    pthread_t *thread;
    bool open, stop;     /* open: the work on offer may still be joined */
    uint64_t generation; /* of the work on offer */
    int active;          /* helpers at work */
    void (*item)(void *ctx, size_t k);
    void *ctx;
    size_t n;
    atomic_size_t next;
};

static void take_items(struct xyz_pool *p)
{
    for (size_t k; (k = atomic_fetch_add(&p->next, 1)) < p->n;)
        p->item(p->ctx, k);
}

static void *help(void *arg)
{
    struct xyz_pool *p = arg;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && (!p->open || p->generation == seen))
            pthread_cond_wait(&p->work, &p->lock);
        if (p->stop)
            break;
        seen = p->generation;
        p->active++;
        pthread_mutex_unlock(&p->lock);
        take_items(p);
        pthread_mutex_lock(&p->lock);
        if (--p->active == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct xyz_pool *xyz_pool_new(int threads)
{
    struct xyz_pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    p->thread = threads > 1 ? malloc((size_t)threads * sizeof *p->thread) : NULL;
    for (int k = 1; k < threads && p->thread; k++)
        if (pthread_create(&p->thread[p->helpers], NULL, help, p) == 0)
            p->helpers++;
    return p;
}

void xyz_pool_free(struct xyz_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < p->helpers; k++)
        pthread_join(p->thread[k], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    free(p->thread);
    free(p);
}

void xyz_pool_run(struct xyz_pool *p, void (*item)(void *ctx, size_t k), void *ctx, size_t n)
{
    if (p->helpers == 0 || n < 2) {
        for (size_t k = 0; k < n; k++)
            item(ctx, k);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->item = item;
    p->ctx = ctx;
    p->n = n;
    atomic_store(&p->next, 0);
    p->open = true;
    p->generation++;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    take_items(p);
    pthread_mutex_lock(&p->lock);
    p->open = false;
    while (p->active > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
