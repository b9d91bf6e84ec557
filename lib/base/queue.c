/* SPDX-License-Identifier: MIT */
#include "base/queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/pool.h"

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t work, done; /* for helpers; for the one who fills */
    void (*work_on)(void *ctx, int slot);
    void (*finish)(void *ctx, int slot);
    void *ctx;
    int slots;
    uint64_t first, next, last; /* slots ever finished, begun and pushed; modulo slots */
    bool finishing, stop;
    bool *ready; /* worked on */
    struct pool *helpers;
};

/* Finish what is ready, in order; whoever does so already does it. The lock is held. */
static void finish_ready(struct queue *q)
{
    if (q->finishing)
        return;
    q->finishing = true;
    for (int s; s = (int)(q->first % (uint64_t)q->slots), q->first < q->last && q->ready[s];) {
        pthread_mutex_unlock(&q->lock);
        q->finish(q->ctx, s);
        pthread_mutex_lock(&q->lock);
        q->ready[s] = false;
        q->first++;
        pthread_cond_signal(&q->done);
    }
    q->finishing = false;
}

/* The oldest slot that nobody has begun. The lock is held. */
static void work_once(struct queue *q)
{
    int s = (int)(q->next++ % (uint64_t)q->slots);
    pthread_mutex_unlock(&q->lock);
    q->work_on(q->ctx, s);
    pthread_mutex_lock(&q->lock);
    q->ready[s] = true;
    finish_ready(q);
    pthread_cond_signal(&q->done);
}

static void helper(void *ctx, size_t k, int thread)
{
    struct queue *q = ctx;
    (void)k;
    (void)thread;
    pthread_mutex_lock(&q->lock);
    while (!q->stop)
        if (q->next < q->last)
            work_once(q);
        else
            pthread_cond_wait(&q->work, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

struct queue *queue_new(int helpers, int slots, void (*work)(void *ctx, int slot),
                        void (*finish)(void *ctx, int slot), void *ctx)
{
    struct queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->work_on = work;
    q->finish = finish;
    q->ctx = ctx;
    q->slots = slots;
    q->ready = calloc((size_t)slots, sizeof *q->ready);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->done, NULL);
    q->helpers = pool_new(1 + helpers);
    helpers = pool_threads(q->helpers) - 1;
    if (q->ready && helpers > 0) {
        pool_begin(q->helpers, helper, q, (size_t)helpers);
        return q;
    }
    queue_free(q);
    return NULL;
}

void queue_free(struct queue *q)
{
    if (!q)
        return;
    queue_drain(q);
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
    pool_free(q->helpers);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->work);
    pthread_cond_destroy(&q->done);
    free(q->ready);
    free(q);
}

/* Until no more than `left` slots are taken. The lock is held. */
static void wait_for(struct queue *q, uint64_t left)
{
    while (q->last - q->first > left)
        if (q->next < q->last)
            work_once(q);
        else
            pthread_cond_wait(&q->done, &q->lock);
}

int queue_slot(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    wait_for(q, (uint64_t)q->slots - 1);
    pthread_mutex_unlock(&q->lock);
    return (int)(q->last % (uint64_t)q->slots); /* changed by the caller only */
}

void queue_push(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->last++;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
}

void queue_wait(struct queue *q, int left)
{
    pthread_mutex_lock(&q->lock);
    wait_for(q, (uint64_t)left);
    pthread_mutex_unlock(&q->lock);
}

void queue_drain(struct queue *q)
{
    queue_wait(q, 0);
}
