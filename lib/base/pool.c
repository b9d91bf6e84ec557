/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STACK_BYTES = 2 << 20 }; /* 64 helpers fit under a small RLIMIT_AS */

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    int threads; /* with the caller */
    int busy;    /* helpers at work */
    bool stop;
    void (*task)(void *ctx, size_t k, int thread);
    void *ctx;
    size_t n, next;
    struct helper {
        struct pool *pool;
        pthread_t thread;
        int number;
    } * helpers;
};

static void pool_work(struct pool *p, int thread)
{
    size_t k;
    while ((k = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->n)
        p->task(p->ctx, k, thread);
}

/* A helper that wakes when nothing is left goes back to sleep: nobody waits for it. */
static void *pool_helper(void *arg)
{
    struct helper *h = arg;
    struct pool *p = h->pool;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (__atomic_load_n(&p->next, __ATOMIC_RELAXED) >= p->n) {
            pthread_cond_wait(&p->work, &p->lock);
            continue;
        }
        p->busy++;
        pthread_mutex_unlock(&p->lock);
        pool_work(p, h->number);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pool *pool_new(int threads)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    int want = threads > 1 ? threads - 1 : 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    p->threads = 1;
    p->helpers = calloc((size_t)want + 1, sizeof *p->helpers);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    for (int k = 0; p->helpers && k < want; k++) {
        p->helpers[k].pool = p;
        p->helpers[k].number = k + 1;
        if (pthread_create(&p->helpers[k].thread, &small, pool_helper, &p->helpers[k]))
            break;
        p->threads++;
    }
    pthread_attr_destroy(&small);
    if (p->helpers)
        return p;
    pool_free(p);
    return NULL;
}

int pool_threads(const struct pool *p)
{
    return p ? p->threads : 1;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < p->threads - 1; k++)
        pthread_join(p->helpers[k].thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->idle);
    free(p->helpers);
    free(p);
}

void pool_begin(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n)
{
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->ctx = ctx;
    p->n = n;
    __atomic_store_n(&p->next, 0, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
}

void pool_end(struct pool *p)
{
    pool_work(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n)
{
    if (n <= 1 || pool_threads(p) == 1) {
        for (size_t k = 0; k < n; k++)
            task(ctx, k, 0);
        return;
    }
    pool_begin(p, task, ctx, n);
    pool_end(p);
}

struct pieces {
    void (*task)(void *ctx, size_t from, size_t to, int thread);
    void *ctx;
    size_t n, chunk;
};

static void pool_piece(void *ctx, size_t k, int thread)
{
    const struct pieces *s = ctx;
    size_t from = k * s->chunk;
    s->task(s->ctx, from, s->n - from < s->chunk ? s->n : from + s->chunk, thread);
}

void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk)
{
    struct pieces s = {task, ctx, n, chunk};
    pool_run(p, pool_piece, &s, n / chunk + (n % chunk != 0));
}
