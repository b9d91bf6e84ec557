/* SPDX-License-Identifier: MIT */
/*
 * md_brick_wait.cuh: the launch-wide wait of the brick kernel. CUDA only; needs a cooperative
 * launch.
 */
#ifndef MBF_MD_BRICK_WAIT_H
#define MBF_MD_BRICK_WAIT_H

#include "md/md_brick.h"

struct brick_turn {
    unsigned turn, seen[2]; /* waits so far; raised flags seen on each counter (thread 0 only) */
};

MD_DEV unsigned long long brick_acquire(const unsigned long long *p)
{
    unsigned long long x;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

/*
 * All threads of all blocks: what was written before is visible after. Returns whether any thread
 * raised its flag. Counters alternate: a block that runs ahead adds to the other one, so the word
 * polled here is final when complete. Low half: blocks that came; high half: blocks that came with
 * the flag up.
 */
MD_DEV bool brick_wait(const struct brick_memory &mem, struct brick_turn &t, bool flag)
{
    __shared__ int s_flag;
    int any = __syncthreads_or(flag);
    if (threadIdx.x == 0) {
        unsigned side = t.turn & 1, target = gridDim.x * (t.turn / 2 + 1);
        unsigned long long *word = mem.turns + side * 16, x;
        asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word),
                     "l"(any ? (1ull << 32) + 1 : 1ull)
                     : "memory");
        do
            x = brick_acquire(word);
        while ((int)((unsigned)x - target) < 0);
        s_flag = (unsigned)(x >> 32) != t.seen[side];
        t.seen[side] = (unsigned)(x >> 32);
    }
    t.turn++;
    __syncthreads();
    return s_flag;
}

#endif
