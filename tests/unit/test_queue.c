/* SPDX-License-Identifier: MIT */
/* test_queue.c: work side by side, ends in order; slots are waited for. */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/queue.h"
#include "tap.h"

enum { SLOTS = 5, JOBS = 20000 };

struct bench {
    int value[SLOTS];    /* filled by the caller */
    long result[SLOTS];  /* by a worker */
    int working[SLOTS];  /* workers on a slot */
    int clashes;         /* two on one slot */
    int finished, wrong; /* in order? */
};

static void work(void *ctx, int slot)
{
    struct bench *b = ctx;
    if (__atomic_add_fetch(&b->working[slot], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&b->clashes, 1, __ATOMIC_SEQ_CST);
    for (int k = b->value[slot] % 7; k > 0; k--)
        sched_yield(); /* so that they end in another order */
    b->result[slot] = 3L * b->value[slot];
    __atomic_sub_fetch(&b->working[slot], 1, __ATOMIC_SEQ_CST);
}

static void finish(void *ctx, int slot)
{
    struct bench *b = ctx;
    b->wrong += b->value[slot] != b->finished || b->result[slot] != 3L * b->finished;
    __atomic_add_fetch(&b->finished, 1, __ATOMIC_SEQ_CST); /* after all that it tells */
}

static void test_order(int helpers)
{
    struct bench b = {0};
    struct queue *q = queue_new(helpers, SLOTS, work, finish, &b);
    for (int k = 0; q && k < JOBS; k++) {
        b.value[queue_slot(q)] = k;
        queue_push(q);
        if (k == JOBS / 2)
            queue_drain(q);
    }
    if (q)
        queue_drain(q);
    tap_ok(q && b.finished == JOBS && b.wrong == 0 && b.clashes == 0,
           "%d helpers: %d of %d finished in order, %d wrong", helpers, b.finished, JOBS, b.wrong);
    queue_free(q);
}

static void test_alone(void)
{
    struct bench b = {0};
    struct queue *q = queue_new(2, SLOTS, work, finish, &b);
    b.value[queue_slot(q)] = 0;
    queue_push(q);
    while (__atomic_load_n(&b.finished, __ATOMIC_SEQ_CST) == 0)
        usleep(100); /* forever, if it needed another call */
    tap_ok(b.wrong == 0, "what was pushed is finished without another call");
    b.value[queue_slot(q)] = 1;
    queue_push(q);
    queue_free(q);
    tap_ok(b.finished == 2 && b.wrong == 0, "and before the queue is freed");
    queue_free(NULL);
}

int main(void)
{
    alarm(60); /* a deadlock is a failure */
    test_order(1);
    test_order(4);
    test_alone();
    return tap_done();
}
