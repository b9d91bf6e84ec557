/* SPDX-License-Identifier: MIT */
/* md_brick_wait.cuh: lets all threads of a launch of a brick kernel wait for each other. This
 * header is for CUDA only, and needs a cooperative launch. */
#pragma once

#include "md/md_brick.h"

struct brick_turn {
    unsigned turn, seen[2]; /* number of waits so far, and number of raised flags seen per counter
                             * (only in thread 0) */
};

MD_DEV unsigned long long brick_acquire(const unsigned long long *p)
{
    unsigned long long x;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

/* Waits for all threads of all blocks. All earlier writes are then visible. Returns true if any
 * thread raised its flag. The low half of a counter is the number of blocks that arrived. The high
 * half is the number of blocks that arrived with the flag raised. Two counters alternate. A block
 * that is ahead of the others uses the other counter, so a complete counter no longer changes. */
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
