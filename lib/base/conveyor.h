/* SPDX-License-Identifier: MIT */
/* conveyor.h: runs tasks on several threads, but starts and completes the tasks in order. All input
 * and output that runs concurrently with the caller uses this module, including decompression,
 * parsing, hashing and compression.
 *
 * A conveyor is a ring of slots that belong to the caller. There are two kinds of conveyor.
 *
 * - Filled slots: the caller fills a slot and pushes it, for example to write a stream. Any thread
 *   may complete a slot, but the slots are completed in the order of the pushes.
 * - Taken slots: the threads take turns to put the next item of a source into a slot, and the
 *   caller takes the slots in order. The thread that put an item into a slot also processes this
 *   slot, because the data are then in the cache of the processor of this thread. Meanwhile,
 *   another thread puts the next item into the next slot.
 *
 * The caller is one of the threads. The caller works whenever it would otherwise wait, and never
 * waits for a thread that has not started work on a slot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct conveyor;

enum { CONVEYOR_END = -1, CONVEYOR_LATER = -2 };

/* Callbacks of a conveyor:
 *   - The function `work` processes piece k of a slot. Any number of threads may call `work` at the
 *     same time. A filled slot has only piece 0.
 *   - The function `finish` is called for a filled slot after `work`, for example to write the
 *     result. One thread at a time calls `finish`, in the order of the slots. The member `finish`
 *     may be NULL.
 *   - The function `begin` puts the next item of the source into `slot`. One thread at a time calls
 *     `begin`, in the order of the slots. The function `begin` returns the number of pieces, or
 *     CONVEYOR_END at the end of the source. If `ahead` > 0, `begin` may return CONVEYOR_LATER, and
 *     is then called again after a slot is released. The argument `ahead` is the number of slots in
 *     use before this slot, including the slot held by the caller. If `begin` is NULL, slots are
 *     filled.
 */
struct conveyor_work {
    void (*work)(void *ctx, int slot, int k);
    void (*finish)(void *ctx, int slot);
    int (*begin)(void *ctx, int slot, int ahead);
    void *ctx;
};

/* Returns the number of slots that keeps the given number of threads busy with one source. Beyond a
 * few dozen threads, the number of slots no longer grows. */
int conveyor_slots(int threads);

/* Creates a conveyor with `threads` threads, including the caller, and slots > 1. Returns NULL if
 * memory runs out. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Completes the pushed slots and waits for slots in progress. NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* may be smaller than requested */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* waits for a free slot */
void conveyor_push(struct conveyor *c); /* pushes the filled slot; any thread may complete it */
/* Waits until at most `left` pushed slots are unfinished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Allows all threads to call `begin`. Before this call, only the caller calls `begin`, from
 * conveyor_next(). After this call, the source must not block. */
void conveyor_open(struct conveyor *c);

/* Releases the preceding slot. Waits for the work on the next slot, and returns this slot. Returns
 * CONVEYOR_END at the end of the source. */
int conveyor_next(struct conveyor *c);
