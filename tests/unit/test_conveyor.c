/* SPDX-License-Identifier: MIT */
/* test_conveyor.c: filled slots are processed concurrently and end in order. Slots that threads
 * take in turn arrive complete, once and in order. Also tests pauses and the end. */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/conveyor.h"
#include "tap.h"

enum { SLOTS = 5, ALL = 6000, JOBS = 20000 };

struct bench {
    long next, last;     /* next and last value of the source */
    long value[SLOTS];   /* value of a slot */
    int done[SLOTS];     /* number of pieces of the slot that were processed */
    int at_begin, wrong; /* at_begin: threads in begin(); wrong: number of errors */
    bool pauses;
};

/* Yields, so that tasks end in another order. There are only a few yields, because other programs
 * would run each time. */
static void spin(long k)
{
    static long calls;
    for (; k > 0; k--)
        if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 64 == 0)
            sched_yield();
        else
            for (volatile int wait = 0; wait < 100; wait++)
                ;
}

static void wrong_if(struct bench *b, bool bad)
{
    if (bad)
        __atomic_add_fetch(&b->wrong, 1, __ATOMIC_SEQ_CST);
}

static int begin(void *ctx, int slot, int ahead)
{
    struct bench *b = ctx;
    static unsigned luck = 1;
    wrong_if(b, __atomic_add_fetch(&b->at_begin, 1, __ATOMIC_SEQ_CST) != 1);
    luck = luck * 1103515245u + 12345u;
    bool later = b->pauses && ahead > 0 && luck >> 30 == 0;
    long v = b->next;
    spin(luck >> 29);
    if (!later && v < b->last) {
        b->next++;
        b->value[slot] = v;
        b->done[slot] = 0;
    }
    __atomic_sub_fetch(&b->at_begin, 1, __ATOMIC_SEQ_CST);
    return later ? CONVEYOR_LATER : v == b->last ? CONVEYOR_END : (int)(v % 4);
}

static void work(void *ctx, int slot, int k)
{
    struct bench *b = ctx;
    wrong_if(b, k < 0 || k >= b->value[slot] % 4);
    spin(b->value[slot] % 7);
    __atomic_add_fetch(&b->done[slot], 1, __ATOMIC_SEQ_CST);
}

/* Takes up to `stop` slots. The conveyor is open from the second slot on, or never. */
static void go(int threads, bool opens, bool pauses, long stop)
{
    struct bench b = {.last = ALL, .pauses = pauses};
    struct conveyor *r = conveyor_new(
        threads, SLOTS, (struct conveyor_work){.work = work, .begin = begin, .ctx = &b});
    long n = 0;
    for (int slot; n < stop && (slot = conveyor_next(r)) != CONVEYOR_END; n++) {
        wrong_if(&b, b.value[slot] != n || b.done[slot] != n % 4);
        spin(n % 5);
        if (n == 0 && opens)
            conveyor_open(r);
    }
    conveyor_free(r);
    tap_ok(n == (stop < ALL ? stop : ALL) && b.wrong == 0,
           "%d threads,%s%s: %ld in order, %d wrong", threads, opens ? " open" : "",
           pauses ? " pausing" : "", n, b.wrong);
}

struct filled {
    int value[SLOTS];    /* filled by the caller */
    long result[SLOTS];  /* set by a worker */
    int working[SLOTS];  /* number of workers on a slot */
    int clashes;         /* number of times that two workers were on one slot */
    int finished, wrong; /* finished: in order; wrong: errors */
};

static void fill_work(void *ctx, int slot, int k)
{
    struct filled *b = ctx;
    __atomic_add_fetch(&b->clashes, k != 0, __ATOMIC_SEQ_CST);
    if (__atomic_add_fetch(&b->working[slot], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&b->clashes, 1, __ATOMIC_SEQ_CST);
    spin(b->value[slot] % 7);
    b->result[slot] = 3L * b->value[slot];
    __atomic_sub_fetch(&b->working[slot], 1, __ATOMIC_SEQ_CST);
}

static void finish(void *ctx, int slot)
{
    struct filled *b = ctx;
    b->wrong += b->value[slot] != b->finished || b->result[slot] != 3L * b->finished;
    __atomic_add_fetch(&b->finished, 1, __ATOMIC_SEQ_CST); /* after the results that it announces */
}

static void test_order(int threads)
{
    struct filled b = {0};
    struct conveyor *c =
        conveyor_new(threads, SLOTS, (struct conveyor_work){fill_work, finish, .ctx = &b});
    for (int k = 0; c && k < JOBS; k++) {
        b.value[conveyor_fill(c)] = k;
        conveyor_push(c);
        if (k == JOBS / 2)
            conveyor_wait(c, 0);
    }
    if (c)
        conveyor_wait(c, 0);
    tap_ok(c && b.finished == JOBS && b.wrong == 0 && b.clashes == 0,
           "filled, %d threads: %d of %d finished in order, %d wrong", threads, b.finished, JOBS,
           b.wrong);
    conveyor_free(c);
}

static void test_alone(void)
{
    struct filled b = {0};
    struct conveyor *c =
        conveyor_new(3, SLOTS, (struct conveyor_work){fill_work, finish, .ctx = &b});
    b.value[conveyor_fill(c)] = 0;
    conveyor_push(c);
    while (__atomic_load_n(&b.finished, __ATOMIC_SEQ_CST) == 0)
        usleep(100); /* this never ends if another call is needed */
    tap_ok(b.wrong == 0, "what was pushed is finished without another call");
    b.value[conveyor_fill(c)] = 1;
    conveyor_push(c);
    conveyor_free(c);
    tap_ok(b.finished == 2 && b.wrong == 0, "and before the conveyor is freed");
}

int main(void)
{
    alarm(300); /* a deadlock is a failure */
    for (int threads = 1; threads <= 4; threads++) {
        go(threads, false, false, ALL);
        go(threads, false, true, ALL);
        go(threads, true, false, ALL);
        go(threads, true, true, ALL);
        for (long stop = 0; stop < 40; stop += 13) /* and the run stops in the middle */
            go(threads, true, false, stop);
    }
    for (int threads = 1; threads <= 5; threads += 2)
        test_order(threads);
    test_alone();
    conveyor_free(NULL);
    return tap_done();
}
