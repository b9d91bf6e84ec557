/* SPDX-License-Identifier: MIT */
/* merge.h: merges the sums (CORR, HIST) of several runs of one system, or of all parts of one run
 * (shard.h). The output contains the blocks of all inputs one after the other, with parts in order,
 * so that averages and errors can be computed. */
#ifndef MBF_MERGE_H
#define MBF_MERGE_H

#include "stream/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

struct merge;

/* Returns an empty merge that may hold max_mem bytes (0: no limit), or NULL if memory runs out. The
 * function left_out is called once, for the first array that is skipped because its type is
 * unknown. */
struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code));
/* Adds all segments of r. Returns 0, or -1 and sets e: no sums, sums of another kind than before,
 * no memory, or an error of r. */
int merge_add(struct merge *m, struct frame_reader *r, struct err *e) FRAME_MUST;
uint64_t merge_segments(const struct merge *m); /* segments added so far */
/* Checks that all inputs belong together, then writes META, derived by the program of this name,
 * version and options, the arrays and END to w. For parts of one run, text[size] receives a warning
 * if the sample changed (drift.h), which a single part cannot detect; otherwise text is "". Returns
 * 0, or -1 and sets e: segments that differ, a run given twice, parts that do not make up one run,
 * no memory, or an error of w. */
int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e) FRAME_MUST;
void merge_close(struct merge *m);

#ifdef __cplusplus
}
#endif
#endif
