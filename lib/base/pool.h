/* SPDX-License-Identifier: MIT */
/*
 * pool.h: the threads of the program, which sleep while there is nothing to do. Threads are started
 * only here.
 *
 * All pools share one crew of threads, as large as the largest pool requires, so that a program
 * with eight threads has eight in all, however much it reads, computes and writes at a time. Only a
 * team has its own helpers; the crew is smaller by their number.
 *
 * Programs of a pipe share the processors. A waiting thread therefore must not spin, and the caller
 * waits only for tasks that have begun, never for a helper that has not. (A barrier would wait for
 * such a helper, and one thread of a team is nearly always off its processor.) Tasks are handed out
 * in ascending order, but any thread may take any task, so a result must not depend on the thread:
 * integers may be summed per thread; other sums must be kept per task and added in the order of
 * tasks.
 */
#ifndef MBF_POOL_H
#define MBF_POOL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool;

/* Creates a pool of threads >= 1 in all, including the caller's, or fewer if the system gives
 * fewer. Returns NULL if out of memory. Except for pool_serve and pool_call, every function accepts
 * NULL as a pool of the caller only. */
struct pool *pool_new(int threads);
/* Creates a pool with its own helpers. Up to pool_threads tasks may wait for each other (at
 * their own barrier), because each task gets its own thread. Also for tasks that last as long as
 * the run. */
struct pool *pool_team(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for running tasks and begins no others */

/* Runs task(ctx, k, thread) for k = 0..n-1 and returns when all are done; thread is 0..pool_threads
 * - 1, for scratch memory per thread. A task must not start tasks in the same pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* As pool_run, for pieces [from, to) of 0..n-1 of length `chunk`, except the last. A single piece
 * is done by the caller at once. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* pool_serve lets free helpers call `turn`, several at a time, until it returns false because there
 * was nothing to do. pool_call makes them start again; it may be called while holding locks that
 * `turn` takes. Nothing else may run in that pool. */
void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx);
void pool_call(struct pool *p);

#ifdef __cplusplus
}
#endif
#endif
