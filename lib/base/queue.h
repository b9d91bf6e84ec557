/* SPDX-License-Identifier: MIT */
/*
 * queue.h: work that helpers take up in order, do side by side, and that ends in order again.
 *
 * A ring of slots that belong to the caller: it fills one, a helper works on it, then it is
 * finished after all that were filled before. The caller works too whenever it would have to wait.
 * One thread fills; work(ctx, slot) runs on any thread, several at a time, each on its own slot.
 */
#ifndef MBF_QUEUE_H
#define MBF_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct queue;

/*
 * finish(ctx, slot) runs once a slot, in the order of filling, one at a time, on whichever thread
 * comes to it: what was pushed is finished without another call. NULL: the caller takes the slots
 * back with queue_take. Returns NULL when memory is out or no helper could be started.
 */
struct queue *queue_new(int helpers, int slots, void (*work)(void *ctx, int slot),
                        void (*finish)(void *ctx, int slot), void *ctx);
/* Finishes what was pushed (nothing more is worked on where finish is NULL). NULL is allowed. */
void queue_free(struct queue *q);

/* The slot to fill next; waits, working, until one is free. */
int queue_slot(struct queue *q);
bool queue_full(struct queue *q);  /* queue_slot would wait */
void queue_push(struct queue *q);  /* the slot is filled */
void queue_drain(struct queue *q); /* until all is finished */

/* Without finish: the oldest slot pushed, worked on or not (-1: none); the same after waiting,
 * working, for it; and give it back, which leaves out the work that nobody has begun. */
int queue_oldest(struct queue *q);
int queue_take(struct queue *q);
void queue_drop(struct queue *q);

#ifdef __cplusplus
}
#endif
#endif
