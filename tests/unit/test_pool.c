/* SPDX-License-Identifier: MIT */
/* test_pool.c: every task once, scratch per thread, tasks that wait for each other, no pool at all.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "tap.h"

enum { TASKS = 1000, ROUNDS = 2000, THREADS = 4 };

struct bench {
    int done[TASKS];         /* times each task ran */
    int inside[THREADS];     /* tasks at work with this thread's number */
    int clashes;             /* two at once with one number, or a number out of range */
    int threads, here, gone; /* of a team */
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
    memset(b.done, 0, sizeof b.done);
    for (int k = 0; k < ROUNDS; k++) {
        b.here = 0;
        pool_run(p, member, &b, (size_t)b.threads); /* for ever, if one thread took two */
    }
    tap_ok(ran(&b, (size_t)b.threads, ROUNDS), "as many tasks as threads may wait for each other");
}

static void leave(void *ctx, size_t k, int thread)
{
    struct bench *b = ctx;
    (void)k;
    (void)thread;
    while (__atomic_load_n(&b->gone, __ATOMIC_SEQ_CST) == 0)
        sched_yield();
    __atomic_add_fetch(&b->here, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
    alarm(60); /* a deadlock is a failure */
    for (int t = 1; t <= THREADS; t += t == 1 ? 1 : 2) {
        struct pool *p = pool_new(t);
        test_pool(p);
        pool_free(p);
    }
    test_pool(NULL);
    struct bench b = {0};
    struct pool *p = pool_new(3);
    pool_begin(p, leave, &b, 2);
    int early = __atomic_load_n(&b.here, __ATOMIC_SEQ_CST);
    __atomic_store_n(&b.gone, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&b.here, __ATOMIC_SEQ_CST) < 2)
        sched_yield();
    pool_free(p);
    tap_ok(early == 0 && b.here == 2, "begun without waiting");
    pool_free(NULL);
    return tap_done();
}
