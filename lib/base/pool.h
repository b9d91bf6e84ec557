/* SPDX-License-Identifier: MIT */
/*
 * pool.h: the threads of the program, which sleep while there is nothing to do and help when they
 * come in time. The only place where threads are started.
 *
 * All pools share one crew, as large as the largest of them asks for, so that a program of eight
 * threads has eight in all, whatever it reads, computes and writes at a time. Only a team has
 * helpers of its own; the crew is smaller by them.
 *
 * Programs of a pipe share the processors, so a thread that waits must not spin, and the caller
 * never waits for a helper that has not begun (a barrier would: one thread of a team is nearly
 * always off its processor), only for tasks that were begun. Tasks are handed out in ascending
 * order; which thread takes which is not fixed, so a result must not depend on it: integers may be
 * added up per thread, other sums per task, added in the order of tasks afterwards.
 */
#ifndef MBF_POOL_H
#define MBF_POOL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool;

/* threads >= 1 in all, the caller's included; fewer where the system gives fewer. NULL: out of
 * memory; pool_serve and pool_call excepted, every function takes NULL for a pool of the caller
 * alone. */
struct pool *pool_new(int threads);
/* Its helpers are nobody else's: up to pool_threads tasks may wait for each other (a barrier of
 * their own), as a thread that waits in one takes no other, so each gets its own. Or its tasks are
 * as long as the run. */
struct pool *pool_team(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* waits for tasks at work, and begins no other */

/* task(ctx, k, thread) for k = 0..n-1, thread in 0..pool_threads - 1 (scratch of its own); returns
 * when all are done. A task starts none in the same pool. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

/* The same for pieces [from, to) of 0..n-1, `chunk` long but for the last. One piece: the caller
 * does it at once. */
void pool_pieces(struct pool *p, void (*task)(void *ctx, size_t from, size_t to, int thread),
                 void *ctx, size_t n, size_t chunk);

/* From now on helpers that are free take turns, several at a time, until turn says false: there was
 * nothing to do; and again after each pool_call, which may be made while locks are held that turn
 * takes. Nothing else runs in that pool. */
void pool_serve(struct pool *p, bool (*turn)(void *ctx), void *ctx);
void pool_call(struct pool *p);

#ifdef __cplusplus
}
#endif
#endif
