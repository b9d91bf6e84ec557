/* SPDX-License-Identifier: MIT */
#include "base/relay.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/pool.h"

struct relay {
    pthread_mutex_t lock;
    pthread_cond_t change; /* something may be done, or is */
    struct relay_source source;
    int slots;
    struct slot {
        int pieces, next, left; /* of its work: all, the first that nobody has begun, not done */
    } * slot;
    uint64_t taken, begun, claimed,
        opened; /* slots ever handed out, begun, about to be; of the last */
    bool hand;  /* the caller has slot taken - 1 */
    bool open, fetches, later, ended, stop;
    struct pool *pool;
};

enum { MOST = 32 }; /* threads */

int relay_slots(int threads)
{
    return (threads < MOST ? threads : MOST) + 2;
}

/* The lock is held in all that follows. */
static struct slot *slot(struct relay *r, uint64_t n)
{
    return &r->slot[n % (uint64_t)r->slots];
}

/* A piece of slot n, if there is one left. */
static bool work_on(struct relay *r, uint64_t n)
{
    struct slot *s = slot(r, n);
    if (s->next == s->pieces)
        return false;
    int k = s->next++;
    pthread_mutex_unlock(&r->lock);
    r->source.work(r->source.ctx, (int)(n % (uint64_t)r->slots), k);
    pthread_mutex_lock(&r->lock);
    if (--s->left == 0 && n == r->taken)
        pthread_cond_broadcast(&r->change);
    return true;
}

/* A piece of the oldest slot that has one left. */
static bool work(struct relay *r)
{
    for (uint64_t n = r->taken; n < r->begun; n++)
        if (work_on(r, n))
            return true;
    return false;
}

/* The turn of slot n. false: there is none. */
static bool wait_for_turn(struct relay *r, uint64_t n)
{
    while (r->begun != n && !r->ended && !r->stop)
        if (!work(r))
            pthread_cond_wait(&r->change, &r->lock);
    return !r->ended && !r->stop;
}

static int ahead(const struct relay *r)
{
    return (int)(r->claimed - r->taken) + r->hand;
}

static bool may_begin(const struct relay *r)
{
    return !r->ended && !r->stop && ahead(r) < r->slots && !(r->later && ahead(r)) &&
           (r->fetches || r->claimed == r->begun);
}

/* The next slot, if the source has one. */
static bool begin(struct relay *r)
{
    uint64_t n = r->claimed;
    int before = ahead(r), slot = (int)(n % (uint64_t)r->slots), pieces;
    bool fetches = r->fetches;
    r->claimed++;
    pthread_mutex_unlock(&r->lock);
    if (fetches) {
        r->source.fetch(r->source.ctx, slot, n - r->opened);
        pthread_mutex_lock(&r->lock);
        if (!wait_for_turn(r, n))
            return false;
        pthread_mutex_unlock(&r->lock);
    }
    pieces = r->source.begin(r->source.ctx, slot, before);
    pthread_mutex_lock(&r->lock);
    r->ended = pieces == RELAY_END;
    r->later = pieces == RELAY_LATER;
    if (pieces >= 0) {
        r->slot[slot] = (struct slot){.pieces = pieces, .left = pieces};
        r->begun++;
    } else
        r->claimed--;
    pthread_cond_broadcast(&r->change);
    return pieces >= 0;
}

/* A slot of one's own to its last piece, or a piece of another's. false: there is nothing to do, and
 * the lock was held all the time. */
static bool help(struct relay *r, bool begins)
{
    if (!begins || !may_begin(r))
        return work(r);
    if (begin(r))
        for (uint64_t n = r->begun - 1; n >= r->taken && work_on(r, n);)
            ;
    return true;
}

static void helper(void *ctx, size_t k, int thread)
{
    struct relay *r = ctx;
    (void)k;
    (void)thread;
    pthread_mutex_lock(&r->lock);
    while (!r->stop)
        if (!help(r, r->open))
            pthread_cond_wait(&r->change, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

struct relay *relay_new(int threads, int slots, struct relay_source source)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->change, NULL);
    r->source = source;
    r->slots = slots;
    r->slot = calloc((size_t)slots, sizeof *r->slot);
    r->pool = pool_new(threads < MOST ? threads : MOST);
    if (!r->slot || !r->pool) {
        relay_free(r);
        return NULL;
    }
    if (pool_threads(r->pool) > 1)
        pool_begin(r->pool, helper, r, (size_t)pool_threads(r->pool) - 1);
    return r;
}

void relay_free(struct relay *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
    pool_free(r->pool);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->change);
    free(r->slot);
    free(r);
}

void relay_open(struct relay *r, bool fetches)
{
    pthread_mutex_lock(&r->lock);
    r->open = true;
    r->fetches = fetches;
    r->opened = r->claimed;
    pthread_cond_broadcast(&r->change);
    pthread_mutex_unlock(&r->lock);
}

bool relay_begun(const struct relay *r)
{
    return r->begun > r->taken;
}

int relay_next(struct relay *r)
{
    pthread_mutex_lock(&r->lock);
    uint64_t n = r->taken;
    bool others = pool_threads(r->pool) > 1;
    r->hand = r->later = false;
    if (r->open)
        pthread_cond_broadcast(&r->change);
    while (r->begun == n ? !r->ended : slot(r, n)->left > 0)
        if (!help(r, r->begun == n || others))
            pthread_cond_wait(&r->change, &r->lock);
    if (others && !r->open && may_begin(r))
        (void)begin(r); /* something for them to do */
    bool over = r->begun == n;
    r->taken += !over;
    r->hand = !over;
    pthread_mutex_unlock(&r->lock);
    return over ? RELAY_END : (int)(n % (uint64_t)r->slots);
}
