/* SPDX-License-Identifier: MIT */
/* merge.h: merges the sums (CORR, HIST) of several runs of a system, or of all parts of a run
 * (shard.h). The output contains the blocks of all inputs, one input after the other, with the
 * parts of a run in order. */
#pragma once

#include "stream/frame.h"

struct merge;

/* Returns an empty merge, which may use max_mem bytes of memory (0: no limit), or NULL if memory
 * runs out. The function left_out() is called for the first array that is skipped because its type
 * is unknown. */
struct merge *merge_open(uint64_t max_mem, void (*left_out)(const char *name, const char *code));
/* Adds all segments of r to the merge. Returns 0, or -1 with an error message in e if r contains no
 * sums or sums of another kind than earlier inputs, if reading fails, or if memory runs out. */
int merge_add(struct merge *m, struct frame_reader *r, struct err *e) FRAME_MUST;
uint64_t merge_segments(const struct merge *m); /* merged so far */
/* Checks that the inputs belong together, and writes META, the arrays and the END frame to w. The
 * arguments `tool`, `version` and `args` are stored as provenance in META. If the inputs are parts
 * of a run during which the sample changed (drift.h), writes a warning to `text`, which is
 * otherwise empty. Returns 0, or -1 with an error message in e if the segments differ, a run was
 * given twice, the parts do not form a complete run, memory runs out, or writing fails. */
int merge_put(struct merge *m, struct frame_writer *w, const char *tool, const char *version,
              const char *args, char *text, size_t size, struct err *e) FRAME_MUST;
void merge_close(struct merge *m);
