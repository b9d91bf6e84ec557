/* SPDX-License-Identifier: MIT */
/* conveyor.h: runs tasks on several threads, but starts and completes the tasks in order. All input
 * and output that runs concurrently with the caller uses this module, including decompression,
 * parsing, hashing and compression.
 *
 * A conveyor is a ring of slots that belong to the caller. A conveyor works either with filled
 * slots or with taken slots.
 *
 * - With filled slots, the caller fills a slot and pushes it, for example to write a stream. Any
 *   thread may process a pushed slot, but the slots are completed in the order in which they were
 *   pushed.
 * - With taken slots, the threads take turns to put the next item of a source into a slot, and the
 *   caller takes the slots in order. The thread that put an item into a slot also processes this
 *   slot, because the data are then in the cache of its processor. Meanwhile, another thread puts
 *   the next item into the next slot.
 *
 * The caller is one of the threads. The caller works whenever it would otherwise wait. The caller
 * never waits for a thread that has not started work on a slot. */
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

/* Returns the number of slots that keeps the given number of threads busy with one source. For more
 * than a few dozen threads, the number of slots no longer grows. */
int conveyor_slots(int threads);

/* Creates a conveyor with `threads` threads, including the thread of the caller, and more than one
 * slot. Returns NULL if memory runs out. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Completes the pushed slots and waits for slots in progress. NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* number of threads, which may be smaller than
                                                 * requested */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* waits for a free slot */
void conveyor_push(struct conveyor *c); /* pushes the filled slot, which any thread may complete */
/* Waits until at most `left` pushed slots are unfinished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Allows all threads to call the function `begin`. Before conveyor_open, only the caller calls
 * `begin`, from conveyor_next(). After conveyor_open, the source must not block. */
void conveyor_open(struct conveyor *c);

/* Releases the slot that the preceding call returned. Waits until the next slot has been processed,
 * and returns this slot. At the end of the source, returns CONVEYOR_END. */
int conveyor_next(struct conveyor *c);
