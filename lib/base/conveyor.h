/* SPDX-License-Identifier: MIT */
/*
 * conveyor.h: work that begins in order, is done on any thread, and ends in order again. All that
 * reads, inflates, parses, hashes, compresses or writes beside its caller is a call of it.
 *
 * A ring of slots that belong to the caller. They are begun in one of two ways:
 *   - filled: the caller fills a slot and pushes it (writers, parts read ahead). Each is finished
 *     after all that were pushed before, by whichever thread comes to it.
 *   - taken: a source is gone through by turns (`begin`), and the caller takes slots in order. Who
 *     has begun one works on it himself, while the next begins what follows: what was read stays in
 *     the cache of the processor that read it.
 * The caller is one of the threads: it works whenever it would have to wait, and never waits for a
 * thread that has not begun.
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
 * work: piece k of a slot, on any thread, several at a time (filled slots have the piece 0 alone).
 * finish: of a filled slot, in order, one at a time, on any thread. May be NULL.
 * begin: the next of the source into `slot`; in order, one at a time, on any thread. Returns the
 * pieces of its work; CONVEYOR_END: there is nothing, nor behind it; CONVEYOR_LATER: not now,
 * allowed where some slots are `ahead` of it (that in the caller's hands among them), asked again
 * when the caller gives one back. NULL: slots are filled.
 * fetch: what can be read of a slot, the n-th (0, 1, ...) since conveyor_open, before its turn to
 * begin; on any thread, several at a time. May be NULL.
 */
struct conveyor_work {
    void (*work)(void *ctx, int slot, int k);
    void (*finish)(void *ctx, int slot);
    int (*begin)(void *ctx, int slot, int ahead);
    void (*fetch)(void *ctx, int slot, uint64_t n);
    void *ctx;
};

/* So many slots of a source keep so many threads busy; more than a few dozen help nobody. */
int conveyor_slots(int threads);

/* threads in all, slots > 1. NULL: out of memory. */
struct conveyor *conveyor_new(int threads, int slots, struct conveyor_work work);
/* Finishes what was pushed, waits for what was begun; NULL is allowed. */
void conveyor_free(struct conveyor *c);
int conveyor_threads(const struct conveyor *c); /* fewer where the system gave fewer */

/* ---- filled */

int conveyor_fill(struct conveyor *c);  /* the slot to fill next; waits until one is free */
void conveyor_push(struct conveyor *c); /* it is filled; it is finished without another call */
/* Until at most so many of the slots that were pushed are not finished. */
void conveyor_wait(struct conveyor *c, int left);

/* ---- taken */

/* Until this is called only the caller begins, when it takes. From now on everybody does: the source
 * never lets anyone wait; fetches: nor says CONVEYOR_LATER. */
void conveyor_open(struct conveyor *c, bool fetches);

/* The slot that is next in order, worked on; the one before is given back. CONVEYOR_END: there is
 * none. */
int conveyor_next(struct conveyor *c);

/* Has the slot that is next been begun? Asked while only the caller begins. */
bool conveyor_begun(const struct conveyor *c);

#ifdef __cplusplus
}
#endif
#endif
