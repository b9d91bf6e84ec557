/* SPDX-License-Identifier: MIT */
/*
 * pool.h: a few threads that sleep while there is nothing to do, and help when they come in time.
 * The only place where threads are started.
 *
 * Programs of a pipe share the processors, so a thread that waits must not spin, and the caller
 * never waits for a helper that has not begun (a barrier would: one thread of a team is nearly
 * always off its processor), only for tasks that were begun. Tasks are handed out in ascending
 * order; which thread takes which is not fixed, so a result must not depend on it: integers may be
 * added up per thread, other sums per task, added in the order of tasks afterwards.
 *
 * Up to pool_threads tasks may wait for each other (a barrier of their own): a thread that waits in
 * one takes no other, so each gets its own.
 */
#ifndef MBF_POOL_H
#define MBF_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool;

/* threads >= 1 in all, the caller's included; fewer where the system gives fewer. NULL: out of
 * memory; pool_begin excepted, every function takes NULL for a pool of the caller alone. */
struct pool *pool_new(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for tasks at work, and begins no other */

/* task(ctx, k, thread) for k = 0..n-1, thread in 0..pool_threads - 1 (scratch of its own); returns
 * when all are done. A task starts none in the same pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* The same for pieces [from, to) of 0..n-1, `chunk` long but for the last. One piece: the caller
 * does it at once. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* pool_run by the helpers alone (pool_threads > 1), without waiting for them; nothing else may run
 * in that pool. */
void pool_begin(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);
/* The caller takes tasks, too, until all are done. */
void pool_end(struct pool *p);

#ifdef __cplusplus
}
#endif
#endif
