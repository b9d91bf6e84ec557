/* SPDX-License-Identifier: MIT */
/*
 * merge.h: the sums of several runs of one system (CORR, HIST) as one: the blocks of every run, side
 * by side, so that averages and errors follow; or of all shares of one run (shard.h), in their order.
 */
#ifndef MBF_MERGE_H
#define MBF_MERGE_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct merge;

/* Nothing yet; max_mem: bytes that it may hold, 0: any. left_out is told, once, of the first array
 * that is left out, since its type is unknown. NULL: no memory. */
struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code));
/* All segments of r. 0, or -1 with e: no sums, other ones than before, no memory, or r's error. */
int merge_add(struct merge *m, struct frame_reader *r, struct err *e) FRAME_MUST;
uint64_t merge_segments(const struct merge *m); /* so far */
/*
 * Do all belong together? Then META, derived by the program of this name, version and options,
 * arrays and END to w. text[size]: of shares, what they could not know each alone, that the sample
 * changed (drift.h); else "". 0, or -1 with e: segments that differ, a run twice, shares that do not
 * make one run; no memory; w's error.
 */
int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e) FRAME_MUST;
void merge_close(struct merge *m);

#ifdef __cplusplus
}
#endif
#endif
