/* SPDX-License-Identifier: MIT */
/*
 * xyz_pool.h: private to lib/xyz*.c. Threads that help with a batch, if they come in time.
 *
 * The caller does the work; helpers take items from it. It never waits for a helper that has not
 * begun (a barrier would: in a pipe of programs on few processors one thread of a team is nearly
 * always off its processor), only for items that were begun.
 */
#ifndef MBF_XYZ_POOL_H
#define MBF_XYZ_POOL_H

#include <stddef.h>

struct xyz_pool;

/* threads counts the caller; helpers that cannot be started are done without. NULL when memory is
 * out. */
struct xyz_pool *xyz_pool_new(int threads);
void xyz_pool_free(struct xyz_pool *p);

/* item(ctx, k) for every k < n, each once, lower k first. Returns when all are done. */
void xyz_pool_run(struct xyz_pool *p, void (*item)(void *ctx, size_t k), void *ctx, size_t n);

#endif
