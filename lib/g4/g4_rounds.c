/* SPDX-License-Identifier: MIT */
#include "g4/g4_rounds.h"

#include <sched.h>
#include <string.h>

#define SPINS 200 /* polls of a counter before the processor is yielded */

size_t g4_rounds_places(size_t blocks, size_t max)
{
    size_t slots = (blocks + 1) / 2;
    return slots < max ? slots : max;
}

static void wait_turn(const unsigned *turn, unsigned want)
{
    for (int k = 0; __atomic_load_n(turn, __ATOMIC_ACQUIRE) != want; k++)
        if (k > SPINS)
            sched_yield();
}

static void end_turn(unsigned *turn)
{
    __atomic_fetch_add(turn, 1, __ATOMIC_RELEASE);
}

/* Task k is slot s of round r. As in a tournament, m players need m - 1 rounds, where an absent
 * player makes an odd number even. In a last round, each block meets itself, with two blocks per
 * slot. Tasks start in this order, so a task only waits for tasks that have started. */
static void rounds_task(void *ctx, size_t k, int thread)
{
    struct g4_rounds *t = ctx;
    size_t slots = (t->blocks + 1) / 2, m = 2 * slots, r = k / slots, s = k % slots;
    size_t place = s % t->places, per = slots / t->places + (slots % t->places > place);
    size_t a = s == 0 ? m - 1 : (r + s) % (m - 1), b = (r + (m - 1) - s) % (m - 1);
    if (r == m - 1) {
        a = 2 * s;
        b = a + 1;
    }
    wait_turn(t->turn + a, (unsigned)r);
    wait_turn(t->turn + b, (unsigned)r);
    wait_turn(t->turn + m + place, (unsigned)(r * per + s / t->places));
    if (r == m - 1) {
        t->match(t->ctx, a, a, place, thread);
        if (b < t->blocks)
            t->match(t->ctx, b, b, place, thread);
    } else if (a < t->blocks && b < t->blocks) {
        t->match(t->ctx, a < b ? a : b, a < b ? b : a, place, thread);
    }
    end_turn(t->turn + a);
    end_turn(t->turn + b);
    end_turn(t->turn + m + place);
}

void g4_rounds_run(struct pool *pool, struct g4_rounds *r)
{
    size_t slots = (r->blocks + 1) / 2, m = 2 * slots;
    memset(r->turn, 0, (m + r->places) * sizeof *r->turn);
    pool_run(pool, rounds_task, r, m * slots);
}
