/* SPDX-License-Identifier: MIT */
/* pool.h: runs tasks on the threads of a program, which sleep while they have nothing to do. No
 * other module starts threads.
 *
 * All pools share one set of threads, which has the size of the largest pool. A program with eight
 * threads therefore has eight in total, even if it reads, computes and writes concurrently. Only a
 * team (pool_team) has separate threads, and the shared set then has fewer threads, so that the
 * total stays the same.
 *
 * A waiting thread must sleep rather than spin, because the programs of a pipeline share the
 * processors. The caller waits only for tasks that have begun, never for an idle thread. A barrier
 * for all threads would be slow, because the system nearly always suspends one of the threads.
 *
 * Tasks start in ascending order, but any thread may run any task. A result must not depend on the
 * thread that computed it. Integers may be summed per thread, but real numbers must be summed per
 * task, and the sums of the tasks must be added in the order of the tasks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

struct pool;

/* Creates a pool of `threads` >= 1 threads, including the calling thread. The pool is smaller if
 * the system provides fewer threads. Returns NULL if memory runs out. All functions except
 * pool_serve and pool_call accept NULL as the pool, and then use only the calling thread. */
struct pool *pool_new(int threads);
/* Creates a pool with separate threads, for tasks that last for the whole run or wait for each
 * other. Up to pool_threads tasks may wait for each other, because each task has its own thread. */
struct pool *pool_team(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for tasks in progress, and starts no others */

/* Runs task(ctx, k, thread) for each k = 0..n-1, and returns when all tasks are done. The argument
 * `thread`, from 0 to pool_threads - 1, is the number of the thread, which a task may use to select
 * scratch memory. A task must not start tasks in its own pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* Runs task(ctx, from, to, thread) for consecutive ranges [from, to) of 0..n-1, each with `chunk`
 * elements except for the last. A single range is processed by the calling thread. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* Idle threads call turn(), several at a time, until turn() returns false because there is no work.
 * After pool_call(), idle threads call turn() again. The caller of pool_call() may hold a lock that
 * turn() needs. A pool passed to pool_serve must not run anything else. */
void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx);
void pool_call(struct pool *p);

C_LINKAGE_END
