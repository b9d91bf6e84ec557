/* SPDX-License-Identifier: MIT */
/*
 * conveyor.h: work that begins in order, is done on any thread, and ends in order. All reading,
 * inflating, parsing, hashing, compressing and writing that runs concurrently with its caller uses
 * this module.
 *
 * A conveyor is a ring of slots that belong to the caller. Slots are begun in one of two ways.
 *
 * - Filled: the caller fills a slot and pushes it (writers, parts read ahead). Each slot is
 *   finished after all slots that were pushed before it, by any thread.
 * - Taken: the threads go through a source in turns (`begin`), and the caller takes slots in order.
 *   The thread that began a slot also works on it while the next thread begins the next slot, so
 *   that the data stay in the cache of the processor that read them.
 *
 * The caller is one of the threads. It works whenever it would otherwise wait, and never waits for
 * a thread that has not begun.
 */
#ifndef MBF_CONVEYOR_H
#define MBF_CONVEYOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct conveyor;

enum { CONVEYOR_END = -1, CONVEYOR_LATER = -2 };

/*
 * Callbacks of a conveyor.
 *   work: does piece k of a slot, on any thread, several at a time; a filled slot has only piece 0.
 *   finish: finishes a filled slot, in order, one at a time, on any thread. May be NULL.
 *   begin: begins the next item of the source in `slot`, in order, one at a time, on any thread.
 *     Returns the number of pieces, CONVEYOR_END at the end of the source, or CONVEYOR_LATER to be
 *     asked again when the caller gives back a slot; that is allowed only if `ahead` > 0 slots,
 *     including the one in the caller's hands, precede it. NULL: slots are filled.
 *   fetch: reads ahead for the n-th slot (0, 1, ...) since conveyor_open before its turn to begin, on
 *     any thread, several at a time. May be NULL.
 */
struct conveyor_work {
    void (*work)(void *ctx, int slot, int k);
    void (*finish)(void *ctx, int slot);
    int (*begin)(void *ctx, int slot, int ahead);
    void (*fetch)(void *ctx, int slot, uint64_t n);
    void *ctx;
};

/* Returns the number of slots of a source that keeps this many threads busy; more than a few dozen
 * threads do not help. */
int conveyor_slots(int threads);

/* Creates a conveyor with `threads` threads in all and slots > 1. Returns NULL if out of memory. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Finishes the slots that were pushed and waits for those that were begun. NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* may be fewer than requested */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* returns the slot to fill next; waits for a free one */
void conveyor_push(struct conveyor *c); /* pushes the filled slot, which is finished without
                                           another call */
/* Waits until at most `left` of the pushed slots are unfinished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Lets all threads begin slots; before this call only the caller begins slots, when it takes them.
 * From now on the source must not block and, if `fetches`, must not return CONVEYOR_LATER. */
void conveyor_open(struct conveyor *c, bool fetches);

/* Returns the next slot in order, with its work done, and gives back the preceding slot. Returns
 * CONVEYOR_END if there is none. */
int conveyor_next(struct conveyor *c);

/* Returns true if the next slot has been begun. May be called only before conveyor_open. */
bool conveyor_begun(const struct conveyor *c);

#ifdef __cplusplus
}
#endif
#endif
