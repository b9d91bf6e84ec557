/* SPDX-License-Identifier: MIT */
/* pool.h: the threads of a program, which sleep while there is nothing to do. No other module
 * starts threads.
 *
 * All pools share one set of threads, as large as the largest pool requires. A program with eight
 * threads therefore has eight in total, even if it reads, computes and writes concurrently. Only a
 * team (pool_team) has separate helper threads, and the shared set is smaller by their number.
 *
 * The programs of a pipe share the processors, so a waiting thread must not spin. The caller waits
 * only for tasks that have begun, never for an idle helper thread. A barrier would be slow, because
 * the system nearly always suspends one thread of a team.
 *
 * Tasks are handed out in ascending order, but any thread may take any task. A result must
 * therefore not depend on the thread. Integers may be summed separately in each thread. Real
 * numbers must be summed separately in each task, and the sums of the tasks must be added in
 * order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hd.h"

C_LINKAGE_BEGIN

struct pool;

/* Creates a pool of `threads` >= 1 threads, including the thread of the caller. The pool is smaller
 * if the system provides fewer threads. Returns NULL if out of memory. Every function except
 * pool_serve and pool_call accepts NULL, which stands for the caller's thread only. */
struct pool *pool_new(int threads);
/* Creates a pool with its own helper threads. Up to pool_threads tasks may wait for each other,
 * because each task gets its own thread. A team is also suitable for tasks that last for the whole
 * run. */
struct pool *pool_team(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for the running tasks and begins no other tasks */

/* Runs task(ctx, k, thread) for k = 0..n-1 and returns when all tasks are done. The number
 * `thread`, from 0 to pool_threads - 1, selects scratch memory. A task must not start tasks in the
 * same pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* Runs one task for each piece [from, to) of the range 0..n-1. Pieces have the length `chunk`, but
 * the last piece may be shorter. If there is only one piece, the caller processes it. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* Idle threads call `turn`, several at a time, until `turn` returns false for lack of work. After
 * pool_call the threads call `turn` again. The caller of pool_call may hold the locks that `turn`
 * takes. A pool passed to pool_serve must not run anything else. */
void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx);
void pool_call(struct pool *p);

C_LINKAGE_END
