/* SPDX-License-Identifier: MIT */
#include "base/conveyor.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"

struct conveyor {
    pthread_mutex_t lock;
    pthread_cond_t done; /* signals the caller that a slot is done */
    struct conveyor_work on;
    int slots;
    struct slot {
        int pieces, next, left; /* number of pieces of its work: all, begun, and not yet done */
    } * slot;
    uint64_t taken;   /* number of slots returned or finished so far */
    uint64_t begun;   /* slots begun */
    uint64_t claimed; /* slots begun or reserved */
    bool hand;        /* the caller holds slot `taken` - 1 */
    bool open, later, ended, finishing, stop;
    struct pool *pool;
};

enum { MAX = 32 }; /* largest number of threads that take turns */

int conveyor_slots(int threads)
{
    return (threads < MAX ? threads : MAX) + 2;
}

int conveyor_threads(const struct conveyor *c)
{
    return pool_threads(c->pool);
}

/* ---- pieces of work. The functions of this section are called with the lock held */

static int at(const struct conveyor *c, uint64_t n)
{
    return (int)(n % (uint64_t)c->slots);
}

/* Finishes filled slots whose work is done, in order, unless another thread is finishing slots. */
static void finish(struct conveyor *c)
{
    if (c->finishing)
        return;
    c->finishing = true;
    while (c->taken < c->begun && c->slot[at(c, c->taken)].left == 0) {
        if (c->on.finish) {
            pthread_mutex_unlock(&c->lock);
            c->on.finish(c->on.ctx, at(c, c->taken)); /* no other thread changes `taken` */
            pthread_mutex_lock(&c->lock);
        }
        c->taken++;
        pthread_cond_signal(&c->done);
    }
    c->finishing = false;
}

/* Does a piece of slot n if a piece is left. */
static bool work_on(struct conveyor *c, uint64_t n)
{
    struct slot *s = &c->slot[at(c, n)];
    if (s->next == s->pieces)
        return false;
    int k = s->next++;
    pthread_mutex_unlock(&c->lock);
    c->on.work(c->on.ctx, at(c, n), k);
    pthread_mutex_lock(&c->lock);
    if (--s->left > 0)
        return true;
    if (!c->on.begin)
        finish(c);
    else if (n == c->taken)
        pthread_cond_signal(&c->done);
    return true;
}

/* Does a piece of the oldest slot that has a piece left. */
static bool work(struct conveyor *c)
{
    for (uint64_t n = c->taken; n < c->begun; n++)
        if (work_on(c, n))
            return true;
    return false;
}

/* ---- turns */

static int ahead(const struct conveyor *c)
{
    return (int)(c->claimed - c->taken) + c->hand;
}

static bool may_begin(const struct conveyor *c)
{
    return !c->ended && !c->stop && ahead(c) < c->slots && !(c->later && ahead(c)) &&
           c->claimed == c->begun;
}

/* Sets the number of pieces of a slot, which any thread may then do. */
static void begun(struct conveyor *c, int slot, int pieces)
{
    c->slot[slot] = (struct slot){.pieces = pieces, .left = pieces};
    c->begun++;
}

/* Begins the next slot, if the source has one. */
static bool begin(struct conveyor *c)
{
    uint64_t n = c->claimed;
    int before = ahead(c), pieces;
    c->claimed++;
    pthread_mutex_unlock(&c->lock);
    pieces = c->on.begin(c->on.ctx, at(c, n), before);
    pthread_mutex_lock(&c->lock);
    c->ended = pieces == CONVEYOR_END;
    c->later = pieces == CONVEYOR_LATER;
    if (pieces >= 0)
        begun(c, at(c, n), pieces);
    else
        c->claimed--;
    pool_call(c->pool); /* there may be work */
    pthread_cond_signal(&c->done);
    return pieces >= 0;
}

/* Begins a slot and processes its pieces, or helps with a piece of another slot. Returns false if
 * there is nothing to do. In this case, the lock was held throughout. */
static bool help(struct conveyor *c, bool begins)
{
    if (!begins || !may_begin(c))
        return work(c);
    if (begin(c))
        for (uint64_t n = c->begun - 1; n >= c->taken && work_on(c, n);)
            ;
    return true;
}

static bool turn(void *ctx)
{
    struct conveyor *c = ctx;
    pthread_mutex_lock(&c->lock);
    bool helped = !c->stop && help(c, c->open);
    pthread_mutex_unlock(&c->lock);
    return helped;
}

struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work)
{
    struct conveyor *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->done, NULL);
    c->on = work;
    c->slots = slots;
    c->slot = calloc((size_t)slots, sizeof *c->slot);
    c->pool = pool_new(threads < MAX ? threads : MAX);
    if (!c->slot || !c->pool) {
        conveyor_free(c);
        return NULL;
    }
    pool_serve(c->pool, turn, c);
    return c;
}

void conveyor_free(struct conveyor *c)
{
    if (!c)
        return;
    if (!c->on.begin)
        conveyor_wait(c, 0);
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_mutex_unlock(&c->lock);
    pool_free(c->pool);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->done);
    free(c->slot);
    free(c);
}

/* ---- filled */

void conveyor_wait(struct conveyor *c, int left)
{
    pthread_mutex_lock(&c->lock);
    while (c->begun - c->taken > (uint64_t)left)
        if (!work(c))
            pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

int conveyor_fill(struct conveyor *c)
{
    conveyor_wait(c, c->slots - 1);
    return at(c, c->begun); /* changed by the caller only */
}

void conveyor_push(struct conveyor *c)
{
    pthread_mutex_lock(&c->lock);
    begun(c, at(c, c->begun), 1);
    if (pool_threads(c->pool) == 1)
        (void)work(c);
    pool_call(c->pool);
    pthread_mutex_unlock(&c->lock);
}

/* ---- taken */

void conveyor_open(struct conveyor *c)
{
    pthread_mutex_lock(&c->lock);
    c->open = true;
    pool_call(c->pool);
    pthread_mutex_unlock(&c->lock);
}

int conveyor_next(struct conveyor *c)
{
    pthread_mutex_lock(&c->lock);
    uint64_t n = c->taken;
    bool others = pool_threads(c->pool) > 1;
    c->hand = c->later = false;
    if (c->open)
        pool_call(c->pool);
    while (c->begun == n ? !c->ended : c->slot[at(c, n)].left > 0)
        if (!help(c, c->begun == n || others))
            pthread_cond_wait(&c->done, &c->lock);
    if (others && !c->open && may_begin(c))
        (void)begin(c); /* gives the other threads something to do */
    bool over = c->begun == n;
    c->taken += !over;
    c->hand = !over;
    pthread_mutex_unlock(&c->lock);
    return over ? CONVEYOR_END : at(c, n);
}
