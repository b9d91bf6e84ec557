/* SPDX-License-Identifier: MIT */
/*
 * relay.h: a source that is gone through in order, by turns: whoever has taken something from it
 * works on that himself, while the next takes what follows. What was read stays in the cache of
 * the processor that read it.
 *
 * A ring of slots that belong to the caller, who gets them in order, one at a time. A thread takes
 * up a new slot where it may, else pieces of those of others; the caller is one of the threads, and
 * never waits for one that has not begun.
 */
#ifndef MBF_RELAY_H
#define MBF_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct relay;

enum { RELAY_END = -1, RELAY_LATER = -2 };

/*
 * fetch: what can be read of a slot, the n-th (0, 1, ...) since relay_open, before its turn to
 * begin; on any thread, several at a time. May be NULL.
 * begin: the next of the source into `slot`; in order, one at a time, on any thread. Returns the
 * pieces of its work; RELAY_END: there is nothing, nor behind it; RELAY_LATER: not now, allowed
 * where some slots are `ahead` of it (that in the caller's hands among them), asked again when the
 * caller gives one back.
 * work: piece k of a slot, on any thread, several at a time.
 */
struct relay_source {
    void (*fetch)(void *ctx, int slot, uint64_t n);
    int (*begin)(void *ctx, int slot, int ahead);
    void (*work)(void *ctx, int slot, int k);
    void *ctx;
};

/* So many slots keep so many threads busy; more than a few dozen help nobody. */
int relay_slots(int threads);

/* threads in all, slots > 1. From now on only the caller begins. NULL: out of memory. */
struct relay *relay_new(int threads, int slots, struct relay_source source);
void relay_free(struct relay *r); /* waits for what was begun; NULL is allowed */

/* From now on everybody begins: the source never lets anyone wait; fetches: nor says RELAY_LATER. */
void relay_open(struct relay *r, bool fetches);

/* The slot that is next in order, worked on; the one before is given back. RELAY_END: there is
 * none. */
int relay_next(struct relay *r);

/* Has the slot that is next been begun? Asked while only the caller begins. */
bool relay_begun(const struct relay *r);

#ifdef __cplusplus
}
#endif
#endif
