/* SPDX-License-Identifier: MIT */
/* test_pool.c: runs every task once, and tests scratch memory per thread, teams whose tasks wait
 * for each other, a NULL pool, and one set of threads for all pools. */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "tap.h"

enum { TASKS = 1000, ROUNDS = 2000, THREADS = 4 };

struct bench {
    int done[TASKS];     /* number of times that each task ran */
    int inside[THREADS]; /* number of tasks at work with the number of this thread */
    int clashes;         /* two at once with the same number, or an invalid number */
    int threads, here;   /* members of a team */
};

static void task(void *ctx, size_t k, int thread)
{
    struct bench *b = ctx;
    if (thread < 0 || thread >= b->threads ||
        __atomic_add_fetch(&b->inside[thread], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&b->clashes, 1, __ATOMIC_SEQ_CST);
    b->done[k]++;
    __atomic_sub_fetch(&b->inside[thread], 1, __ATOMIC_SEQ_CST);
}

static void piece(void *ctx, size_t from, size_t to, int thread)
{
    struct bench *b = ctx;
    (void)thread;
    for (size_t k = from; k < to; k++)
        b->done[k]++;
}

static void member(void *ctx, size_t k, int thread)
{
    struct bench *b = ctx;
    (void)thread;
    __atomic_add_fetch(&b->here, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&b->here, __ATOMIC_SEQ_CST) < b->threads)
        sched_yield();
    b->done[k]++;
}

static int ran(const struct bench *b, size_t n, int times)
{
    for (size_t k = 0; k < TASKS; k++)
        if (b->done[k] != (k < n ? times : 0))
            return 0;
    return 1;
}

static void test_pool(struct pool *p)
{
    struct bench b = {.threads = pool_threads(p)};
    for (int k = 0; k < ROUNDS; k++)
        pool_run(p, task, &b, (size_t)(k % 2 ? 7 : 3));
    tap_ok(b.done[2] == ROUNDS && b.done[6] == ROUNDS / 2 && b.done[7] == 0 && b.clashes == 0,
           "%d threads: short runs, %d of %d", b.threads, b.done[2], ROUNDS);
    memset(b.done, 0, sizeof b.done);
    pool_run(p, task, &b, TASKS);
    pool_run(p, task, &b, 0);
    tap_ok(ran(&b, TASKS, 1) && b.clashes == 0, "every task once, none twice on one thread");
    int ok = 1;
    for (size_t n = 0; n <= 40; n++)
        for (size_t chunk = 1; chunk <= 41; chunk++) {
            memset(b.done, 0, sizeof b.done);
            pool_pieces(p, piece, &b, n, chunk);
            ok &= ran(&b, n, 1);
        }
    tap_ok(ok, "pieces cover everything once");
}

static void test_team(struct pool *p)
{
    struct bench b = {.threads = pool_threads(p)};
    for (int k = 0; k < ROUNDS; k++) {
        b.here = 0;
        pool_run(p, member, &b, (size_t)b.threads); /* never ends if one thread takes two tasks */
    }
    tap_ok(ran(&b, (size_t)b.threads, ROUNDS), "as many tasks as threads may wait for each other");
}

/* ---- pools that pool_serve() serves */

struct served {
    int todo, done, at_once, max;
};

static bool turn(void *ctx)
{
    struct served *s = ctx;
    if (__atomic_fetch_sub(&s->todo, 1, __ATOMIC_SEQ_CST) <= 0) {
        __atomic_add_fetch(&s->todo, 1, __ATOMIC_SEQ_CST);
        return false;
    }
    int now = __atomic_add_fetch(&s->at_once, 1, __ATOMIC_SEQ_CST);
    if (now > __atomic_load_n(&s->max, __ATOMIC_SEQ_CST))
        __atomic_store_n(&s->max, now, __ATOMIC_SEQ_CST);
    sched_yield();
    __atomic_sub_fetch(&s->at_once, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&s->done, 1, __ATOMIC_SEQ_CST);
    return true;
}

static void test_served(void)
{
    enum { CALLS = 3000 };
    struct served s = {0};
    struct bench b = {.threads = THREADS};
    struct pool *p = pool_new(THREADS), *other = pool_new(THREADS);
    pool_serve(p, turn, &s);
    for (int k = 0; k < CALLS; k++) {
        __atomic_add_fetch(&s.todo, 1 + k % 3, __ATOMIC_SEQ_CST);
        pool_call(p);
        if (k % 10 == 0)
            pool_run(other, task, &b, 5);
    }
    while (__atomic_load_n(&s.done, __ATOMIC_SEQ_CST) <
           2 * CALLS) /* never ends if a call was lost */
        sched_yield();
    tap_ok(s.max < THREADS && b.done[4] == CALLS / 10 && b.clashes == 0,
           "each call is heard beside runs of another pool, by %d at once", s.max);
    pool_free(other);
    pool_free(p);
}

/* ---- numbers of threads */

/* Returns -1 on a system without /proc, where threads are not counted. */
static int threads_now(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* A thread that was joined may still be listed for a moment. */
static int there_are(int n)
{
    for (int k = 0; k < 1000 && threads_now() > n; k++)
        usleep(1000);
    return threads_now() == n || threads_now() == -1;
}

static void test_crew(void)
{
    int alone = threads_now();
    struct pool *a = pool_new(3), *b = pool_new(4), *c = pool_new(2);
    tap_ok(there_are(alone + 3) && pool_threads(a) == 3 && pool_threads(b) == 4 &&
               pool_threads(c) == 2,
           "three pools are as many threads as the largest");
    pool_free(b);
    pool_free(c);
    struct pool *d = pool_new(4);
    tap_ok(there_are(alone + 3) && pool_threads(d) == 4, "and stay so");
    pool_free(a);
    pool_free(d);
    struct pool *t = pool_team(3), *u = pool_team(2), *e = pool_new(4), *f = pool_new(5);
    tap_ok(there_are(alone + 4) && pool_threads(t) == 3 && pool_threads(u) == 2 &&
               pool_threads(e) == 1 && pool_threads(f) == 2,
           "teams have their own, which the crew is smaller by");
    pool_free(t);
    pool_free(u);
    pool_free(e);
    pool_free(f);
    pool_free(pool_new(4));
    tap_ok(there_are(alone), "nobody stays behind the last of them");
}

int main(void)
{
    alarm(300); /* a deadlock is a failure */
    for (int t = 1; t <= THREADS; t += t == 1 ? 1 : 2) {
        struct pool *p = pool_new(t), *team = pool_team(t);
        test_pool(p);
        test_pool(team);
        test_team(team);
        pool_free(team);
        pool_free(p);
    }
    test_pool(NULL);
    test_team(NULL);
    test_served();
    test_crew();
    pool_free(NULL);
    return tap_done();
}
