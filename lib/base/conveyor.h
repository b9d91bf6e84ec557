/* SPDX-License-Identifier: MIT */
/* conveyor.h: runs tasks on any thread, but begins and ends the tasks in order. All reading and
 * writing that runs concurrently with its caller uses this module, including inflating, parsing,
 * hashing and compressing.
 *
 * A conveyor is a ring of slots that belong to the caller. There are two ways to begin slots.
 *
 * - Filled: the caller fills a slot and pushes it, as in writers and in parts read ahead. Any
 *   thread finishes a slot after all slots that were pushed earlier.
 * - Taken: the threads take turns to begin items of a source, and the caller takes slots in order.
 *   The thread that began a slot also processes it, so that its data stay in the cache of that
 *   processor. Meanwhile, the next thread begins the next slot.
 *
 * The caller is one of the threads. The caller works whenever it would otherwise wait, and never
 * waits for a thread that has not begun a slot. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct conveyor;

enum { CONVEYOR_END = -1, CONVEYOR_LATER = -2 };

/* Callbacks of a conveyor:
 *   - The function `work` processes piece k of a slot. Any number of threads may call `work` at the
 *     same time. A filled slot has only piece 0.
 *   - The function `finish` completes a filled slot. One thread at a time calls `finish`, in the
 *     order of the slots. The member `finish` may be NULL.
 *   - The function `begin` begins the next item of the source in `slot`. One thread at a time calls
 *     `begin`, in the order of the slots. The result is the number of pieces, or CONVEYOR_END at
 *     the end of the source. CONVEYOR_LATER requests another call after the caller gives back a
 *     slot, and is allowed only if `ahead` > 0. The number `ahead` is the number of slots before
 *     this slot, including the slot held by the caller. If `begin` is NULL, slots are filled.
 */
struct conveyor_work {
    void (*work)(void *ctx, int slot, int k);
    void (*finish)(void *ctx, int slot);
    int (*begin)(void *ctx, int slot, int ahead);
    void *ctx;
};

/* Returns the number of slots that keeps this many threads busy with one source. Threads beyond a
 * few dozen need no further slots. */
int conveyor_slots(int threads);

/* Creates a conveyor with `threads` threads, including the caller, and slots > 1. Returns NULL if
 * out of memory. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Finishes the pushed slots and waits for slots in progress. NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* may be below `threads` */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* waits for a free slot */
void conveyor_push(struct conveyor *c); /* pushes the filled slot; any thread finishes it */
/* Waits until at most `left` pushed slots are unfinished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Lets all threads begin slots. Before this call, only the caller begins slots, and each slot
 * begins when the caller takes it. After this call, the source must not block. */
void conveyor_open(struct conveyor *c);

/* Releases the preceding slot. Waits for the work on the next slot, and returns this slot. Returns
 * CONVEYOR_END at the end of the source. */
int conveyor_next(struct conveyor *c);
