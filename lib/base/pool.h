/* SPDX-License-Identifier: MIT */
/* pool.h: the threads of a program, which sleep while there is nothing to do. No other module
 * starts threads.
 *
 * All pools share one set of threads, as large as the largest pool requires. A program with eight
 * threads therefore has eight in total, even if it reads, computes and writes concurrently. Only a
 * team (pool_team) has separate helper threads. The shared set then has fewer threads, so that the
 * total is the same.
 *
 * The programs in a pipeline share the processors, so a waiting thread must sleep and not spin. The
 * caller waits only for tasks that have begun, never for an idle helper thread. A barrier for all
 * threads would be slow, because some thread is nearly always suspended by the system.
 *
 * Tasks start in ascending order, but any thread may run any task. A result must therefore not
 * depend on the thread that computed it. Integers may be summed per thread. Real numbers must be
 * summed per task. The sums of the tasks must then be summed in the order of the tasks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

struct pool;

/* Creates a pool of `threads` >= 1 threads, including the thread of the caller. The pool is smaller
 * if the system provides fewer threads. Returns NULL if memory runs out. Every function except
 * pool_serve and pool_call accepts a NULL pool, and then uses only the thread of the caller. */
struct pool *pool_new(int threads);
/* Creates a pool with its own helper threads. Up to pool_threads tasks may wait for each other,
 * because each task gets its own thread. Use a team also for tasks that last for the whole run. */
struct pool *pool_team(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for tasks in progress, and starts no others */

/* Runs task(ctx, k, thread) for k = 0..n-1 and returns when all tasks are done. The argument
 * `thread`, from 0 to pool_threads - 1, is the number of the thread. Use this number to select
 * scratch memory. A task must not start tasks in the same pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* Runs one task for each piece [from, to) of the range 0..n-1. A piece has `chunk` elements, but
 * the last piece may be shorter. If there is only one piece, the caller processes it. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* Idle threads call turn(), several at a time, until turn() returns false because there is no work.
 * After pool_call(), idle threads call turn() again. The caller of pool_call() may hold a lock that
 * turn() needs. A pool passed to pool_serve must not run anything else. */
void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx);
void pool_call(struct pool *p);

C_LINKAGE_END
