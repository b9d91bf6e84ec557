/* SPDX-License-Identifier: MIT */
/* conveyor.h: processes a sequence of items on several threads, but starts and completes the items
 * in order. All input and output that runs concurrently with the caller uses this module, including
 * decompression, parsing, hashing and compression.
 *
 * A conveyor is a ring of buffers, called slots, that belong to the caller. A conveyor works in one
 * of two ways:
 *
 * - With filled slots, the caller fills a slot and pushes it, for example to write a stream. Any
 *   thread may process a pushed slot, but the slots are completed in the order in which they were
 *   pushed.
 * - With taken slots, the threads take turns to put the next item of a source into a slot, and the
 *   caller takes the slots in order. The thread that put an item into a slot also processes this
 *   slot, because the data are then in the cache of its processor. Meanwhile, another thread puts
 *   the next item into the next slot.
 *
 * The caller is one of the threads, and works whenever it would otherwise wait. The caller never
 * waits for a thread that has not started to work. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct conveyor;

enum { CONVEYOR_END = -1, CONVEYOR_LATER = -2 };

/* Callbacks of a conveyor:
 *   - The function `work` processes piece k of a slot. Any number of threads may call `work` at the
 *     same time. A filled slot consists of piece 0 only.
 *   - The function `finish` is called for a filled slot after `work`, for example to write the
 *     result. Only one thread at a time calls `finish`, in the order of the slots. The member
 *     `finish` may be NULL if there is nothing to finish.
 *   - The function `begin` puts the next item of the source into `slot`. Only one thread at a time
 *     calls `begin`, in the order of the slots. The function `begin` returns the number of pieces,
 *     or CONVEYOR_END at the end of the source. If its argument `ahead` is above 0, `begin` may
 *     return CONVEYOR_LATER, and is called again after a slot is released. The argument `ahead` is
 *     the number of slots in use before the present slot, including the slot that the caller holds.
 *     If the member `begin` is NULL, the conveyor works with filled slots. */
struct conveyor_work {
    void (*work)(void *ctx, int slot, int k);
    void (*finish)(void *ctx, int slot);
    int (*begin)(void *ctx, int slot, int ahead);
    void *ctx;
};

/* Returns the number of slots that keeps `threads` threads busy with one source. The number of
 * slots no longer grows beyond a few dozen threads. */
int conveyor_slots(int threads);

/* Creates a conveyor with `threads` threads, including the calling thread, and at least two slots.
 * Returns NULL if memory runs out. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Completes all pushed slots and waits for slots in progress. NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* may be fewer than requested */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* waits for a free slot */
void conveyor_push(struct conveyor *c); /* any thread completes it */
/* Waits until at most `left` pushed slots are unfinished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Lets all threads call `begin`, so that the source must no longer block. Before conveyor_open,
 * only the caller calls `begin`, from conveyor_next(). */
void conveyor_open(struct conveyor *c);

/* Releases the slot that the preceding call returned, waits until the next slot has been processed,
 * and returns the next slot. At the end of the source, returns CONVEYOR_END. */
int conveyor_next(struct conveyor *c);
