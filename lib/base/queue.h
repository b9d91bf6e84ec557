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

#ifdef __cplusplus
extern "C" {
#endif

struct queue;

/*
 * finish(ctx, slot) runs once a slot, in the order of filling, one at a time, on whichever thread
 * comes to it: what was pushed is finished without another call. Returns NULL when memory is out or
 * no helper could be started.
 */
struct queue *queue_new(int helpers, int slots, void (*work)(void *ctx, int slot),
                        void (*finish)(void *ctx, int slot), void *ctx);
void queue_free(struct queue *q); /* finishes what was pushed; NULL is allowed */

int queue_slot(struct queue *q);  /* the slot to fill next; waits, working, until one is free */
void queue_push(struct queue *q); /* it is filled */
/* Until at most so many of the slots that were pushed are not finished. */
void queue_wait(struct queue *q, int left);
void queue_drain(struct queue *q); /* until all is finished */

#ifdef __cplusplus
}
#endif
#endif
