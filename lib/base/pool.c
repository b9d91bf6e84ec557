/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { STACK_BYTES = 2 << 20 }; /* 64 helpers fit in a small RLIMIT_AS */

/* Helpers have the numbers 1 to `size`. Helper k can work in any pool with more than k threads. */
struct crew {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct pool *first; /* pools of this crew */
    struct helper {
        pthread_t thread;
        struct crew *crew;
        int number;
    } * *helper; /* never moved. Only the thread that allocated it frees it, because free() in
                  * another thread would reserve an arena of 64 MiB */
    int size;
    bool stop;
};

struct pool {
    struct crew *crew;
    struct pool *after;
    int threads; /* including the caller */
    int busy;    /* helpers that are working */
    void (*task)(void *ctx, size_t k, int thread);
    bool (*turn)(void *ctx);
    void *ctx;
    size_t n, next;
    uint64_t calls, answered[]; /* number of calls so far, and for each helper the last call that
                                 * it answered */
};

static struct crew the_crew = {.lock = PTHREAD_MUTEX_INITIALIZER,
                               .work = PTHREAD_COND_INITIALIZER,
                               .idle = PTHREAD_COND_INITIALIZER};
static pthread_mutex_t hiring = PTHREAD_MUTEX_INITIALIZER;
static int in_teams; /* number of helpers in teams, guarded by `hiring` */

static void pool_work(struct pool *p, int thread)
{
    size_t k;
    while ((k = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->n)
        p->task(p->ctx, k, thread);
}

/* Returns a pool that needs this helper. Pools of pool_serve come first, because their work is
 * short and I/O should not wait for computation. */
static struct pool *wanted(const struct crew *c, int number)
{
    struct pool *run = NULL;
    for (struct pool *p = c->first; p; p = p->after) {
        if (number >= p->threads)
            continue;
        if (p->turn && p->answered[number] != p->calls)
            return p;
        if (!run && __atomic_load_n(&p->next, __ATOMIC_RELAXED) < p->n)
            run = p;
    }
    return run;
}

/* A helper that wakes and finds no work sleeps again. No other thread waits for it. */
static void *crew_helper(void *arg)
{
    const struct helper *h = arg;
    struct crew *c = h->crew;
    struct pool *p;
    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        if (!(p = wanted(c, h->number))) {
            pthread_cond_wait(&c->work, &c->lock);
            continue;
        }
        uint64_t calls = p->calls;
        bool more = false;
        p->busy++;
        pthread_mutex_unlock(&c->lock);
        if (p->turn)
            more = p->turn(p->ctx);
        else
            pool_work(p, h->number);
        pthread_mutex_lock(&c->lock);
        if (p->turn && !more)
            p->answered[h->number] = calls;
        if (--p->busy == 0)
            pthread_cond_broadcast(&c->idle);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Starts up to `size` helpers, or as many as possible. The caller holds the lock `hiring`. */
static void hire(struct crew *c, int size)
{
    struct helper **more =
        size > c->size ? realloc(c->helper, (size_t)size * sizeof(struct helper *)) : NULL;
    pthread_attr_t small;
    if (!more)
        return;
    c->helper = more;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    for (struct helper *h; c->size < size && (h = malloc(sizeof *h)); c->size++) {
        *h = (struct helper){.crew = c, .number = c->size + 1};
        if (pthread_create(&h->thread, &small, crew_helper, h) != 0) {
            free(h);
            break;
        }
        c->helper[c->size] = h;
    }
    pthread_attr_destroy(&small);
}

static void dismiss(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (int k = 0; k < c->size; k++) {
        pthread_join(c->helper[k]->thread, NULL);
        free(c->helper[k]);
    }
    free(c->helper);
    c->helper = NULL;
    c->size = 0;
    c->stop = false;
}

static void crew_free(struct crew *c)
{
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->idle);
    free(c);
}

/* After a fork, both locks are free in the child, and the helpers do not exist there. */
static void fork_begin(void)
{
    pthread_mutex_lock(&hiring);
    pthread_mutex_lock(&the_crew.lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&the_crew.lock);
    pthread_mutex_unlock(&hiring);
}

static void fork_child(void)
{
    the_crew = (struct crew){.lock = PTHREAD_MUTEX_INITIALIZER,
                             .work = PTHREAD_COND_INITIALIZER,
                             .idle = PTHREAD_COND_INITIALIZER,
                             .first = the_crew.first};
    for (struct pool *p = the_crew.first; p; p = p->after)
        p->busy = 0;
    in_teams = 0;
    pthread_mutex_unlock(&hiring);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(fork_begin, fork_parent, fork_child);
}

/* Creates a pool of at most `threads` threads. The caller holds the lock `hiring`. */
static struct pool *pool_join(struct crew *c, int threads)
{
    struct pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof *p->answered);
    if (!p)
        return NULL;
    hire(c, threads - 1 - (c == &the_crew ? in_teams : 0));
    p->crew = c;
    p->threads = threads <= c->size ? threads : c->size + 1;
    pthread_mutex_lock(&c->lock);
    p->after = c->first;
    c->first = p;
    pthread_mutex_unlock(&c->lock);
    return p;
}

struct pool *pool_new(int threads)
{
    pthread_mutex_lock(&hiring);
    struct pool *p = pool_join(&the_crew, threads > 1 ? threads : 1);
    pthread_mutex_unlock(&hiring);
    return p;
}

struct pool *pool_team(int threads)
{
    struct crew *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = (struct crew){.first = NULL};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->idle, NULL);
    pthread_mutex_lock(&hiring);
    struct pool *p = pool_join(c, threads > 1 ? threads : 1);
    in_teams += c->size;
    pthread_mutex_unlock(&hiring);
    if (!p)
        crew_free(c);
    return p;
}

int pool_threads(const struct pool *p)
{
    return p ? p->threads : 1;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    struct crew *c = p->crew;
    pthread_mutex_lock(&c->lock);
    struct pool **at = &c->first;
    while (*at != p)
        at = &(*at)->after;
    *at = p->after;
    while (p->busy)
        pthread_cond_wait(&c->idle, &c->lock);
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_lock(&hiring);
    if (c != &the_crew)
        in_teams -= c->size;
    pthread_mutex_lock(&c->lock);
    bool last = !c->first;
    pthread_mutex_unlock(&c->lock);
    if (last) /* hiring must wait meanwhile */
        dismiss(c);
    pthread_mutex_unlock(&hiring);
    if (c != &the_crew)
        crew_free(c);
    free(p);
}

void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n)
{
    if (n <= 1 || pool_threads(p) == 1) {
        for (size_t k = 0; k < n; k++)
            task(ctx, k, 0);
        return;
    }
    struct crew *c = p->crew;
    pthread_mutex_lock(&c->lock);
    p->task = task;
    p->ctx = ctx;
    p->n = n;
    __atomic_store_n(&p->next, 0, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    pool_work(p, 0);
    pthread_mutex_lock(&c->lock);
    while (p->busy)
        pthread_cond_wait(&c->idle, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&p->crew->lock);
    p->ctx = ctx;
    p->turn = turn;
    pthread_mutex_unlock(&p->crew->lock);
}

void pool_call(struct pool *p)
{
    if (p->threads == 1)
        return;
    pthread_mutex_lock(&p->crew->lock);
    p->calls++;
    pthread_cond_broadcast(&p->crew->work);
    pthread_mutex_unlock(&p->crew->lock);
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
