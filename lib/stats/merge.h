/* SPDX-License-Identifier: MIT */
/* merge.h: merges the sums (CORR, HIST) of several runs of one system, or of all parts of one run
 * (shard.h). The output contains the blocks of all inputs, one input after the other, with the
 * parts of a run in order. Averages and errors are computed from the merged blocks. */
#pragma once

#include "stream/frame.h"

struct merge;

/* Returns an empty merge that may use max_mem bytes (0 for no limit), or NULL if memory runs out.
 * If an array is skipped because its type is unknown, left_out() is called for the first such
 * array. */
struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code));
/* Includes all segments of r in the merge. Returns 0 on success, or -1 with an error message in e
 * if r has no sums, if its sums differ in kind from earlier sums, if reading fails, or if memory
 * runs out. */
int merge_add(struct merge *m, struct frame_reader *r, struct err *e) FRAME_MUST;
uint64_t merge_segments(const struct merge *m); /* number of segments so far */
/* Checks that all inputs belong together, then writes META, the arrays and END to w. The provenance
 * in META contains `tool`, `version` and `args`. If the inputs are parts of one run and the sample
 * changed during the run (drift.h), `text` is set to a warning. If the sample did not change,
 * `text` is set to "". Returns -1 with an error message in e if segments differ, a run was given
 * twice, parts do not form a complete run, memory runs out, or writing fails. Otherwise returns
 * 0. */
int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e) FRAME_MUST;
void merge_close(struct merge *m);
