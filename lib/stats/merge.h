/* SPDX-License-Identifier: MIT */
/* merge.h: merges the sums (CORR, HIST) of several runs of one system, or of all parts of one run
 * (shard.h). The output contains the blocks of all inputs, one input after the other, with the
 * parts of a run in order. Averages and errors are computed from the merged blocks. */
#pragma once

#include "stream/frame.h"

struct merge;

/* Returns an empty merge, which may use max_mem bytes of memory (0 for no limit), or NULL if memory
 * runs out. If arrays are skipped because their type is unknown, the function left_out() is called
 * for the first of them. */
struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code));
/* Adds all segments of r to the merge. If r has no sums, its sums differ in kind from earlier sums,
 * reading fails, or memory runs out, returns -1 with an error message in e. Otherwise, returns
 * 0. */
int merge_add(struct merge *m, struct frame_reader *r, struct err *e) FRAME_MUST;
uint64_t merge_segments(const struct merge *m); /* number of segments that have been merged so
                                                 * far */
/* Checks that all inputs belong together, and then writes META, the arrays and the END frame to the
 * writer w. The arguments `tool`, `version` and `args` are stored as provenance in META. If the
 * inputs are parts of one run and the sample changed during the run (drift.h), `text` is set to a
 * warning. If the sample did not change, `text` becomes empty. If segments differ, a run was given
 * twice, parts do not form a complete run, memory runs out, or writing fails, returns -1 with an
 * error message in e. Otherwise returns 0. */
int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e) FRAME_MUST;
void merge_close(struct merge *m);
