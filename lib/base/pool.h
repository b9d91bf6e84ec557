/* SPDX-License-Identifier: MIT */
/*
 * pool.h: a few threads that sleep while there is nothing to do, and help when they come in time.
 *
 * Programs of a pipe share the processors, so a thread that waits must not spin (OpenMP's do, for
 * milliseconds after every loop), and the caller never waits for a helper that has not begun (a
 * barrier would: one thread of a team is nearly always off its processor), only for tasks that were
 * begun. Tasks are handed out in ascending order; which thread takes which is not fixed, so a task
 * must not depend on it.
 */
#ifndef MBF_POOL_H
#define MBF_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool;

/* threads >= 1 in all, the caller's included. NULL: out of memory. Fewer are used when the system
 * gives fewer. */
struct pool *pool_new(int threads);
int pool_threads(const struct pool *p);
void pool_free(struct pool *p); /* NULL is allowed */

/* task(ctx, k, thread) for k = 0..n-1, thread in 0..pool_threads - 1; returns when all are done. */
void pool_run(struct pool *p, void (*task)(void *ctx, size_t k, int thread), void *ctx, size_t n);

#ifdef __cplusplus
}
#endif
#endif
