/* SPDX-License-Identifier: MIT */
/* test_relay.c: what is gone through by turns comes in order, whole, once; and pauses, and ends. */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/relay.h"
#include "tap.h"

enum { SLOTS = 5, ALL = 6000 };

struct bench {
    long next, last;     /* of the source */
    long value[SLOTS];   /* of a slot */
    int done[SLOTS];     /* its pieces that were worked on */
    long fetched[SLOTS]; /* the n of its fetch */
    int at_begin, wrong; /* threads in begin; clashes and whatever else must not be */
    long opened;         /* the next when it was opened to fetch; 0: it was not */
    bool pauses;
};

static void spin(long k)
{
    for (; k > 0; k--)
        sched_yield(); /* so that they end in another order */
}

static void wrong_if(struct bench *b, bool bad)
{
    if (bad)
        __atomic_add_fetch(&b->wrong, 1, __ATOMIC_SEQ_CST);
}

static void fetch(void *ctx, int slot, uint64_t n)
{
    struct bench *b = ctx;
    spin((long)n % 3);
    b->fetched[slot] = (long)n;
}

static int begin(void *ctx, int slot, int ahead)
{
    struct bench *b = ctx;
    static unsigned luck = 1;
    wrong_if(b, __atomic_add_fetch(&b->at_begin, 1, __ATOMIC_SEQ_CST) != 1);
    luck = luck * 1103515245u + 12345u;
    bool later = b->pauses && ahead > 0 && luck >> 30 == 0;
    long v = b->next;
    if (b->opened)
        wrong_if(b, b->fetched[slot] != v - b->opened);
    spin(luck >> 29);
    if (!later && v < b->last) {
        b->next++;
        b->value[slot] = v;
        b->done[slot] = 0;
    }
    __atomic_sub_fetch(&b->at_begin, 1, __ATOMIC_SEQ_CST);
    return later ? RELAY_LATER : v == b->last ? RELAY_END : (int)(v % 4);
}

static void work(void *ctx, int slot, int k)
{
    struct bench *b = ctx;
    wrong_if(b, k < 0 || k >= b->value[slot] % 4);
    spin(b->value[slot] % 7);
    __atomic_add_fetch(&b->done[slot], 1, __ATOMIC_SEQ_CST);
}

/* Up to `stop` of them; open from the second on, or never. */
static void go(int threads, bool opens, bool fetches, bool pauses, long stop)
{
    struct bench b = {.last = ALL, .pauses = pauses};
    struct relay *r = relay_new(threads, SLOTS, (struct relay_source){fetch, begin, work, &b});
    long n = 0;
    for (int slot; n < stop && (slot = relay_next(r)) != RELAY_END; n++) {
        wrong_if(&b, b.value[slot] != n || b.done[slot] != n % 4);
        spin(n % 5);
        if (n == 0 && opens)
            relay_open(r, (b.opened = fetches ? b.next : 0) > 0);
    }
    relay_free(r);
    tap_ok(n == (stop < ALL ? stop : ALL) && b.wrong == 0,
           "%d threads,%s%s%s: %ld in order, %d wrong", threads, opens ? " open" : "",
           fetches ? " fetching" : "", pauses ? " pausing" : "", n, b.wrong);
}

int main(void)
{
    alarm(60); /* a deadlock is a failure */
    for (int threads = 1; threads <= 4; threads++) {
        go(threads, false, false, false, ALL);
        go(threads, false, false, true, ALL);
        go(threads, true, false, false, ALL);
        go(threads, true, false, true, ALL);
        go(threads, true, true, false, ALL);
        for (long stop = 0; stop < 40; stop += 13) /* and left in the middle */
            go(threads, true, true, false, stop);
    }
    relay_free(NULL);
    return tap_done();
}
